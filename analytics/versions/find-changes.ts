import { type VersionChange, type VersionFigures, versionLimits } from '../../contract/analytics/versions.js';
import { minuteMs } from '../../lib/times.js';
import { type Counted, figuresOf } from './version-figures.js';

/** A figure that differs between two versions. */
export type Change = Pick<VersionChange, 'figure' | 'direction' | 'from' | 'to'>;

type Compared = Pick<VersionFigures, 'requests' | 'failureRate' | 'p95Ms'>;

/** A step of the service whose figure says nothing with fewer requests. */
const stepRequestsMin = 10;
/** How much a figure must differ, as a ratio and in its own unit: below that, two days of one version differ, too. */
const least = { p95Ms: { ratio: 1.2, by: 5 }, failureRate: { ratio: 1.5, by: 0.005 } } as const;

/** Whether one of two versions has too few requests for a comparison. */
export function isThin(now: Pick<Compared, 'requests'>, before: Pick<Compared, 'requests'>): boolean {
  return Math.min(now.requests, before.requests) < versionLimits.requestsMin;
}

/** Finds the figures that differ clearly between a version and the one before it, the largest ratio first. */
export function findChanges(now: Compared, before: Compared): Change[] {
  if (isThin(now, before)) return [];
  const found: Change[] = [];
  for (const figure of ['p95Ms', 'failureRate'] as const) {
    const [from, to] = [before[figure], now[figure]];
    if (from === null || to === null || !differs(from, to, least[figure])) continue;
    found.push({ figure, direction: to > from ? 'up' : 'down', from, to });
  }
  return found.sort((a, b) => ratioOf(b) - ratioOf(a));
}

function differs(from: number, to: number, { ratio, by }: { ratio: number; by: number }): boolean {
  const [lower, upper] = [Math.min(from, to), Math.max(from, to)];
  return upper - lower >= by && upper >= ratio * lower;
}

function ratioOf({ from, to }: Change): number {
  const lower = Math.min(from, to);
  return lower === 0 ? Number.POSITIVE_INFINITY : Math.max(from, to) / lower;
}

/**
 * Finds when a change set in: the start of the first of two steps in a row, in milliseconds since the epoch, in which the
 * figure of the whole service stands nearer to that of the new version. Returns `undefined` when there are no such steps:
 * a version that takes a small share of the requests moves the service little.
 *
 * @param steps of `stepMinutes` minutes from `start` on; one without requests is missing
 */
export function findOnset(
  change: Change,
  steps: readonly (Counted & { step: number })[],
  { start, stepMinutes }: { start: number; stepMinutes: number },
): number | undefined {
  const changed = steps.filter((one) => one.requests >= stepRequestsMin && isNearer(change, one));
  const first = changed.find(({ step }, at) => changed[at + 1]?.step === step + 1);
  return first === undefined ? undefined : start + first.step * stepMinutes * minuteMs;
}

function isNearer({ figure, from, to }: Change, counted: Counted): boolean {
  const value = figuresOf(counted)[figure];
  return value !== null && Math.abs(value - to) < Math.abs(value - from);
}
