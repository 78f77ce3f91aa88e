import { limits } from '../../contract/limits.js';
import { type Chunks, join } from '../../lib/chunks.js';
import { parseJson } from '../../lib/parse-body.js';
import { ServiceError } from '../../lib/service-error.js';
import type { PageNames } from '../names/page-names.js';
import type { Batch } from './batch.js';
import { BodyReader, type Envelope } from './body-reader.js';
import { normalize } from './normalize.js';
import type { Version } from './raw-event.js';
import { isTrap, openReaderMemory, type ReaderMemory } from './reader-memory.js';
import type { Window } from './time-window.js';
import { noteUnreadMembers } from './unread.js';

export type BatchReader = ReturnType<typeof createBatchReader>;

/**
 * Creates the reader of all bodies of this process. `onTrap` is called when WebAssembly failed; `openMemory` then makes
 * another instance.
 */
export function createBatchReader({
  onTrap,
  openMemory = openReaderMemory,
}: {
  onTrap(error: unknown): void;
  openMemory?: () => ReaderMemory;
}) {
  let reader = new BodyReader(openMemory());

  /** A trap is a fault of the reader; the other way to read the body does not have it. */
  function readFast(
    chunks: Chunks,
    page: PageNames,
    window: Window,
    version: Version,
    batch: Batch,
  ): Envelope | undefined {
    try {
      return reader.read(chunks, page, window, version, batch);
    } catch (error) {
      if (!isTrap(error)) throw error;
      reader = new BodyReader(openMemory());
      batch.clear();
      onTrap(error);
      return undefined;
    }
  }

  return {
    /**
     * Reads the events of a request body into an empty batch, and returns the rest of the body. The usual forms are read
     * by WebAssembly, all others by JSON.parse, with the same outcome.
     *
     * @throws ServiceError for a body of the wrong form, `tooManyEvents` for too many events.
     */
    read: (chunks: Chunks, page: PageNames, window: Window, version: Version, batch: Batch): Envelope =>
      readFast(chunks, page, window, version, batch) ??
      parseBatch(join(chunks), page, window, version, batch),
  };
}

/** Reads a body as read() does, with JSON.parse alone: the definition of what a body means. */
export function parseBatch(
  bytes: Buffer,
  page: PageNames,
  window: Window,
  version: Version,
  batch: Batch,
): Envelope {
  const body = parseJson(bytes);
  const { events, reporter } =
    version === 1 ? { events: readEvents(body), reporter: undefined } : readReport(body);
  const members = isObject(body) ? body : {};
  if (events.length > limits.eventsPerBatch) throw new ServiceError('tooManyEvents');
  normalize(events, page, window, version, batch);
  if (isObject(body)) noteUnreadMembers(batch, body, version);
  const [sent, environment] = version === 1 ? [members['version'], members['environment']] : [];
  return { reporter, batchId: members['batchId'], version: sent, environment };
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
