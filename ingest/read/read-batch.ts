import { isUtf8 } from 'node:buffer';
import { limits } from '../../contract/limits.js';
import { parseJson } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import { normalize } from './normalize.js';
import type { Version } from './raw-event.js';
import { type Envelope, scanBatch } from './scan-batch.js';
import type { Window } from './time-window.js';
import { noteUnreadMembers } from './unread.js';

/**
 * Reads the events of a request body into an empty batch, and returns the rest of the body.
 *
 * @throws ServiceError for a body of the wrong form, `tooManyEvents` for too many events.
 */
export function readBatch(
  bytes: Buffer,
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
): Envelope {
  const scanned = isUtf8(bytes) ? scanBatch(bytes, page, window, version, batch) : undefined;
  if (scanned !== undefined) return scanned;
  const body = parseJson(bytes);
  const { events, reporter } =
    version === 1 ? { events: readEvents(body), reporter: undefined } : readReport(body);
  const batchId = isObject(body) ? body['batchId'] : undefined;
  if (events.length > limits.eventsPerBatch) throw new ServiceError('tooManyEvents');
  normalize(events, page, window, version, batch);
  if (isObject(body)) noteUnreadMembers(batch, body, version);
  return { reporter, batchId };
}

function readEvents(body: unknown): readonly unknown[] {
  const events = Array.isArray(body) ? body : isObject(body) ? body['events'] : undefined;
  if (!Array.isArray(events)) throw new ServiceError('noEventArray');
  return events;
}

function readReport(body: unknown): { reporter: unknown; events: readonly unknown[] } {
  if (!isObject(body) || !isObject(body['reporter'])) throw new ServiceError('noReporter');
  const { reporter, events } = body;
  if (!Array.isArray(events)) throw new ServiceError('noReporterEvents');
  return { reporter, events };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
