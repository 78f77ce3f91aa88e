import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import { type CountedPoint, isCounted } from '../../kit/counted-steps.js';

type Values = readonly (number | null)[];

/** The lines of the charts. All have one value for each time; null is a gap. */
export type TrafficSeries = {
  /** Starts of the steps in milliseconds since the epoch. */
  at: readonly number[];
  stepMs: number;
  /** Responses per second with a status below 400, from 400 to 499, and from 500. */
  successes: Values;
  clientErrors: Values;
  errors: Values;
  requests: Values;
  /** errors / requests, 0 to 1. */
  errorShare: Values;
  p50: Values;
  p95: Values;
  p99: Values;
};

/** A step of which less has passed says nothing about its rate. */
const coveredMsMin = 30_000;

/**
 * Returns the lines of an answer that has everything up to `asOf`, in milliseconds since the epoch by the clock of the
 * service: the clock of the browser may be wrong. A step that the range cuts, or
 * that has not ended, has the rate of the part that has passed.
 */
export function toTrafficSeries(answer: RequestsAnswer, asOf: number): TrafficSeries {
  const stepMs = answer.step * 1000;
  const [from, to] = [Date.parse(answer.from), Math.min(Date.parse(answer.to), asOf)];
  const points = answer.series[0]?.points ?? [];
  const steps = points.map((point) => {
    const at = Date.parse(point.at);
    return { at, point, coveredMs: Math.min(at + stepMs, to) - Math.max(at, from) };
  });
  const lineOf = (pick: (point: CountedPoint, seconds: number) => number | null): Values =>
    steps.map(({ point, coveredMs }) =>
      !isCounted(point) || coveredMs < Math.min(coveredMsMin, stepMs) ? null : pick(point, coveredMs / 1000),
    );
  return {
    at: steps.map(({ at }) => at),
    stepMs,
    successes: lineOf((point, seconds) => (point.count - point.clientErrors - point.errors) / seconds),
    clientErrors: lineOf((point, seconds) => point.clientErrors / seconds),
    errors: lineOf((point, seconds) => point.errors / seconds),
    requests: lineOf((point, seconds) => point.count / seconds),
    errorShare: lineOf(({ errors, count }) => errors / count),
    p50: lineOf(({ p50Ms }) => p50Ms),
    p95: lineOf(({ p95Ms }) => p95Ms),
    p99: lineOf(({ p99Ms }) => p99Ms),
  };
}

/**
 * Returns a line of the period before in the places of `now`: the last step beside the last. Nothing when the two
 * periods have different steps, and so nothing to compare.
 */
export function besideNow(
  now: TrafficSeries,
  before: TrafficSeries | undefined,
  pick: (series: TrafficSeries) => Values,
): Values | undefined {
  if (before === undefined || before.stepMs !== now.stepMs) return undefined;
  const values = pick(before);
  if (values.every((value) => value === null)) return undefined;
  const shift = values.length - now.at.length;
  return now.at.map((_, i) => values[i + shift] ?? null);
}
