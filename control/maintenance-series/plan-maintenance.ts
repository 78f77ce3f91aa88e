import { seriesLimits } from '../../contract/manage/incidents/maintenance-series.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId, SeriesId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { jobActor } from '../audit/index.js';
import { publishOccurrence } from './publish-occurrence.js';
import {
  loadOccurrenceRows,
  lockSeries,
  nextToPublish,
  noticeMsOf,
  type SeriesRef,
  setDueAt,
} from './series.js';

type Deps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Called after each occurrence that was published. */
  onChange?: (pageId: PageId) => void;
};

const by = jobActor('plan-maintenance');
/** Most series of one run; the others are still due in the next one. */
const seriesMax = 500;
/** A series whose page has no room waits this long. */
const retryMs = 600_000;
/** After other errors, such as a lost connection. */
const shortRetryMs = 30_000;
/** Rows of past occurrences are kept this long, which is longer than an occurrence lasts. */
const keptMs = 60 * 86_400_000;

/**
 * Publishes every occurrence whose notice has begun as a maintenance. Each has its own transaction, which looks again
 * under the lock of its series, so that concurrent runs, and runs that are cut off, publish each one once.
 *
 * @throws Error when some were not published, after all others were.
 */
export async function planMaintenance({ sql, clock, log, onChange }: Deps): Promise<void> {
  const due = await sql<{ id: SeriesId; page_id: PageId }[]>`
    select s.id, s.page_id from maintenance_series s join pages p on p.id = s.page_id
    where s.due_at <= ${new Date(clock.now())} and p.deleted_at is null
    order by s.due_at limit ${seriesMax}`;
  let failures = 0;
  for (const { id: seriesId, page_id: pageId } of due) {
    try {
      const ref = { pageId, seriesId };
      while (await inTransaction(sql, (tx) => publishNext(tx, ref, clock.now()))) onChange?.(pageId);
    } catch (err) {
      failures += 1;
      log.error({ pageId, seriesId, err }, 'An occurrence of a maintenance series was not published.');
      const failedAt = clock.now();
      const later = new Date(failedAt + (err instanceof ServiceError ? retryMs : shortRetryMs));
      // A change since then has set another time.
      await sql`
        update maintenance_series set due_at = ${later}
        where id = ${seriesId} and due_at <= ${new Date(failedAt)}`;
    }
  }
  await sql`delete from maintenance_occurrences where starts_at < ${new Date(clock.now() - keptMs)}`;
  if (failures > 0)
    throw new Error(`${failures} of ${due.length} due maintenance series were not published.`);
}

/** Returns whether it has published one. */
async function publishNext(tx: Transaction, ref: SeriesRef, now: number): Promise<boolean> {
  const series = await lockSeries(tx, ref);
  if (series === undefined) return false;
  if (!(await hasRoom(tx, ref))) {
    await tx`update maintenance_series set due_at = ${new Date(now + retryMs)} where id = ${series.id}`;
    return false;
  }
  const occurrence = nextToPublish(series, await loadOccurrenceRows(tx, [series.id], now), now);
  const isDue = occurrence !== undefined && occurrence.startsAt.getTime() - noticeMsOf(series) <= now;
  if (isDue) await publishOccurrence(tx, { by, now }, { series, occurrence });
  await setDueAt(tx, series, now);
  return isDue;
}

/** Series leave most of the open incidents of a page to people. */
async function hasRoom(tx: Transaction, { pageId, seriesId }: SeriesRef): Promise<boolean> {
  const [open] = await tx<{ own: number; all: number }[]>`
    select count(*) filter (where o.series_id = ${seriesId})::integer as own, count(*)::integer as all
    from maintenance_occurrences o join incidents i on i.id = o.incident_id and i.page_id = o.page_id
    where o.page_id = ${pageId} and i.resolved_at is null`;
  const { own = 0, all = 0 } = open ?? {};
  return own < seriesLimits.openPerSeries && all < seriesLimits.openPerPage;
}
