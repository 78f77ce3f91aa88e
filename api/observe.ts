import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Writable } from 'node:stream';
import type { Context, Next } from 'koa';
import { errorRegistry } from '../contract/errors.js';
import type { Log } from '../lib/log.js';
import { earlyFailureOf } from './failed-early.js';
import { hasHungUp } from './hang-up.js';

export type RequestMetrics = {
  /** Counts an answered request. `route` is the template of its path. */
  request(route: string, method: string, status: number, seconds: number): void;
};

export type ObserveDeps = { log: Log; metrics: RequestMetrics };

export type AnsweredRequest = {
  requestId: string;
  method: string;
  /** Template of its path. */
  route: string;
  status: number;
  /** Milliseconds of `performance.now()`. */
  startedAt: number;
};

const requestIdForm = /^[\w.:-]{1,128}$/;

/** Gives each request an id, which its answer and its log lines carry, and records the answer. */
export async function observe(deps: ObserveDeps, ctx: Context, next: Next): Promise<void> {
  const early = earlyFailureOf(ctx.req);
  const startedAt = early?.startedAt ?? performance.now();
  const requestId = early?.requestId ?? requestIdOf(ctx.req);
  ctx.state['requestId'] = requestId;
  ctx.set('x-request-id', requestId);
  await next();
  const route = String(ctx['_matchedRoute'] ?? 'none');
  record(deps, { requestId, method: ctx.method, route, status: outcomeOf(ctx.res, ctx.status), startedAt });
}

/**
 * The status of a request for metrics and log: 499 when its caller has hung up. A failure of the service stays one, as
 * callers hang up because it takes too long.
 */
export function outcomeOf(res: Writable, status: number): number {
  return hasHungUp(res) && status < 500 ? errorRegistry.callerGone.status : status;
}

/** The id that the client sent with a request, else a new one, which the request has from then on. */
export function requestIdOf({ headers }: { headers: IncomingHttpHeaders }): string {
  const sent = headers['x-request-id'];
  if (typeof sent === 'string' && requestIdForm.test(sent)) return sent;
  const id = randomUUID();
  headers['x-request-id'] = id;
  return id;
}

/** Counts and logs an answered request. */
export function record(
  { log, metrics }: ObserveDeps,
  { requestId, method, route, status, startedAt }: AnsweredRequest,
): void {
  const ms = performance.now() - startedAt;
  metrics.request(route, method, status, ms / 1000);
  log.debug({ requestId, method, route, status, ms: Math.round(ms) }, 'Request answered.');
}
