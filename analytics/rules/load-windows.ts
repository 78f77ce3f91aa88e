import Type, { type Static } from 'typebox';
import { percentilesOfBuckets } from '../../sql/latency-percentiles.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import {
  fitNames,
  groupColumns,
  groupingSets,
  type WindowsAsked,
  windowParameters,
  windowSource,
} from './window-source.js';

/** `service`, `endpoint` and `method` are empty where the level does not tell them apart. */
const names = {
  ...{ pageId: columns.text, level: Type.Enum(['page', 'service', 'endpoint', 'method']) },
  ...{ service: columns.text, endpoint: columns.text, method: columns.text },
};

const CountsRow = Row({
  ...names,
  requests: Type.Array(columns.count),
  errors: Type.Array(columns.count),
});
const PercentilesRow = Row({ ...names, measured: columns.count, percentiles: Type.Array(columns.measured) });

/** Requests of a group in each window, in their order, and those with a status of 500 or above. */
export type WindowCounts = Static<typeof CountsRow>;

/** p50, p95 and p99 of a group in milliseconds, and how many requests had a response time. */
export type WindowPercentiles = Static<typeof PercentilesRow>;

const rowTypes = { counts: rowType(CountsRow), percentiles: rowType(PercentilesRow) };

/** Groups of one read. A page may have 2,000 endpoints; a rule looks at the worst 50. */
const groupsMax = 100_000;

/**
 * Loads the requests of the groups of pages in windows that end together: one read for all pages of a store, and for levels that
 * the same tables tell apart. Each level has rows of its own.
 *
 * @throws as loadEventRows() does.
 */
export async function loadWindowCounts(reader: EventReader, asked: WindowsAsked): Promise<WindowCounts[]> {
  const parts: WindowCounts[][] = [];
  for (const part of fitNames(asked)) {
    const source = windowSource(part, (conditions) => [
      `[${conditions.map((condition) => `sumIf(requests, ${condition})`).join(', ')}] AS asked`,
      `[${conditions.map((condition) => `sumIf(requests, status >= 500 AND ${condition})`).join(', ')}] AS failed`,
    ]);
    const rows = await loadEventRows(reader, rowTypes.counts, {
      query: `SELECT ${groupColumns(part)}, sumForEach(asked) AS requests, sumForEach(failed) AS errors
        FROM (${source}) GROUP BY ${groupingSets(part)}`,
      parameters: windowParameters(part),
      rowsMax: groupsMax,
    });
    parts.push(rows);
  }
  return parts.flat();
}

/**
 * Loads the percentiles of the response times of the groups of pages in one window.
 *
 * @throws as loadEventRows() does.
 */
export async function loadWindowPercentiles(
  reader: EventReader,
  { windowMinutes, ...asked }: Omit<WindowsAsked, 'windowsMinutes'> & { windowMinutes: number },
): Promise<WindowPercentiles[]> {
  const parts: WindowPercentiles[][] = [];
  for (const part of fitNames({ ...asked, windowsMinutes: [windowMinutes] })) {
    const source = windowSource(part, ([condition]) => [
      `sumIf(latency_count, ${condition}) AS timed`,
      `sumMapIf(latency_buckets, ${condition}) AS buckets`,
    ]);
    const rows = await loadEventRows(reader, rowTypes.percentiles, {
      query: `SELECT ${groupColumns(part)}, sum(timed) AS measured, ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles
        FROM (${source}) GROUP BY ${groupingSets(part)}`,
      parameters: windowParameters(part),
      rowsMax: groupsMax,
    });
    parts.push(rows);
  }
  return parts.flat();
}
