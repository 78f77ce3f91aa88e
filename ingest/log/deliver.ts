import { ClickHouseError } from '@clickhouse/client';
import type { Log } from '../../lib/log.js';
import { withTimeout } from '../../lib/timeout.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { StoreName } from '../buffer/waiting-blocks.js';
import type { CommitMetrics } from '../commit/commit.js';
import { type BlockBuffer, type BlockStore, insertWithin, storeBlock } from '../commit/store-block.js';
import type { Deliver, Delivery } from './segment-queue.js';

type Deps = { store: BlockStore; buffer: BlockBuffer; log: Log; metrics: CommitMetrics };

/** Nobody waits for a delivery: a slow store has more time than when senders wait. */
const attemptMsMax = 20 * secondMs;
const bufferMsMax = 10 * secondMs;
/** A store that hangs for longer counts as unreachable, although the attempt goes on. */
const slowMs = 4_500;
/** A block that ClickHouse has refused this often, for this long, does not hold up the others any further. */
const refusalsMax = 10;
const refusedMsMax = minuteMs;

/**
 * Delivers to the installation's store. A block that the store refuses again and again goes to the delivery buffer, where
 * an operator finds it with `heartline store`; while the store is silent, blocks wait in the log.
 */
export function deliverToStore({ store, buffer, log, metrics }: Deps): Deliver {
  return async (block, delivery, stopping) => {
    const startedAt = performance.now();
    try {
      await insertWithin(store, block, attemptMsMax, stopping);
      const { rows, events } = block;
      metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
    } catch (error) {
      metrics.insertFailed();
      if (!isRefused(error, delivery)) throw error;
      await buffer.put(block, bufferMsMax);
      const { token, events } = block;
      log.error(
        { error: String(error), token, events },
        'ClickHouse refuses a block again and again; it waits in the delivery buffer now.',
      );
    }
  };
}

/** Delivers files that a process left for pages' own stores to their delivery buffers. */
export function deliverToBuffer(bufferOf: (store: StoreName) => BlockBuffer): Deliver {
  return (block, { store }, signal) =>
    withTimeout(() => bufferOf(store).put(block, bufferMsMax), bufferMsMax + secondMs, { signal });
}

/** `isSlow` says whether the delivery at work takes so long that its store counts as unreachable. */
export function watchDeliveries(deliver: Deliver): { deliver: Deliver; isSlow(): boolean } {
  let since: number | undefined;
  return {
    async deliver(...delivery) {
      since = performance.now();
      try {
        await deliver(...delivery);
      } finally {
        since = undefined;
      }
    },
    isSlow: () => since !== undefined && performance.now() - since > slowMs,
  };
}

function isRefused(error: unknown, { failures, firstFailedAt }: Delivery): boolean {
  const isOften = failures >= refusalsMax && performance.now() - firstFailedAt > refusedMsMax;
  return isOften && error instanceof ClickHouseError;
}

/** Delivers to a page's own store, or to the delivery buffer when the store does not take a block within seconds. */
export function deliverToOwnStore(
  { store, buffer, log, metrics }: Deps,
  onDelivered: (to: 'store' | 'buffer') => void,
): Deliver {
  const { insertFailed } = metrics;
  return async (block, _delivery, stopping) => {
    const startedAt = performance.now();
    const closing = { signal: stopping, at: undefined };
    const deps = { store, buffer, log, insertFailed, closing };
    // A stop waits for neither of the two: the next start repeats it under the same token.
    const attempt = () => storeBlock(deps, block, startedAt + attemptMsMax);
    const storedIn = await withTimeout(attempt, attemptMsMax + secondMs, { signal: stopping });
    onDelivered(storedIn);
    if (storedIn === 'buffer') return;
    const { rows, events } = block;
    metrics.inserted({ rows, events, seconds: (performance.now() - startedAt) / 1000 });
  };
}
