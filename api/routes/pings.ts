import type { Context } from 'koa';
import Type from 'typebox';
import { createPings, type RecordPing } from '../../control/monitors/index.js';
import type { Clock } from '../../lib/clock.js';
import { createSeldomLog, type Log, type SeldomLog } from '../../lib/log.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { drainBody } from '../read-body.js';
import type { OpenRoute } from '../route.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

const Pinged = Type.Object({ ok: Type.Literal(true) });

/** The push monitors of Uptime Kuma send `up` and `down`. */
const successes = ['ok', 'up'] as const;
const failures = ['fail', 'down'] as const;
const PingParameters = Type.Object({
  status: Type.Optional(
    Type.Enum([...successes, ...failures], {
      description: 'How the job ended; `ok` and `up` are a success, as is a call without it.',
    }),
  ),
});

const pingPath = '/ping/:token';
const reportPath = '/ping/:token/:report';

/** Jobs report here that they ran, and how they ended. They need only the token in the path. */
export function pingRoutes(deps: Deps): OpenRoute[] {
  const record = createPings(deps);
  const seldom = createSeldomLog(deps.log);
  const route = {
    sameOnEveryHost: true,
    query: PingParameters,
    answers: { 200: Pinged },
    errors: ['invalidParameter', 'notFound', 'storeUnavailable'],
    handle: (ctx: Context) => answerPing(record, seldom, ctx),
  } as const;
  const [get, post] = [
    { ...route, method: 'GET' },
    { ...route, method: 'POST' },
  ] as const;
  const same = 'The same; what the body says is ignored';
  const summary = 'Tell a heartbeat monitor that its job ran';
  const reported = 'Tell a heartbeat monitor that its job failed, or with which exit code it ended';
  return [
    { ...get, path: pingPath, operationId: 'ping', summary },
    { ...post, path: pingPath, operationId: 'postPing', summary: same },
    { ...get, path: reportPath, operationId: 'pingReport', summary: reported },
    { ...post, path: reportPath, operationId: 'postPingReport', summary: same },
  ];
}

async function answerPing(record: RecordPing, seldom: SeldomLog, ctx: Context): Promise<void> {
  const { token, report } = ctx['params'];
  const failure = failureOf(report, ctx.query['status']);
  const known = await record(String(token), failure).catch((error: unknown) => {
    if (error instanceof ServiceError) throw error;
    seldom.note({ err: error }, 'Pings of heartbeats cannot be recorded.');
    throw storeUnavailable();
  });
  if (!known) throw new ServiceError('notFound');
  await drainBody(ctx.req);
  if (!ctx.req.complete) ctx.set('connection', 'close');
  ctx.set('cache-control', 'no-store');
  ctx.body = { ok: true };
}

/**
 * Returns the sentence on the failure that a call reports, or null for a success. The forms of the path are those of
 * https://healthchecks.io/docs/http_api/, without `/start` and `/log`.
 *
 * @param report the part of the path behind the token, if there is one
 * @param status the parameter; a list when the query has it several times
 * @throws ServiceError `invalidParameter`, which says what is understood
 */
function failureOf(report: string | undefined, status: string | string[] | undefined): string | null {
  const inPath = report === undefined ? undefined : failureInPath(report);
  if (status === undefined) return inPath ?? null;
  const isFailure = failures.some((known) => known === status);
  if (!isFailure && !successes.some((known) => known === status)) {
    throw new ServiceError('invalidParameter', {
      message: 'Parameter "status" must be ok or up for a success, or fail or down for a failure, once.',
    });
  }
  if (inPath !== undefined && isFailure !== (inPath !== null)) {
    throw new ServiceError('invalidParameter', {
      message: 'The path and the parameter "status" contradict each other; send one of them.',
    });
  }
  return inPath ?? (isFailure ? 'The job reported a failure.' : null);
}

function failureInPath(report: string): string | null {
  if (report === 'fail') return 'The job reported a failure.';
  const code = /^\d{1,3}$/.test(report) ? Number(report) : undefined;
  if (code === undefined || code > 255) {
    throw new ServiceError('invalidParameter', {
      message:
        'What follows the token must be /fail, or the exit code of the job from /0 (success) to /255; nothing is a success.',
    });
  }
  return code === 0 ? null : `The job reported a failure: exit code ${code}.`;
}
