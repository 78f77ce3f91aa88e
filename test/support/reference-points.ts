import { hourMs, secondMs } from '../../lib/times.js';
import { bucketOf } from './response-buckets.js';
import type { Check, Excluded, Histogram, Point } from './uptime.js';

type State = { checks: readonly Check[]; excluded: readonly Excluded[]; now: number };

/**
 * Computes the expected points of each hour second by second. All times are whole seconds; of two checks at the same
 * time, the later one in the list counts.
 */
export function referencePoints({ checks, excluded, now }: State): Record<string, Point> {
  const latest = latestOf(checks, now);
  const isExcluded = (at: number): boolean => excluded.some((span) => includes(span, at));
  const points: Record<string, Point> = {};
  const pointAt = (at: number): Point => {
    const hour = new Date(Math.floor(at / hourMs) * hourMs).toISOString().slice(0, 13);
    points[hour] ??= { observedMs: 0, upMs: 0, checks: 0, failed: 0, measured: 0, sumMs: 0 };
    return points[hour];
  };
  for (const { at, ok, ms } of latest) {
    if (isExcluded(at)) continue;
    const point = pointAt(at);
    point.checks += 1;
    if (!ok) point.failed += 1;
    if (ms !== null) point.measured += 1;
    point.sumMs += ms ?? 0;
  }
  let current = -1;
  for (let at = latest[0]?.at ?? now; at < now; at += secondMs) {
    while ((latest[current + 1]?.at ?? Number.POSITIVE_INFINITY) <= at) current += 1;
    const check = latest[current];
    if (check === undefined || at >= check.at + 2 * check.intervalSeconds * secondMs || isExcluded(at))
      continue;
    const point = pointAt(at);
    point.observedMs += secondMs;
    if (check.up) point.upMs += secondMs;
    if (check.up && check.degraded) point.degradedMs = (point.degradedMs ?? 0) + secondMs;
  }
  return points;
}

/** Returns the checks until now in order of time; the later one in the list replaces an earlier one at the same time. */
function latestOf(checks: readonly Check[], now: number): Check[] {
  return [...new Map(checks.map((check) => [check.at, check])).values()]
    .filter(({ at }) => at <= now)
    .sort((a, b) => a.at - b.at);
}

const includes = ({ from, to }: Excluded, at: number): boolean =>
  from <= at && at < (to ?? Number.POSITIVE_INFINITY);

/** Computes the expected histograms of response times by hour, or by day, under the names of points(). */
export function referenceHistograms(
  { checks, excluded, now }: State,
  of: 'hour' | 'day',
): Record<string, Histogram> {
  const histograms: Record<string, Map<number, number>> = {};
  for (const { at, ms } of latestOf(checks, now)) {
    if (ms === null || excluded.some((span) => includes(span, at))) continue;
    const name = new Date(at).toISOString().slice(0, of === 'hour' ? 13 : 10);
    histograms[name] ??= new Map();
    histograms[name].set(bucketOf(ms), (histograms[name].get(bucketOf(ms)) ?? 0) + 1);
  }
  const inOrder = (sums: Map<number, number>): Histogram => [...sums].sort(([a], [b]) => a - b);
  return Object.fromEntries(Object.entries(histograms).map(([name, sums]) => [name, inOrder(sums)]));
}

/** Sums the points of the hours of each day. */
export function sumByDay(hours: Record<string, Point>): Record<string, Point> {
  const days: Record<string, Point> = {};
  for (const [hour, point] of Object.entries(hours)) {
    const day = hour.slice(0, 10);
    const sum = days[day] ?? { observedMs: 0, upMs: 0, checks: 0, failed: 0, measured: 0, sumMs: 0 };
    const degradedMs = (sum.degradedMs ?? 0) + (point.degradedMs ?? 0);
    days[day] = {
      ...(degradedMs > 0 && { degradedMs }),
      observedMs: sum.observedMs + point.observedMs,
      upMs: sum.upMs + point.upMs,
      checks: sum.checks + point.checks,
      failed: sum.failed + point.failed,
      measured: sum.measured + point.measured,
      sumMs: sum.sumMs + point.sumMs,
    };
  }
  return days;
}
