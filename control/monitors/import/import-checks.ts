import type { MonitorState } from '../../../contract/monitors.js';
import type { Clock } from '../../../lib/clock.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { type Actor, type AuditedFields, recordChange } from '../../audit/index.js';
import { type ImportedCheck, parseCheckLine } from './parse-check-line.js';

/** Rows of one insert. */
const batchRows = 20_000;

const insertTimeoutMs = 60_000;

const explainedMax = 10;

export type ImportCounts = {
  /** Lines that the store has confirmed. */
  imported: number;
  /** Time of the earliest of them, in milliseconds since the epoch; null without any. */
  firstAt: number | null;
  refused: number;
  /** Number of refused lines by reason. */
  reasons: Record<string, number>;
  /** The first refused lines, by their number in the file. */
  firstRefused: { line: number; reason: string }[];
};

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock };

type Input = {
  pageId: PageId;
  lines: AsyncIterable<string>;
  /** Called after each insert that the store has confirmed. */
  onProgress?: (counts: ImportCounts) => void;
};

type KnownMonitor = { id: MonitorId; everySeconds: number };

/**
 * Imports checks that were made elsewhere, one JSON object per line, into a page. Importing the same lines again changes
 * nothing, so an interrupted import is resumed by repeating it. Their uptime shows after the next run of compute-points.
 *
 * @throws Error that says how many checks are stored when the store fails.
 */
export async function importChecks(deps: Deps & { by: Actor }, input: Input): Promise<ImportCounts> {
  let stored = 0;
  const onProgress = (counts: ImportCounts): void => {
    stored = counts.imported;
    input.onProgress?.(counts);
  };
  try {
    return await storeChecks(deps, { ...input, onProgress });
  } finally {
    if (stored > 0) await recordImport(deps, input.pageId, { source: 'checks', checks: stored });
  }
}

/** Stores checks as importChecks() does, without a row in the audit log: for checks that keep coming. */
export async function storeChecks(deps: Deps, { pageId, lines, onProgress }: Input): Promise<ImportCounts> {
  const monitors = await loadMonitors(deps.sql, pageId);
  const counts: ImportCounts = {
    imported: 0,
    firstAt: null,
    refused: 0,
    reasons: {},
    firstRefused: [],
  };
  let batch: Record<string, unknown>[] = [];
  let firstOfBatch = Number.POSITIVE_INFINITY;
  let line = 0;
  const flush = async (): Promise<void> => {
    await insert(deps.clickhouse, batch).catch((cause: unknown) => {
      const message = `ClickHouse did not take the checks up to line ${line}; ${counts.imported} are stored. Run the import again: what is stored stays as it is.`;
      throw new Error(message, { cause });
    });
    counts.imported += batch.length;
    counts.firstAt = Math.min(counts.firstAt ?? firstOfBatch, firstOfBatch);
    batch = [];
    onProgress?.(counts);
  };
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const check = parseCheckLine(text, deps.clock.now());
    const row = typeof check === 'string' ? check : toRow(check, pageId, monitors);
    if (typeof check === 'string' || typeof row === 'string') refuse(counts, line, String(row));
    else {
      batch.push(row);
      firstOfBatch = Math.min(firstOfBatch, check.at);
    }
    if (batch.length === batchRows) await flush();
  }
  if (batch.length > 0) await flush();
  return counts;
}

async function loadMonitors(sql: Sql, pageId: PageId): Promise<Map<string, KnownMonitor>> {
  const rows = await sql<(KnownMonitor & { slug: string })[]>`
    select slug, id, every_seconds as "everySeconds" from monitors where page_id = ${pageId}`;
  return new Map(rows.map((row) => [row.slug, row]));
}

/** Returns the row of a check, or the reason why the line is refused. */
function toRow(
  check: ImportedCheck,
  pageId: PageId,
  monitors: ReadonlyMap<string, KnownMonitor>,
): Record<string, unknown> | string {
  const monitor = monitors.get(check.monitor);
  if (monitor === undefined) return `the page has no monitor "${check.monitor}"`;
  return {
    page_id: pageId,
    monitor_id: monitor.id,
    at: new Date(check.at).toISOString(),
    interval_seconds: monitor.everySeconds,
    ok: Number(check.ok),
    up: Number(check.up),
    error: check.ok ? '' : (check.error ?? 'imported'),
    status: check.status ?? 0,
    total_ms: check.ms,
    dns_ms: check.phases?.dnsMs ?? null,
    connect_ms: check.phases?.connectMs ?? null,
    tls_ms: check.phases?.tlsMs ?? null,
    first_byte_ms: check.phases?.firstByteMs ?? null,
  };
}

function refuse(counts: ImportCounts, line: number, reason: string): void {
  counts.refused += 1;
  if (counts.firstRefused.length < explainedMax) counts.firstRefused.push({ line, reason });
  // Unknown slugs may be as many as lines.
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
      // A file may begin more than a year ago, and an insert makes a part for each month.
      max_partitions_per_insert_block: '100',
    },
  });
}

/** The newest check of a monitor, and the state of the monitor since `stateSince`. */
export type NewestCheck = {
  monitorId: MonitorId;
  at: Date;
  ok: boolean;
  state: MonitorState;
  stateSince: Date;
};

/**
 * Sets the state of monitors from the newest checks that were imported for them, where these are newer than the last
 * known check. From then on the service makes no checks of these monitors: their checks come from elsewhere.
 */
export async function noteImportedChecks(
  { sql }: { sql: Sql },
  checks: readonly NewestCheck[],
): Promise<void> {
  const rows = checks.map(({ monitorId, at, ok, state, stateSince }) => ({
    id: monitorId,
    at: at.toISOString(),
    since: stateSince.toISOString(),
    ...{ state, ok },
  }));
  await sql`
    update monitors m set last_checked_at = r.at, state = r.state, next_due_at = null, claimed_until = null,
      state_since = case when m.state is distinct from r.state then r.since else m.state_since end,
      last_error = case when r.ok then null else 'imported: The check failed.' end
    from (
      select r.* from monitors m join jsonb_to_recordset(${sql.json(rows)}) as r (id uuid, at timestamptz,
          since timestamptz, state text, ok boolean) on m.id = r.id
      order by m.id for no key update of m) r
    where m.id = r.id and m.paused_at is null and (m.last_checked_at is null or m.last_checked_at < r.at)`;
}

/** Writes an import of a page's history into the audit log: one row, however much was imported. */
export async function recordImport(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  pageId: PageId,
  imported: AuditedFields,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const [page] = await tx<{ slug: string }[]>`select slug from pages where id = ${pageId}`;
    await recordChange(
      tx,
      { by, now: clock.now() },
      {
        pageId,
        action: 'monitor.import',
        target: { type: 'page', id: pageId, name: page?.slug ?? '' },
        before: null,
        after: imported,
      },
    );
  });
}
