import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { withQueryTimeout } from '../../../sql/query-timeout.js';
import { insertChecks } from './insert-checks.js';
import type { FinishedCheck } from './schedule.js';
import { moveSchedule } from './schedule.js';

export type RecorderMetrics = {
  /** Checks that went into the store. */
  stored(count: number): void;
  insertFailed(): void;
  /** Checks that were given up, the oldest first, because the store was away for too long. */
  dropped(count: number): void;
};

export type Recorder = {
  add(finished: FinishedCheck): void;
  /** Checks that the store does not have yet. */
  readonly waiting: number;
  /** Tries once more to store and to write down all that waits; what cannot be is lost, and logged. */
  stop(): Promise<void>;
};

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; log: Log; metrics?: RecorderMetrics };
type Entry = { finished: FinishedCheck; stored: boolean };
type Block = { entries: Entry[]; token: string };

const blockChecksMax = 10_000;
/** At 5,000 monitors and a check a minute, the checks of ten minutes. */
const waitingChecksMax = 50_000;
/** Of one statement that moves the schedule. */
const movesMax = 1_000;
const queryTimeoutMs = 10_000;

/**
 * Brings the results of checks into both stores, in batches. A monitor's schedule moves on when ClickHouse has its
 * check. While ClickHouse is away it moves on all the same, and the check waits in memory: better a gap in the past
 * of a process that dies just then than no checks at all.
 */
export function startRecorder(deps: Deps, flushEveryMs: number): Recorder {
  const { log, metrics } = deps;
  let unstored: Entry[] = [];
  let unmoved: Entry[] = [];
  let block: Block | undefined;
  let storeAway = false;
  let flushing: Promise<void> | undefined;

  function flush(): Promise<void> {
    flushing ??= flushOnce().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function flushOnce(): Promise<void> {
    // First, because an insert into a store that is away may take its time to fail.
    if (storeAway) await moveFinished();
    do await storeBlock();
    while (!storeAway && unstored.length >= blockChecksMax);
    await moveFinished();
  }

  async function storeBlock(): Promise<void> {
    if (block === undefined) {
      if (unstored.length === 0) return;
      block = { entries: unstored.slice(0, blockChecksMax), token: randomUUID() };
      unstored = unstored.slice(blockChecksMax);
    }
    const { entries, token } = block;
    try {
      await insertChecks(
        deps.clickhouse,
        entries.map(({ finished }) => finished),
        token,
      );
      for (const entry of entries) entry.stored = true;
      block = undefined;
      storeAway = false;
      metrics?.stored(entries.length);
    } catch (error) {
      // The block stays as it is: when only the answer was lost, the token keeps it from counting twice.
      storeAway = true;
      metrics?.insertFailed();
      log.warn({ error: String(error), checks: entries.length }, 'Checks could not be stored.');
    }
  }

  async function moveFinished(): Promise<void> {
    const movable = unmoved.filter(({ stored }) => stored || storeAway);
    try {
      for (let i = 0; i < movable.length; i += movesMax) {
        const moved = new Set(movable.slice(i, i + movesMax));
        const checks = [...moved].map(({ finished }) => finished);
        await withQueryTimeout(moveSchedule(deps, checks), queryTimeoutMs);
        unmoved = unmoved.filter((entry) => !moved.has(entry));
      }
    } catch (error) {
      // Tried again: until the claims lapse nobody else has these checks, and then it changes nothing.
      log.warn({ error: String(error), checks: movable.length }, 'The schedule could not be moved on.');
    }
  }

  const countWaiting = (): number => unstored.length + (block?.entries.length ?? 0);

  /** But for the block that may be in the store already. */
  function dropOldest(): void {
    const surplus = countWaiting() - waitingChecksMax;
    if (surplus <= 0) return;
    unstored = unstored.slice(surplus);
    metrics?.dropped(surplus);
  }

  const timer = setInterval(() => void flush(), flushEveryMs);

  return {
    add(finished) {
      const entry = { finished, stored: false };
      unstored.push(entry);
      unmoved.push(entry);
      dropOldest();
    },
    get waiting() {
      return countWaiting();
    },
    async stop() {
      clearInterval(timer);
      await flush();
      // One that was under way may have left what came after it began.
      await flush();
      const lost = countWaiting();
      if (lost === 0) return;
      metrics?.dropped(lost);
      log.error({ checks: lost }, 'Checks were lost: ClickHouse was away when the service stopped.');
    },
  };
}
