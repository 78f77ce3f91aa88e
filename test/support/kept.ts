import type { Test } from 'tap';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';

/** Notes of an answer whose figures are all kept and final. */
export const allKept = { keptFrom: null, notKept: null, unfinishedFrom: null } as const;

/** Notes of an answer about figures of endpoints. */
export const endpointsKept = {
  ...{ days: 100, unitMs: hourMs, why: 'Figures of endpoints are kept for 100 days.' },
  others:
    ' Those of services are kept for 400 days, and those of the whole page by the day are kept for good.',
} as const;

/** Asserts that an answer says that its figures of before the last `days` are gone, and why. */
export function equalKept(
  t: Test,
  { keptFrom, notKept }: { keptFrom: string | null; notKept: string | null },
  {
    now,
    days = 14,
    unitMs = minuteMs,
    why = `Figures are kept for ${days} days.`,
    others = '',
  }: { now: number; days?: number; unitMs?: number; why?: string; others?: string },
): void {
  // The answer is from a moment before `now`.
  const earliest = Math.floor((now - days * dayMs) / unitMs) * unitMs - unitMs;
  const from = Date.parse(keptFrom ?? '');
  t.ok(from >= earliest && from <= now - days * dayMs && from % unitMs === 0, `kept from ${keptFrom}`);
  t.equal(notKept, `${why} Those before ${keptFrom} are null.${others}`);
}
