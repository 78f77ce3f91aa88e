import { limits } from '../../contract/limits.js';
import type { SentRelease } from '../names/version-registry.js';

/** The version of the API. In v2 the reporter takes the place of the events' services. */
export type Version = 1 | 2;

/** The version that an event of OTLP has from its resource. No key of JSON is a symbol. */
export const releaseKey: unique symbol = Symbol('release');

/** An event as JSON.parse returns it, with every alias of its fields. A field may hold any value. */
export type RawEvent = {
  [releaseKey]?: SentRelease;
  service?: unknown;
  app?: unknown;
  component?: unknown;
  endpoint?: unknown;
  path?: unknown;
  route?: unknown;
  method?: unknown;
  status?: unknown;
  statusCode?: unknown;
  status_code?: unknown;
  ms?: unknown;
  duration_ms?: unknown;
  message?: unknown;
  error?: unknown;
  at?: unknown;
  traceId?: unknown;
  trace_id?: unknown;
  spanId?: unknown;
  span_id?: unknown;
  errorType?: unknown;
  error_type?: unknown;
  stack?: unknown;
  attributes?: unknown;
};

/** The first alias that is present counts; null is absent. */
export const statusOf = (event: RawEvent): unknown => event.status ?? event.statusCode ?? event.status_code;
export const endpointOf = (event: RawEvent): unknown => event.endpoint ?? event.path ?? event.route;
export const serviceOf = (event: RawEvent): unknown => event.service ?? event.app ?? event.component;
export const latencyOf = (event: RawEvent): unknown => event.ms ?? event.duration_ms;
export const messageOf = (event: RawEvent): unknown => event.message ?? event.error;

export const traceIdOf = (event: RawEvent): unknown => event.traceId ?? event.trace_id;
export const spanIdOf = (event: RawEvent): unknown => event.spanId ?? event.span_id;
export const errorTypeOf = (event: RawEvent): unknown => event.errorType ?? event.error_type;

/** Whether an event carries more about its failure than a message. */
export function hasSample(event: RawEvent): boolean {
  const { stack, attributes } = event;
  return (traceIdOf(event) ?? spanIdOf(event) ?? errorTypeOf(event) ?? stack ?? attributes ?? null) !== null;
}

/** Whether a response with this status is a failing one, whose message and sample are stored. */
export const isFailing = (status: number): boolean => status >= 400;

/** Returns the status of HTTP, or 0 for another value. */
export function parseStatus(raw: unknown): number {
  const isStatus = typeof raw === 'number' && Number.isInteger(raw);
  return isStatus && raw >= limits.statusMin && raw <= limits.statusMax ? raw : 0;
}

/** Returns milliseconds, at most a day; NaN for a value that is no response time. Adding 0 turns -0 into 0. */
export function parseLatency(raw: unknown): number {
  const isLatency = typeof raw === 'number' && raw >= 0 && raw < Number.POSITIVE_INFINITY;
  return isLatency ? Math.min(raw, limits.latencyMsMax) + 0 : Number.NaN;
}
