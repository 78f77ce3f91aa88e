import type { Static } from 'typebox';
import Type from 'typebox';
import { type Grouping, groupings } from '../contract/analytics/parameters.js';
import type { RequestsAnswer, RequestsPoint } from '../contract/analytics/requests.js';
import type { PageId } from '../lib/ids.js';
import { type Kept, keptSteps, noteRange } from '../lib/kept.js';
import { invalidValue, parseParameters, type QueryParameters } from '../lib/query-parameters.js';
import { checkPoints, parseSeriesMax, parseSteppedRange, type SteppedRange, stepsOf } from '../lib/steps.js';
import { dayMs, minuteMs } from '../lib/times.js';
import { percentilesOfBuckets } from '../sql/latency-percentiles.js';
import { columns, type EventReader, loadEventRows, Row } from '../sql/own-store/load-event-rows.js';
import { rowType } from '../sql/own-store/read-json-rows.js';
import { loadInSlices } from '../sql/slice-names.js';
import { conditionsOf, type EventFilters, parseEventFilters } from './event-filters.js';
import {
  type KeptSince,
  keptInSteps,
  loadKeptSince,
  roundPeriod,
  shortestStepMs,
} from './figures/kept-figures.js';
import { countsOf, loadLevels } from './figures/levels.js';
import { type Level, type Part, splitPeriod, within } from './figures/periods.js';
import { type Detail, detailOf, type Question } from './figures/question.js';

type RequestsQuery = SteppedRange & {
  filters: EventFilters;
  groupBy: Grouping | null;
  limit: number;
};

const names = ['from', 'to', 'step', 'service', 'endpoint', 'method', 'status', 'groupBy', 'limit'] as const;

/** `now` is the time to which a range is relative. @throws ServiceError `invalidParameter`, naming the parameter. */
export function parseRequestsQuery(query: QueryParameters, now: number): RequestsQuery {
  const given = parseParameters(query, names);
  const groupBy = parseGrouping(given.groupBy);
  const filters = parseEventFilters(given);
  const limit = parseSeriesMax(given);
  const detail = detailOf(questionOf({ filters, groupBy }));
  const shortestSeconds = (from: number) => shortestStepSeconds(detail, from, now);
  const range = parseSteppedRange(given, now, shortestSeconds);
  const rounded = { ...range, ...roundPeriod(range, { unitMs: minuteMs, detail, now }) };
  checkPoints(rounded, groupBy === null ? 1 : limit);
  return { ...rounded, filters, groupBy, limit };
}

function questionOf({ filters, groupBy }: Pick<RequestsQuery, 'filters' | 'groupBy'>): Question {
  return { filters, by: groupBy, search: '' };
}

/**
 * Where minutes are gone, series of endpoints are by the day unless shorter steps are asked for: by the hour, thousands of
 * endpoints have millions of rows.
 */
function shortestStepSeconds(detail: Detail, from: number, now: number): number {
  const keptMs = shortestStepMs(detail, from, now);
  return (keptMs > minuteMs && detail === 'endpoints' ? dayMs : keptMs) / 1000;
}

/** @throws ServiceError `invalidParameter`. */
function parseGrouping(value: string | undefined): Grouping | null {
  if (value === undefined) return null;
  const grouping = groupings.find((known) => known === value);
  if (grouping === undefined) throw invalidValue('groupBy', `one of ${groupings.join(', ')}`, value);
  return grouping;
}

const Group = Type.Union([columns.text, columns.status, Type.Null()]);
const GroupRow = Row({ group: Group });

const StepRow = Row({
  group: Group,
  step: columns.count,
  count: columns.count,
  errors: columns.count,
  clientErrors: columns.count,
  latencyCount: columns.count,
  latencySumUs: columns.count,
  percentiles: Type.Tuple([columns.measured, columns.measured, columns.measured]),
});

type Group = Static<typeof Group>;
type StepRow = Static<typeof StepRow>;
const rowTypes = { group: rowType(GroupRow), step: rowType(StepRow) };

/**
 * Loads counts and response times per step, by group. A step that the range cuts holds the part inside the range. Every
 * step of the range has a point, so that a chart shows a gap where nothing was counted. The figures of a step that begins
 * before what is kept are null.
 */
export async function loadRequests(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  query: RequestsQuery,
): Promise<RequestsAnswer> {
  const since = await loadKeptSince(clickhouse);
  const { steps: source, whole } = await findSources(clickhouse, pageId, query, since);
  const kept = keptInSteps(detailOf(questionOf(query)), query.stepSeconds * 1000, { since, now: query.now });
  const groups = await loadGroups(clickhouse, whole, query);
  const shown = groups.slice(0, query.limit);
  const byGroup = new Map<Group, Map<number, StepRow>>(shown.map((group) => [group, new Map()]));
  const load = (slice: readonly Group[]) => loadSteps(clickhouse, source, query, slice);
  for await (const rows of loadInSlices(shown, load)) {
    // Without its group, of which each row has a copy.
    for (const row of rows) byGroup.get(row.group)?.set(row.step, { ...row, group: null });
  }
  return {
    from: new Date(query.from).toISOString(),
    to: new Date(query.to).toISOString(),
    step: query.stepSeconds,
    ...noteRange(query, kept),
    groupBy: query.groupBy,
    series: shown.map((group) => ({ group, points: toPoints(query, kept, byGroup.get(group)) })),
    truncated: groups.length > query.limit,
  };
}

/** Where the rows of a query are: in the tables with the fewest rows, and in others at the edges of the range. */
type Source = { tables: Table[]; parameters: Record<string, unknown> };
type Table = Part & { where: string };

/** Returns where the steps of some groups are, and where the whole range of all groups is, without response times. */
async function findSources(
  clickhouse: EventReader,
  pageId: PageId,
  { from, to, stepSeconds, filters, groupBy, now }: RequestsQuery,
  since: KeptSince,
): Promise<{ steps: Source; whole: Source }> {
  const question = questionOf({ filters, groupBy });
  const unitMs = stepSeconds * 1000;
  // Steps of any length add up to the whole range; the longest have the fewest rows.
  const wholeUnitMs = groupBy === null ? unitMs : dayMs;
  const asked = { periods: [{ from, to }], unitsMs: [unitMs, wholeUnitMs], now, since };
  const levels = await loadLevels(clickhouse, pageId, question, asked);
  const { conditions, parameters } = conditionsOf(filters);
  const sourceOf = (among: readonly Level[], stepMs: number): Source => ({
    tables: splitPeriod({ from, to }, among, stepMs).map((part) => ({
      ...part,
      where: ['page_id = {page:UUID}', within(part.level.time, part.periods), ...conditions].join(' AND '),
    })),
    parameters: { page: pageId, ...parameters },
  });
  const ofSomeGroups = levels.filter(({ isByTime }) => !isByTime);
  return { steps: sourceOf(ofSomeGroups, unitMs), whole: sourceOf(levels, wholeUnitMs) };
}

/**
 * Loads the groups with the largest counts, one more than the limit. A query of its own, because counts are a twentieth
 * of the bytes of the histograms, which are then read for these groups only.
 */
async function loadGroups(
  clickhouse: EventReader,
  { tables, parameters }: Source,
  { groupBy, limit }: RequestsQuery,
): Promise<Group[]> {
  if (groupBy === null) return [null];
  const rows = await loadEventRows(clickhouse, rowTypes.group, {
    query: `SELECT group FROM (${inEach(
      tables,
      ({ level, where }) =>
        `SELECT ${groupBy} AS group, sum(requests) AS counted FROM ${level.table} WHERE ${where} GROUP BY group`,
    )})
     GROUP BY group ORDER BY sum(counted) DESC, group LIMIT {limit:UInt32}`,
    parameters: { ...parameters, limit: limit + 1 },
    rowsMax: limit + 1,
  });
  return rows.map(({ group }) => group);
}

async function loadSteps(
  clickhouse: EventReader,
  { tables, parameters }: Source,
  query: RequestsQuery,
  groups: readonly Group[],
): Promise<StepRow[]> {
  const { groupBy, stepSeconds } = query;
  const type = groupBy === 'status' ? 'UInt16' : 'String';
  const among = groupBy === null ? '' : `AND ${groupBy} IN {groups:Array(${type})}`;
  return loadEventRows(clickhouse, rowTypes.step, {
    // Each table sums up its own rows, so that the servers of a cluster send sums.
    query: `SELECT group, step, sum(counted) AS count, sum(failed) AS errors, sum(refused) AS clientErrors,
       sum(measured) AS latencyCount, sum(measuredUs) AS latencySumUs,
       ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles
     FROM (${inEach(
       tables,
       ({ level, where }) => `SELECT
         ${groupBy ?? 'NULL'} AS group,
         intDiv(toUnixTimestamp(${level.time}), {step:UInt32}) AS step,
         ${countsOf(level)},
         sumMap(latency_buckets) AS buckets
       FROM ${level.table} WHERE ${where} ${among}
       GROUP BY group, step`,
     )})
     GROUP BY group, step`,
    parameters: { ...parameters, step: stepSeconds, ...(groupBy !== null && { groups }) },
    rowsMax: groups.length * stepsOf(query).length,
  });
}

function inEach(tables: readonly Table[], select: (table: Table) => string): string {
  return tables.map(select).join(' UNION ALL ');
}

function toPoints(
  query: RequestsQuery,
  kept: Kept,
  rows: ReadonlyMap<number, StepRow> | undefined,
): RequestsPoint[] {
  const { first } = stepsOf(query);
  return keptSteps(query, kept).map((isKept, i) => {
    const at = new Date((first + i) * query.stepSeconds * 1000).toISOString();
    return isKept ? toPoint(at, rows?.get(first + i)) : { at, ...notKept };
  });
}

const notKept: Omit<RequestsPoint, 'at'> = {
  ...{ count: null, errors: null, clientErrors: null },
  ...{ averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null },
};

function toPoint(at: string, row: StepRow | undefined): RequestsPoint {
  const measured = row !== undefined && row.latencyCount > 0 ? row : undefined;
  return {
    at,
    count: row?.count ?? 0,
    errors: row?.errors ?? 0,
    clientErrors: row?.clientErrors ?? 0,
    averageMs:
      measured === undefined ? null : roundToUs(measured.latencySumUs / measured.latencyCount / 1000),
    p50Ms: measured?.percentiles[0] ?? null,
    p95Ms: measured?.percentiles[1] ?? null,
    p99Ms: measured?.percentiles[2] ?? null,
  };
}

function roundToUs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
