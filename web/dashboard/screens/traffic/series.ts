import type { TopAnswer, TopRow } from '../../../../contract/analytics/figures.js';
import type { RequestsAnswer, RequestsPoint } from '../../../../contract/analytics/requests.js';

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
 * service: that of the browser may be wrong. A step that the range cuts, or
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
  const lineOf = (pick: (point: RequestsPoint, seconds: number) => number | null): Values =>
    steps.map(({ point, coveredMs }) =>
      point.count === 0 || coveredMs < Math.min(coveredMsMin, stepMs) ? null : pick(point, coveredMs / 1000),
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

/**
 * Returns the values of a sparkline, with a gap where nothing was counted. The steps at its ends that the range cuts are
 * left out, because they would look like a fall.
 */
export function wholeSteps(
  { requests, errors }: NonNullable<TopRow['sparkline']>,
  { from, to, step }: Pick<TopAnswer, 'from' | 'to' | 'step'>,
): { requests: Values; errors: Values } {
  const isCut = (at: string) => step !== null && requests.length >= 4 && Date.parse(at) % (step * 1000) !== 0;
  const ends = [isCut(from) ? 1 : 0, isCut(to) ? requests.length - 1 : requests.length];
  const cut = (values: readonly number[]) =>
    values.map((value, i) => (requests[i] === 0 ? null : value)).slice(...ends);
  return { requests: cut(requests), errors: cut(errors) };
}
