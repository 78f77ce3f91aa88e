import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { OwnEventStore } from '../../sql/own-store/own-event-store.js';
import { formOf } from './encode-block.js';
import type { BlockStore } from './store-block.js';

function queryOf(bytes: Buffer): string {
  const { columns, format } = formOf(bytes);
  return `INSERT INTO landing_blocks (${columns.join(', ')}) FORMAT ${format}`;
}

const settingsOf = (token: string) => ({
  async_insert: 0 as const,
  insert_deduplicate: 1 as const,
  insert_deduplication_token: token,
  deduplicate_blocks_in_dependent_materialized_views: 1 as const,
  // The rows of a view have different keys already; grouping them again costs a tenth of an insert.
  optimize_on_insert: 0 as const,
  // One part per table and day: a block is far smaller, and splitting it would cost parts.
  max_insert_block_size: '1048576',
});

/**
 * Inserts blocks into the landing table. The token makes a repeated block count once: every table behind the landing
 * table remembers the tokens of its last ten thousand blocks, across a restart of the server.
 */
export function createClickHouseStore(clickhouse: ClickHouseClient): BlockStore {
  return {
    async insert(bytes, token, signal) {
      const { stream } = await clickhouse.exec({
        query: queryOf(bytes),
        ...(signal !== undefined && { abort_signal: signal }),
        values: Readable.from([bytes], { objectMode: false }),
        clickhouse_settings: settingsOf(token),
      });
      await text(stream);
    },
  };
}

/** Does the same with a page's own event store. */
export function createOwnBlockStore(store: OwnEventStore): BlockStore {
  return { insert: (bytes, token, signal) => store.insert(queryOf(bytes), bytes, settingsOf(token), signal) };
}
