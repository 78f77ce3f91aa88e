import { isDeepStrictEqual } from 'node:util';
import type { ChangeMaintenanceSeries } from '../../contract/manage/incidents/maintenance-series.js';
import type { Clock } from '../../lib/clock.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { deleteIncidentIn, type ForgetEmails } from '../incidents/index.js';
import { parseFields, parseTextFields, refuseUnknown } from './parse-series.js';
import type { Schedule } from './recurrence.js';
import { republish } from './republish-occurrences.js';
import {
  type CheckSeries,
  loadOccurrenceRows,
  lockSeries,
  recordSeries,
  type Series,
  type SeriesFields,
  type SeriesRef,
  setDueAt,
} from './series.js';

type Deps = { sql: Sql; clock: Clock; by: Actor; forgetEmails: ForgetEmails };

/**
 * Changes the fields of a series that are present, and what it has published: maintenance that is still to come, and that
 * nobody has edited. When the times change, the first such occurrence becomes the first one of the new times, and so on;
 * what the new times have no place for is deleted. Returns false when the page has no such series.
 *
 * @param body a body whose schema was checked.
 * @throws ServiceError `invalidBody` for fields that are not fit; `incidentLimit` when published maintenance would grow
 *   beyond the limits; what `check` throws.
 */
export async function changeSeries(
  { sql, clock, by, forgetEmails }: Deps,
  { body, ...ref }: SeriesRef & { body: ChangeMaintenanceSeries },
  check?: CheckSeries,
): Promise<boolean> {
  const { notify, ...changes } = body;
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const before = await lockSeries(tx, ref, check);
    if (before === undefined) return false;
    const sent = { ...pickFields(before), ...changes };
    const isTimed = !isDeepStrictEqual(timesOf(before), timesOf(sent));
    // A series that has come to its end can still have its texts corrected.
    const fields = isTimed
      ? parseFields(sent, now, before)
      : { ...parseTextFields(sent, before), ...timesOf(before) };
    await refuseUnknown(tx, ref.pageId, fields);
    if (isDeepStrictEqual(pickFields(before), fields)) return true;
    const plannedFrom = isTimed ? new Date(now) : before.plannedFrom;
    const after: Series = { ...before, ...fields, plannedFrom, revision: before.revision + 1 };
    await updateSeries(tx, after);
    await recordSeries(tx, { by, now }, { series: after, before: pickFields(before), after: fields });
    await republish(
      tx,
      { by, now },
      {
        ...{ before, after, isTimed, forgetEmails },
        notify: notify ?? isTimed,
      },
    );
    await setDueAt(tx, after, now);
    return true;
  });
}

function pickFields(series: SeriesFields): SeriesFields {
  const { title, summary, monitorSlugs, texts, noticeDays } = series;
  return { title, summary, monitorSlugs, texts, ...timesOf(series), noticeDays };
}

function timesOf({ startsAt, timeZone, durationMinutes, rule }: Schedule): Schedule {
  return { startsAt, timeZone, durationMinutes, rule };
}

async function updateSeries(tx: Transaction, series: Series): Promise<void> {
  const { title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule } = series;
  const row = {
    ...{ title, summary, monitor_slugs: monitorSlugs, texts: tx.json(texts) },
    ...{ starts_at: startsAt, time_zone: timeZone, duration_minutes: durationMinutes, rule },
    ...{ notice_days: series.noticeDays, planned_from: series.plannedFrom, revision: series.revision },
  };
  await tx`update maintenance_series set ${tx(row)} where id = ${series.id}`;
}

/**
 * Deletes a series. Maintenance that it has published stays, or with `withPublished` goes as well where it is still to
 * come and nobody has edited it. Returns false when the page has no such series.
 */
export async function deleteSeries(
  { sql, clock, by, forgetEmails }: Deps,
  { withPublished = false, ...ref }: SeriesRef & { withPublished?: boolean },
  check?: CheckSeries,
): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const series = await lockSeries(tx, ref, check);
    if (series === undefined) return false;
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
