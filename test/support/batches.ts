import { makeName, makeSource } from '../../ingest/names/names.js';
import { PageNames } from '../../ingest/names/page-names.js';
import { Batch } from '../../ingest/read/batch.js';
import { normalize } from '../../ingest/read/normalize.js';
import type { Version } from '../../ingest/read/raw-event.js';
import { createBatchReader } from '../../ingest/read/read-batch.js';
import type { Window } from '../../ingest/read/time-window.js';
import { newId, type PageId } from '../../lib/ids.js';

export type PlainEvent = {
  service: string | undefined;
  endpoint: string;
  method: string;
  status: number;
  at: number;
  /** Absent when the event had none. */
  ms?: number;
  message?: string;
};

/** Packs events, as JSON.parse returns them, into one batch. */
export function makeBatch(
  events: readonly unknown[],
  page: PageNames,
  window: Window,
  version: Version = 1,
): Batch {
  const batch = new Batch();
  normalize(events, page, window, version, batch);
  return batch;
}

/** Returns the events of a batch as objects, with every name as text, known to the page or not. */
export function plainEvents(batch: Batch): PlainEvent[] {
  return Array.from({ length: batch.length }, (_, i) => {
    const [ms, message] = [batch.latencyMs[i] ?? Number.NaN, batch.message[i]];
    return {
      service: batch.source[i]?.text ?? batch.unknownSource[i],
      endpoint: batch.endpoint[i]?.text ?? batch.unknownEndpoint[i] ?? '',
      method: batch.method[i]?.text ?? '',
      status: batch.status[i] ?? 0,
      at: batch.at[i] ?? 0,
      ...(!Number.isNaN(ms) && { ms }),
      ...(message !== undefined && { message }),
    };
  });
}

/** Returns the number of rejected events of a batch by reason. */
export function rejectedCounts({ rejections }: Batch): Record<string, number> {
  return Object.fromEntries([...rejections].map(([reason, { count }]) => [reason, count]));
}

/** Returns the names of a new page that knows these. */
export function makePageNames(known: { endpoints?: string[]; services?: string[] } = {}): PageNames {
  const page = new PageNames(newId<PageId>(Date.now()));
  for (const text of known.endpoints ?? []) page.endpoints.set(text, makeName(text));
  for (const text of known.services ?? []) page.services.set(text, makeSource(page.pageId, 'service', text));
  return page;
}

/** Adds the unknown names of a batch to its page, without a limit. */
export function registerAll(batch: Batch, page: PageNames): void {
  for (let i = 0; i < batch.length; i += 1) {
    const [endpoint, service] = [batch.unknownEndpoint[i], batch.unknownSource[i]];
    if (endpoint !== undefined) {
      const name = page.endpoints.get(endpoint) ?? makeName(endpoint);
      page.endpoints.set(endpoint, name);
      batch.endpoint[i] = name;
    }
    if (service !== undefined) {
      const source = page.services.get(service) ?? makeSource(page.pageId, 'service', service);
      page.services.set(service, source);
      batch.source[i] = source;
    }
  }
}

/** Returns a reader of bodies whose traps fail the test. */
export function makeBatchReader() {
  return createBatchReader({
    onTrap(error) {
      throw error;
    },
  });
}
