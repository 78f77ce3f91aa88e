import type { MonitorSeries } from '../../../../../contract/manage/monitor-checks.js';

/** The figures of a whole range. */
export type RangeSummary = {
  /** Percentage, cut to two decimals; null when nothing was observed. */
  uptime: number | null;
  checks: number;
  failed: number;
  averageMs: number | null;
};

/**
 * Sums up the steps of a range. A step counts by its checks, because the first and the last one are seldom whole; one
 * without a check counts as little as can be.
 */
export function summarise({ points }: Pick<MonitorSeries, 'points'>): RangeSummary {
  const all = { up: 0, observed: 0, checks: 0, failed: 0, sumMs: 0, measured: 0 };
  for (const { uptime, checks: known, failed, averageMs } of points) {
    const checks = known ?? 0;
    all.checks += checks;
    all.failed += failed ?? 0;
    if (uptime !== null) {
      const weight = Math.max(1, checks);
      all.up += uptime * weight;
      all.observed += weight;
    }
    if (averageMs !== null) {
      all.sumMs += averageMs * Math.max(1, checks);
      all.measured += Math.max(1, checks);
    }
  }
  return {
    // A sum of whole percentages is exact; the part below keeps what rounding errors would take from others.
    uptime: all.observed === 0 ? null : Math.floor((all.up / all.observed) * 100 + 1e-6) / 100,
    checks: all.checks,
    failed: all.failed,
    averageMs: all.measured === 0 ? null : all.sumMs / all.measured,
  };
}
