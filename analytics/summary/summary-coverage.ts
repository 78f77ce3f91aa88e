import type { Coverage, Freshness } from '../../contract/summary.js';
import { cutPercent } from './summary-figures.js';
import type { DayPoint } from './summary-points.js';

/** Milliseconds since the epoch. */
export type Span = { from: number; to: number };

export type CoverageInput = {
  now: number;
  /** Start of the history that the page shows. */
  windowFrom: number;
  createdAt: number;
  everySeconds: number;
  lastCheckedAt: number | null;
  /** Whether the monitor or all of its page is not being checked. */
  paused: boolean;
  /** Times in which it was not meant to be checked; they may overlap. */
  pauses: readonly Span[];
  /** Days of the window, oldest first. */
  days: readonly DayPoint[];
};

const dayMs = 86_400_000;
/** A last check may be this many intervals old. */
const freshIntervals = 2;

/**
 * How much of the time was observed. It was expected to be since the monitor exists, or since the first day that was
 * observed where its history was brought along, but for pauses.
 */
export function describeCoverage(input: CoverageInput): Coverage {
  const { now, lastCheckedAt } = input;
  const observedMs = input.days.reduce((sum, day) => sum + day.observedMs, 0);
  const span = { from: expectedFrom(input), to: now };
  const expectedMs = Math.max(0, span.to - span.from - overlapMs(span, input.pauses));
  return {
    observedSeconds: Math.floor(observedMs / 1000),
    expectedSeconds: Math.floor(expectedMs / 1000),
    percent: cutPercent(observedMs, expectedMs),
    lastCheckedAt: lastCheckedAt === null ? null : new Date(lastCheckedAt).toISOString(),
    ageSeconds: lastCheckedAt === null ? null : Math.max(0, Math.floor((now - lastCheckedAt) / 1000)),
    freshness: judgeFreshness(input),
  };
}

function expectedFrom({ windowFrom, createdAt, days }: CoverageInput): number {
  const [first] = days.filter(({ observedMs }) => observedMs > 0);
  const createdOn = Math.floor(createdAt / dayMs);
  const begin = first !== undefined && first.day < createdOn ? first.day * dayMs : createdAt;
  return Math.max(windowFrom, begin);
}

function judgeFreshness({ now, lastCheckedAt, paused, everySeconds }: CoverageInput): Freshness {
  if (paused) return 'paused';
  if (lastCheckedAt === null) return 'never';
  return now - lastCheckedAt <= freshIntervals * everySeconds * 1000 ? 'fresh' : 'stale';
}

/** How much of a span lies in any of the others, each moment counted once. */
export function overlapMs({ from, to }: Span, spans: readonly Span[]): number {
  let covered = 0;
  let end = from;
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const begin = Math.max(span.from, end);
    const stop = Math.min(span.to, to);
    if (stop <= begin) continue;
    covered += stop - begin;
    end = stop;
  }
  return covered;
}
