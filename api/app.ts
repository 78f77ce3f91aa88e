import type { RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { ServiceError } from '../lib/service-error.js';
import { createErrorAnswers, type ErrorDeps } from './answer-errors.js';
import { answerFromMemoryFirst } from './fast-path.js';
import { type ObserveDeps, observe } from './observe.js';
import { createRouteTable, type RouterDeps, type RouteTable } from './router.js';
import { createHostVariation, variesByHost } from './vary-by-host.js';

export type AppDeps = ObserveDeps &
  RouterDeps &
  ErrorDeps & {
    /** Whether X-Forwarded-Host of a trusted proxy may name the host. */
    trustsProxies?: boolean;
  };

/** Answers every request: from memory where the answer is ready, else through the application. */
export function createListener(deps: AppDeps): RequestListener {
  const table = createRouteTable(deps);
  const hostVariation = createHostVariation(deps.trustsProxies ?? false);
  return answerFromMemoryFirst({ ...deps, table, hostVariation }, composeApp(deps, table).callback());
}

/** The application without the fast path. */
export function createApp(deps: AppDeps): Koa {
  return composeApp(deps, createRouteTable(deps));
}

/** The middleware in order: request id and log, what caches keep apart, errors to answers, the matched route, and what no route takes. */
function composeApp(deps: AppDeps, table: RouteTable): Koa {
  const app = new Koa();
  // Koa would print errors to the console: the middleware logs those of requests, and those of sockets need no log.
  app.silent = true;
  app.use((ctx, next) => observe(deps, ctx, next));
  app.use(markVariation(deps));
  app.use(createErrorAnswers(deps));
  app.use((ctx, next) => refuseOddTarget(ctx, next));
  app.use(table.dispatch);
  app.use((ctx) => refuseUnknown(deps, table, ctx));
  return app;
}

/** Unknown addresses vary by host, too: their answer may be a view of the page. */
function markVariation({
  routes,
  trustsProxies = false,
}: AppDeps): (ctx: Context, next: Next) => Promise<void> {
  const variation = createHostVariation(trustsProxies);
  const same = new Set<unknown>(routes.filter((route) => !variesByHost(route)).map(({ path }) => path));
  return async (ctx, next) => {
    await next();
    if (!same.has(ctx['_matchedRoute'])) variation.mark(ctx);
  };
}

/**
 * Refuses a request whose path is not read as it was sent: reading drops a fragment, which no client sends and a proxy
 * may take for a part of the path, and fails on a malformed host.
 *
 * @throws ServiceError `notHttp`
 */
function refuseOddTarget(ctx: Context, next: Next): Promise<void> {
  const [sent = ''] = (ctx.req.url ?? '').replace(/^https?:\/\/[^/?]*/i, '').split('?', 1);
  if (readPath(ctx) !== (sent || '/')) throw new ServiceError('notHttp');
  return next();
}

/** Returns `undefined` for a target that is not a URL. */
function readPath(ctx: Context): string | undefined {
  try {
    return ctx.path;
  } catch {
    return undefined;
  }
}

/** Refuses a method that no route takes at a known address, and every unknown address. */
async function refuseUnknown({ viewErrors }: AppDeps, table: RouteTable, ctx: Context): Promise<void> {
  const allowed = await table.allowedMethods(ctx);
  if (allowed.length > 0) {
    ctx.set('allow', allowed.join(', '));
    const taken = allowed.filter((method) => method !== 'HEAD').join(' and ');
    throw new ServiceError('methodNotAllowed', { hint: `This address takes ${taken}.` });
  }
  table.refuseNearMiss(ctx);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (viewErrors === undefined || !isRead) throw new ServiceError('notFound');
  await viewErrors.answerUnknown(ctx);
}
