import type { Clock } from '../../lib/clock.js';
import { ControlError } from '../../lib/control-error.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type ImportedCheck, readCheckLine } from './parse-check-line.js';

/** Rows of one insert. */
const batchRows = 20_000;
const insertTimeoutMs = 60_000;
const explainedMax = 10;

export type ImportCounts = {
  /** Lines that are in the store, as it has confirmed. */
  imported: number;
  refused: number;
  /** How many lines were refused for a reason. */
  reasons: Record<string, number>;
  /** The first of them, by their number in the file. */
  firstRefused: { line: number; reason: string }[];
};

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock };
type Input = {
  pageSlug: string;
  lines: AsyncIterable<string>;
  /** After each insert that the store has confirmed. */
  onProgress?: (counts: ImportCounts) => void;
};

type KnownMonitor = { id: MonitorId; pageId: PageId; everySeconds: number };

/**
 * Brings checks that were made elsewhere, one JSON object a line, into a page. The same lines again change nothing, so
 * that an import which broke off is resumed by repeating it. Their uptime shows after the next run of compute-points.
 *
 * @throws ControlError when there is no such page; an error that says how much was stored when the store fails.
 */
export async function importChecks(
  deps: Deps,
  { pageSlug, lines, onProgress }: Input,
): Promise<ImportCounts> {
  const monitors = await readMonitors(deps.sql, pageSlug);
  const counts: ImportCounts = { imported: 0, refused: 0, reasons: {}, firstRefused: [] };
  let batch: Record<string, unknown>[] = [];
  let line = 0;
  const flush = async (): Promise<void> => {
    await insert(deps.clickhouse, batch).catch((cause: unknown) => {
      const message = `ClickHouse did not take the checks up to line ${line}; ${counts.imported} are stored. Run the import again: what is stored stays as it is.`;
      throw new Error(message, { cause });
    });
    counts.imported += batch.length;
    batch = [];
    onProgress?.(counts);
  };
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const row = toRow(readCheckLine(text, deps.clock.now()), monitors);
    if (typeof row === 'string') refuse(counts, line, row);
    else batch.push(row);
    if (batch.length === batchRows) await flush();
  }
  if (batch.length > 0) await flush();
  return counts;
}

async function readMonitors(sql: Sql, pageSlug: string): Promise<Map<string, KnownMonitor>> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = ${pageSlug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${pageSlug}".`);
  const rows = await sql<(KnownMonitor & { slug: string })[]>`
    select slug, id, page_id as "pageId", every_seconds as "everySeconds" from monitors where page_id = ${page.id}`;
  return new Map(rows.map((row) => [row.slug, row]));
}

/** The row of a check, or why there is none. */
function toRow(
  check: ImportedCheck | string,
  monitors: ReadonlyMap<string, KnownMonitor>,
): Record<string, unknown> | string {
  if (typeof check === 'string') return check;
  const monitor = monitors.get(check.monitor);
  if (monitor === undefined) return `the page has no monitor "${check.monitor}"`;
  return {
    page_id: monitor.pageId,
    monitor_id: monitor.id,
    at: new Date(check.at).toISOString(),
    interval_seconds: monitor.everySeconds,
    ok: Number(check.ok),
    up: Number(check.up),
    error: check.ok ? '' : 'imported',
    total_ms: check.ms,
  };
}

function refuse(counts: ImportCounts, line: number, reason: string): void {
  counts.refused += 1;
  if (counts.firstRefused.length < explainedMax) counts.firstRefused.push({ line, reason });
  // Slugs that nobody knows may be as many as lines.
  const known = reason in counts.reasons || Object.keys(counts.reasons).length < explainedMax;
  const name = known ? reason : 'other reasons';
  counts.reasons[name] = (counts.reasons[name] ?? 0) + 1;
}

async function insert(clickhouse: ClickHouseClient, values: Record<string, unknown>[]): Promise<void> {
  await clickhouse.insert({
    table: 'checks',
    values,
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(insertTimeoutMs),
    clickhouse_settings: {
      async_insert: 0,
      date_time_input_format: 'best_effort',
      // A file may begin more than a year ago: an insert makes a part for each month.
      max_partitions_per_insert_block: '100',
    },
  });
}
