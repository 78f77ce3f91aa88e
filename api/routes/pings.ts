import type { Context } from 'koa';
import Type from 'typebox';
import { recordPing } from '../../control/monitors/index.js';
import type { Clock } from '../../lib/clock.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { drainBody } from '../read-body.js';
import type { OpenRoute } from '../route.js';

type Deps = { sql: Sql; clock: Clock };

const Pinged = Type.Object({ ok: Type.Literal(true) });

/** Jobs report here that they ran. They need only the token in the path. */
export function pingRoutes(deps: Deps): OpenRoute[] {
  const route = {
    path: '/ping/:token',
    answers: { 200: Pinged },
    errors: ['notFound', 'storeUnavailable'],
    handle: (ctx: Context) => answerPing(deps, ctx),
  } as const;
  return [
    { ...route, method: 'GET', operationId: 'ping', summary: 'Tell a heartbeat monitor that its job ran' },
    { ...route, method: 'POST', operationId: 'postPing', summary: 'The same; what the body says is ignored' },
  ];
}

async function answerPing(deps: Deps, ctx: Context): Promise<void> {
  const token = String(ctx['params'].token);
  const known = await recordPing(deps, { token }).catch((cause: unknown) => {
    throw storeUnavailable(cause);
  });
  if (!known) throw new ServiceError('notFound');
  await drainBody(ctx.req);
  if (!ctx.req.complete) ctx.set('connection', 'close');
  ctx.set('cache-control', 'no-store');
  ctx.body = { ok: true };
}
