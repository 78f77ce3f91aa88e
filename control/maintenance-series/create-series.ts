import {
  type CreateMaintenanceSeries,
  seriesLimits,
} from '../../contract/manage/incidents/maintenance-series.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, type SeriesId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { lockPageOfIncidents, type PublishKey, publishOnce } from '../incidents/index.js';
import { parseFields, refuseUnknown } from './parse-series.js';
import type { Audit } from './publish-occurrence.js';
import { endsNever, type Occurrence, occurrencesAfter, parseSchedule } from './recurrence.js';
import { recordSeries, type Series, setDueAt } from './series.js';

const usualNoticeDays = 7;

/**
 * Adds a series to a page; the job plan-maintenance publishes its occurrences. Returns its id. All requests
 * with the same `publishKey` add one series.
 *
 * @param body a body whose schema was checked.
 * @throws ServiceError `invalidBody` for fields that are not fit, and for monitors and languages that the page does not
 *   have; `conflict` when the page has as many series as it may have, and as publishOnce().
 */
export async function createSeries(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  {
    pageId,
    body,
    publishKey,
  }: { pageId: PageId; body: CreateMaintenanceSeries; publishKey?: PublishKey | undefined },
): Promise<SeriesId> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    await lockPageOfIncidents(tx, pageId);
    const publish = async () => ({ id: await createSeriesIn(tx, { pageId, body, now, by }) });
    return (await publishOnce(tx, { pageId, publishKey, now }, publish)).id;
  });
}

async function createSeriesIn(
  tx: Transaction,
  { pageId, body, now, by }: Audit & { pageId: PageId; body: CreateMaintenanceSeries },
): Promise<SeriesId> {
  const { monitorSlugs = [], texts = {}, noticeDays = usualNoticeDays } = body;
  const timeZone = body.timeZone ?? (await zoneOf(tx, pageId));
  const fields = parseFields({ ...body, monitorSlugs, texts, noticeDays, timeZone }, now);
  await refuseUnknown(tx, pageId, fields);
  await refuseTooMany(tx, pageId);
  const id = newId<SeriesId>(now);
  const at = new Date(now);
  const [authorType, authorId, authorName] = [by.type, by.id, by.name];
  const series: Series = {
    ...{
      ...fields,
      id,
      pageId,
      plannedFrom: at,
      revision: 1,
      authorType,
      authorId,
      authorName,
      authorPersonName: null,
      createdAt: at,
    },
  };
  await insertSeries(tx, series);
  await setDueAt(tx, series, now);
  await recordSeries(tx, { by, now }, { series, before: null, after: fields });
  return id;
}

async function insertSeries(tx: Transaction, series: Series): Promise<void> {
  const { id, title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule } = series;
  const row = {
    ...{ id, page_id: series.pageId, title, summary, monitor_slugs: monitorSlugs, texts: tx.json(texts) },
    ...{ starts_at: startsAt, time_zone: timeZone, duration_minutes: durationMinutes, rule },
    ...{ notice_days: series.noticeDays, planned_from: series.plannedFrom, created_at: series.createdAt },
    ...{ author_type: series.authorType, author_id: series.authorId, author_name: series.authorName },
  };
  await tx`insert into maintenance_series ${tx(row)}`;
}

/**
 * Computes the next occurrences of a schedule. Stores nothing.
 *
 * @param body a body whose schema was checked; the zone of the page applies when it has none.
 * @throws ServiceError `invalidBody` as createSeries().
 */
export async function previewSeries(
  { sql, clock }: { sql: Sql; clock: Clock },
  {
    pageId,
    body,
  }: {
    pageId: PageId;
    body: Pick<CreateMaintenanceSeries, 'rule' | 'startsAt' | 'timeZone' | 'durationMinutes'>;
  },
): Promise<{ occurrences: Occurrence[]; endsNever: boolean }> {
  const now = clock.now();
  const schedule = parseSchedule({ ...body, timeZone: body.timeZone ?? (await zoneOf(sql, pageId)) }, now);
  const occurrences = occurrencesAfter(schedule, now, { count: seriesLimits.previewed });
  return { occurrences, endsNever: endsNever(schedule) };
}

async function zoneOf(sql: Sql | Transaction, pageId: PageId): Promise<string> {
  const [page] = await sql<{ time_zone: string }[]>`select time_zone from pages where id = ${pageId}`;
  if (page === undefined) throw new ServiceError('notFound');
  return page.time_zone;
}

async function refuseTooMany(tx: Transaction, pageId: PageId): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from maintenance_series where page_id = ${pageId}`;
  if ((row?.count ?? 0) < seriesLimits.perPage) return;
  throw new ServiceError('conflict', {
    message: `The page has ${seriesLimits.perPage} maintenance series, which is the most; delete one first.`,
  });
}
