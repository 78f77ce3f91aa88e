import type { BurnPair, ObjectiveWindow } from '../../contract/manage/objectives.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';

/** Good ones, and all that count: requests, or milliseconds of observed time. */
export type GoodAndTotal = { good: number; total: number };

/**
 * Targets have at most five decimals, so a target and what it leaves are whole numbers of hundred-thousandths of a percent.
 * A failure rate that is exactly the allowed one burns at exactly 1.
 */
const partsPerPercent = 100_000;
const parts = 100 * partsPerPercent;

/** Returns the share of everything that may fail, as a whole number of ten-millionths. `target` is in percent. */
export function allowedParts(target: number): number {
  return parts - Math.round(target * partsPerPercent);
}

/** Returns how much of `total` may fail under a target in percent. It may be a fraction. */
export function allowedOf(total: number, target: number): number {
  return (total * allowedParts(target)) / parts;
}

/**
 * Returns how fast the budget of a target burns: at 1, all of it is spent in exactly one window of the objective. Null when
 * nothing was measured. `target` is in percent.
 */
export function burnRate({ good, total }: GoodAndTotal, target: number): number | null {
  if (total <= 0) return null;
  return ((total - good) * parts) / (total * allowedParts(target));
}

/**
 * The multiwindow, multi-burn-rate alerts of the SRE workbook, chapter “Alerting on SLOs”: the share of the budget that is
 * spent until each fires, and its two windows.
 */
const pairs = [
  { severity: 'page', factor: 14.4, budgetShare: 0.02, longMs: hourMs, shortMs: 5 * minuteMs },
  { severity: 'page', factor: 6, budgetShare: 0.05, longMs: 6 * hourMs, shortMs: 30 * minuteMs },
  { severity: 'ticket', factor: 3, budgetShare: 0.1, longMs: dayMs, shortMs: 2 * hourMs },
  { severity: 'ticket', factor: 1, budgetShare: 0.1, longMs: 3 * dayMs, shortMs: 6 * hourMs },
] as const;

/** Days of a month and of a quarter, as far as factors go. */
const calendarDays = { month: 30, quarter: 90 } as const;

/**
 * Returns the burn-rate alerts that fit a window, the most urgent first. Those of 28 and 30 days, and of a month, have the
 * factors of the workbook; any other window has the factor at which the same share of its budget is spent.
 */
export function burnPairsOf(window: ObjectiveWindow): BurnPair[] {
  const days = 'days' in window ? window.days : calendarDays[window.calendar];
  return pairs.map(({ severity, factor, budgetShare, longMs, shortMs }) => ({
    severity,
    factor: days === 28 || days === 30 ? factor : rounded((budgetShare * days * dayMs) / longMs),
    longMinutes: longMs / minuteMs,
    shortMinutes: shortMs / minuteMs,
  }));
}

/** Shares of a percent are no binary fractions: 0.02 · 7 · 24 is 3.3600000000000003. */
function rounded(factor: number): number {
  return Number(factor.toPrecision(6));
}

/**
 * Whether both windows of a pair burn faster than its factor. A window in which nothing was measured does not burn.
 *
 * @param target in percent.
 */
export function isBurning(
  { factor }: Pick<BurnPair, 'factor'>,
  { long, short }: { long: GoodAndTotal; short: GoodAndTotal },
  target: number,
): boolean {
  return [long, short].every((counts) => (burnRate(counts, target) ?? 0) > factor);
}
