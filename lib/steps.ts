import { analyticsLimits } from '../contract/analytics/limits.js';
import { limits } from '../contract/limits.js';
import { invalid, invalidValue, type Parameters, parseInteger, parseRange } from './query-parameters.js';
import { minuteMs } from './times.js';

/**
 * A range in steps. `from` and `to` are whole minutes, in milliseconds since the epoch; `now` is when it was asked.
 */
export type SteppedRange = { from: number; to: number; stepSeconds: number; now: number };

/**
 * The tables count by the minute, so `from` moves back and `to` moves forward to a whole minute: a range never counts
 * less than it says. Without `step`, a range has at most 120 points, or one a day; `shortestSeconds` returns the shortest
 * steps that a range from `from` may have then.
 *
 * @throws ServiceError `invalidParameter`, naming the parameter.
 */
export function parseSteppedRange(
  given: Parameters<'from' | 'to' | 'step'>,
  now: number,
  shortestSeconds: (from: number) => number = () => analyticsLimits.stepSecondsMin,
): SteppedRange {
  const range = parseRange(given, now);
  const from = Math.floor(range.from / minuteMs) * minuteMs;
  const to = Math.ceil(range.to / minuteMs) * minuteMs;
  const stepSeconds =
    given.step === undefined ? usualStep({ from, to }, shortestSeconds(from)) : parseStep(given.step);
  return { from, to, stepSeconds, now };
}

/** From a minute to a day. The hours divide a day, so that steps begin with the day. */
const usualSteps = [60, 300, 900, 3_600, 10_800, 21_600, 86_400];
const usualPointsMax = 120;

function usualStep({ from, to }: { from: number; to: number }, shortestSeconds: number): number {
  const seconds = (to - from) / 1000;
  const isEnough = (step: number): boolean =>
    step >= shortestSeconds && Math.floor(seconds / step) <= usualPointsMax;
  const step = usualSteps.find(isEnough) ?? 86_400;
  // Years are in whole days, as few as an answer has room for.
  return step * Math.max(1, Math.ceil(seconds / step / (analyticsLimits.pointsPerSeries - 1)));
}

function parseStep(value: string): number {
  const unit = analyticsLimits.stepSecondsMin;
  const step = parseInteger('step', value, unit, limits.serviceHoursDays * 86_400);
  if (step % unit !== 0) throw invalidValue('step', `a multiple of ${unit} seconds`, value);
  return step;
}

/** Returns the most series of an answer: `limit`, or the default. @throws ServiceError `invalidParameter`. */
export function parseSeriesMax({ limit }: Parameters<'limit'>): number {
  return parseInteger('limit', limit ?? `${analyticsLimits.seriesDefault}`, 1, analyticsLimits.series);
}

/** @throws ServiceError `invalidParameter` when an answer of so many series could have too many points. */
export function checkPoints(range: SteppedRange, series: number): void {
  const points = stepsOf(range).length;
  if (points > analyticsLimits.pointsPerSeries) {
    throw invalid(
      `Parameter "step" gives ${points} points; the most is ${analyticsLimits.pointsPerSeries}: take a longer step or a shorter range.`,
    );
  }
  if (points * series > analyticsLimits.points) {
    throw invalid(
      `Parameter "limit" times the ${points} points of a series must be at most ${analyticsLimits.points}: take a longer step or a lower limit.`,
    );
  }
}

/** Returns the first step that a range touches, counted in steps since the epoch, and the number of steps. */
export function stepsOf({ from, to, stepSeconds }: Omit<SteppedRange, 'now'>): {
  first: number;
  length: number;
} {
  const first = Math.floor(from / 1000 / stepSeconds);
  return { first, length: Math.ceil(to / 1000 / stepSeconds) - first };
}
