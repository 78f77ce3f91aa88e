import { limits } from '../../contract/limits.js';
import { pauseMsAfter } from '../../lib/back-off.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { joinPollLoops, type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import { commandName } from '../../lib/printed-commands.js';
import { isDue, isUnclaimed } from '../../sql/claim.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type BlockStore, insertWithin } from '../commit/store-block.js';
import { startReleasing } from './held-blocks.js';
import type { StoreName } from './waiting-blocks.js';

export type DeliveryDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Returns the store of that name; `undefined` when the page has none, as far as this instance knows. */
  openStore(store: StoreName): BlockStore | undefined;
  /** Returns a number from 0 to 1. */
  random?: () => number;
};

type Queue = { store: StoreName; failures: number };
type Batch = { token: string; body: Uint8Array; attempts: number };

/** Stores that are delivered to at the same time: a store that hangs does not delay the others. */
const loops = 4;
/** An instance that dies keeps its queue for this long. */
const leaseMs = 30_000;
const attemptMsMax = 20_000;
/** Batches of one queue before another queue has its turn. */
const batchesPerTurn = 100;
/** Half of the time between two blocks that go to the buffer, so that the buffer runs empty under load, too. */
const pollMs = 500;
/** A pause is up to a fifth longer, at random, so that stores are not tried together. */
const backOff = { firstMs: 1_000, maxMs: 300_000, jitter: 0.2 };
const pauseMsMax = backOff.maxMs * (1 + backOff.jitter);

/** Brings the blocks of the delivery buffer to their stores, each store's blocks in their order. */
export function startDelivery(deps: DeliveryDeps): PollLoop {
  const deliver = (): PollLoop =>
    startPollLoop('delivery', (signal) => deliverNext(deps, signal), { log: deps.log, pollMs });
  return joinPollLoops([...Array.from({ length: loops }, deliver), startReleasing(deps)]);
}

/**
 * Delivers the batches of one store that is due, until all are delivered or an attempt fails. Returns whether there
 * was such a store. A batch leaves the buffer after the store has it; when the process dies between the two, the batch
 * is delivered again under its token, which the store then knows.
 */
export async function deliverNext(deps: DeliveryDeps, signal: AbortSignal): Promise<boolean> {
  const queue = await claimQueue(deps);
  if (queue === undefined) return false;
  let failures = queue.failures;
  let pauseMs = 0;
  try {
    for (let turn = 0; turn < batchesPerTurn && pauseMs === 0 && !signal.aborted; turn += 1) {
      const batch = await loadHead(deps, queue.store);
      if (batch === undefined) break;
      const store = deps.openStore(queue.store);
      if (store === undefined) {
        await discardOrphans(deps, queue.store);
        pauseMs = backOff.firstMs;
        break;
      }
      const error = await deliver(store, batch, signal);
      if (error !== undefined && signal.aborted) break;
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) await removeDelivered(deps, queue.store, batch);
      else await noteFailure(deps, queue.store, batch, error);
      if (error !== undefined) pauseMs = pauseMsAfter(failures, backOff, deps.random);
    }
  } finally {
    await releaseQueue(deps, queue.store, failures, pauseMs);
  }
  return true;
}

async function claimQueue({ sql, clock }: DeliveryDeps): Promise<Queue | undefined> {
  const now = clock.now();
  const [queue] = await sql<Queue[]>`
    update delivery_queues set claimed_until = ${new Date(now + leaseMs)}
    where store = (
      select q.store from delivery_queues q
      where ${isDue(sql, 'q.next_attempt_at', { now, pauseMsMax })}
        and ${isUnclaimed(sql, 'q.claimed_until', { now, leaseMs })}
        and exists (select 1 from delivery_batches b where b.store = q.store and b.exhausted_at is null)
      order by q.next_attempt_at limit 1 for update skip locked
    )
    returning store, failures`;
  return queue;
}

/** Returns the oldest batch that waits. Renews the claim, because an attempt may take most of one. */
async function loadHead({ sql, clock }: DeliveryDeps, store: StoreName): Promise<Batch | undefined> {
  await sql`update delivery_queues set claimed_until = ${new Date(clock.now() + leaseMs)} where store = ${store}`;
  const [batch] = await sql<Batch[]>`
    select token, body, attempts from delivery_batches
    where store = ${store} and exhausted_at is null order by id limit 1`;
  return batch;
}

/** Returns the error of a delivery that failed. */
async function deliver(
  store: BlockStore,
  { token, body }: Batch,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await insertWithin(store, { token, bytes: Buffer.from(body) }, attemptMsMax, signal);
    return undefined;
  } catch (error) {
    return String(error).slice(0, 500);
  }
}

/**
 * Discards the batches of a page that has no store of its own any more: a block may have been on its way to the buffer
 * while the page went back to the installation's store. PostgreSQL decides whether it did, because a new store is not
 * known to every instance for a second or two.
 */
async function discardOrphans({ sql, log }: DeliveryDeps, store: StoreName): Promise<void> {
  const { count } = await sql`
    delete from delivery_batches
    where store = ${store} and not exists (select 1 from event_stores where page_id::text = ${store})`;
  if (count === 0) return;
  log.warn(
    { store, batches: count },
    'The page has no event store of its own any more; its waiting batches were discarded.',
  );
}

async function removeDelivered({ sql }: DeliveryDeps, store: StoreName, { token }: Batch): Promise<void> {
  await sql`delete from delivery_batches where store = ${store} and token = ${token}`;
}

async function noteFailure(
  { sql, clock, log }: DeliveryDeps,
  store: StoreName,
  { token, attempts }: Batch,
  error: string,
): Promise<void> {
  const exhausted = attempts + 1 >= limits.deliveryAttempts;
  await sql`
    update delivery_batches set
      attempts = ${attempts + 1}, last_error = ${error},
      exhausted_at = ${exhausted ? new Date(clock.now()) : null}
    where store = ${store} and token = ${token}`;
  const text = exhausted
    ? `A buffered batch failed its last attempt; run "${commandName} store replay" to deliver it again.`
    : 'A buffered batch could not be delivered.';
  log.warn({ store, token, attempts: attempts + 1, error }, text);
}

async function releaseQueue(
  { sql, clock }: DeliveryDeps,
  store: StoreName,
  failures: number,
  pauseMs: number,
): Promise<void> {
  await sql`
    update delivery_queues set
      claimed_until = null, failures = ${failures}, next_attempt_at = ${new Date(clock.now() + pauseMs)}
    where store = ${store}`;
}
