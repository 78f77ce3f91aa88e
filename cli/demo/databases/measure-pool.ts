import { acquisitionBoundsMs, type PoolMeasurement } from '../../../contract/pool-reports.js';
import type { CheckedPool } from '../../../database-health/pool-reports/parse-pool-report.js';
import { minuteMs, secondMs } from '../../../lib/times.js';
import { loadAt, noiseAt, normalAt } from '../noise.js';
import { isDuring, plot, plotTime, type Times } from '../plot.js';
import type { DemoPool } from './processes.js';

/** Parts of the acquisitions in each bucket, in usual times and while every connection is busy. */
const usualShares = [0.71, 0.21, 0.05, 0.02, 0.007, 0.002, 0.0007, 0.0002, 0.0001, 0, 0];
const crowdedShares = [0.02, 0.02, 0.03, 0.05, 0.07, 0.1, 0.14, 0.19, 0.2, 0.16, 0.02];

/**
 * Measures a pool as its driver would have, at the end of an interval from `from` to `to` in milliseconds since the
 * epoch. `seed` tells the pools of a process apart.
 */
export function measurePool(
  pool: DemoPool,
  { from, to }: { from: number; to: number },
  seed: number,
  times: Times,
): CheckedPool {
  const isOut = pool.runsOut === true && isDuring(plot.poolOut, to, times);
  const place = Math.floor(to / minuteMs);
  const load = loadAt(to) * Math.exp(0.18 * normalAt(seed, place));
  const busy = isOut
    ? pool.maximum
    : Math.min(pool.maximum - 1, Math.round(pool.maximum * pool.busyShare * load));
  const open = isOut
    ? pool.maximum
    : Math.min(pool.maximum, busy + 1 + Math.round(3 * noiseAt(seed + 3, place)));
  const waiting = isOut ? waitingAt(to, seed, place, times) : Math.floor(1.03 * noiseAt(seed + 4, place));
  const peakBusy = isOut ? busy : Math.min(open, busy + Math.round(2 * noiseAt(seed + 5, place)));
  const seconds = (to - from) / secondMs;
  const shares = isOut ? crowdedShares : usualShares;
  const acquired = pool.acquisitionsPerSecond * seconds * (isOut ? 0.7 : load);
  const hidden = pool.hidesWaiting === true;
  return {
    ...{ system: pool.system, target: pool.target, pool: pool.pool, serverPool: pool.serverPool },
    driverVersion: pool.driverVersion,
    coverage: 'complete',
    supported: supportedOf(hidden),
    snapshot: { open, busy, idle: open - busy, waiting: hidden ? null : waiting },
    peaks: { open, busy: peakBusy, waiting: hidden ? null : waiting + (isOut ? 3 : 0) },
    acquisition: acquisitionOf(acquired, shares, seed, place),
    failures: isOut ? Math.round(seconds * (0.15 + 0.3 * noiseAt(seed + 6, place))) : 0,
    created: Math.floor(1.2 * noiseAt(seed + 7, place)),
    closed: Math.floor(1.2 * noiseAt(seed + 8, place)),
    ...{ minimum: 2, maximum: pool.maximum },
  };
}

function supportedOf(hidesWaiting: boolean): PoolMeasurement[] {
  const all: PoolMeasurement[] = [
    'open',
    'busy',
    'idle',
    'waiting',
    'acquisition',
    'failures',
    'created',
    'closed',
  ];
  return all.filter((name) => name !== 'waiting' || !hidesWaiting);
}

/** The queue grows for half of the time, and goes back when there are more connections. */
function waitingAt(at: number, seed: number, place: number, times: Times): number {
  const { from, to } = plot.poolOut;
  const share = (at - plotTime(from, times)) / ((to - from) * minuteMs);
  return Math.round(4 + 22 * Math.min(1, 2 * share, 6 * (1 - share)) + 5 * noiseAt(seed + 9, place));
}

function acquisitionOf(acquired: number, shares: readonly number[], seed: number, place: number) {
  const counts = shares.map((share, bucket) =>
    Math.floor(acquired * share + noiseAt(seed + 20 + bucket, place)),
  );
  const sumMs = counts.reduce((sum, count, bucket) => sum + count * middleMs(bucket), 0);
  return { counts, sumMs };
}

function middleMs(bucket: number): number {
  const lower = acquisitionBoundsMs[bucket - 1] ?? 0;
  const upper = acquisitionBoundsMs[bucket] ?? 6_000;
  return (lower + upper) / 2;
}
