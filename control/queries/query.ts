import { isLine, lineRule } from '../../contract/line.js';
import { queryLimits } from '../../contract/manage/queries.js';
import type { Clock } from '../../lib/clock.js';
import { newId, type PageId, parseId, type QueryId, type UserId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Actor, recordChange } from '../audit/index.js';

/** SQL that is saved to run it again. */
export type Query = {
  id: QueryId;
  name: string;
  sql: string;
  /** Whether everybody who may read the page sees it; else its owner alone. */
  isShared: boolean;
  createdAt: Date;
  updatedAt: Date;
};

export type QueryFields = Pick<Query, 'name' | 'sql' | 'isShared'>;

/** The person whose own queries are shown beside the shared ones; null for a key, which has no own ones. */
export type QueryReader = { pageId: PageId; userId: UserId | null };

type Deps = { sql: Sql; clock: Clock; by: Actor };
type Check = { check?: (current: Query) => void };

/** Lists at most `limit` queries that the reader sees, newest first, behind the one with the id `after`. */
export async function listQueries(
  { sql }: { sql: Sql },
  { limit, after, ...reader }: QueryReader & { limit: number; after?: readonly string[] | undefined },
): Promise<Query[]> {
  const rows = await sql<Query[]>`
    select ${columns(sql)} from queries
    where ${isSeen(sql, reader)} and (${after?.[0] ?? null}::uuid is null or id < ${after?.[0] ?? null})
    order by id desc limit ${limit}`;
  return [...rows];
}

/**
 * The query with this id.
 *
 * @throws ServiceError `notFound` when there is none that the reader sees
 */
export async function findQuery(
  { sql }: { sql: Sql },
  { id, ...reader }: QueryReader & { id: string },
): Promise<Query> {
  const [query] = await sql<Query[]>`
    select ${columns(sql)} from queries where id = ${parseId<QueryId>(id) ?? null} and ${isSeen(sql, reader)}`;
  if (query === undefined) throw new ServiceError('notFound');
  return query;
}

/** @throws ServiceError `invalidBody` */
function checkName(name: string): void {
  if (isLine('line', name)) return;
  throw new ServiceError('invalidBody', { message: `/name ${lineRule('line')}.` });
}

/**
 * Saves a query, for everybody or for the reader.
 *
 * @throws ServiceError `invalidBody` for a name that is no line, `conflict` when the name is taken or there are as many as
 *   there may be
 */
export async function createQuery(
  { sql, clock, by }: Deps,
  { pageId, userId, ...fields }: QueryReader & QueryFields,
): Promise<Query> {
  return inTransaction(sql, async (tx) => {
    const ownerId = ownerOf(fields, userId);
    checkName(fields.name);
    await lockPage(tx, pageId);
    await refuseTaken(tx, { pageId, ownerId, name: fields.name });
    await refuseTooMany(tx, { pageId, ownerId });
    const now = clock.now();
    const at = new Date(now);
    const query = { id: newId<QueryId>(now), ...fields, createdAt: at, updatedAt: at };
    await tx`
      insert into queries (id, page_id, owner_id, name, sql, created_at, updated_at)
      values (${query.id}, ${pageId}, ${ownerId}, ${query.name}, ${query.sql}, ${at}, ${at})`;
    await record(tx, { by, now }, { pageId, before: null, after: query });
    return query;
  });
}

/**
 * Replaces the fields of a query. One that stops being shared becomes the reader's own. `check` gets the query as it is,
 * in the transaction of the change, and may refuse it.
 *
 * @throws ServiceError `notFound` when there is none that the reader sees, `conflict` as createQuery does; what `check`
 *   throws
 */
export async function replaceQuery(
  { sql, clock, by }: Deps,
  { id, check, pageId, userId, ...fields }: QueryReader & QueryFields & Check & { id: string },
): Promise<Query> {
  return inTransaction(sql, async (tx) => {
    const ownerId = ownerOf(fields, userId);
    await lockPage(tx, pageId);
    const before = await lockQuery(tx, { pageId, userId, id });
    check?.(before);
    const { name, sql: statement, isShared } = fields;
    if (before.name === name && before.sql === statement && before.isShared === isShared) return before;
    if (name !== before.name) checkName(name);
    await refuseTaken(tx, { pageId, ownerId, name, id: before.id });
    if (before.isShared !== isShared) await refuseTooMany(tx, { pageId, ownerId });
    if (before.isShared && !isShared) await refuseWatched(tx, pageId, before.id);
    const now = clock.now();
    const after = { ...before, ...fields, updatedAt: new Date(now) };
    await tx`
      update queries set name = ${name}, sql = ${statement}, owner_id = ${ownerId}, updated_at = ${after.updatedAt}
      where id = ${before.id} and page_id = ${pageId}`;
    await record(tx, { by, now }, { pageId, before, after });
    return after;
  });
}

/**
 * Deletes a query.
 *
 * @throws ServiceError `notFound` when there is none that the reader sees; `conflict` that names a rule which runs it or a
 *   board that shows it; what `check` throws
 */
export async function deleteQuery(
  { sql, clock, by }: Deps,
  { id, check, ...reader }: QueryReader & Check & { id: string },
): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const before = await lockQuery(tx, { ...reader, id });
    check?.(before);
    await refuseWatched(tx, reader.pageId, before.id);
    await tx`delete from queries where id = ${before.id} and page_id = ${reader.pageId}`;
    await record(tx, { by, now: clock.now() }, { pageId: reader.pageId, before, after: null });
  });
}

/** Refuses the change of a query that rules or boards use. Everybody who sees these must be able to see the query. */
async function refuseWatched(tx: Transaction, pageId: PageId, id: QueryId): Promise<void> {
  const [rule] = await tx<{ slug: string }[]>`
    select slug from rules where page_id = ${pageId} and target ->> 'query' = ${id} order by slug limit 1`;
  if (rule !== undefined) {
    throw new ServiceError('conflict', {
      message: `The rule "${rule.slug}" runs this query; give it another one first.`,
    });
  }
  const [board] = await tx<{ slug: string }[]>`
    select slug from boards
    where page_id = ${pageId} and tiles @> ${tx.json([{ source: { query: id } }])} order by slug limit 1`;
  if (board === undefined) return;
  throw new ServiceError('conflict', {
    message: `The board "${board.slug}" shows this query; take it off the board first.`,
  });
}

function ownerOf({ isShared }: QueryFields, userId: UserId | null): UserId | null {
  if (!isShared && userId === null) throw new Error('A query without an owner is shared.');
  return isShared ? null : userId;
}

/** Names and numbers are counted under the lock of the page. */
async function lockPage(tx: Transaction, pageId: PageId): Promise<void> {
  const locked = await tx`select from pages where id = ${pageId} for no key update`;
  if (locked.length === 0) throw new ServiceError('notFound');
}

async function lockQuery(tx: Transaction, { id, ...reader }: QueryReader & { id: string }): Promise<Query> {
  const [query] = await tx<Query[]>`
    select ${columns(tx)} from queries where id = ${parseId<QueryId>(id) ?? null} and ${isSeen(tx, reader)}
    for update`;
  if (query === undefined) throw new ServiceError('notFound');
  return query;
}

type Place = { pageId: PageId; ownerId: UserId | null };

async function refuseTaken(
  tx: Transaction,
  { pageId, ownerId, name, id }: Place & { name: string; id?: QueryId },
): Promise<void> {
  const taken = await tx`
    select from queries
    where page_id = ${pageId} and owner_id is not distinct from ${ownerId} and name = ${name}
      and id is distinct from ${id ?? null}`;
  if (taken.length > 0) {
    throw new ServiceError('conflict', { message: `There is a query with the name "${name}" already.` });
  }
}

async function refuseTooMany(tx: Transaction, { pageId, ownerId }: Place): Promise<void> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from queries
    where page_id = ${pageId} and owner_id is not distinct from ${ownerId}`;
  if ((row?.count ?? 0) < queryLimits.perOwner) return;
  const whose = ownerId === null ? 'The page has' : 'You have';
  throw new ServiceError('conflict', {
    message: `${whose} ${queryLimits.perOwner} ${ownerId === null ? 'shared queries' : 'queries here'}, which is the most; delete one first.`,
  });
}

/** The statement of a query that one person alone sees stays out of the log, which others read. */
function record(
  tx: Transaction,
  audit: { by: Actor; now: number },
  { pageId, before, after }: { pageId: PageId; before: Query | null; after: Query | null },
): Promise<void> {
  const target = after ?? before;
  if (target === null) throw new Error('A change has a query.');
  const verb = before === null ? 'create' : after === null ? 'delete' : 'update';
  const fieldsOf = ({ name, isShared, sql }: Query) => ({ name, isShared, ...(isShared && { sql }) });
  const isEdited = before !== null && after !== null && !after.isShared && before.sql !== after.sql;
  return recordChange(tx, audit, {
    pageId,
    action: `query.${verb}`,
    target: { type: 'query', id: target.id, name: target.name },
    before: before && fieldsOf(before),
    after: after && { ...fieldsOf(after), ...(isEdited && { sqlChanged: true }) },
  });
}

function columns(sql: Sql | Transaction): Fragment {
  return sql`
    id, name, sql, owner_id is null as "isShared", created_at as "createdAt", updated_at as "updatedAt"`;
}

function isSeen(sql: Sql | Transaction, { pageId, userId }: QueryReader): Fragment {
  return sql`page_id = ${pageId} and (owner_id is null or owner_id = ${userId})`;
}
