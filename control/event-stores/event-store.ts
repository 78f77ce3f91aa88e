import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { problemOfOutboundUrl } from '../../lib/outbound/outbound-url.js';
import { sealSecret } from '../../lib/secret-box.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** A page's own ClickHouse. */
export type EventStore = {
  pageId: PageId;
  /** `http(s)://host:port`. */
  url: string;
  database: string;
  username: string;
  /** Changes with every change of the other fields. */
  revision: bigint;
  setAt: Date;
};

export type SetEventStoreInput = {
  pageId: PageId;
  url: string;
  database: string;
  username: string;
  password: string;
};

/** The context that the password of a page's store is sealed for. */
export const eventStoreContext = (pageId: PageId): string => `event store ${pageId}`;

/** The page's own store. Returns `undefined` when the page uses the store of the installation. */
export async function findEventStore({ sql }: { sql: Sql }, pageId: PageId): Promise<EventStore | undefined> {
  const [store] = await sql<EventStore[]>`
    select page_id as "pageId", url, database, username, revision, set_at as "setAt"
    from event_stores where page_id = ${pageId}`;
  return store;
}

/** The sealed password of a page's own store, which must exist. */
export async function loadStorePassword({ sql }: { sql: Sql }, pageId: PageId): Promise<Uint8Array> {
  const [row] = await sql<
    { password: Uint8Array }[]
  >`select password from event_stores where page_id = ${pageId}`;
  if (row === undefined) throw new Error('The page has no store of its own.');
  return row.password;
}

/**
 * Sends the events of a page to this ClickHouse and reads its analytics from there; every instance follows within two
 * seconds. Batches that wait for an earlier store of the page go to this one.
 *
 * @throws ServiceError `invalidBody` for an invalid address or name.
 */
export async function setEventStore(
  { sql, clock, secretKey }: { sql: Sql; clock: Clock; secretKey: string },
  { pageId, url, database, username, password }: SetEventStoreInput,
): Promise<void> {
  const origin = parseStoreUrl(url);
  checkDatabaseName(database);
  if (username === '' || username.length > 200) throw invalid('The user must have 1 to 200 characters.');
  const sealed = sealSecret(secretKey, eventStoreContext(pageId), password);
  await sql`
    insert into event_stores (page_id, url, database, username, password, set_at)
    values (${pageId}, ${origin}, ${database}, ${username}, ${sealed}, ${new Date(clock.now())})
    on conflict (page_id) do update set
      url = excluded.url, database = excluded.database, username = excluded.username,
      password = excluded.password, revision = nextval('event_store_revisions'), set_at = excluded.set_at`;
}

/**
 * Returns the page to the store of the installation. Returns whether the page had a store of its own; the caller then
 * discards in the same transaction what waits for it.
 */
export async function resetEventStore(tx: Transaction, pageId: PageId): Promise<boolean> {
  const removed = await tx`delete from event_stores where page_id = ${pageId}`;
  return removed.count > 0;
}

/**
 * The origin of the address, which is the form that is stored.
 *
 * @throws ServiceError `invalidBody` unless it is an http or https URL without a path.
 */
export function parseStoreUrl(url: string): string {
  const problem = problemOfOutboundUrl(url);
  if (problem !== undefined) throw invalid(problem);
  const { pathname, search, hash, origin } = new URL(url);
  if (pathname !== '/' || search !== '' || hash !== '') {
    throw invalid('The URL of the store is like https://clickhouse.example.com:8443, without a path.');
  }
  return origin;
}

/** @throws ServiceError `invalidBody` unless ClickHouse accepts the name without quotes and it has at most 64 characters. */
export function checkDatabaseName(name: string): void {
  if (!/^[A-Za-z_]\w{0,63}$/.test(name)) {
    throw invalid(`"${name}" is not a name for a database: give letters, digits and "_".`);
  }
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
