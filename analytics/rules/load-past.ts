import Type, { type Static } from 'typebox';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { levelColumns, type RuleLevel } from './window-source.js';

/** The requests of a page that a rule looks at. Services of v1 are stored in lower case. */
export type PastAsked = {
  pageId: PageId;
  level: RuleLevel;
  target: { service?: string; endpoint?: string; method?: string };
  /** Whole minutes, or hours, in milliseconds since the epoch. */
  from: number;
  to: number;
};

const names = { service: columns.text, endpoint: columns.text, method: columns.text };
const GroupRow = Row(names);
/** Names of a group, empty where the level does not tell them apart. */
export type PastGroupNames = Static<typeof GroupRow>;

const PastRow = Row({
  ...names,
  at: columns.timeMs,
  requests: columns.count,
  errors: columns.count,
  measured: columns.count,
  keys: Type.Array(columns.count),
  counts: Type.Array(columns.count),
});
/** The requests of a group in a minute or an hour; `keys` and `counts` are its response times by bucket. */
export type PastRow = Static<typeof PastRow>;

const rowTypes = { group: rowType(GroupRow), past: rowType(PastRow) };

/**
 * Loads the groups with the most failures, or the most requests, over whole hours.
 *
 * @throws as loadEventRows() does.
 */
export async function loadWorstGroups(
  reader: EventReader,
  asked: PastAsked,
  { by, limit }: { by: 'errors' | 'requests'; limit: number },
): Promise<PastGroupNames[]> {
  const { where, parameters } = conditionsOf(asked, 'hour');
  const order =
    by === 'errors' ? 'sumIf(requests, status >= 500) DESC, sum(requests) DESC' : 'sum(requests) DESC';
  return loadEventRows(reader, rowTypes.group, {
    query: `SELECT ${namesOf(asked.level)} FROM ${tableOf(asked.level)}_hour AS r WHERE ${where}
      GROUP BY ${groupingOf(asked.level)} ORDER BY ${order}, ${groupingOf(asked.level)} LIMIT {limit:UInt32}`,
    parameters: { ...parameters, limit },
    rowsMax: limit,
  });
}

/**
 * Loads the requests of groups by the minute or by the hour, oldest first. Steps without requests are not among them.
 *
 * @throws as loadEventRows() does.
 */
export async function loadPast(
  reader: EventReader,
  {
    groups,
    step,
    isTimed,
    ...asked
  }: PastAsked & {
    /** Only these; all as one for a level that does not tell them apart. */
    groups: readonly PastGroupNames[];
    step: 'minute' | 'hour';
    /** Whether response times are read, which are most of the bytes. */
    isTimed: boolean;
  },
): Promise<PastRow[]> {
  const { where, parameters } = conditionsOf(asked, step);
  const buckets = isTimed ? 'sumMap(latency_buckets)' : "CAST(map(), 'Map(UInt16, UInt64)')";
  const known = groups.map(({ service, endpoint, method }) => [service, endpoint, method]);
  const stepMs = step === 'minute' ? minuteMs : hourMs;
  const columnsOfLevel: readonly string[] = levelColumns[asked.level];
  const key = ['service', 'endpoint', 'method'].map((name) => (columnsOfLevel.includes(name) ? name : "''"));
  return loadEventRows(reader, rowTypes.past, {
    query: `SELECT ${namesOf(asked.level)}, 1000 * toInt64(toUnixTimestamp(${step})) AS at,
        sum(r.requests) AS requests, sumIf(r.requests, status >= 500) AS errors, sum(latency_count) AS measured,
        ${buckets} AS buckets, mapKeys(buckets) AS keys, mapValues(buckets) AS counts
      FROM ${tableOf(asked.level)}_${step} AS r
      WHERE ${where} AND (${key.join(', ')}) IN (
        SELECT one.1, one.2, one.3
        FROM (SELECT arrayJoin(JSONExtract({groups:String}, 'Array(Tuple(String, String, String))')) AS one))
      GROUP BY ${groupingOf(asked.level)}, ${step} ORDER BY ${step}`,
    parameters: { ...parameters, groups: JSON.stringify(known) },
    rowsMax: groups.length * Math.ceil((asked.to - asked.from) / stepMs),
  });
}

function tableOf(level: RuleLevel): string {
  return level === 'page' || level === 'service' ? 'service_requests' : 'requests';
}

function groupingOf(level: RuleLevel): string {
  return levelColumns[level].join(', ');
}

function namesOf(level: RuleLevel): string {
  const known: readonly string[] = levelColumns[level];
  return ['service', 'endpoint', 'method']
    .map((name) => (known.includes(name) ? name : `'' AS ${name}`))
    .join(', ');
}

function conditionsOf({ pageId, target, from, to }: PastAsked, time: string) {
  const { service, endpoint, method } = target;
  const where = [
    'page_id = {page:UUID}',
    `${time} >= toDateTime({from:UInt32}, 'UTC') AND ${time} < toDateTime({to:UInt32}, 'UTC')`,
    ...(service === undefined ? [] : ['service IN {services:Array(String)}']),
    ...(endpoint === undefined ? [] : ['endpoint = {endpoint:String}']),
    ...(method === undefined ? [] : ['method = {method:String}']),
  ].join(' AND ');
  const parameters = {
    ...{ page: pageId, from: from / 1000, to: to / 1000 },
    ...(service !== undefined && { services: [service, service.toLowerCase()] }),
    ...(endpoint !== undefined && { endpoint }),
    ...(method !== undefined && { method }),
  };
  return { where, parameters };
}
