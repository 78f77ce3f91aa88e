import type { RequestListener } from 'node:http';
import Koa, { type Context, type Next } from 'koa';
import { ServiceError } from '../lib/service-error.js';
import { createErrorAnswers, type ErrorDeps } from './answer-errors.js';
import { preflightHeaders } from './any-origin.js';
import { requestMsMax, withinDeadline } from './deadline.js';
import { answerOnFastPath } from './fast-path.js';
import { type ObserveDeps, observe } from './observe.js';
import { faultOfHost } from './request-target.js';
import { createRouteTable, type RouterDeps, type RouteTable } from './route-table.js';
import { createHostVariation, variesByHost } from './vary-by-host.js';

export type AppDeps = ObserveDeps &
  RouterDeps &
  ErrorDeps & {
    /** Whether X-Forwarded-Host of a trusted proxy may name the host. */
    trustsProxies?: boolean;
  };

/** Answers every request: on the fast path where that is possible, else through the application. */
export function createListener(deps: AppDeps): RequestListener {
  const table = createRouteTable(deps);
  const hostVariation = createHostVariation(deps.trustsProxies ?? false);
  return answerOnFastPath({ ...deps, table, hostVariation }, composeApp(deps, table).callback());
}

/** The application without the fast path. */
export function createApp(deps: AppDeps): Koa {
  return composeApp(deps, createRouteTable(deps));
}

/** The middleware in order: request id and log, what caches keep apart, errors to answers, the matched route, and what no route takes. */
function composeApp(deps: AppDeps, table: RouteTable): Koa {
  const app = new Koa();
  // Koa would print errors to the console: the middleware logs errors of requests, and errors of sockets need no log.
  app.silent = true;
  app.use((ctx, next) => observe(deps, ctx, next));
  app.use(markVariation(deps));
  app.use(createErrorAnswers(deps));
  app.use((ctx, next) => refuseOddRequest(ctx, next));
  app.use(table.dispatch);
  app.use((ctx) => withinDeadline(refuseUnknown(deps, table, ctx), requestMsMax, ctx.res));
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
 * Refuses a request whose host or path others may read in another way, and one that expects what the service does not
 * have. Reading a path drops a fragment, which no client sends and a proxy may take for a part of the path.
 *
 * @throws ServiceError `notHttp`, `expectationFailed`
 */
function refuseOddRequest(ctx: Context, next: Next): Promise<void> {
  const hint = faultOfHost(ctx.req);
  if (hint !== undefined) throw new ServiceError('notHttp', { hint });
  const [sent = ''] = (ctx.req.url ?? '').split('?', 1);
  if (readPath(ctx) !== sent) throw new ServiceError('notHttp');
  if (!/^100-continue$/i.test(ctx.req.headers.expect ?? '100-continue'))
    throw new ServiceError('expectationFailed');
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

/** Answers preflights. Refuses a method that no route takes at a known address, and every unknown address. */
async function refuseUnknown({ viewErrors }: AppDeps, table: RouteTable, ctx: Context): Promise<void> {
  if (ctx.method === 'OPTIONS' && table.takesAnyOrigin(ctx)) return answerPreflight(ctx);
  refuseEventsElsewhere(ctx);
  refuseWithoutVersion(ctx);
  const allowed = await table.allowedMethods(ctx);
  if (allowed.length > 0) {
    ctx.set('allow', allowed.join(', '));
    const taken = allowed.filter((method) => method !== 'HEAD' && method !== 'OPTIONS').join(' and ');
    throw new ServiceError('methodNotAllowed', { hint: `This address takes ${taken}.` });
  }
  table.refuseNearMiss(ctx);
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (viewErrors === undefined || !isRead) throw new ServiceError('notFound');
  await viewErrors.answerUnknown(ctx);
}

/** Near the addresses that take events, which have answers of their own, and those that differ in case or slashes alone. */
const nearEvents = /^(?!\/api\/v[12]\/events\/?$)(\/api)?(\/v[12])?\/events?\/?$/i;

/**
 * A GET of `/events` may be a view of a page.
 *
 * @throws ServiceError `notFound` at the addresses that senders of events guess
 */
function refuseEventsElsewhere({ method, path }: Context): void {
  const [isNear, api, version] = nearEvents.exec(path) ?? [];
  if (isNear === undefined || (method !== 'POST' && api === undefined && version === undefined)) return;
  const v2 = 'POST /api/v2/events takes those of a reporter';
  const hint = version?.toLowerCase() === '/v2' ? `${v2}.` : `POST /api/v1/events takes events; ${v2}.`;
  throw new ServiceError('notFound', { hint });
}

/** Addresses below `/api/` that lack the version. @throws ServiceError `notFound` */
function refuseWithoutVersion({ path }: Context): void {
  const [, rest] = /^\/api\/(?!v\d+(?:\/|$)|public(?:\/|$))([\w/.-]+)$/i.exec(path) ?? [];
  if (rest === undefined) return;
  throw new ServiceError('notFound', { hint: `Addresses of the API have a version: /api/v1/${rest}` });
}

function answerPreflight(ctx: Context): void {
  ctx.status = 204;
  ctx.set(preflightHeaders);
}
