import { listDeletedPages } from '../control/pages/index.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { minuteMs } from '../lib/times.js';
import type { Sql } from '../sql/open-postgres.js';
import { withQueryTimeout } from '../sql/query-timeout.js';

const pollEveryMs = 2_000;
/** Longer than memory serves the page of a host while PostgreSQL does not answer. */
const lookBackMs = 15 * minuteMs;

/**
 * Calls `onDeleted` for each page that any instance deletes, within about two seconds, more than once. While PostgreSQL
 * does not answer, no page can be deleted, so nothing is missed; the next attempt follows.
 */
export function followDeletedPages({
  sql,
  clock,
  onDeleted,
}: {
  sql: Sql;
  clock: Clock;
  onDeleted(pageId: PageId): void;
}): { stop(): Promise<void> } {
  let polling: Promise<void> = Promise.resolve();
  let isPolling = false;

  async function poll(): Promise<void> {
    const since = new Date(clock.now() - lookBackMs);
    for (const id of await withQueryTimeout(listDeletedPages({ sql }, since))) onDeleted(id);
  }

  const timer = setInterval(() => {
    if (isPolling) return;
    isPolling = true;
    // Other parts log that PostgreSQL does not answer.
    polling = poll()
      .catch(() => {})
      .finally(() => {
        isPolling = false;
      });
  }, pollEveryMs);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      await polling;
    },
  };
}
