import { setTimeout as sleep } from 'node:timers/promises';
import type { PageId } from '../../lib/ids.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { childrenOf } from '../support/service-process.js';
import type { Stores } from '../support/stores.js';

/** The ClickHouse of one target: its rows, and their cost. */
export type EventStore = {
  /** Its process when it is the embedded one. */
  pid: number | undefined;
  storedEvents(pageId: PageId): Promise<number>;
  /**
   * Waits until the page has at least as many events as were acknowledged. Refused ones may be stored as well, because
   * an insert whose answer is late may have worked.
   *
   * @throws Error when events are missing after a minute, or stored twice.
   */
  untilStored(pageId: PageId, events: { acknowledged: number; refused: number }): Promise<void>;
  /**
   * Waits until ClickHouse merges and changes no table of the service in the background, for 30 s at most. Returns
   * whether it came to that.
   */
  untilMerged(): Promise<boolean>;
  /** Parts that inserts have made so far, in all tables. */
  insertedParts(): Promise<number>;
  close(): Promise<void>;
};

const storedWithinMs = 60_000;
/** A look costs ClickHouse 2 ms of processor time, which counts for the events. */
const storedPollMs = 250;

const mergedWithinMs = 30_000;
const mergedPollMs = 500;
/** Looks in a row: ClickHouse chooses the parts of its next merge up to 5 s after the last one. */
const mergedLooks = 12;

/** @param others the stores of this process that were opened before. */
export async function openEventStore(
  { clickhouseUrl }: Stores,
  others: readonly EventStore[],
): Promise<EventStore> {
  const clickhouse = openClickHouse(clickhouseUrl);
  const pids = await childrenOf(process.pid, 'clickhouse');
  const select = async (query: string, params: Record<string, string> = {}): Promise<number> => {
    const result = await clickhouse.query({ query, query_params: params, format: 'JSONEachRow' });
    return Number((await result.json<{ value: string }>())[0]?.value);
  };
  const storedEvents = (page: PageId) =>
    select('SELECT sum(requests) AS value FROM service_requests_hour WHERE page_id = {page:UUID}', { page });
  // ClickHouse merges its system tables whether there are events or not: that is a part of its idle time.
  const backgroundWork = () =>
    select(`SELECT (SELECT count() FROM system.merges WHERE database = currentDatabase())
                 + (SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done)
                 + (SELECT count() FROM system.asynchronous_inserts) AS value`);
  return {
    pid: pids.find((pid) => !others.some((other) => other.pid === pid)),
    storedEvents,
    async untilStored(page, { acknowledged, refused }) {
      const until = performance.now() + storedWithinMs;
      let stored = await storedEvents(page);
      while (stored < acknowledged && performance.now() < until) {
        await sleep(storedPollMs);
        stored = await storedEvents(page);
      }
      if (stored < acknowledged || stored > acknowledged + refused)
        throw new Error(`${acknowledged} events acknowledged, ${refused} refused, ${stored} stored.`);
    },
    async untilMerged() {
      const until = performance.now() + mergedWithinMs;
      for (let looks = 0; performance.now() < until; ) {
        looks = (await backgroundWork()) === 0 ? looks + 1 : 0;
        if (looks === mergedLooks) return true;
        await sleep(mergedPollMs);
      }
      return false;
    },
    // An insert takes the next block number of a table for each part; a merge keeps the numbers of its sources.
    insertedParts: () =>
      select(`SELECT sum(blocks) AS value FROM (
                SELECT max(max_block_number) AS blocks FROM system.parts
                WHERE database = currentDatabase() GROUP BY table)`),
    close: () => clickhouse.close(),
  };
}
