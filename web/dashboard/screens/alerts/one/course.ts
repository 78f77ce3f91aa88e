import type { RequestsAnswer } from '../../../../../contract/analytics/requests.js';
import type { ManagedAlert } from '../../../../../contract/manage/alerts.js';
import { absoluteRange, type Range } from '../../../address/range.js';
import type { AddressChanges } from '../../../address/use-address.js';
import type { ChartUnit } from '../../../kit/chart/model.js';
import { toTrafficSeries } from '../../traffic/series.js';

type Alert = Pick<ManagedAlert, 'rule' | 'subject' | 'threshold' | 'startedAt' | 'resolvedAt' | 'evidence'>;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Figures of minutes are kept for so long, and more would hide the start of the alert. */
const afterMsMax = 24 * hourMs;

/**
 * Returns the time around the start of an alert: several windows of its rule before, at least an hour, and up to its end or
 * to now, at most a day. `now` is in milliseconds since the epoch.
 */
export function rangeAround({ rule, startedAt, resolvedAt }: Alert, now: number): Range {
  const start = Date.parse(startedAt);
  const windowMs = (rule.condition?.windowMinutes ?? rule.condition?.longMinutes ?? 1) * minuteMs;
  const before = Math.min(afterMsMax, Math.max(hourMs, 4 * windowMs));
  const end = resolvedAt === null ? now : Date.parse(resolvedAt) + before / 4;
  const to = Math.min(now, end, start + afterMsMax);
  // Whole minutes keep the path, and so the known answer, for a minute.
  return absoluteRange(
    Math.floor((start - before) / minuteMs) * minuteMs,
    Math.ceil(Math.max(to, start + minuteMs) / minuteMs) * minuteMs,
  );
}

/** Returns the service, endpoint and method whose requests an alert is about. */
export function requestFilters({ subject: { service, endpoint, method } }: Alert): AddressChanges {
  return { service, endpoint, method };
}

type Course = {
  unit: ChartUnit;
  /** The name of the text of the line. */
  name: 'share' | 'rate' | 'p50' | 'p95' | 'p99';
  values: readonly (number | null)[];
  times: readonly number[];
  /** In the unit; `undefined` when it is not known. */
  limit: number | undefined;
};

/**
 * Returns the line of requests that an alert is about, with its limit: the share of failures, a percentile, or the rate.
 * `asOf` is up to when the answer has everything. `objective` is the target of the objective in percent.
 */
export function courseOf(
  { rule, threshold }: Alert,
  answer: RequestsAnswer,
  { asOf, objective }: { asOf: number; objective: number | undefined },
): Course {
  const { at: times, ...lines } = toTrafficSeries(answer, asOf);
  const { condition } = rule;
  switch (rule.kind) {
    case 'latency': {
      const name = condition?.percentile ?? 'p95';
      return { unit: 'ms', name, values: lines[name], times, limit: threshold ?? undefined };
    }
    case 'traffic': {
      const seconds = (condition?.windowMinutes ?? 0) * 60;
      const limit = threshold === null || seconds === 0 ? undefined : threshold / seconds;
      return { unit: 'perSecond', name: 'rate', values: lines.requests, times, limit };
    }
    case 'burn-rate': {
      const budget = objective === undefined ? undefined : 1 - objective / 100;
      const limit = budget === undefined || threshold === null ? undefined : Math.min(1, threshold * budget);
      return { unit: 'share', name: 'share', values: lines.errorShare, times, limit };
    }
    default: {
      const limit = threshold === null ? undefined : threshold / 100;
      return { unit: 'share', name: 'share', values: lines.errorShare, times, limit };
    }
  }
}
