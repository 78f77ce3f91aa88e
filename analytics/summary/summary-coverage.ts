import type { Coverage, Freshness, KnownState } from '../../contract/public/summary.js';
import { cutPercent } from '../../lib/figures.js';
import { dayMs } from '../../lib/times.js';
import { formatDay } from './summary-figures.js';
import type { DayPoint } from './summary-points.js';

/** A span of time, in milliseconds since the epoch. */
export type Span = { from: number; to: number };

export type CoverageInput = {
  now: number;
  /** Start of the history that the page shows. */
  windowFrom: number;
  createdAt: number;
  everySeconds: number;
  lastCheckedAt: number | null;
  state: KnownState;
  /** Since when the monitor is in its state; null without one. */
  stateSince: number | null;
  /** Whether the monitor or its whole page is paused. */
  paused: boolean;
  /** Pauses of the monitor and its page; they may overlap. */
  pauses: readonly Span[];
  /** Days of the window, oldest first. */
  days: readonly DayPoint[];
};

/** A fresh check is at most this many intervals old. */
const freshIntervals = 2;

/**
 * Describes how much of the time was observed. Observation is expected since the monitor was created, or since the first
 * observed day of an imported history, except during pauses.
 */
export function describeCoverage(input: CoverageInput): Coverage {
  const { now, lastCheckedAt, state, stateSince } = input;
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
    state,
    stateSince: stateSince === null ? null : new Date(stateSince).toISOString(),
    since: formatDay(Math.floor(span.from / dayMs)),
  };
}

/** Returns the coverage of a service without checks: nothing is observed, and nothing is wrong that people do not say. */
export function coverageOfUnchecked({
  windowFrom,
  createdAt,
}: Pick<CoverageInput, 'windowFrom' | 'createdAt'>): Coverage {
  return {
    ...{ observedSeconds: 0, expectedSeconds: 0, percent: null, lastCheckedAt: null, ageSeconds: null },
    ...{ freshness: 'fresh', state: 'up', stateSince: null },
    since: formatDay(Math.floor(Math.max(windowFrom, createdAt) / dayMs)),
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

/** Returns how much of a span lies in any of the others, in milliseconds. Counts each moment once. */
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
