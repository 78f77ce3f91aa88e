import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { openColumn } from '../../sql/sealed-columns.js';
import type { EventStore } from './event-store.js';

/** A store with its password, for connecting. */
export type ReachableStore = EventStore & { password: string };

export type EventStoreDirectory = {
  /** The page's own store, or `undefined` when the page uses the installation's. Costs no query. */
  get(pageId: PageId): ReachableStore | undefined;
  /** Loads all stores, then follows changes. */
  start(): Promise<void>;
  stop(): Promise<void>;
};

type Row = EventStore & { password: Uint8Array };
type Version = { revision: bigint | null; stores: number };

/** A change applies on every instance after about this long. */
const pollEveryMs = 1_000;

/**
 * Keeps the pages with a store of their own in memory, because they are few and every batch asks for them. Once a second the
 * directory loads the newest revision and the number of stores, and the rows only when one of the two changed. While
 * PostgreSQL is unavailable, the stores in memory stay valid.
 */
export function createEventStoreDirectory(deps: {
  sql: Sql;
  log: Log;
  secretKey: string;
}): EventStoreDirectory {
  const { sql, log, secretKey } = deps;
  let stores = new Map<PageId, ReachableStore>();
  let known: Version | undefined;
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> = Promise.resolve();
  let stopped = false;

  async function refresh(): Promise<void> {
    const [version] = await withQueryTimeout(
      sql<Version[]>`select max(revision) as revision, count(*)::integer as stores from event_stores`,
    );
    if (version === undefined) return;
    if (known?.revision === version.revision && known.stores === version.stores) return;
    const rows = await withQueryTimeout(
      sql<Row[]>`
        select page_id as "pageId", url, database, username, password, revision, set_at as "setAt" from event_stores`,
    );
    stores = new Map(rows.map((row) => [row.pageId, openRow(row)]));
    known = version;
  }

  /** A password that does not open affects only its own page, whose events wait in the buffer. */
  function openRow(row: Row): ReachableStore {
    try {
      return { ...row, password: openColumn(secretKey, 'event store', row.pageId, row.password) };
    } catch {
      log.error({ pageId: row.pageId }, 'The store of a page was sealed with another HEARTLINE_SECRET_KEY.');
      return { ...row, password: '' };
    }
  }

  async function poll(): Promise<void> {
    await refresh().catch((err) =>
      log.warn({ err }, 'The event stores of pages could not be loaded; the next poll tries again.'),
    );
    if (!stopped) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => {
      polling = poll();
    }, pollEveryMs);
    timer.unref();
  }

  return {
    get: (pageId) => stores.get(pageId),
    async start() {
      await refresh();
      schedule();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
