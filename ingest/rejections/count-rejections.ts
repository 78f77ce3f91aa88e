import type { RejectionReason } from '../../contract/rejections.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { startPollLoop } from '../../lib/poll-loop.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Rejected } from '../read/batch.js';
import { type RejectionCount, storeRejections, unreadReason } from './store-rejections.js';

const flushEveryMs = 5 * secondMs;
/** Pages times minutes times reasons in memory, about 500 bytes each. */
const countsMax = 10_000;

/** Counts rejected events of pages in memory, and writes the counts every few seconds. */
export type RejectionCounts = {
  /**
   * Adds the rejected events of a batch that arrived at `at`, in milliseconds since the epoch. `caller` is the reporter
   * of the whole batch, if it has one.
   */
  add(
    pageId: PageId,
    rejections: ReadonlyMap<RejectionReason, Rejected>,
    batch: { at: number; caller: string | undefined },
  ): void;
  /** Adds a batch whose events count, and of which something was not read. The message says what. */
  addUnread(pageId: PageId, message: string, batch: { at: number; caller: string | undefined }): void;
  /** Writes what was added until now. Rejects when PostgreSQL does not answer; the counts then wait for the next time. */
  flush(): Promise<void>;
  /** Writes a last time. What cannot be written is lost, and logged. */
  stop(): Promise<void>;
};

/**
 * The counts are diagnostics: a crash of the process loses the last seconds, a write whose answer was lost is repeated and counts twice, and beyond 10,000 counts in memory further ones are in the metrics only.
 */
export function startRejectionCounts({ sql, log }: { sql: Sql; log: Log }): RejectionCounts {
  let held = new Map<string, RejectionCount>();
  let uncounted = 0;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function put(count: RejectionCount): void {
    const key = `${count.pageId} ${count.minute} ${count.reason}`;
    const other = held.get(key);
    if (other !== undefined) {
      const newest = count.at >= other.at ? count : other;
      held.set(key, { ...newest, events: count.events + other.events });
    } else if (held.size < countsMax) held.set(key, count);
    else uncounted += count.events;
  }

  async function write(): Promise<void> {
    if (uncounted > 0) {
      log.warn(
        { events: uncounted },
        'Rejected events were counted in the metrics only: too many pages have some.',
      );
      uncounted = 0;
    }
    if (held.size === 0) return;
    const batch = held;
    held = new Map();
    try {
      await storeRejections(sql, [...batch.values()]);
    } catch (error) {
      for (const count of batch.values()) put(count);
      throw error;
    }
  }

  /** One write at a time. All who ask during one share the next, which has what was added meanwhile. */
  function flush(): Promise<void> {
    if (running === undefined) {
      running = write().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return flush();
      });
    return next;
  }

  const loop = startPollLoop('rejections', () => flush().then(() => false), { log, pollMs: flushEveryMs });

  return {
    add(pageId, rejections, { at, caller }) {
      const minute = at - (at % minuteMs);
      for (const [reason, { count, service = caller, message }] of rejections) {
        put({ pageId, minute, reason, events: count, at, service: service ?? null, message });
      }
    },
    addUnread(pageId, message, { at, caller }) {
      const minute = at - (at % minuteMs);
      put({ pageId, minute, reason: unreadReason, events: 1, at, service: caller ?? null, message });
    },
    flush,
    async stop() {
      await loop.stop();
      try {
        await flush();
      } catch (err) {
        log.warn({ err, counts: held.size }, 'The last counts of rejected events were not written.');
      }
    },
  };
}
