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
const releasesPerRun = 100;
const refusedStoresMax = 10;
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
  return startPollLoop('held-blocks', () => releaseDue(deps), { log: deps.log, pollMs: releasePollMs });
}

/**
 * Releases the blocks whose time is over, the oldest first. A store whose buffer takes none, because it is full, is left
 * out from then on, so that others do not wait for it. Returns whether it released any; there may be more.
 *
 * @throws the error of the first store that was left out, after the others had their turn; the errors of the driver.
 */
export async function releaseDue(deps: Deps): Promise<boolean> {
  const { sql, clock, log } = deps;
  const refused = new Map<StoreName, unknown>();
  let released = 0;
  while (released < releasesPerRun && refused.size < refusedStoresMax) {
    let taken: StoreName | undefined;
    try {
      const removed = await inTransaction(sql, async (tx) => {
        const now = clock.now();
        const [held] = await tx<{ token: string; store: StoreName }[]>`
          select token, store from held_blocks
          where ${isUnclaimed(tx, 'held_until', { now, leaseMs: heldMs })} and store <> all (${[...refused.keys()]})
          order by held_until limit 1 for update skip locked`;
        taken = held?.store;
        return held === undefined ? undefined : move(tx, held.store, held.token, now);
      });
      if (removed === undefined) break;
      released += 1;
      logRemoved(log, removed.store, removed.removed);
    } catch (error) {
      if (taken === undefined) throw error;
      refused.set(taken, error);
    }
  }
  for (const error of refused.values()) throw error;
  return released > 0;
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
