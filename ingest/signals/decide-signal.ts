import { hourMs, minuteMs, secondMs } from '../../lib/times.js';

/**
 * Which signal counts the requests of a service, by when a request ended, in milliseconds since the epoch. Spans count
 * that end before `metricsFrom`, and while it is `undefined`; metrics count from then on.
 */
export type Choice = {
  /** Spans that end until then may count without another look at the row. */
  spansUntil?: number | undefined;
  metricsFrom?: number | undefined;
  /** The end of the newest data point, to a minute. */
  metricsAt?: number | undefined;
};

/** The time that spans end in, or that data points cover. */
export type Interval = { from: number; to: number };

/** How far ahead spans may count: the choice of a service in PostgreSQL is read and written twice a minute. */
const aheadMs = 30 * secondMs;
/** Metrics that are silent for so long have been switched off. SDKs send them once a minute. */
export const silentMs = 5 * minuteMs;
/** The end of the newest data point is written once a minute, whatever number of processes a service has. */
export const metricsAtStepMs = minuteMs;
/** SDKs that do not say when a point began send one a minute. */
const usualIntervalMs = minuteMs;

/** Whether metrics count requests that end at a time, as far as `choice` says. */
export function metricsCount({ metricsFrom, metricsAt = 0 }: Choice, at: number): boolean {
  return metricsFrom !== undefined && at >= metricsFrom && at < metricsAt + silentMs;
}

/** Whether a span that ended at a time can be told to count or not without another look at the row. */
export function isDecidedForSpan(
  { spansUntil = 0, metricsFrom, metricsAt = 0 }: Choice,
  at: number,
): boolean {
  return metricsFrom === undefined ? at <= spansUntil : at < metricsAt + silentMs;
}

/** The same for a data point that ends at a time. */
export function isDecidedForPoint({ metricsFrom, metricsAt = 0 }: Choice, to: number): boolean {
  return metricsFrom !== undefined && to <= metricsAt + metricsAtStepMs;
}

/**
 * Whether a data point counts: the larger part of its interval is the part of metrics. The change is made to fall on the
 * end of a point, so points of one process lie on one side but for some milliseconds.
 */
export function isPointCounted({ metricsFrom }: Choice, { from, to }: Interval): boolean {
  return metricsFrom !== undefined && (from + to) / 2 >= metricsFrom;
}

/** Returns when a data point began, in whole milliseconds, with the usual interval for a sender that does not say it. */
export function beginningOf(startedAt: number | undefined, to: number): number {
  return startedAt !== undefined && startedAt < to ? Math.floor(startedAt) : to - usualIntervalMs;
}

/**
 * Returns when the requests that are new in a cumulative point began to end, as far as the point itself says it: with its
 * process, or else a usual interval before. The point before is known later, within the transaction that counts.
 */
export function beginningOfCumulative(point: { startMs: number; timeMs: number }): number | undefined {
  const { startMs, timeMs } = point;
  return timeMs > 0 && startMs > timeMs - usualIntervalMs ? startMs : undefined;
}

/** Returns the choice once spans have ended in an interval. Metrics that are silent at its end leave the service to spans. */
export function afterSpans(choice: Choice, { to }: Interval, now: number): Choice {
  if (isDecidedForSpan(choice, to)) return choice;
  const spansUntil = Math.max(choice.spansUntil ?? 0, now + aheadMs, to + aheadMs);
  return { spansUntil, metricsFrom: undefined, metricsAt: choice.metricsAt };
}

/**
 * Returns the choice once data points have covered an interval. Where no spans have counted in the larger part of it,
 * metrics count from the last span on. Where some have, spans count on until the end of this interval or of a further one,
 * which is not before what instances were promised.
 */
export function afterPoints(choice: Choice, { from, to }: Interval): Choice {
  const { spansUntil, metricsFrom } = choice;
  const metricsAt = Math.max(choice.metricsAt ?? 0, to);
  if (metricsFrom !== undefined) return { ...choice, metricsAt };
  if (spansUntil === undefined || spansUntil <= (from + to) / 2)
    return { spansUntil, metricsFrom: spansUntil ?? 0, metricsAt };
  const intervalMs = Math.min(Math.max(to - from, secondMs), hourMs);
  const intervals = Math.max(0, Math.ceil((spansUntil - to) / intervalMs));
  return { spansUntil, metricsFrom: to + intervals * intervalMs, metricsAt };
}
