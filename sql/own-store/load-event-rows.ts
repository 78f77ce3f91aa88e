import Type from 'typebox';
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

/** Columns of rows that may come from a page's own event store, within what the rest of the service can hold. */
export const columns = {
  /** A count, or a sum of counts. */
  count: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Milliseconds since the epoch that a `Date` can hold. */
  timeMs: Type.Integer({ minimum: 0, maximum: 8_640_000_000_000_000 }),
  status: Type.Integer({ minimum: 0, maximum: 65_535 }),
  /** Name or message of an event. The longest that the service stores are 200 characters. */
  text: Type.String({ maxLength: 250 }),
  kind: Type.Enum(['service', 'reporter']),
  /** Null where ClickHouse computes NaN, from no rows. */
  measured: Type.Union([Type.Number(), Type.Null()]),
} as const;

/** Returns the type of an object with these columns and no others. */
export function Row<Columns extends Type.TProperties>(of: Columns) {
  return Type.Object(of, { additionalProperties: false });
}
