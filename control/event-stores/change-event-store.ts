import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { openColumn, sealColumn } from '../../sql/sealed-columns.js';
import { type Actor, type AuditedFields, recordChange } from '../audit/index.js';
import {
  checkDatabaseName,
  checkStoreUser,
  type EventStore,
  findEventStore,
  findSealedStore,
  loadStorePassword,
  parseStoreUrl,
} from './event-store.js';

type Deps = { sql: Sql; clock: Clock; by: Actor };

export type SetEventStoreInput = {
  pageId: PageId;
  url: string;
  database: string;
  username: string;
  password: string;
};

/** Gets the store that the page has, in the transaction of a change, and may refuse the change. */
export type CheckEventStore = (current: EventStore | undefined) => void;

/**
 * Sends the events of a page to this ClickHouse and reads its analytics from there; every instance follows within two
 * seconds. Batches that wait for an earlier store of the page go to this one. The settings that the page has already
 * change nothing.
 *
 * @throws ServiceError `invalidBody` for an invalid address or name, `notFound` when there is no such page; what `check`
 *   throws.
 */
export async function setEventStore(
  { sql, clock, by, secretKey }: Deps & { secretKey: string },
  { pageId, password, ...input }: SetEventStoreInput,
  check?: CheckEventStore,
): Promise<EventStore> {
  const wanted = { url: parseStoreUrl(input.url), database: input.database, username: input.username };
  checkDatabaseName(wanted.database);
  checkStoreUser(wanted.username);
  return inTransaction(sql, async (tx) => {
    await lockPageOfStore(tx, pageId);
    const before = await findEventStore({ sql: tx }, pageId);
    check?.(before);
    const known = before && openPassword(secretKey, pageId, await loadStorePassword({ sql: tx }, pageId));
    const same = (['url', 'database', 'username'] as const).every((name) => before?.[name] === wanted[name]);
    if (before !== undefined && same && known === password) return before;
    const now = clock.now();
    await writeStore(tx, {
      pageId,
      ...wanted,
      now,
      sealed: sealColumn(secretKey, 'event store', pageId, password),
    });
    const after = await findEventStore({ sql: tx }, pageId);
    if (after === undefined) throw new Error('PostgreSQL returned no row.');
    await recordStore(tx, { by, now }, before === undefined ? 'create' : 'update', {
      pageId,
      url: after.url,
      before: before === undefined ? null : fieldsOf(before),
      after: {
        ...fieldsOf(after),
        ...(before !== undefined && known !== password && { passwordChanged: true }),
      },
    });
    return after;
  });
}

async function writeStore(
  tx: Transaction,
  store: { pageId: PageId; url: string; database: string; username: string; sealed: Uint8Array; now: number },
): Promise<void> {
  await tx`
    insert into event_stores (page_id, url, database, username, password, set_at)
    values (${store.pageId}, ${store.url}, ${store.database}, ${store.username}, ${store.sealed}, ${new Date(store.now)})
    on conflict (page_id) do update set
      url = excluded.url, database = excluded.database, username = excluded.username,
      password = excluded.password, revision = nextval('event_store_revisions'), set_at = excluded.set_at`;
}

/**
 * Returns the page to the store of the installation, and discards what waits for its own with `discardBatches`. Returns
 * how many batches that were, or `undefined` when the page has no store of its own.
 *
 * @throws ServiceError `notFound` when there is no such page; what `check` throws.
 */
export async function resetEventStore(
  {
    sql,
    clock,
    by,
    discardBatches,
  }: Deps & { discardBatches(tx: Transaction, pageId: PageId): Promise<number> },
  pageId: PageId,
  check?: CheckEventStore,
): Promise<{ discarded: number } | undefined> {
  return inTransaction(sql, async (tx) => {
    await lockPageOfStore(tx, pageId);
    const before = await findEventStore({ sql: tx }, pageId);
    check?.(before);
    if (before === undefined) return undefined;
    await tx`delete from event_stores where page_id = ${pageId}`;
    const discarded = await discardBatches(tx, pageId);
    const audit = { by, now: clock.now() };
    await recordStore(tx, audit, 'delete', {
      pageId,
      url: before.url,
      before: fieldsOf(before),
      after: null,
    });
    return { discarded };
  });
}

/**
 * Delivers again with `replayBatches` what was given up: for the page's own store, or with null for the store of the
 * installation. Returns the number of batches that were given up.
 */
export async function replayEventStore(
  {
    sql,
    clock,
    by,
    replayBatches,
  }: Deps & {
    replayBatches(tx: Transaction, wanted: { store: PageId | 'default'; now: number }): Promise<number>;
  },
  pageId: PageId | null,
): Promise<number> {
  return inTransaction(sql, async (tx) => {
    const now = clock.now();
    const store = pageId === null ? undefined : await findEventStore({ sql: tx }, pageId);
    const replayed = await replayBatches(tx, { store: pageId ?? 'default', now });
    await recordStore(tx, { by, now }, 'replay', {
      ...{ pageId, url: store?.url ?? 'store of the installation' },
      ...{ before: null, after: { batches: replayed } },
    });
    return replayed;
  });
}

/** Records that the store of a page was tested, which makes the tables that it lacks. */
export async function recordStoreTest(
  { sql, clock, by }: Deps,
  { pageId, url, version }: { pageId: PageId; url: string; version: string },
): Promise<void> {
  await inTransaction(sql, (tx) =>
    recordStore(tx, { by, now: clock.now() }, 'test', { pageId, url, before: null, after: { version } }),
  );
}

/**
 * Loads the store of a page and its password, which belong together: an owner may change both at any time. The password
 * is `undefined` when it was sealed with another key.
 */
export async function openEventStore(
  { sql, secretKey }: { sql: Sql; secretKey: string },
  pageId: PageId,
): Promise<{ store: EventStore; password: string | undefined } | undefined> {
  const found = await findSealedStore({ sql }, pageId);
  return found && { store: found.store, password: openPassword(secretKey, pageId, found.sealed) };
}

/** A password that does not open was sealed with another key, and every other one replaces it. */
function openPassword(secretKey: string, pageId: PageId, sealed: Uint8Array): string | undefined {
  try {
    return openColumn(secretKey, 'event store', pageId, sealed);
  } catch {
    return undefined;
  }
}

/** @throws ServiceError `notFound` */
async function lockPageOfStore(tx: Transaction, pageId: PageId): Promise<void> {
  const { count } = await tx`
    select 1 from pages where id = ${pageId} and deleted_at is null for no key update`;
  if (count === 0) throw new ServiceError('notFound');
}

function fieldsOf({ url, database, username }: EventStore): AuditedFields {
  return { url, database, username };
}

function recordStore(
  tx: Transaction,
  audit: { by: Actor; now: number },
  verb: 'create' | 'update' | 'delete' | 'replay' | 'test',
  {
    pageId,
    url,
    ...sides
  }: { pageId: PageId | null; url: string; before: AuditedFields | null; after: AuditedFields | null },
): Promise<void> {
  return recordChange(tx, audit, {
    ...{ pageId, action: `event-store.${verb}` },
    target: { type: 'event-store', id: pageId ?? 'default', name: url },
    ...sides,
  });
}
