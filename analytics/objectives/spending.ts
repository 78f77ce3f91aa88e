import type { Static } from 'typebox';
import { limits } from '../../contract/limits.js';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import type { PageId } from '../../lib/ids.js';
import { type Kept, keptAt } from '../../lib/kept.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { conditionsOf } from '../event-filters.js';
import { type KeptSince, keptInSteps, loadKeptSince, roundPeriod } from '../figures/kept-figures.js';
import { loadLevels, statusLevels } from '../figures/levels.js';
import { type Level, type Period, splitPeriod, within } from '../figures/periods.js';
import { needsEndpoints, type Question } from '../figures/question.js';
import { countsOfRow, type GoodAndTotal, questionOf, type SliQuestion, toQuestion } from './sli.js';

type Scope = { pageId: PageId; sli: RequestsSli };
type Deps = { clickhouse: EventReader };

/** The requests that were counted from a time on, in milliseconds since the epoch. */
export type Step = GoodAndTotal & { at: number };

const stepRow = rowType(Row({ at: columns.timeMs, good: columns.count, total: columns.count }));

/**
 * Returns the part of a window that has figures, and since when such figures are kept: an end from before the last two weeks
 * moves outwards to a whole hour. `undefined` for a window that ended before. `now` is in milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function findCounted(
  { clickhouse }: Deps,
  sli: RequestsSli,
  window: Period,
  now: number,
): Promise<{ counted: Period | undefined; kept: Kept }> {
  const since = await loadKeptSince(clickhouse);
  const detail = needsEndpoints(questionOf(toQuestion(sli))) ? 'endpoints' : 'services';
  // A window that lasts has an end that is no whole hour, which is kept by the minute.
  const { from, to } = roundPeriod(window, { unitMs: minuteMs, detail, now });
  const kept = keptInSteps(detail, hourMs, { since, now });
  const counted = { from: Math.max(from, kept.from), to: Math.min(to, now) };
  return { counted: counted.from < counted.to ? counted : undefined, kept };
}

/**
 * Loads the good and all requests of an objective by the hour, over a period as findCounted() returns it. The first and the
 * last hour may be cut; hours without requests are not among them.
 *
 * @throws as loadEventRows() does.
 */
export async function loadHours(
  { clickhouse }: Deps,
  scope: Scope,
  period: Period,
  now: number,
): Promise<Step[]> {
  const question = toQuestion(scope.sli);
  const asked = { periods: [period], unitsMs: [hourMs], now };
  const levels = await findLevels(clickhouse, scope.pageId, question, { ...asked, by: null });
  const selects = splitPeriod(period, levels, hourMs).map(({ level, periods }) => {
    const { good, total } = countsOfRow(level, keyParameter(question));
    return `SELECT toStartOfHour(${level.time}) AS step, sum(${good}) AS goods, sum(${total}) AS totals
      FROM ${level.table} WHERE ${whereOf(question, level, periods)} GROUP BY step`;
  });
  return loadEventRows(clickhouse, stepRow, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(step)) AS at, sum(goods) AS good, sum(totals) AS total
      FROM (${selects.join(' UNION ALL ')}) GROUP BY step HAVING total > 0 ORDER BY step`,
    parameters: parametersOf(scope, question),
    rowsMax: Math.ceil((period.to - period.from) / hourMs) + 1,
  });
}

/**
 * Loads what loadHours() does by the minute. Minutes are kept for two weeks.
 *
 * @throws as loadEventRows() does.
 */
export async function loadMinutes({ clickhouse }: Deps, scope: Scope, period: Period): Promise<Step[]> {
  const question = toQuestion(scope.sli);
  const { minutes } = statusLevels(questionOf(question), await loadKeptSince(clickhouse));
  const { good, total } = countsOfRow(minutes, keyParameter(question));
  return loadEventRows(clickhouse, stepRow, {
    query: `SELECT 1000 * toInt64(toUnixTimestamp(minute)) AS at, sum(${good}) AS good, sum(${total}) AS total
      FROM ${minutes.table} WHERE ${whereOf(question, minutes, [period])}
      GROUP BY minute HAVING total > 0 ORDER BY minute`,
    parameters: parametersOf(scope, question),
    rowsMax: Math.ceil((period.to - period.from) / minuteMs),
  });
}

const EndpointRow = Row({
  ...{ service: columns.text, endpoint: columns.text },
  ...{ good: columns.count, total: columns.count },
});
/** The requests of an endpoint of a service. */
export type EndpointCounts = Static<typeof EndpointRow>;
const endpointRow = rowType(EndpointRow);

/**
 * Loads the endpoints with the most failed or slow requests of an objective over a period, at most `limit` of those that had
 * any, and since when endpoints are counted: `from` is later than the period where they are kept for a shorter time.
 *
 * @throws as loadEventRows() does.
 */
export async function loadWorst(
  { clickhouse }: Deps,
  scope: Scope,
  { period, limit, now }: { period: Period; limit: number; now: number },
): Promise<{ from: number; endpoints: EndpointCounts[] }> {
  const kept = keptAt(now, limits.endpointHoursDays, hourMs);
  const counted = { from: Math.max(period.from, kept.from), to: period.to };
  if (counted.from >= counted.to) return { from: counted.to, endpoints: [] };
  const question = toQuestion(scope.sli);
  const asked = { periods: [counted], unitsMs: [dayMs], now };
  const levels = await findLevels(clickhouse, scope.pageId, question, { ...asked, by: 'endpoint' });
  const selects = splitPeriod(counted, levels, dayMs).map(({ level, periods }) => {
    const { good, total } = countsOfRow(level, keyParameter(question));
    return `SELECT service, endpoint, sum(${good}) AS goods, sum(${total}) AS totals
      FROM ${level.table} WHERE ${whereOf(question, level, periods)} GROUP BY service, endpoint`;
  });
  const endpoints = await loadEventRows(clickhouse, endpointRow, {
    query: `SELECT service, endpoint, sum(goods) AS good, sum(totals) AS total
      FROM (${selects.join(' UNION ALL ')}) GROUP BY service, endpoint HAVING good < total
      ORDER BY total - good DESC, total, service, endpoint LIMIT {limit:UInt32}`,
    parameters: { ...parametersOf(scope, question), limit },
    rowsMax: limit,
  });
  return { from: counted.from, endpoints };
}

type LevelsAsked = { periods: Period[]; unitsMs: number[]; now: number; by: Question['by'] };

/** Without a threshold, tables of all statuses have fewer rows. */
async function findLevels(
  clickhouse: EventReader,
  pageId: PageId,
  question: SliQuestion,
  { by, ...asked }: LevelsAsked,
): Promise<Level[]> {
  const since: KeptSince = await loadKeptSince(clickhouse);
  const wanted = questionOf(question, by);
  if (question.key === null) return loadLevels(clickhouse, pageId, wanted, { ...asked, since });
  const { days, hours, minutes } = statusLevels(wanted, since);
  return [...days, hours, minutes];
}

function keyParameter({ key }: SliQuestion): string | null {
  return key === null ? null : '{key:UInt16}';
}

function whereOf({ filters }: SliQuestion, { time }: Level, periods: Period[]): string {
  return ['page_id = {page:UUID}', ...conditionsOf(filters).conditions, within(time, periods)].join(' AND ');
}

function parametersOf({ pageId }: Scope, { filters, key }: SliQuestion): Record<string, unknown> {
  return { page: pageId, ...conditionsOf(filters).parameters, ...(key !== null && { key }) };
}
