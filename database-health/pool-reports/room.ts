import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

/**
 * Bytes of all that waits in PostgreSQL, deflated: a report of four pools has 100 bytes among 17 like it, 500 alone.
 */
const waitingBytesMax = 64 * 1024 * 1024;
/**
 * Blocks that wait. While ClickHouse is unavailable blocks grow; refused blocks become more, and ClickHouse remembers
 * the ids of ten thousand.
 */
const waitingBlocksMax = 2_000;

/** Says whether PostgreSQL has room for further reports, which wait there for ClickHouse. */
export function createRoom({ sql, fullCheckMs }: { sql: Sql; fullCheckMs: number }) {
  let isFull = false;
  let awaited: Promise<void> | undefined;

  /** Keeps the last answer when PostgreSQL gives none: while it is unavailable, nothing is accepted. */
  async function look(): Promise<void> {
    try {
      const [waiting] = await withQueryTimeout(
        sql<{ bytes: bigint; blocks: bigint }[]>`
          select coalesce(sum(octet_length(body)), 0)::bigint as bytes, count(distinct block_id) as blocks
          from pool_block_parts`,
      );
      isFull = Number(waiting?.bytes) > waitingBytesMax || Number(waiting?.blocks) > waitingBlocksMax;
    } catch {
      // The last answer holds.
    }
  }

  /** Nothing is written while there is no room, so only time can tell when there is some again. */
  async function lookUntilRoom(signal: AbortSignal): Promise<void> {
    while (isFull && !signal.aborted) {
      await sleep(fullCheckMs, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await look();
    }
    awaited = undefined;
  }

  return {
    get isFull() {
      return isFull;
    },
    look,
    /** Looks again and again while it is full, until `signal` is aborted. */
    awaitRoom(signal: AbortSignal): void {
      if (isFull) awaited ??= lookUntilRoom(signal);
    },
    /** Ends with that. */
    get awaited() {
      return awaited;
    },
  };
}
