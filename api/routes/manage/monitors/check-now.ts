import Type from 'typebox';
import { CheckOutcome } from '../../../../contract/manage/monitors.js';
import {
  type CheckDeps,
  createCheckDeps,
  loadCheck,
  loadMonitor,
  ProbeError,
  runCheck,
} from '../../../../control/monitors/index.js';
import type { PageId } from '../../../../lib/ids.js';
import { createLimiter } from '../../../../lib/limiter.js';
import { ServiceError } from '../../../../lib/service-error.js';
import { hangUpSignal } from '../../../hang-up.js';
import { manageRoute } from '../../../manage/manage-route.js';
import type { ManageRouteList, ManageRoutesDeps } from '../deps.js';

/** Checks that run at once because somebody asked for them. */
const checksMax = { max: 16, maxPerKey: 4 };

/** Makes checks beside the schedule. */
export function checkNowRoutes(deps: ManageRoutesDeps): ManageRouteList {
  const running = createLimiter<PageId>(checksMax);
  let network: CheckDeps | undefined;
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
      async manage({ ctx, page, params }) {
        const { id, kind, slug } = await loadMonitor(deps, { pageId: page.id, slug: params['slug'] ?? '' });
        if (kind === 'heartbeat') {
          throw new ServiceError('conflict', {
            message: `The monitor "${slug}" is a heartbeat: it waits for calls, and nothing can be checked now.`,
          });
        }
        const release = running.tryTake(page.id);
        if (release === undefined) throw tooManyChecks(running.running.get(page.id));
        try {
          const check = await loadCheck(deps, id);
          if (check === undefined) throw new ServiceError('notFound');
          network ??= createCheckDeps(deps);
          const work = runCheck({ ...network, secretKey: deps.secretKey }, check, hangUpSignal(ctx.res));
          ctx.set('cache-control', 'no-store');
          ctx.body = await work.then((outcome) => ({ ...outcome, unobserved: null }), unobservedJson);
        } finally {
          release();
        }
      },
    }),
  ];
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
