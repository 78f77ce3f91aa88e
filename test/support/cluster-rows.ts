import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Block } from '../../ingest/commit/collapse.js';
import { encodeBlock, formOf } from '../../ingest/commit/encode-block.js';
import { makeRelease, makeSourceOf } from '../../ingest/names/names.js';
import type { PageNames } from '../../ingest/names/page-names.js';
import { windowV1 } from '../../ingest/read/time-window.js';
import { takeSamples } from '../../ingest/samples/take-samples.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import { makeBatch, registerAll } from './batches.js';
import { select } from './rollups.js';

/** Returns a block of one failing request of a version to each of 40 endpoints of its own, and the call that sent them. */
export function makeFailures(page: PageNames, block: string): Buffer {
  const letter = (i: number) => String.fromCharCode(97 + i);
  const events = Array.from({ length: 40 }, (_, i) => ({
    endpoint: `/${block}/${letter(Math.floor(i / 20))}${letter(i % 20)}`,
    ...{ status: 500, ms: i + 1, message: `no ${i}`, errorType: 'E' },
  }));
  const batch = makeBatch(events, page, windowV1(Date.now()));
  registerAll(batch, page);
  const { pageBytes, text } = page.unassigned;
  const source = makeSourceOf(pageBytes, 'service', text, makeRelease('2.4.1', 'production'));
  for (let i = 0; i < batch.length; i += 1) batch.source[i] = source;
  takeSamples(batch, () => undefined);
  const rows = new Block();
  rows.add(batch);
  rows.addReport(page.unassigned, Date.now());
  return encodeBlock(rows);
}

/** Returns rows of a monitor, checked every minute for two hours; `failing` plus one of every ten checks fail. */
export function makeChecks(
  { pageId, monitorId }: { pageId: PageId; monitorId: MonitorId },
  now: number,
  failing: number,
) {
  return Array.from({ length: 120 }, (_, i) => ({
    ...{ page_id: pageId, monitor_id: monitorId, interval_seconds: 60 },
    at: new Date(now - i * 60_000).toISOString().slice(0, -1),
    ...{ ok: Number(i % 10 > failing), up: Number(i % 10 > failing) },
    total_ms: i % 10 > failing ? 100 + i : null,
  }));
}

/** Returns what is stored of a block when only the first of two shards has its rows. */
export async function insertFirstPart(
  clickhouse: ClickHouseClient,
  bytes: Buffer,
  token: string,
): Promise<void> {
  const { columns: names, format } = formOf(bytes);
  const columns = await select<{ name: string; type: string }>(
    clickhouse,
    `SELECT name, type FROM system.columns
     WHERE database = currentDatabase() AND table = 'landing_blocks' AND name IN ('${names.join("','")}') ORDER BY position`,
  );
  const structure = columns.map(({ name, type }) => `${name} ${type}`).join(', ');
  const { stream } = await clickhouse.exec({
    query: `INSERT INTO landing_blocks_local (${names.join(', ')}) SELECT * FROM input({structure:String})
      WHERE cityHash64(page_id, endpoint) % 2 = 0 FORMAT ${format}`,
    query_params: { structure },
    values: Readable.from([bytes], { objectMode: false }),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: token,
      deduplicate_blocks_in_dependent_materialized_views: 1,
      optimize_on_insert: 0,
    },
  });
  await text(stream);
}
