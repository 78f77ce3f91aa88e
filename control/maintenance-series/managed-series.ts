import { setImmediate } from 'node:timers/promises';
import {
  type MaintenanceSeries,
  type SeriesOccurrence,
  seriesLimits,
} from '../../contract/manage/incidents/maintenance-series.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { toShownActor } from '../audit/index.js';
import { type Occurrence, occurrencesAfter } from './recurrence.js';
import {
  loadOccurrenceRows,
  loadSeries,
  type OccurrenceRow,
  type Series,
  type SeriesRef,
  selectSeries,
} from './series.js';

type Deps = { sql: Sql; clock: Clock };

/** Lists at most `limit` series of a page, oldest first, behind the one with the id `after`. */
export async function listSeries(
  { sql, clock }: Deps,
  { pageId, limit, after }: { pageId: PageId; limit: number; after?: string | undefined },
): Promise<MaintenanceSeries[]> {
  const behind = after === undefined ? sql`` : sql`and s.id > ${after}`;
  const found = await selectSeries(sql, sql`s.page_id = ${pageId} ${behind} order by s.id limit ${limit}`);
  const rows = await loadOccurrenceRows(
    sql,
    found.map(({ id }) => id),
    clock.now(),
  );
  const listed: MaintenanceSeries[] = [];
  for (const series of found) {
    await setImmediate();
    listed.push(toJson(series, rows, clock.now()));
  }
  return listed;
}

/** Finds the series as the API has it; `undefined` when the page has none with the id. */
export async function findSeries(
  { sql, clock }: Deps,
  ref: SeriesRef,
): Promise<MaintenanceSeries | undefined> {
  const series = await loadSeries(sql, ref);
  if (series === undefined) return undefined;
  return toJson(series, await loadOccurrenceRows(sql, [series.id], clock.now()), clock.now());
}

/** Lists the occurrences of all series of a page that start in a range and have not ended, by their starts. */
export async function listOccurrences(
  { sql, clock }: Deps,
  { pageId, from, to }: { pageId: PageId; from: Date; to: Date },
): Promise<(SeriesOccurrence & { seriesId: string; title: string })[]> {
  const now = clock.now();
  const all = await selectSeries(sql, sql`s.page_id = ${pageId} order by s.id limit ${seriesLimits.perPage}`);
  const rows = await loadOccurrenceRows(
    sql,
    all.map(({ id }) => id),
    now,
  );
  const range = { count: seriesLimits.listed, before: to.getTime(), from: from.getTime() };
  const listed: (SeriesOccurrence & { seriesId: string; title: string })[] = [];
  for (const series of all) {
    // A page with many series does not keep other requests waiting.
    await setImmediate();
    const own = rows.filter(({ seriesId }) => seriesId === series.id);
    const head = { seriesId: series.id, title: series.title };
    for (const occurrence of occurrencesAfter(series, now, range)) {
      listed.push({ ...head, ...stateOf(occurrence, own) });
    }
  }
  return listed.sort((a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt)).slice(0, seriesLimits.listed);
}

function toJson(series: Series, rows: readonly OccurrenceRow[], now: number): MaintenanceSeries {
  const { id, title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule } = series;
  const own = rows.filter(({ seriesId }) => seriesId === id);
  const next = occurrencesAfter(series, now, { count: seriesLimits.shown });
  return {
    ...{ id, title, summary, monitorSlugs, texts, startsAt, timeZone, durationMinutes, rule },
    noticeDays: series.noticeDays,
    occurrences: next.map((occurrence) => stateOf(occurrence, own)),
    revision: series.revision,
    author: toShownActor({
      ...{ type: series.authorType, id: series.authorId, name: series.authorName },
      personName: series.authorPersonName,
    }),
    createdAt: series.createdAt.toISOString(),
  };
}

function stateOf({ startsAt, endsAt }: Occurrence, rows: readonly OccurrenceRow[]): SeriesOccurrence {
  const row = rows.find((one) => one.startsAt.getTime() === startsAt.getTime());
  return {
    startsAt: startsAt.toISOString(),
    endsAt: endsAt.toISOString(),
    incidentId: row?.exists === true ? row.incidentId : null,
    isSkipped: row !== undefined && !row.exists,
  };
}
