import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Router, { type Layer } from '@koa/router';
import Koa from 'koa';
import { errorRegistry } from '../contract/errors.js';
import type { KeyCache } from '../control/keys/index.js';
import type { Log } from '../lib/log.js';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
import type { Metrics } from '../service/metrics.js';
import { isPostgresLost } from '../sql/lost-store.js';
import { authenticate } from './authenticate.js';
import type { PageErrors } from './public/page-errors.js';
import { drainBody, readBody } from './read-body.js';
import { hasBody, type Route } from './route.js';

type Deps = {
  keys: KeyCache;
  log: Log;
  metrics: Metrics;
  routes: readonly Route[];
  /** For a service without status pages all errors are JSON. */
  pageErrors?: PageErrors;
  bodyTimeoutMs: number;
};

/** Of all bodies that are being received. */
const bodiesBytesMax = 256 * 1024 * 1024;

const requestIdForm = /^[\w.:-]{1,128}$/;

/**
 * The application. Order of the middleware: request id and log, errors to answers, then of the matched route
 * its method, key, scope, capability, body and handler.
 */
export function createApp(deps: Deps): Koa {
  const app = new Koa();
  // Koa would print errors to the console; those of requests are logged below, those of sockets are not ours.
  app.silent = true;
  app.use((ctx, next) => observe(deps, ctx, next));
  app.use((ctx, next) => answerErrors(deps, ctx, next));
  app.use(createRouter(deps).routes());
  app.use((ctx) => refuseUnknown(deps, ctx));
  return app;
}

function createRouter(deps: Deps): Router {
  const router = new Router();
  const budget = { bytes: 0, bytesMax: bodiesBytesMax };
  for (const route of deps.routes) {
    router.register(route.path, [route.method], async (ctx: Koa.Context) => {
      const receive = (bytesMax: number) =>
        readBody(ctx.req, { bytesMax, timeoutMs: deps.bodyTimeoutMs, budget });
      if (route.access === undefined) {
        if (!hasBody(route)) return await route.handle(ctx);
        return await route.handle(ctx, await receive(route.body.bytesMax));
      }
      const grant = await authenticate(ctx, deps.keys, route.access);
      if (!hasBody(route)) return await route.handle(ctx, grant);
      await route.handle(ctx, grant, await receive(route.body.bytesMax));
    });
  }
  return router;
}

/** An address of ours with another method, or none of ours. */
async function refuseUnknown({ routes, pageErrors }: Deps, ctx: Koa.Context): Promise<void> {
  const allowed = new Set<string>();
  const matched: Layer[] = ctx['matched'] ?? [];
  for (const layer of matched) {
    const route = routes.find(({ path, method }) => path === layer.path && layer.methods.includes(method));
    const params = layer.params(ctx.path, layer.captures(ctx.path));
    const isThere = (await route?.isThere?.(ctx, params)) ?? true;
    if (isThere) for (const method of layer.methods) allowed.add(method);
  }
  if (allowed.size > 0) {
    ctx.set('allow', [...allowed].join(', '));
    throw new ServiceError('methodNotAllowed');
  }
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  if (pageErrors === undefined || !isRead) throw new ServiceError('notFound');
  await pageErrors.answerUnknown(ctx);
}

async function observe({ log, metrics }: Deps, ctx: Koa.Context, next: Koa.Next): Promise<void> {
  const startedAt = performance.now();
  const requestId = readRequestId(ctx.req);
  ctx.state['requestId'] = requestId;
  ctx.set('x-request-id', requestId);
  await next();
  const route = String(ctx['_matchedRoute'] ?? 'none');
  record({ log, metrics }, { requestId, method: ctx.method, route, status: ctx.status, startedAt });
}

/** The id that was sent with a request, or a new one. */
export function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && requestIdForm.test(sent) ? sent : randomUUID();
}

export type AnsweredRequest = {
  requestId: string;
  method: string;
  /** Template of its path. */
  route: string;
  status: number;
  /** As of performance.now(). */
  startedAt: number;
};

/** Counts an answered request and logs it. */
export function record(
  { log, metrics }: Pick<Deps, 'log' | 'metrics'>,
  { requestId, method, route, status, startedAt }: AnsweredRequest,
): void {
  const ms = performance.now() - startedAt;
  metrics.request(route, method, status, ms / 1000);
  log.debug({ requestId, method, route, status, ms: Math.round(ms) }, 'Request answered.');
}

/** Undefined for what is a defect. Outages of ClickHouse arrive as a ServiceError already. */
function asServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  return isPostgresLost(error) ? storeUnavailable(error) : undefined;
}

async function answerErrors({ log, pageErrors }: Deps, ctx: Koa.Context, next: Koa.Next): Promise<void> {
  try {
    await next();
  } catch (error) {
    const known = asServiceError(error);
    if (known === undefined || (errorRegistry[known.kind].status >= 500 && known.cause !== undefined)) {
      const fields = {
        requestId: ctx.state['requestId'],
        route: ctx['_matchedRoute'],
        err: known?.cause ?? error,
      };
      log.error(fields, known?.message ?? 'A request failed.');
    }
    // Closing while a client sends resets the connection, and the answer may be lost with it. A body that was
    // late is not waited for any longer.
    if (known?.kind !== 'bodyTimeout') await drainBody(ctx.req);
    ctx.status = errorRegistry[known?.kind ?? 'internal'].status;
    if (known?.retryAfterSeconds !== undefined) ctx.set('retry-after', String(known.retryAfterSeconds));
    if (!ctx.req.complete) ctx.set('connection', 'close');
    if (known !== undefined && pageErrors?.answerOutage(ctx, known)) return;
    ctx.body = { error: known?.message ?? errorRegistry.internal.message };
  }
}
