import { hourMs } from '../../lib/times.js';

/** From `from` until `to`, in milliseconds since the epoch. */
export type Period = { from: number; to: number };

/** Length of the steps of `endpoint_requests_6h`. */
export const sixHoursMs = 6 * hourMs;

/** A period in parts, each of which is read from the coarsest table that has it. The parts do not overlap. */
export type Parts = { sixHours: Period[]; hours: Period[]; minutes: Period[] };

/**
 * Splits a period of whole minutes. `missing` are the starts of steps of six hours that the table of those steps does
 * not have in full, oldest first; null when the table is of no use. The caller tells steps of `unitMs` apart, so hours
 * and six hours are parts only where they divide it.
 */
export function splitPeriod(
  period: Period,
  { missing, unitMs }: { missing: readonly number[] | null; unitMs: number },
): Parts {
  const whole = missing === null || unitMs % sixHoursMs !== 0 ? [] : wholeSteps(period, sixHoursMs);
  const gaps = (missing ?? []).map((from) => ({ from, to: from + sixHoursMs }));
  const sixHours = whole.flatMap((part) => without(part, gaps));
  const finer = without(period, sixHours);
  const hours = unitMs % hourMs === 0 ? finer.flatMap((part) => wholeSteps(part, hourMs)) : [];
  return { sixHours, hours, minutes: finer.flatMap((part) => without(part, hours)) };
}

/** Returns the whole steps within a period, as one period or none. */
export function wholeSteps({ from, to }: Period, stepMs: number): Period[] {
  const whole = { from: Math.ceil(from / stepMs) * stepMs, to: Math.floor(to / stepMs) * stepMs };
  return whole.from < whole.to ? [whole] : [];
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
