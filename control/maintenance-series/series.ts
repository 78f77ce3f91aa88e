import { type MaintenanceSeries, seriesLimits } from '../../contract/manage/incidents/maintenance-series.js';
import type { IncidentId, PageId, SeriesId } from '../../lib/ids.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, type ActorType, personNameOf, recordChange } from '../audit/index.js';
import { boundText, lockPageOfIncidents } from '../incidents/index.js';
import { type Occurrence, occurrencesAfter, type Schedule } from './recurrence.js';

/** The fields of a series that people set. */
export type SeriesFields = Schedule &
  Pick<MaintenanceSeries, 'title' | 'summary' | 'monitorSlugs' | 'texts' | 'noticeDays'>;

/** A series as it is stored. */
export type Series = SeriesFields & {
  id: SeriesId;
  pageId: PageId;
  /** No occurrence that starts before is published. */
  plannedFrom: Date;
  revision: number;
  authorType: ActorType;
  authorId: string;
  authorName: string;
  /** Name of a person; null for others. */
  authorPersonName: string | null;
  createdAt: Date;
};

/** An occurrence that was published or skipped. */
export type OccurrenceRow = {
  seriesId: SeriesId;
  startsAt: Date;
  /** `null` for one that was skipped before it was published. */
  incidentId: IncidentId | null;
  incidentRevision: number | null;
  /** Whether the maintenance is there. */
  exists: boolean;
  /** Whether the maintenance is still to come, and as the series left it. */
  isUntouched: boolean;
};

export type SeriesRef = { pageId: PageId; seriesId: SeriesId };

export async function loadSeries(
  sql: Sql | Transaction,
  { pageId, seriesId }: SeriesRef,
): Promise<Series | undefined> {
  const [series] = await selectSeries(sql, sql`s.id = ${seriesId} and s.page_id = ${pageId}`);
  return series;
}

/** Gets the series as it is, and may refuse a change by throwing. */
export type CheckSeries = (current: Series) => void;

/**
 * Locks the incidents of the page, and then a series, until the transaction ends. Returns `undefined` when the page has no
 * such series.
 *
 * @throws what `check` throws.
 */
export async function lockSeries(
  tx: Transaction,
  { pageId, seriesId }: SeriesRef,
  check?: CheckSeries,
): Promise<Series | undefined> {
  await lockPageOfIncidents(tx, pageId);
  await tx`select 1 from maintenance_series where id = ${seriesId} and page_id = ${pageId} for update`;
  const series = await loadSeries(tx, { pageId, seriesId });
  if (series !== undefined) check?.(series);
  return series;
}

/** Monitors and languages that the page no longer has are not there, so that what recurs is possible. */
export async function selectSeries(sql: Sql | Transaction, condition: Fragment): Promise<Series[]> {
  const rows = await sql<(Series & { otherLanguages: string[] })[]>`
    select s.id, s.page_id as "pageId", s.title, s.summary, s.texts,
      array(select g.slug from unnest(s.monitor_slugs) with ordinality g (slug, place)
        join monitors m on m.page_id = s.page_id and m.slug = g.slug order by g.place) as "monitorSlugs",
      s.starts_at as "startsAt", s.time_zone as "timeZone", s.duration_minutes as "durationMinutes", s.rule,
      s.notice_days as "noticeDays", s.planned_from as "plannedFrom", s.revision, s.author_type as "authorType",
      s.author_id as "authorId", s.author_name as "authorName",
      ${personNameOf(sql, sql`s.author_type = 'user'`, sql`s.author_id`)} as "authorPersonName", s.created_at as "createdAt",
      array_remove(p.languages, p.default_language) as "otherLanguages"
    from maintenance_series s join pages p on p.id = s.page_id
    where ${condition}`;
  return rows.map(({ otherLanguages, ...series }) => ({
    ...series,
    texts: Object.fromEntries(
      Object.entries(series.texts).filter(([language]) => otherLanguages.includes(language)),
    ),
  }));
}

/** Loads the rows of occurrences that have not ended long ago, by their starts. `now` is in milliseconds since the epoch. */
export async function loadOccurrenceRows(
  sql: Sql | Transaction,
  seriesIds: readonly SeriesId[],
  now: number,
): Promise<OccurrenceRow[]> {
  const at = new Date(now);
  return sql<OccurrenceRow[]>`
    select o.series_id as "seriesId", o.starts_at as "startsAt", o.incident_id as "incidentId",
      o.incident_revision as "incidentRevision", i.id is not null as exists,
      i.id is not null and i.revision = o.incident_revision and i.resolved_at is null and i.started_at > ${at}
        as "isUntouched"
    from maintenance_occurrences o
      left join incidents i on i.id = o.incident_id and i.page_id = o.page_id
    where o.series_id = any(${[...seriesIds]}::uuid[])
      and o.starts_at > ${new Date(now - seriesLimits.durationMinutesMax * 60_000)}
    order by o.starts_at`;
}

/** Sets when the next occurrence is to be published, after a change of the series or of its occurrences. */
export async function setDueAt(tx: Transaction, series: Series, now: number): Promise<void> {
  const rows = await loadOccurrenceRows(tx, [series.id], now);
  const next = nextToPublish(series, rows, now);
  const dueAt = next === undefined ? null : new Date(next.startsAt.getTime() - noticeMsOf(series));
  await tx`update maintenance_series set due_at = ${dueAt} where id = ${series.id}`;
}

/** Returns the first occurrence that is neither published nor skipped. */
export function nextToPublish(
  series: Series,
  rows: readonly OccurrenceRow[],
  now: number,
): Occurrence | undefined {
  const done = new Set(rows.map(({ startsAt }) => startsAt.getTime()));
  const from = series.plannedFrom.getTime();
  return occurrencesAfter(series, now, { count: done.size + 1, from }).find(
    ({ startsAt }) => !done.has(startsAt.getTime()),
  );
}

export function noticeMsOf({ noticeDays }: Pick<Series, 'noticeDays'>): number {
  return noticeDays * 86_400_000;
}

/** Notes that an occurrence was left out or taken back. */
export async function countSeriesRevision(tx: Transaction, { id }: Pick<Series, 'id'>): Promise<void> {
  await tx`update maintenance_series set revision = revision + 1 where id = ${id}`;
}

/** Writes the row of a change into the audit log. `skipped` names an occurrence that was left out or taken back. */
export function recordSeries(
  tx: Transaction,
  audit: { by: Actor; now: number },
  {
    series,
    before,
    after,
  }: {
    series: Series;
    before: SeriesFields | null | { skipped: Date | null };
    after: SeriesFields | null | { skipped: Date | null };
  },
): Promise<void> {
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  const fieldsOf = (side: SeriesFields | { skipped: Date | null } | null) =>
    side === null || 'skipped' in side ? side : auditedFields(side);
  return recordChange(tx, audit, {
    pageId: series.pageId,
    action: `maintenance-series.${verb}`,
    target: { type: 'maintenance-series', id: series.id, name: series.title },
    before: fieldsOf(before),
    after: fieldsOf(after),
  });
}

function auditedFields(fields: SeriesFields) {
  const { title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule, noticeDays } =
    fields;
  return {
    ...{
      title,
      summary: boundText(summary),
      monitorSlugs,
      startsAt,
      timeZone,
      durationMinutes,
      rule,
      noticeDays,
    },
    texts: Object.fromEntries(
      Object.entries(texts).map(([language, text]) => [
        language,
        { ...text, ...(text.summary !== undefined && { summary: boundText(text.summary) }) },
      ]),
    ),
  };
}
