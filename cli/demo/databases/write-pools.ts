import { createHash } from 'node:crypto';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import type { CheckedPoolReport } from '../../../database-health/pool-reports/parse-pool-report.js';
import type { StoredPoolReport } from '../../../database-health/pool-reports/stored-reports.js';
import { parseId, type SessionId } from '../../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/times.js';
import { loadRows } from '../../../sql/load-rows.js';
import { type DemoDeps, trafficDays } from '../extent.js';
import type { FilledPage } from '../fill.js';
import { plotTime, type Times } from '../plot.js';
import { measurePool } from './measure-pool.js';
import { type DemoProcess, processes } from './processes.js';

/** Reports of one insert, which has five seconds. */
const blockReports = 1_000;
/** Older intervals have two minutes, the most that a report may have: nobody looks at their single minutes. */
const minutelyMs = dayMs;

/**
 * Writes the pool reports that a page lacks: a week on the first run, then those since the last. They are the same each
 * time. Returns their number. `onProgress` gets the share that is done.
 */
export async function writePools(
  deps: DemoDeps,
  { page }: Pick<FilledPage, 'page'>,
  times: Times,
  onProgress: (share: number) => void = () => {},
): Promise<number> {
  const to = Math.floor(deps.clock.now() / minuteMs) * minuteMs;
  const from = Math.max(to - trafficDays * dayMs, await loadNewestEnd(deps, page.id));
  let written = 0;
  let block: StoredPoolReport[] = [];
  let flushed: Promise<void> = Promise.resolve();
  const flush = async (end: number): Promise<void> => {
    await flushed;
    flushed = insertPoolReports(deps, { id: uuidOf(`${page.id} block ${from} ${end}`), reports: block });
    // Handled when it is awaited.
    flushed.catch(() => {});
    written += block.length;
    block = [];
    onProgress((end - from) / (to - from));
  };
  for (let start = from; start < to; ) {
    const end = Math.min(to, start + (start < to - minutelyMs ? 2 : 1) * minuteMs);
    for (const [place, process] of processes.entries()) {
      const report = reportOf(process, { pageId: page.id, place, from: start, to: end, times });
      if (report !== undefined) block.push({ pageId: page.id, receivedAt: end + secondMs, report });
    }
    if (block.length >= blockReports || end >= to) await flush(end);
    start = end;
  }
  await flushed;
  return written;
}

/** Returns when the newest report of the demo ends, in milliseconds since the epoch; 0 without any. */
async function loadNewestEnd({ clickhouse }: DemoDeps, pageId: string): Promise<number> {
  const [row] = await loadRows<{ seconds: number; reports: number }>(
    clickhouse,
    `SELECT toUInt32(max(minute)) AS seconds, sum(reports) AS reports FROM pool_exporters_minute
     WHERE page_id = {page:UUID} AND environment = {environment:String}`,
    { page: pageId, environment },
  );
  return row === undefined || row.reports === 0 ? 0 : row.seconds * secondMs + minuteMs;
}

const environment = 'production';

type Interval = { pageId: string; place: number; from: number; to: number; times: Times };

/** Returns the report of a process; `undefined` when it did not run. */
function reportOf(
  process: DemoProcess,
  { pageId, place, from, to, times }: Interval,
): CheckedPoolReport | undefined {
  const startedAt = Math.max(plotTime(process.from, times), times.filledAt - 2 * trafficDays * dayMs);
  if (from < startedAt || to > plotTime(process.to, times)) return undefined;
  return {
    version: 1,
    session: sessionOf(pageId, place),
    // Counted in minutes, so that it increases whatever the intervals are.
    sequence: Math.floor((from - startedAt) / minuteMs),
    ...{ service: process.service, environment, revision: process.revision },
    ...{ startedAt, from, to },
    pools: process.pools.map((pool, i) =>
      measurePool(pool, { from, to }, 5_000 + 100 * place + 50 * i, times),
    ),
    exporter: { dropped: 0, failures: 0 },
  };
}

function sessionOf(pageId: string, place: number): SessionId {
  const session = parseId<SessionId>(uuidOf(`${pageId} session ${place}`));
  if (session === undefined) throw new Error('A session has no id.');
  return session;
}

/** A UUID that is the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
