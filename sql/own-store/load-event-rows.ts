import { loadRows } from '../load-rows.js';
import type { ClickHouseClient } from '../open-clickhouse.js';
import type { OwnStoreSession, RowsQuery } from './own-event-store.js';
import type { RowType } from './read-json-rows.js';

/** Where the events of a page are read: the installation's ClickHouse, or the page's own. */
export type EventReader = ClickHouseClient | OwnStoreSession;

/**
 * Loads rows of events. Rows of a page's own store are input, so they are checked against `type`.
 *
 * @throws as loadRows() does, and OwnStoreError.
 */
export function loadEventRows<Row>(
  reader: EventReader,
  type: RowType<Row>,
  query: RowsQuery,
): Promise<Row[]> {
  if ('loadRows' in reader) return reader.loadRows(type, query);
  return loadRows<Row>(reader, query.query, { ...query.parameters });
}
