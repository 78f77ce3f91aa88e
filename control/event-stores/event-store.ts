import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { problemOfOutboundUrl } from '../../lib/web-address.js';
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

/** Finds the page's own store. Returns `undefined` when the page uses the store of the installation. */
export async function findEventStore(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<EventStore | undefined> {
  const [store] = await sql<EventStore[]>`
    select page_id as "pageId", url, database, username, revision, set_at as "setAt"
    from event_stores where page_id = ${pageId}`;
  return store;
}

/** Finds the page's own store with its sealed password, as of one moment. */
export async function findSealedStore(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<{ store: EventStore; sealed: Uint8Array } | undefined> {
  const [row] = await sql<(EventStore & { password: Uint8Array })[]>`
    select page_id as "pageId", url, database, username, revision, set_at as "setAt", password
    from event_stores where page_id = ${pageId}`;
  if (row === undefined) return undefined;
  const { password: sealed, ...store } = row;
  return { store, sealed };
}

/** Loads the sealed password of a page's own store, which must exist. */
export async function loadStorePassword(
  { sql }: { sql: Sql | Transaction },
  pageId: PageId,
): Promise<Uint8Array> {
  const [row] = await sql<
    { password: Uint8Array }[]
  >`select password from event_stores where page_id = ${pageId}`;
  if (row === undefined) throw new Error('The page has no store of its own.');
  return row.password;
}

/**
 * Returns the origin of the address, which is the form that is stored.
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

/** @throws ServiceError `invalidBody` unless it has 1 to 200 characters. */
export function checkStoreUser(username: string): void {
  if (username === '' || username.length > 200) throw invalid('The user must have 1 to 200 characters.');
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidBody', { message });
}
