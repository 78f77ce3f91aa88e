import Type from 'typebox';
import { CheckOutcome } from '../../../../contract/manage/monitor-checks.js';
import { TrialOfMonitor } from '../../../../contract/manage/monitors.js';
import {
  type CheckDeps,
  createCheckDeps,
  loadCheck,
  loadMonitor,
  type Outcome,
  ProbeError,
  planTrial,
  runCheck,
  runTrial,
} from '../../../../control/monitors/index.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { hangUpSignal } from '../../../hang-up.js';
import { type ManageCall, manageBodyRoute, manageRoute } from '../../../manage/manage-route.js';
import type { CommandRoutesDeps, ManageRouteList } from '../deps.js';
import { settingsOfTrial } from './settings.js';

/** Checks that run at once because somebody asked for them. */
const checksMax = { max: 16, maxPerKey: 4 };

/** Makes checks beside the schedule. `bytesMax` is the limit of the settings of a monitor. */
export function checkNowRoutes(deps: CommandRoutesDeps, bytesMax: number): ManageRouteList {
  const answerCheck = createChecks(deps);
  return [
    manageRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/monitors/:slug/check',
      operationId: 'checkMonitor',
      summary: 'Check a monitor once, now',
      description:
        'Check a monitor once, now. The outcome is in the answer and nowhere else: it changes no state and no figure',
      permission: 'monitors.write',
      query: Type.Object({}),
      answers: { 200: CheckOutcome },
      errors: ['notFound', 'conflict', 'rateLimited', 'overloaded'],
      // A check ends by itself after the timeout of its monitor.
      boundsItself: true,
      async manage(call) {
        const { page, params } = call;
        const { id, kind, slug } = await loadMonitor(deps, { pageId: page.id, slug: params['slug'] ?? '' });
        if (kind === 'manual') {
          throw new ServiceError('conflict', {
            message: `The service "${slug}" has no checks; its state comes from incidents.`,
          });
        }
        if (kind === 'heartbeat') {
          throw new ServiceError('conflict', {
            message: `The monitor "${slug}" is a heartbeat: it waits for calls, and nothing can be checked now.`,
          });
        }
        await answerCheck(call, async (network, signal) => {
          const check = await loadCheck(deps, id);
          if (check === undefined) throw new ServiceError('notFound');
          return runCheck({ ...network, secretKey: deps.secretKey }, check, signal);
        });
      },
    }),
    manageBodyRoute({
      method: 'POST',
      path: '/api/v1/pages/:page/monitors/trial',
      operationId: 'tryMonitor',
      summary: 'Try the settings of a monitor once, without saving them',
      description:
        'Try the settings of a monitor once, without saving them. The outcome is in the answer and nowhere else',
      permission: 'monitors.write',
      body: { schema: TrialOfMonitor, bytesMax },
      answers: { 200: CheckOutcome },
      errors: ['invalidBody', 'notFound', 'conflict', 'rateLimited', 'overloaded'],
      // As above.
      boundsItself: true,
      async manage(call) {
        const { type: kind, slug, ...fields } = call.body;
        const of = { pageId: call.page.id, kind, ...(slug !== undefined && { slug }) };
        await answerCheck(call, async (network, signal) =>
          runTrial(network, await planTrial(deps, { ...of, ...settingsOfTrial(fields) }), signal),
        );
      },
    }),
  ];
}

type MakeCheck = (network: CheckDeps, signal: AbortSignal) => Promise<Outcome>;

/** Answers with the outcomes of checks, within the limits of those that run at once. */
function createChecks(deps: CommandRoutesDeps) {
  const running = createLimiter<PageId>(checksMax);
  let network: CheckDeps | undefined;
  return async ({ ctx, page }: Pick<ManageCall, 'ctx' | 'page'>, make: MakeCheck): Promise<void> => {
    const release = running.tryTake(page.id);
    if (release === undefined) throw tooManyChecks(running.running.get(page.id));
    try {
      network ??= createCheckDeps(deps);
      const work = make(network, hangUpSignal(ctx.res));
      ctx.body = await work.then((outcome) => ({ ...outcome, unobserved: null }), unobservedJson);
      ctx.set('cache-control', 'no-store');
    } finally {
      release();
    }
  };
}

function tooManyChecks(ofPage: number | undefined): ServiceError {
  if (ofPage === checksMax.maxPerKey) {
    const message = `${checksMax.maxPerKey} checks of this page run now, which is the most; wait for their answers.`;
    return new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
  }
  return new ServiceError('overloaded', {
    message: 'The service runs as many checks as it can; retry in a few seconds.',
    retryAfterSeconds: 1,
  });
}

/** The answer about a check that says nothing about what is monitored. */
function unobservedJson(error: unknown): CheckOutcome {
  if (!(error instanceof ProbeError)) throw error;
  return {
    ...{ ok: null, error: null, unobserved: error.unobserved, detail: error.message, status: null },
    ...{ dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, totalMs: null },
  };
}
