import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { deleteIncidentIn, type ForgetEmails, lockPageOfIncidents } from '../incidents/index.js';
import { loadOccurrenceRows, lockSeries, recordSeries, type Series, type SeriesRef } from './series.js';

type Deps = { sql: Sql; clock: Clock; by: Actor; forgetEmails: ForgetEmails };

/**
 * Deletes a series. Maintenance that it has published stays, or with `withPublished` goes as well where it is still to
 * come and nobody has edited it. Returns false when the page has no such series.
 *
 * @param check gets the series as it is, and may refuse the change by throwing.
 */
export async function deleteSeries(
  { sql, clock, by, forgetEmails }: Deps,
  { withPublished = false, ...ref }: SeriesRef & { withPublished?: boolean },
  check?: (current: Series) => void,
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, ref.pageId);
    const series = await lockSeries(tx, ref);
    if (series === undefined) return false;
    check?.(series);
    const rows = withPublished ? await loadOccurrenceRows(tx, [series.id], now) : [];
    for (const { incidentId, isUntouched } of rows) {
      if (incidentId === null || !isUntouched) continue;
      await deleteIncidentIn(tx, { pageId: ref.pageId, incidentId, forgetEmails, by, now });
    }
    await tx`delete from maintenance_series where id = ${series.id}`;
    await recordSeries(tx, { by, now }, { series, before: series, after: null });
    return true;
  });
}
