import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { occurrencesAfter } from './recurrence.js';
import {
  type CheckSeries,
  countSeriesRevision,
  loadOccurrenceRows,
  lockSeries,
  type OccurrenceRow,
  recordSeries,
  type Series,
  type SeriesRef,
  setDueAt,
} from './series.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

type OccurrenceRef = SeriesRef & { startsAt: Date };

/**
 * Leaves out an occurrence that is not published yet. A repeated call changes nothing.
 *
 * @throws ServiceError `notFound` when the page has no such series, or the series no such occurrence to come; `conflict`
 *   when it is published.
 */
export async function skipOccurrence(deps: Deps, ref: OccurrenceRef, check?: CheckSeries): Promise<void> {
  await changeOccurrence(deps, ref, check, async (tx, { series, row, startsAt, now }) => {
    const at = startsAt.getTime();
    const [occurrence] = occurrencesAfter(series, now, { count: 1, from: at, before: at + 1 });
    if (occurrence === undefined) throw new ServiceError('notFound');
    if (row?.exists === true) {
      throw new ServiceError('conflict', {
        message: 'The occurrence is published as a maintenance; delete or change that one.',
      });
    }
    if (row !== undefined) return undefined;
    await tx`
      insert into maintenance_occurrences ${tx({ series_id: series.id, page_id: series.pageId, starts_at: startsAt })}`;
    return { before: null, after: startsAt };
  });
}

/**
 * Takes a skipped occurrence back into its series, also one whose maintenance was deleted: it is published again.
 *
 * @throws ServiceError `notFound` when the page has no such series, or when no such occurrence to come is skipped.
 */
export async function unskipOccurrence(deps: Deps, ref: OccurrenceRef, check?: CheckSeries): Promise<void> {
  await changeOccurrence(deps, ref, check, async (tx, { series, row, startsAt, now }) => {
    if (row === undefined || row.exists || startsAt.getTime() <= now) throw new ServiceError('notFound');
    await tx`delete from maintenance_occurrences where series_id = ${series.id} and starts_at = ${startsAt}`;
    return { before: startsAt, after: null };
  });
}

type LockedOccurrence = { series: Series; row: OccurrenceRow | undefined; startsAt: Date; now: number };
/** The start of the skipped occurrence before and after the change. */
type Skipped = { before: Date | null; after: Date | null };

/** Changes an occurrence of a locked series with `change`, which returns `undefined` when there is nothing to change. */
async function changeOccurrence(
  { sql, clock, by }: Deps,
  { startsAt, ...ref }: OccurrenceRef,
  check: CheckSeries | undefined,
  change: (tx: Transaction, occurrence: LockedOccurrence) => Promise<Skipped | undefined>,
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const series = await lockSeries(tx, ref, check);
    if (series === undefined) throw new ServiceError('notFound');
    const rows = await loadOccurrenceRows(tx, [series.id], now);
    const row = rows.find((one) => one.startsAt.getTime() === startsAt.getTime());
    const skipped = await change(tx, { series, row, startsAt, now });
    if (skipped === undefined) return;
    await countSeriesRevision(tx, series);
    await setDueAt(tx, series, now);
    const sides = { before: { skipped: skipped.before }, after: { skipped: skipped.after } };
    await recordSeries(tx, { by, now }, { series, ...sides });
  });
}
