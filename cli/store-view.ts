import type { EventStore } from '../control/event-stores/index.js';
import type { Backlog } from '../ingest/buffer/backlog.js';
import { formatFields } from './output.js';

/** A page's event store as --json prints it; null for the installation's own. */
export function storeJson(store: EventStore | undefined, backlog: Backlog) {
  return {
    store: store && {
      url: store.url,
      database: store.database,
      user: store.username,
      setAt: store.setAt.toISOString(),
    },
    buffer: {
      ...backlog,
      oldestAt: backlog.oldestAt?.toISOString() ?? null,
      nextAttemptAt: backlog.nextAttemptAt?.toISOString() ?? null,
    },
  };
}

/** The same for a person. */
export function storeText(store: EventStore | undefined, backlog: Backlog): string {
  const place =
    store === undefined
      ? "the installation's own store"
      : `${store.url}, database ${store.database}, user ${store.username}`;
  const fields: [string, string][] = [
    ['events go to', place],
    ['waiting', `${backlog.pending} batches`],
    ['given up', `${backlog.exhausted} batches`],
    ['removed for lack of room', `${backlog.removedBatches} batches, ${backlog.removedEvents} events`],
  ];
  if (backlog.oldestAt !== null) fields.push(['oldest', backlog.oldestAt.toISOString()]);
  if (backlog.nextAttemptAt !== null) fields.push(['next attempt', backlog.nextAttemptAt.toISOString()]);
  if (backlog.lastError !== null) fields.push(['last error', backlog.lastError]);
  return formatFields(fields);
}
