import { limits } from '../contract/limits.js';
import { parseTimestamp } from '../contract/timestamp.js';
import { Batch, type Rejection } from './batch.js';
import type { Source } from './names.js';
import type { PageNames } from './page-names.js';
import { normalizeEndpoint, normalizeMessage, normalizeService } from './text-fields.js';

/** The time range of which a version of the API takes events, in milliseconds since the epoch, inclusive. */
export type Window = { oldest: number; newest: number; arrival: number };

const dayMs = 86_400_000;

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

/** An event as JSON.parse gives it, with every name a field goes by; any of them may hold anything. */
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

/**
 * Checks and normalises the events of one batch. A malformed event is counted under its reason and skipped; no
 * value of a field makes this throw. With `reporter` (v2) the events' own service is ignored. Of several
 * aliases the first one present counts, null being absent.
 */
export function normalize(
  events: readonly unknown[],
  page: PageNames,
  window: Window,
  reporter?: Source,
): Batch {
  const batch = new Batch();
  for (const event of events) {
    const reason =
      typeof event === 'object' && event !== null && !Array.isArray(event)
        ? readEvent(event, batch, page, window, reporter)
        : 'notAnObject';
    if (reason === undefined) batch.length += 1;
    else batch.reject(reason);
  }
  return batch;
}

/** Writes an event behind the last one of the batch; the caller counts it in. */
function readEvent(
  event: RawEvent,
  batch: Batch,
  page: PageNames,
  window: Window,
  reporter: Source | undefined,
): Rejection | undefined {
  const i = batch.length;
  const status = event.status ?? event.statusCode ?? event.status_code;
  if (typeof status !== 'number' || !Number.isInteger(status)) return 'status';
  if (status < limits.statusMin || status > limits.statusMax) return 'status';

  const at =
    event.at == null ? window.arrival : typeof event.at === 'string' ? parseTimestamp(event.at) : Number.NaN;
  if (at < window.oldest) return 'tooOld';
  if (at > window.newest) return 'inFuture';
  if (Number.isNaN(at)) return 'timestamp';

  const method = event.method ?? 'GET';
  const methodName = typeof method === 'string' ? page.method(method) : undefined;
  if (methodName === undefined) return 'method';
  if (methodName === null) return 'methodsPerPage';

  const rawEndpoint = event.endpoint ?? event.path ?? event.route;
  if (typeof rawEndpoint !== 'string') return 'endpoint';
  let endpoint = page.endpoints.get(rawEndpoint);
  batch.unknownEndpoint[i] = undefined;
  if (endpoint === undefined) {
    const text = normalizeEndpoint(rawEndpoint);
    if (text === undefined) return 'endpoint';
    endpoint = page.endpoints.get(text);
    if (endpoint === undefined) batch.unknownEndpoint[i] = text;
  }

  batch.unknownSource[i] = undefined;
  batch.source[i] = reporter ?? readService(event, batch, i, page);
  batch.endpoint[i] = endpoint;
  if (endpoint === undefined) batch.hasUnknown = true;
  batch.method[i] = methodName;
  batch.status[i] = status;
  batch.at[i] = at;
  batch.latencyMs[i] = readLatency(event.ms ?? event.duration_ms);
  batch.message[i] = status < 400 ? undefined : normalizeMessage(event.message ?? event.error);
  return undefined;
}

function readService(event: RawEvent, batch: Batch, i: number, page: PageNames): Source | undefined {
  const raw = event.service ?? event.app ?? event.component;
  const known = typeof raw === 'string' ? page.services.get(raw) : undefined;
  if (known !== undefined) return known;
  const text = normalizeService(raw);
  if (text === undefined) return page.unassigned;
  const source = page.services.get(text);
  if (source === undefined) {
    batch.unknownSource[i] = text;
    batch.hasUnknown = true;
  }
  return source;
}

/** Milliseconds, at most a day; NaN for what is no response time. */
function readLatency(raw: unknown): number {
  return typeof raw === 'number' && raw >= 0 && raw < Number.POSITIVE_INFINITY
    ? Math.min(raw, limits.latencyMsMax)
    : Number.NaN;
}
