import postgres from 'postgres';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { secondMs } from '../../lib/times.js';
import { isUnclaimed } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import type { EncodedBlock } from '../commit/store-block.js';
import { addWaiting, logRemoved, type StoreName } from './waiting-blocks.js';

type Deps = { sql: Sql; clock: Clock; log: Log };

/** Whoever holds a block brings it to its store within this time; after that it is taken for dead. */
const heldMs = 30_000;
const releasePollMs = 5 * secondMs;
const foreignKeyViolation = '23503';

/** A block was released while its writer was suspended, or its clock stepped. Nothing was added to it. */
export class NotHeldError extends Error {
  override name = 'NotHeldError';
}

/**
 * Adds a part to a held block; part 0 begins the block. `block.token` is the same for all its parts.
 *
 * @throws NotHeldError when the block is not held any more.
 */
export async function addPart(
  tx: Transaction,
  store: StoreName,
  { token, bytes, rows, events }: EncodedBlock,
  { part, now }: { part: number; now: number },
): Promise<void> {
  const begin =
    part > 0
      ? tx``
      : tx`with begun as (
            insert into held_blocks (token, store, held_until) values (${token}, ${store}, ${new Date(now + heldMs)}))`;
  try {
    await tx`
      ${begin} insert into held_parts (token, part, body, rows, events, created_at)
      values (${token}, ${part}, ${bytes}, ${rows}, ${events}, ${new Date(now)})`;
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
  return startPollLoop('held-blocks', () => releaseNext(deps), { log: deps.log, pollMs: releasePollMs });
}

/** Releases one block whose time is over. Returns whether there was one. */
export async function releaseNext({ sql, clock, log }: Deps): Promise<boolean> {
  const removed = await inTransaction(sql, async (tx) => {
    const now = clock.now();
    const [held] = await tx<{ token: string; store: StoreName }[]>`
      select token, store from held_blocks where ${isUnclaimed(tx, 'held_until', { now, leaseMs: heldMs })}
      order by held_until limit 1 for update skip locked`;
    return held === undefined ? undefined : move(tx, held.store, held.token, now);
  });
  if (removed === undefined) return false;
  logRemoved(log, removed.store, removed.removed);
  return true;
}

type Removed = { store: StoreName; removed: number };

/** Moves a block whose row is locked, so that no part is added meanwhile. */
async function move(tx: Transaction, store: StoreName, token: string, now: number): Promise<Removed> {
  const [block] = await tx<{ bytes: Uint8Array; rows: number; events: number }[]>`
    select string_agg(body, ''::bytea order by part) as bytes, sum(rows)::integer as rows, sum(events)::integer as events
    from held_parts where token = ${token} having count(*) > 0`;
  await tx`delete from held_blocks where token = ${token}`;
  if (block === undefined || (await isOfNoPage(tx, store))) return { store, removed: 0 };
  const whole = { ...block, token, bytes: Buffer.from(block.bytes) };
  return { store, removed: await addWaiting(tx, store, whole, new Date(now)) };
}

/** The page may have been deleted with its store. */
async function isOfNoPage(tx: Transaction, store: StoreName): Promise<boolean> {
  if (store === 'default') return false;
  const [page] = await tx`select 1 from pages where id = ${store}`;
  return page === undefined;
}
