import type { Test } from 'tap';
import { dayMs, minuteMs } from '../../lib/times.js';

/** Notes of an answer whose figures are all kept and final. */
export const allKept = { keptFrom: null, notKept: null, unfinishedFrom: null } as const;

/** Asserts that an answer says that its figures of before the last `days` are gone, and why. */
export function equalKept(
  t: Test,
  { keptFrom, notKept }: { keptFrom: string | null; notKept: string | null },
  { now, days = 14, unitMs = minuteMs }: { now: number; days?: number; unitMs?: number },
): void {
  // The answer is from a moment before `now`.
  const earliest = Math.floor((now - days * dayMs) / unitMs) * unitMs - unitMs;
  const from = Date.parse(keptFrom ?? '');
  t.ok(from >= earliest && from <= now - days * dayMs && from % unitMs === 0, `kept from ${keptFrom}`);
  t.equal(notKept, `Figures are kept for ${days} days. Those before ${keptFrom} are null.`);
}
