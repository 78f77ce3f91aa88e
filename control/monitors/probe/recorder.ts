import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../lib/clock.js';
import type { Log } from '../../../lib/log.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { withQueryTimeout } from '../../../sql/query-timeout.js';
import type { FinishedCheck, MadeCheck } from './decide-state.js';
import { moveSchedule } from './due-checks.js';

export type RecorderMetrics = {
  /** Checks that the store has taken. */
  stored(count: number): void;
  insertFailed(): void;
  /** Checks that were dropped, the oldest first, because the store was unavailable for too long. */
  dropped(count: number): void;
};

export type Recorder = {
  /** A check that observed nothing only moves the schedule on. */
  add(finished: FinishedCheck): void;
  /** Checks that the store does not have yet. */
  readonly waiting: number;
  /** Tries once more to write everything that waits. What cannot be written is lost, and logged. */
  stop(): Promise<void>;
};

type Deps = { sql: Sql; clickhouse: ClickHouseClient; clock: Clock; log: Log; metrics?: RecorderMetrics };
type Entry<Check = FinishedCheck> = { finished: Check; stored: boolean };
type Block = { entries: Entry<MadeCheck>[]; token: string };

/** An insert that takes longer counts as failed, and is repeated. */
const insertTimeoutMs = 5_000;
const blockChecksMax = 10_000;
/** At 5,000 monitors and a check a minute, the checks of ten minutes. */
const waitingChecksMax = 50_000;
/** Checks of one statement that moves the schedule. */
const movesMax = 1_000;
const queryTimeoutMs = 10_000;

/**
 * Writes the results of checks to both stores, in batches. A monitor's schedule moves on when ClickHouse has its check.
 * While ClickHouse is unavailable the schedule moves on too, and the check waits in memory: a gap in the history, if the
 * process dies just then, is better than no checks at all.
 */
export function startRecorder(deps: Deps, flushEveryMs: number): Recorder {
  const { log, metrics } = deps;
  const blocks = createBlocks(deps);
  let unmoved: Entry[] = [];
  let flushing: Promise<void> | undefined;

  function flush(): Promise<void> {
    flushing ??= flushOnce().finally(() => {
      flushing = undefined;
    });
    return flushing;
  }

  async function flushOnce(): Promise<void> {
    // First, because an insert into an unavailable store may take long to fail.
    if (blocks.isStoreDown()) await moveFinished();
    await blocks.store();
    await moveFinished();
  }

  async function moveFinished(): Promise<void> {
    const movable = unmoved.filter(({ stored }) => stored || blocks.isStoreDown());
    try {
      for (let i = 0; i < movable.length; i += movesMax) {
        const moved = new Set(movable.slice(i, i + movesMax));
        const checks = [...moved].map(({ finished }) => finished);
        await withQueryTimeout(moveSchedule(deps, checks), queryTimeoutMs);
        unmoved = unmoved.filter((entry) => !moved.has(entry));
      }
    } catch (error) {
      // The next flush tries again: until the claims lapse no other instance has these checks, and after that it
      // changes nothing.
      log.warn({ error: String(error), checks: movable.length }, 'The schedule could not be moved on.');
    }
  }

  const timer = setInterval(() => void flush(), flushEveryMs);

  return {
    add(finished) {
      if ('problem' in finished) {
        unmoved.push({ finished, stored: true });
        return;
      }
      const entry = { finished, stored: false };
      unmoved.push(entry);
      blocks.add(entry);
    },
    get waiting() {
      return blocks.countWaiting();
    },
    async stop() {
      clearInterval(timer);
      await flush();
      // A flush that was running may have left checks that came after it began.
      await flush();
      const lost = blocks.countWaiting();
      if (lost === 0) return;
      metrics?.dropped(lost);
      log.error({ checks: lost }, 'Checks were lost: ClickHouse was unavailable when the service stopped.');
    },
  };
}

/** Collects checks, at most `waitingChecksMax`, and stores them in blocks. */
function createBlocks({ clickhouse, log, metrics }: Deps) {
  let unstored: Entry<MadeCheck>[] = [];
  let block: Block | undefined;
  let isDown = false;

  const countWaiting = (): number => unstored.length + (block?.entries.length ?? 0);

  async function storeBlock(): Promise<void> {
    if (block === undefined) {
      if (unstored.length === 0) return;
      block = { entries: unstored.slice(0, blockChecksMax), token: randomUUID() };
      unstored = unstored.slice(blockChecksMax);
    }
    const { entries, token } = block;
    try {
      const checks = entries.map(({ finished }) => finished);
      await insertChecks(clickhouse, checks, token);
      for (const entry of entries) entry.stored = true;
      block = undefined;
      isDown = false;
      metrics?.stored(entries.length);
    } catch (error) {
      // The block stays as it is: if only the response was lost, the token keeps it from counting twice.
      isDown = true;
      metrics?.insertFailed();
      log.warn({ error: String(error), checks: entries.length }, 'Checks could not be stored.');
    }
  }

  return {
    isStoreDown: () => isDown,
    countWaiting,
    /** Adds a check. Drops the oldest ones beyond the bound, except for the current block, which may be stored. */
    add(entry: Entry<MadeCheck>): void {
      unstored.push(entry);
      const surplus = countWaiting() - waitingChecksMax;
      if (surplus <= 0) return;
      unstored = unstored.slice(surplus);
      metrics?.dropped(surplus);
    },
    /** Stores a block, and further ones as long as they are full and the store takes them. Does not throw. */
    async store(): Promise<void> {
      do await storeBlock();
      while (!isDown && unstored.length >= blockChecksMax);
    },
  };
}

/** Writes checks as one block. The store keeps one copy of a block that is sent again under the same token. */
async function insertChecks(
  clickhouse: ClickHouseClient,
  checks: readonly MadeCheck[],
  token: string,
): Promise<void> {
  await clickhouse.insert({
    table: 'checks',
    values: checks.map(toRow),
    format: 'JSONEachRow',
    abort_signal: AbortSignal.timeout(insertTimeoutMs),
    clickhouse_settings: {
      async_insert: 0,
      insert_deduplicate: 1,
      insert_deduplication_token: token,
      date_time_input_format: 'best_effort',
    },
  });
}

function toRow({ check, at, outcome, state, degraded }: MadeCheck): Record<string, string | number | null> {
  return {
    page_id: check.pageId,
    monitor_id: check.monitorId,
    at: new Date(at).toISOString(),
    interval_seconds: check.everySeconds,
    ok: Number(outcome.ok),
    up: Number(state === 'up'),
    degraded: Number(degraded),
    error: outcome.error ?? '',
    status: outcome.status ?? 0,
    total_ms: outcome.totalMs,
    dns_ms: outcome.dnsMs,
    connect_ms: outcome.connectMs,
    tls_ms: outcome.tlsMs,
    first_byte_ms: outcome.firstByteMs,
  };
}
