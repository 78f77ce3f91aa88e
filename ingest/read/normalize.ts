import { normalizeEndpoint, normalizeMessage, normalizeService } from '../../lib/event-fields.js';
import { parseTimestamp } from '../../lib/timestamp.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import {
  endpointOf,
  hasSample,
  isFailing,
  latencyOf,
  messageOf,
  parseLatency,
  parseStatus,
  type RawEvent,
  releaseKey,
  serviceOf,
  statusOf,
  type Version,
} from './raw-event.js';
import { type DescribeFault, type Fault, rejectFault, rejectNonObject } from './reject-fault.js';
import { findTimeFault, type Window } from './time-window.js';
import { noteUnread } from './unread.js';

/**
 * Checks and normalises events into an empty batch. Counts a malformed event under its reason and skips it; no value of a
 * field makes this throw. Leaves the events of v2 without a source. `describe` words faults, for other routes than the
 * routes of events.
 */
export function normalize(
  events: readonly unknown[],
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
  describe?: DescribeFault,
): void {
  for (const event of events) normalizeEvent(event, page, window, version, batch, describe);
}

/** Does the same with one more event. */
export function normalizeEvent(
  event: unknown,
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
  describe?: DescribeFault,
): void {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) {
    rejectNonObject(batch, event);
    return;
  }
  readFields(event, page, window, version, batch);
  const fault = placeEvent(batch, window);
  if (fault !== undefined) rejectFault(batch, fault, event, window, describe);
  else {
    noteFailing(batch, event);
    noteUnread(batch, event, version);
  }
}

/** Keeps the event in the last columns for takeSamples() when it failed and says more about it than a message. */
export function noteFailing(batch: Batch, event: RawEvent): void {
  const last = batch.length - 1;
  if (isFailing(batch.status[last] ?? 0) && hasSample(event)) batch.failing.set(last, event);
}

/** Does the same as normalize() with events of v1, and reads the versions that they have under `releaseKey`. */
export function normalizeReleased(
  events: readonly RawEvent[],
  page: PageNames,
  window: Window,
  batch: Batch,
  describe: DescribeFault,
): void {
  for (const event of events) {
    const i = batch.length;
    normalizeEvent(event, page, window, 1, batch, describe);
    const release = event[releaseKey];
    if (release === undefined || batch.length === i) continue;
    batch.release[i] = release;
    batch.hasReleases = true;
  }
}

/** Writes the columns behind the last event. 0, NaN or undefined stand for a wrong value. */
function readFields(event: RawEvent, page: PageNames, window: Window, version: Version, batch: Batch): void {
  const i = batch.length;
  const { at, method = 'GET' } = event;
  batch.status[i] = parseStatus(statusOf(event));
  batch.at[i] = at == null ? window.arrival : typeof at === 'string' ? parseTimestamp(at) : Number.NaN;
  batch.latencyMs[i] = parseLatency(latencyOf(event));
  batch.method[i] =
    typeof method === 'string' ? page.method(method) : method === null ? page.method('GET') : undefined;
  resolveEndpoint(endpointOf(event), page, batch);
  if (version === 1) resolveService(serviceOf(event), page, batch);
  else resolveNoService(batch);
  batch.message[i] = isFailing(batch.status[i] ?? 0) ? normalizeMessage(messageOf(event)) : undefined;
}

/** Adds the event whose columns were written behind the last one. Returns its fault instead when it has one. */
export function placeEvent(batch: Batch, window: Window): Fault | undefined {
  const fault = findFault(batch, window);
  if (fault !== undefined) return fault;
  const i = batch.length;
  if (batch.unknownEndpoint[i] !== undefined || batch.unknownSource[i] !== undefined) batch.hasUnknown = true;
  batch.length += 1;
  return undefined;
}

function findFault(batch: Batch, window: Window): Fault | undefined {
  const i = batch.length;
  if (batch.status[i] === 0) return 'status';
  const timeFault = findTimeFault(batch.at[i] ?? Number.NaN, window);
  if (timeFault !== undefined) return timeFault;
  if (batch.method[i] === undefined) return 'method_invalid';
  if (batch.method[i] === null) return 'method_limit';
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
function resolveNoService(batch: Batch): void {
  batch.source[batch.length] = undefined;
  batch.unknownSource[batch.length] = undefined;
}
