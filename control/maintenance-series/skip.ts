import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { lockPageOfIncidents } from '../incidents/index.js';
import { occurrencesAfter } from './recurrence.js';
import {
  countSeriesRevision,
  loadOccurrenceRows,
  lockSeries,
  recordSeries,
  type Series,
  type SeriesRef,
  setDueAt,
} from './series.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };
type OccurrenceRef = SeriesRef & { startsAt: Date };
/** Gets the series as it is, and may refuse the change by throwing. */
type Check = (current: Series) => void;

/**
 * Leaves out an occurrence that is not published yet. A repeated call changes nothing.
 *
 * @throws ServiceError `notFound` when the page has no such series, or the series no such occurrence to come; `conflict`
 *   when it is published.
 */
export async function skipOccurrence(
  { sql, clock, by }: Deps,
  { startsAt, ...ref }: OccurrenceRef,
  check?: Check,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, ref.pageId);
    const series = await lockSeries(tx, ref);
    if (series !== undefined) check?.(series);
    const at = startsAt.getTime();
    const [occurrence] =
      series === undefined ? [] : occurrencesAfter(series, now, { count: 1, from: at, before: at + 1 });
    if (series === undefined || occurrence === undefined) throw new ServiceError('notFound');
    const rows = await loadOccurrenceRows(tx, [series.id], now);
    const row = rows.find((one) => one.startsAt.getTime() === at);
    if (row?.exists === true) {
      throw new ServiceError('conflict', {
        message: 'The occurrence is published as a maintenance; delete or change that one.',
      });
    }
    if (row !== undefined) return;
    await tx`
      insert into maintenance_occurrences ${tx({ series_id: series.id, page_id: series.pageId, starts_at: startsAt })}`;
    await countSeriesRevision(tx, series);
    await setDueAt(tx, series, now);
    const noSkip = { skipped: null };
    await recordSeries(tx, { by, now }, { series, before: noSkip, after: { skipped: startsAt } });
  });
}

/**
 * Takes a skipped occurrence back into its series, also one whose maintenance was deleted: it is published again.
 *
 * @throws ServiceError `notFound` when the page has no such series, or when no such occurrence to come is skipped.
 */
export async function unskipOccurrence(
  { sql, clock, by }: Deps,
  { startsAt, ...ref }: OccurrenceRef,
  check?: Check,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, ref.pageId);
    const series = await lockSeries(tx, ref);
    if (series !== undefined) check?.(series);
    const rows = series === undefined ? [] : await loadOccurrenceRows(tx, [series.id], now);
    const row = rows.find((one) => one.startsAt.getTime() === startsAt.getTime());
    const isToCome = startsAt.getTime() > now;
    if (series === undefined || row === undefined || row.exists || !isToCome)
      throw new ServiceError('notFound');
    await tx`delete from maintenance_occurrences where series_id = ${series.id} and starts_at = ${startsAt}`;
    await countSeriesRevision(tx, series);
    await setDueAt(tx, series, now);
    await recordSeries(tx, { by, now }, { series, before: { skipped: startsAt }, after: { skipped: null } });
  });
}
