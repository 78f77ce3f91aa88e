import { type LatencyKey, latencyKeys, percentileOf } from '../../lib/latency-buckets.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import { judgeBurnRate } from './judge-burn-rate.js';
import {
  judgeFailureRate,
  judgeLatency,
  judgeTraffic,
  type RequestCounts,
  type ResponseTimes,
} from './judge-requests.js';
import type { Observation } from './observation.js';
import type { Rule } from './rule.js';
import { medianOf, weekMs, weeksBefore } from './usual.js';

type Names = Pick<RequestCounts, 'service' | 'endpoint' | 'method'>;

/** The requests of a group that began at a time, and their response times by bucket. */
export type PastStep = {
  at: number;
  requests: number;
  errors: number;
  measured: number;
  keys: readonly LatencyKey[];
  counts: readonly number[];
};

/** A group of requests with its past, oldest first. Hours are there for rules that compare with what is usual. */
export type PastGroup = Names & { minutes: readonly PastStep[]; hours: readonly PastStep[] };

/** Adds up the steps of the last so many minutes before a time that moves on. */
export function createWindow<Step extends { at: number }>(
  steps: readonly Step[],
  lengthMs: number,
  add: (step: Step, sign: 1 | -1) => void,
): (to: number) => void {
  let [added, removed] = [0, 0];
  return (to) => {
    for (let next = steps[added]; next !== undefined && next.at < to; next = steps[added]) {
      add(next, 1);
      added += 1;
    }
    for (
      let last = steps[removed];
      removed < added && last !== undefined && last.at < to - lengthMs;
      last = steps[removed]
    ) {
      add(last, -1);
      removed += 1;
    }
  };
}

/** Returns what a rule about requests would have found at each minute. The minutes have to come in their order. */
export function observeRequests(rule: Rule, groups: readonly PastGroup[]): (at: number) => Observation[] {
  if (rule.kind === 'latency') {
    const windows = groups.map((group) => timesOf(rule, group));
    return (at) =>
      judgeLatency(
        rule,
        windows.map((move) => move(at)),
      );
  }
  const judge = rule.kind === 'traffic' ? judgeTraffic : judgeFailureRate;
  const windows = groups.map((group) => countsOf(rule, group));
  return (at) =>
    judge(
      rule,
      windows.map((move) => move(at)),
    );
}

function lengthOf({ condition }: Rule): number {
  return (condition.windowMinutes ?? 1) * minuteMs;
}

function countsOf(rule: Rule, { service, endpoint, method, minutes, hours }: PastGroup) {
  const sum = { requests: 0, errors: 0 };
  const move = createWindow(minutes, lengthOf(rule), ({ requests, errors }, sign) => {
    sum.requests += sign * requests;
    sum.errors += sign * errors;
  });
  const usualAt = rule.condition.belowPercentOfUsual === undefined ? undefined : usualOf(rule, hours);
  return (at: number): RequestCounts => {
    move(at);
    const usual = usualAt?.(at);
    return { pageId: rule.pageId, service, endpoint, method, ...sum, ...(usual !== undefined && { usual }) };
  };
}

/** Returns the median of the whole hours that hold the window, one to four weeks before, by the length of the window. */
function usualOf(rule: Rule, hours: readonly PastStep[]): (at: number) => number {
  const byHour = new Map(hours.map(({ at, requests }) => [at, requests]));
  const windowMs = lengthOf(rule);
  return (at) => {
    const end = Math.ceil(at / hourMs) * hourMs;
    const begin = Math.floor((at - windowMs) / hourMs) * hourMs;
    const past = weeksBefore.map((weeks) => {
      let requests = 0;
      for (let hour = begin; hour < end; hour += hourMs) requests += byHour.get(hour - weeks * weekMs) ?? 0;
      return (requests * windowMs) / (end - begin);
    });
    return medianOf(past);
  };
}

const places = new Map(latencyKeys.map((key, place) => [key, place]));

function timesOf(rule: Rule, { service, endpoint, method, minutes }: PastGroup) {
  const held = new Float64Array(latencyKeys.length);
  let measured = 0;
  const move = createWindow(minutes, lengthOf(rule), (step, sign) => {
    measured += sign * step.measured;
    for (const [i, key] of step.keys.entries()) {
      const place = places.get(key) ?? 0;
      held[place] = (held[place] ?? 0) + sign * (step.counts[i] ?? 0);
    }
  });
  const rank = rankOf[rule.condition.percentile ?? 'p95'];
  return (at: number): ResponseTimes => {
    move(at);
    const ms = measured === 0 ? 0 : (percentileOf(filled(held), rank) ?? 0);
    // Only the percentile of the rule is compared.
    return { pageId: rule.pageId, service, endpoint, method, measured, p50: ms, p95: ms, p99: ms };
  };
}

const rankOf = { p50: 0.5, p95: 0.95, p99: 0.99 } as const;

function filled(held: Float64Array): { keys: LatencyKey[]; counts: number[] } {
  const [keys, counts]: [LatencyKey[], number[]] = [[], []];
  for (const [place, key] of latencyKeys.entries()) {
    const count = held[place] ?? 0;
    if (count === 0) continue;
    keys.push(key);
    counts.push(count);
  }
  return { keys, counts };
}

/** Good requests, and all that count, that began at a time. */
export type PastGood = { at: number; good: number; total: number };

/**
 * Returns what a rule about a burn rate would have found at each minute. The minutes have to come in their order.
 *
 * @param rateOf the burn rate of good requests and all, or null when there are none.
 */
export function observeBurnRate(
  rule: Rule,
  minutes: readonly PastGood[],
  rateOf: (counts: { good: number; total: number }) => number | null,
): (at: number) => Observation[] {
  const { longMinutes = 1, shortMinutes = 1 } = rule.condition;
  const [long, short] = [longMinutes, shortMinutes].map((length) => {
    const sum = { good: 0, total: 0 };
    const move = createWindow(minutes, length * minuteMs, ({ good, total }, sign) => {
      sum.good += sign * good;
      sum.total += sign * total;
    });
    return (at: number) => {
      move(at);
      return rateOf(sum);
    };
  });
  return (at) => judgeBurnRate(rule, { long: long?.(at) ?? null, short: short?.(at) ?? null });
}
