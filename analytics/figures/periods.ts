import { hourMs } from '../../lib/times.js';

/** From `from` until `to`, in milliseconds since the epoch. */
export type Period = { from: number; to: number };

/** Length of the steps of `endpoint_requests_6h`. */
export const sixHoursMs = 6 * hourMs;

/** A table of requests that can answer a question, and the periods that it does not have in full, oldest first. */
export type Level = {
  table: string;
  /** The column with the start of a step. */
  time: string;
  stepMs: number;
  /** Whether a row is of one status; otherwise it counts errors and client errors. */
  hasStatus: boolean;
  /** Whether its rows are in the order of time, which suits all endpoints over a short period; otherwise of names. */
  isByTime: boolean;
  /** Whether it has histograms. */
  hasBuckets: boolean;
  missing: readonly Period[];
};

/** The periods of a question that are read from one table; there is at least one. */
export type Part = { level: Level; periods: Period[] };

/**
 * Splits a period of whole minutes among tables: each takes the whole steps that those before it in the list have left.
 * The caller tells steps of `unitMs` apart, so a table takes part only where its steps divide them. The parts do not
 * overlap.
 */
export function splitPeriod(period: Period, levels: readonly Level[], unitMs: number): Part[] {
  let left = [period];
  const parts: Part[] = [];
  for (const level of levels.filter(({ stepMs }) => unitMs % stepMs === 0)) {
    const periods = left.flatMap((one) =>
      wholeSteps(one, level.stepMs).flatMap((whole) => without(whole, level.missing)),
    );
    if (periods.length === 0) continue;
    parts.push({ level, periods });
    left = left.flatMap((one) => without(one, periods));
  }
  return parts;
}

/** Returns the whole steps within a period, as one period or none. */
function wholeSteps({ from, to }: Period, stepMs: number): Period[] {
  const whole = { from: Math.ceil(from / stepMs) * stepMs, to: Math.floor(to / stepMs) * stepMs };
  return whole.from < whole.to ? [whole] : [];
}

/** Returns the parts of these periods outside `gaps`; both are in their order and do not overlap. */
export function subtract(periods: readonly Period[], gaps: readonly Period[]): Period[] {
  return periods.flatMap((period) => without(period, gaps));
}

/** Returns the parts of a period outside `gaps`, which are in their order and do not overlap. */
function without(period: Period, gaps: readonly Period[]): Period[] {
  const left: Period[] = [];
  let from = period.from;
  for (const gap of gaps) {
    if (gap.to <= from || gap.from >= period.to) continue;
    if (gap.from > from) left.push({ from, to: gap.from });
    from = gap.to;
  }
  return from < period.to ? [...left, { from, to: period.to }] : left;
}

/** Returns the condition for rows of these periods, of which there is at least one. The numbers are the service's own. */
export function within(time: string, periods: readonly Period[]): string {
  const conditions = periods.map(
    ({ from, to }) =>
      `${time} >= toDateTime(${from / 1000}, 'UTC') AND ${time} < toDateTime(${to / 1000}, 'UTC')`,
  );
  return `(${conditions.join(' OR ')})`;
}
