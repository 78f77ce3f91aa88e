import Type from 'typebox';
import type { TopRow } from '../../contract/analytics/figures.js';
import { type Kept, keptSteps } from '../../lib/kept.js';
import { stepsOf } from '../../lib/steps.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { columns, type EventReader, loadEventRows, Row } from '../../sql/own-store/load-event-rows.js';
import { rowType } from '../../sql/own-store/read-json-rows.js';
import { amongGroups, type Group, groupBy, groupRow, keyOf, loadGroupSlices, selectGroup } from './groups.js';
import { partsSource, type Scope } from './parts-source.js';
import { type Part, type Period, sixHoursMs } from './periods.js';

export type Sparkline = NonNullable<TopRow['sparkline']>;

/** Steps that divide six hours; longer ones are whole multiples of those, so that few rows make a point. */
const shortStepsMs = [1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs);
const stepsMs = [...shortStepsMs, hourMs, 2 * hourMs, 3 * hourMs];

/**
 * Returns the length of the steps that give at most `points` points, not counting what the range cuts off a step. The period
 * is kept in steps of `keptMs`. Where minutes are gone, steps are days as soon as they are longer than three hours: these are
 * the tables with few rows.
 */
export function sparklineStepMs({ from, to }: Period, points: number, keptMs: number): number {
  const enough = (to - from) / points;
  // Long periods are read by the hour.
  const shortestMs = Math.max(keptMs, to - from < dayMs ? minuteMs : hourMs);
  const longMs = keptMs > minuteMs ? dayMs : sixHoursMs;
  return (
    stepsMs.find((step) => step >= Math.max(enough, shortestMs)) ??
    Math.ceil(Math.max(enough, shortestMs) / longMs) * longMs
  );
}

const counts = Type.Array(columns.count);
const sparklineRow = rowType(
  Row({
    ...groupRow,
    steps: counts,
    requests: counts,
    errors: counts,
  }),
);

/**
 * Loads the requests and errors of each of these groups by step, as lists with one number for each step of the period, by
 * `keyOf` the group. A group without rows is not among them.
 *
 * @throws as loadEventRows() does.
 */
export async function loadSparklines(
  clickhouse: EventReader,
  scope: Scope,
  {
    parts,
    groups,
    period,
    kept,
    stepMs,
  }: { parts: readonly Part[]; groups: readonly Group[]; period: Period; kept: Kept; stepMs: number },
): Promise<Map<string, Sparkline>> {
  const stepSeconds = stepMs / 1000;
  const { first } = stepsOf({ ...period, stepSeconds });
  const isKept = keptSteps({ ...period, stepSeconds }, kept);
  const found = new Map<string, Sparkline>();
  const load = (slice: readonly Group[]) => {
    const { query, parameters } = amongGroups(scope, slice, (among) =>
      partsSource(scope, { counts: parts }, { stepSeconds, among }),
    );
    return loadEventRows(clickhouse, sparklineRow, {
      query: `SELECT ${selectGroup(scope)}, groupArray(step) AS steps, groupArray(counted) AS requests,
         groupArray(failed) AS errors
       FROM (${query}) ${groupBy(scope)}`,
      parameters,
      rowsMax: slice.length,
    });
  };
  for await (const rows of loadGroupSlices(groups, load)) {
    for (const row of rows) {
      found.set(keyOf(row), {
        requests: sumByStep(row.steps, row.requests, { first, isKept }),
        errors: sumByStep(row.steps, row.errors, { first, isKept }),
      });
    }
  }
  return found;
}

/** A step may have several values: one of each table that has a part of it. A step that is not kept has none. */
function sumByStep(
  steps: readonly number[],
  values: readonly number[],
  { first, isKept }: { first: number; isKept: readonly boolean[] },
): (number | null)[] {
  const sums = isKept.map((known): number | null => (known ? 0 : null));
  steps.forEach((step, at) => {
    const point = step - first;
    if (isKept[point] === true) sums[point] = (sums[point] ?? 0) + (values[at] ?? 0);
  });
  return sums;
}
