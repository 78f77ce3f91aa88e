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

/** Jobs report here that they ran. They need only the token in the path. */
export function pingRoutes(deps: Deps): OpenRoute[] {
  const record = createPings(deps);
  const seldom = createSeldomLog(deps.log);
  const route = {
    path: '/ping/:token',
    sameOnEveryHost: true,
    answers: { 200: Pinged },
    errors: ['notFound', 'storeUnavailable'],
    handle: (ctx: Context) => answerPing(record, seldom, ctx),
  } as const;
  return [
    { ...route, method: 'GET', operationId: 'ping', summary: 'Tell a heartbeat monitor that its job ran' },
    { ...route, method: 'POST', operationId: 'postPing', summary: 'The same; what the body says is ignored' },
  ];
}

async function answerPing(record: RecordPing, seldom: SeldomLog, ctx: Context): Promise<void> {
  const known = await record(String(ctx['params'].token)).catch((error: unknown) => {
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
