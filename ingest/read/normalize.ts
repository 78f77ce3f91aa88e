import { limits } from '../../contract/limits.js';
import { dayMs } from '../../lib/times.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch, Rejection } from './batch.js';
import { normalizeEndpoint, normalizeMessage, normalizeService } from './text-fields.js';

/** The times of events that a version of the API accepts, in milliseconds since the epoch, inclusive. */
export type Window = { oldest: number; newest: number; arrival: number };

export function windowV1(now: number): Window {
  return {
    arrival: now,
    oldest: now - limits.eventRetentionDays * dayMs,
    newest: now + limits.eventAheadSecondsMax * 1000,
  };
}

export function windowV2(now: number): Window {
  return {
    arrival: now,
    oldest: now - limits.eventAgeSecondsMaxV2 * 1000,
    newest: now + limits.eventAheadSecondsMax * 1000,
  };
}

/** An event as JSON.parse returns it, with every alias of its fields. A field may hold any value. */
type RawEvent = {
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
};

/** The version of the API. In v2 the reporter takes the place of the events' services. */
export type Version = 1 | 2;

/**
 * Checks and normalises events into an empty batch. Counts a malformed event under its reason and skips it; no value of a
 * field makes this throw. Leaves the events of v2 without a source. The first alias that is present counts; null is
 * absent.
 */
export function normalize(
  events: readonly unknown[],
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
): void {
  for (const event of events) {
    if (typeof event === 'object' && event !== null && !Array.isArray(event)) {
      readFields(event, page, window, version, batch);
      placeEvent(batch, window);
    } else batch.reject('notAnObject');
  }
}

/** Writes the columns behind the last event. 0, NaN or undefined stand for a wrong value. */
function readFields(event: RawEvent, page: PageNames, window: Window, version: Version, batch: Batch): void {
  const i = batch.length;
  const { at, method = 'GET' } = event;
  batch.status[i] = parseStatus(event.status ?? event.statusCode ?? event.status_code);
  batch.at[i] = at == null ? window.arrival : typeof at === 'string' ? parseTimestamp(at) : Number.NaN;
  batch.latencyMs[i] = parseLatency(event.ms ?? event.duration_ms);
  batch.method[i] =
    typeof method === 'string' ? page.method(method) : method === null ? page.method('GET') : undefined;
  resolveEndpoint(event.endpoint ?? event.path ?? event.route, page, batch);
  if (version === 1) resolveService(event.service ?? event.app ?? event.component, page, batch);
  else resolveNoService(batch);
  const failed = (batch.status[i] ?? 0) >= 400;
  batch.message[i] = failed ? normalizeMessage(event.message ?? event.error) : undefined;
}

/** Adds the event whose columns were written behind the last one, or rejects it. */
export function placeEvent(batch: Batch, window: Window): void {
  const reason = findFault(batch, window);
  if (reason !== undefined) {
    batch.reject(reason);
    return;
  }
  const i = batch.length;
  if (batch.unknownEndpoint[i] !== undefined || batch.unknownSource[i] !== undefined) batch.hasUnknown = true;
  batch.length += 1;
}

function findFault(batch: Batch, window: Window): Rejection | undefined {
  const i = batch.length;
  const at = batch.at[i] ?? Number.NaN;
  if (batch.status[i] === 0) return 'status';
  if (at < window.oldest) return 'tooOld';
  if (at > window.newest) return 'inFuture';
  if (Number.isNaN(at)) return 'timestamp';
  if (batch.method[i] === undefined) return 'method';
  if (batch.method[i] === null) return 'methodsPerPage';
  if (batch.endpoint[i] === undefined && batch.unknownEndpoint[i] === undefined) return 'endpoint';
  return undefined;
}

/** A raw text that is a known name is normalised already, which is the usual case for a route template. */
export function resolveEndpoint(raw: unknown, page: PageNames, batch: Batch): void {
  const i = batch.length;
  batch.endpoint[i] = undefined;
  batch.unknownEndpoint[i] = undefined;
  if (typeof raw !== 'string') return;
  const text = page.endpoints.has(raw) ? raw : normalizeEndpoint(raw);
  if (text === undefined) return;
  const endpoint = page.endpoints.get(text);
  batch.endpoint[i] = endpoint;
  if (endpoint === undefined) batch.unknownEndpoint[i] = text;
}

export function resolveService(raw: unknown, page: PageNames, batch: Batch): void {
  const i = batch.length;
  batch.unknownSource[i] = undefined;
  const text = normalizeService(raw);
  const source = text === undefined ? page.unassigned : page.services.get(text);
  batch.source[i] = source;
  if (source === undefined) batch.unknownSource[i] = text;
}

/** Leaves the source open. In v2 the reporter becomes the source when it is known. */
export function resolveNoService(batch: Batch): void {
  batch.source[batch.length] = undefined;
  batch.unknownSource[batch.length] = undefined;
}

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
