import { minuteMs } from '../../lib/times.js';
import { isOfRule, judgePools, type PoolFigures } from './judge-pools.js';
import type { Observation } from './observation.js';
import { createWindow } from './past-windows.js';
import type { Rule } from './rule.js';

type Names = Pick<PoolFigures, 'service' | 'environment' | 'target' | 'pool'>;
type Figures = Pick<PoolFigures, 'waiting' | 'utilization' | 'acquisitionP95Ms' | 'failures'>;

/** The reports of a minute, or of several, added up; null where none was measured. */
type Sums = {
  waiting: number | null;
  failures: number | null;
  busy: number | null;
  maximum: number | null;
  counts: readonly (number | null)[];
};

/** A pool with its minutes, oldest first. */
export type PastPool = Names & { minutes: readonly (Sums & { at: number })[] };

/** Returns the pools of a rule whose figure was worst, at most `limit`. */
export function worstPools<Pool extends PoolFigures>(
  rule: Rule,
  pools: readonly Pool[],
  limit: number,
): Pool[] {
  const { figure = 'waiting' } = rule.condition;
  const found = pools.filter((pool) => isOfRule(rule, pool));
  return found.sort((a, b) => (b[figure] ?? -1) - (a[figure] ?? -1)).slice(0, limit);
}

/**
 * Returns what a rule about pools would have found at each minute. The minutes have to come in their order.
 *
 * @param figuresOf the figures of reports that are added up.
 */
export function observePools(
  rule: Rule,
  pools: readonly PastPool[],
  figuresOf: (sums: Sums & { counts: (number | null)[] }) => Figures,
): (at: number) => Observation[] {
  const { windowMinutes = 1 } = rule.condition;
  const windows = pools.map(({ minutes, ...names }) => {
    const sums = createSums();
    const move = createWindow(minutes, windowMinutes * minuteMs, (minute, sign) => sums.add(minute, sign));
    return (at: number): PoolFigures[] => {
      move(at);
      if (sums.isEmpty()) return [];
      return [{ ...names, pageId: rule.pageId, windowMinutes, ...figuresOf(sums.read()) }];
    };
  });
  return (at) =>
    judgePools(
      rule,
      windows.flatMap((move) => move(at)),
    );
}

/** Sums of minutes that come and go in their order: each sum is null while none of them was measured. */
function createSums() {
  const added = { failures: createSum(), busy: createSum(), maximum: createSum() };
  const counts: ReturnType<typeof createSum>[] = [];
  /** Minutes whose peak no later one exceeds, so that the first one is the highest. */
  const peaks: { at: number; waiting: number }[] = [];
  let minutes = 0;
  return {
    isEmpty: () => minutes === 0,
    add(minute: Sums & { at: number }, sign: 1 | -1): void {
      minutes += sign;
      for (const name of ['failures', 'busy', 'maximum'] as const) added[name].add(minute[name], sign);
      for (const [i, count] of minute.counts.entries()) {
        const sum = counts[i] ?? createSum();
        counts[i] = sum;
        sum.add(count, sign);
      }
      const { at, waiting } = minute;
      if (waiting === null) return;
      if (sign === -1) {
        if (peaks[0]?.at === at) peaks.shift();
        return;
      }
      while ((peaks.at(-1)?.waiting ?? Number.POSITIVE_INFINITY) <= waiting) peaks.pop();
      peaks.push({ at, waiting });
    },
    read: () => ({
      waiting: peaks[0]?.waiting ?? null,
      ...{ failures: added.failures.read(), busy: added.busy.read(), maximum: added.maximum.read() },
      counts: counts.map((sum) => sum.read()),
    }),
  };
}

function createSum() {
  let [sum, measured] = [0, 0];
  return {
    add(value: number | null, sign: 1 | -1): void {
      if (value === null) return;
      sum += sign * value;
      measured += sign;
    },
    read: (): number | null => (measured === 0 ? null : sum),
  };
}
