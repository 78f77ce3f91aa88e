import type { PageId } from '../../lib/ids.js';
import { isUnclaimed } from '../../sql/claim.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import type { Room } from './attempt-pool.js';
import type { Next, RetryRules, Tried } from './outcome.js';

/**
 * A table of deliveries, as its owner describes it. Each has the columns `id`, `state` ('pending',
 * 'delivered' or 'parked'), `reason`, `attempts`, `next_attempt_at`, `claimed_until` and `finished_at`.
 */
export type Queue = RetryRules & {
  table: string;
  /** How long a claim holds, in milliseconds: longer than an attempt may take, by the difference of clocks. */
  leaseMs: number;
  /** An attempt has its number for good, and `attempts_before` has those before the row was sent again. */
  numbersAttempts?: true;
  /**
   * The order of a claim: one or more common table expressions. The last is `head (id, page_id, key, turn, next_attempt_at,
   * seq)`, the rows that may be attempted now. `key` names the webhook or host that has a bound of its own; `turn` is
   * the place of the row within its page and key.
   */
  selectHeads(claim: Claim): Fragment;
  /** The query of all that an attempt needs, from `claimed`, the rows of the table that were claimed. */
  selectClaimed(sql: Sql): Fragment;
};

export type Claim = {
  sql: Sql;
  /** Milliseconds since the epoch. */
  now: number;
  room: Room;
  /** The condition for rows that are due and that no instance holds, of the table under an alias. */
  isDue(alias: string): Fragment;
};

/** A row that this instance alone may attempt until its lease ends. */
export type Claimed = Tried & {
  id: string;
  /** `null` for a row of the whole installation. */
  pageId: PageId | null;
};

/**
 * Claims due rows: up to `free` in all, `perKey` for each key and `perPage` for each page. Pages take turns, and the keys
 * of a page: the rows of one delay the others by an attempt at most. An instance that dies keeps its rows
 * until their lease ends; then they are due again.
 */
export async function claimDue<Row extends Claimed>(
  sql: Sql,
  { table, leaseMs, selectHeads, selectClaimed }: Queue,
  { room, now }: { room: Room; now: number },
): Promise<Row[]> {
  const { free, perKey, busy, perPage, busyPages } = room;
  const isDue = (alias: string) => sql`
    ${sql(alias)}.state = 'pending' and ${sql(alias)}.next_attempt_at <= ${new Date(now)}
    and ${isUnclaimed(sql, `${alias}.claimed_until`, { now, leaseMs })}`;
  return sql<Row[]>`
    with recursive busy_key (key, attempts) as (select * from ${running(sql, busy)}),
    busy_page (page_id, attempts) as (select * from ${running(sql, busyPages)}),
    ${selectHeads({ sql, now, room, isDue })},
    of_key as (
      select head.*, coalesce(busy_key.attempts, 0) + row_number() over (
        partition by head.key order by head.turn, head.next_attempt_at, head.seq) as place
      from head left join busy_key on busy_key.key = head.key
    ), of_page as (
      select k.id, k.next_attempt_at, k.seq, coalesce(busy_page.attempts, 0) + row_number() over (
        partition by k.page_id order by k.turn, k.next_attempt_at, k.seq) as place
      from of_key k left join busy_page on busy_page.page_id::uuid = k.page_id
      where k.place <= ${perKey}
    ), picked as (
      select q.id from ${sql(table)} q
      where q.id in (
        select id from of_page where place <= ${perPage} order by place, next_attempt_at, seq limit ${free})
        -- Repeated, because the server checks this condition again on rows that another instance has just claimed.
        and ${isDue('q')}
      for update skip locked
    ), claimed as (
      update ${sql(table)} q set claimed_until = ${new Date(now + leaseMs)}, attempts = q.attempts + 1
      from picked where q.id = picked.id returning q.*
    )
    ${selectClaimed(sql)}`;
}

/** Returns the rows `(key or page, attempts)` of the attempts that run at present. */
function running(sql: Sql, attempts: ReadonlyMap<string | null, number>): Fragment {
  return sql`unnest(${[...attempts.keys()]}::text[], ${[...attempts.values()]}::integer[])`;
}

type Table = Pick<Queue, 'table'>;
type Attempt = Pick<Claimed, 'id' | 'attempts'>;

/**
 * Records the state after attempts, and returns how many counted: when a claim has lapsed and another attempt has begun,
 * that one counts.
 *
 * @param how.columns further columns of the table and their values
 */
export async function settle(
  sql: Sql | Transaction,
  { table }: Table,
  attempts: readonly Attempt[],
  { next, now, columns = {} }: { next: Next; now: number; columns?: Record<string, string | number | null> },
): Promise<number> {
  const time =
    next.state === 'pending' ? { next_attempt_at: new Date(next.at) } : { finished_at: new Date(now) };
  const row = { state: next.state, reason: next.reason, claimed_until: null, ...time, ...columns };
  const { count } = await sql`
    update ${sql(table)} q set ${sql(row)} where ${isOf(sql, attempts)}`;
  return count;
}

/** Releases the claims of rows that were not sent. They are due at once, and the attempts do not count. */
export async function release(sql: Sql, { table }: Table, attempts: readonly Attempt[]): Promise<void> {
  await sql`update ${sql(table)} q set attempts = q.attempts - 1, claimed_until = null where ${isOf(sql, attempts)}`;
}

/** Makes attempts that were not made not count. The claims stay: the rows are due when these end, and not at once. */
export async function giveBack(sql: Sql, { table }: Table, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await sql`update ${sql(table)} q set attempts = q.attempts - 1 where ${isOf(sql, attempts)}`;
}

/** The condition for rows `q` that are pending, and at the same attempt. */
function isOf(sql: Sql | Transaction, attempts: readonly Attempt[]): Fragment {
  const ids = attempts.map(({ id }) => id);
  return sql`
    q.state = 'pending' and q.id = any (${ids}::uuid[])
    and (q.id, q.attempts) in (
      select * from unnest(${ids}::uuid[], ${attempts.map((one) => one.attempts)}::integer[]))`;
}

/** Parks the pending rows `q` for which a condition holds, due or not. Returns how many there were. */
export async function park(
  sql: Sql | Transaction,
  { table }: Table,
  { which, reason, now }: { which: Fragment; reason: string; now: number },
): Promise<number> {
  const { count } = await sql`
    update ${sql(table)} q
    set state = 'parked', reason = ${reason}, claimed_until = null, finished_at = ${new Date(now)}
    where q.state = 'pending' and ${which}`;
  return count;
}

/** Makes a row that has ended due again, under the same id, and starts its attempts over. */
export async function sendAgain(
  tx: Transaction,
  { table, numbersAttempts }: Pick<Queue, 'table' | 'numbersAttempts'>,
  { id, now }: { id: string; now: number },
): Promise<void> {
  await tx`
    update ${tx(table)} q
    set state = 'pending', reason = null, claimed_until = null, finished_at = null,
      next_attempt_at = ${new Date(now)}, ${numbersAttempts ? tx`attempts_before = attempts` : tx`attempts = 0`}
    where q.id = ${id}`;
}
