import postgres from 'postgres';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { secondMs } from '../../lib/times.js';
import { isUnclaimed } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';
import { type Claim, claiming } from '../batch-ids/claim-batch-ids.js';
import type { EncodedBlock, PackedBlock } from '../commit/store-block.js';
import { createJoin, type HeldPart } from './join-parts.js';
import { addWaiting, logRemoved, type StoreName } from './waiting-blocks.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/**
 * Whoever holds a block brings it to its store within this time; after that it is taken for dead. A block takes writes for
 * 5 s, waits for three before it, each of 4.5 s for the store and 3 s for the buffer, and then has 4.5 s: 32 s.
 */
const heldMs = 45_000;
const releasePollMs = 5 * secondMs;
const releasesPerRun = 100;
const refusedStoresMax = 10;
const unjoinedMax = 100;
const foreignKeyViolation = '23503';
const everyBatchIsNew = 'every_batch_is_new';
/** Parts that are read at a time. */
const partsPerRead = 50;

/** A block was released while its writer was suspended, or its clock stepped. Nothing was added to it. */
export class NotHeldError extends Error {
  override name = 'NotHeldError';
}

/** The parts of a held block cannot be read, such as of a version after this one. */
class UnjoinableError extends Error {
  override name = 'UnjoinableError';
}

/** A block to add to the held one of its token. */
export type Part = PackedBlock & { part: number; now: number };

/**
 * Adds a part to a held block; part 0 begins the block. `token` is the same for all its parts.
 *
 * @throws NotHeldError when the block is not held any more.
 */
export async function addPart(tx: Transaction, store: StoreName, part: Part): Promise<void> {
  const begin = part.part > 0 ? tx`` : tx`with begun as (${beginning(tx, store, part)})`;
  await knowingNotHeld(tx`${begin} ${adding(tx, part, tx`${part.rows}::integer`)}`);
}

/**
 * Adds a part as addPart() does, and claims the ids of its batches, in one statement: a transaction takes three round
 * trips more. Returns whether every id was free; nothing is written unless it was.
 *
 * @throws NotHeldError when the block is not held any more.
 */
export async function addPartOnce(
  sql: Sql,
  store: StoreName,
  part: Part,
  claims: readonly Claim[],
): Promise<boolean> {
  const begin = part.part > 0 ? sql`` : sql`, begun as (${beginning(sql, store, part)})`;
  const rows = sql`case (select count(*) from claimed) when ${claims.length} then ${part.rows}::integer else -1 end`;
  try {
    await knowingNotHeld(sql`
      with claimed as (${claiming(sql, claims, part.now)} returning 1) ${begin}
      ${adding(sql, part, rows)}`);
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.constraint_name === everyBatchIsNew) return false;
    throw error;
  }
}

function beginning(sql: Sql | Transaction, store: StoreName, { token, now }: Part): Fragment {
  return sql`
    insert into held_blocks (token, store, held_until) values (${token}, ${store}, ${new Date(now + heldMs)})`;
}

function adding(
  sql: Sql | Transaction,
  { token, part, packed, events, now }: Part,
  rows: Fragment,
): Fragment {
  return sql`
    insert into held_parts (token, part, packed, rows, events, created_at)
    select ${token}, ${part}, decode(${packed}, 'base64'), ${rows}, ${events}, ${new Date(now)}`;
}

async function knowingNotHeld(adding: PromiseLike<unknown>): Promise<void> {
  try {
    await adding;
  } catch (error) {
    const isGone = error instanceof postgres.PostgresError && error.code === foreignKeyViolation;
    throw isGone ? new NotHeldError('The block is not held any more.', { cause: error }) : error;
  }
}

/** Removes a block that its store has. */
export async function removeHeld(sql: Sql, token: string): Promise<void> {
  await sql`delete from held_blocks where token = ${token}`;
}

/**
 * Leaves a block to the delivery: it waits with its parts joined in their order. Returns whether there was one: it may
 * have been released already.
 */
export async function releaseHeld({ sql, clock, log }: Deps, token: string): Promise<boolean> {
  const removed = await inTransaction(sql, async (tx) => {
    const [held] = await tx<{ store: StoreName }[]>`
      select store from held_blocks where token = ${token} for update`;
    return held === undefined ? undefined : move(tx, held.store, token, clock.now());
  });
  if (removed !== undefined) logRemoved(log, removed.store, removed.removed);
  return removed !== undefined;
}

/** Releases the blocks of instances that have ended or are suspended. */
export function startReleasing(deps: Deps): PollLoop {
  return startPollLoop('held-blocks', () => releaseDue(deps), { log: deps.log, pollMs: releasePollMs });
}

/**
 * Releases the blocks whose time is over, the oldest first. A store whose buffer takes none, because it is full, is left
 * out from then on, so that others do not wait for it; so is a block whose parts cannot be joined, which stays held.
 * Returns whether it released any; there may be more.
 *
 * @throws the error of the first store that was left out, after the others had their turn; the errors of the driver.
 */
export async function releaseDue(deps: Deps): Promise<boolean> {
  const { sql, clock, log } = deps;
  const refused = new Map<StoreName, unknown>();
  const unjoined = new Set<string>();
  let released = 0;
  while (released < releasesPerRun && refused.size < refusedStoresMax && unjoined.size < unjoinedMax) {
    let taken: { token: string; store: StoreName } | undefined;
    try {
      const removed = await inTransaction(sql, async (tx) => {
        const now = clock.now();
        const [held] = await tx<{ token: string; store: StoreName }[]>`
          select token, store from held_blocks
          where ${isUnclaimed(tx, 'held_until', { now, leaseMs: heldMs })} and store <> all (${[...refused.keys()]})
            and token <> all (${[...unjoined]}::uuid[])
          order by held_until limit 1 for update skip locked`;
        taken = held;
        return held === undefined ? undefined : move(tx, held.store, held.token, now);
      });
      if (removed === undefined) break;
      released += 1;
      logRemoved(log, removed.store, removed.removed);
    } catch (error) {
      if (taken === undefined) throw error;
      const { token, store } = taken;
      if (error instanceof UnjoinableError) {
        unjoined.add(token);
        log.error(
          { error: String(error.cause), token, store },
          'A held block could not be read, and stays in held_blocks; the others go on. Keep it, and report it with its token.',
        );
      } else refused.set(store, error);
    }
  }
  for (const error of refused.values()) throw error;
  return released > 0;
}

type Removed = { store: StoreName; removed: number };

/** Moves a block whose row is locked, so that no part is added meanwhile. */
async function move(tx: Transaction, store: StoreName, token: string, now: number): Promise<Removed> {
  const block = await joinParts(tx, token);
  await tx`delete from held_blocks where token = ${token}`;
  if (block === undefined || (await isOfNoPage(tx, store))) return { store, removed: 0 };
  return { store, removed: await addWaiting(tx, store, block, new Date(now)) };
}

/** Returns the parts of a block as one; `undefined` when it has none. @throws UnjoinableError when they cannot be read. */
async function joinParts(tx: Transaction, token: string): Promise<EncodedBlock | undefined> {
  const joined = createJoin(token);
  for (let next = 0; ; ) {
    const parts = await tx<(HeldPart & { part: number })[]>`
      select part, body, packed, rows, events from held_parts
      where token = ${token} and part >= ${next} order by part limit ${partsPerRead}`;
    const last = parts.at(-1);
    try {
      for (const part of parts) await joined.add(part);
      if (last === undefined) return await joined.end();
    } catch (error) {
      throw new UnjoinableError('The parts of a held block cannot be joined.', { cause: error });
    }
    next = last.part + 1;
  }
}

/** The page may have been deleted with its store. */
async function isOfNoPage(tx: Transaction, store: StoreName): Promise<boolean> {
  if (store === 'default') return false;
  const [page] = await tx`select 1 from pages where id = ${store}`;
  return page === undefined;
}
