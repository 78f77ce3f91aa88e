import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { joinPollLoops, type PollLoop, startPollLoop } from '../../lib/poll-loop.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type BlockStore, insertWithin } from '../commit/store-block.js';
import type { StoreName } from './delivery-buffer.js';

export type DeliveryDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The store of that name; undefined when the page has none, as far as this instance knows. */
  openStore(store: StoreName): BlockStore | undefined;
  random?: () => number;
};

type Queue = { store: StoreName; failures: number };
type Batch = { token: string; body: Uint8Array; attempts: number };

/** Stores that are delivered to at the same time, so that one that hangs does not delay the others. */
const workers = 4;
/** How long an instance that dies keeps a queue from the others. */
const claimMs = 30_000;
const attemptMsMax = 20_000;
/** Of one queue before another one has its turn. */
const batchesPerTurn = 100;
/** Twice in the time between two blocks that go to the buffer, so that it runs empty under load, too. */
const pollMs = 500;
const pauseMs = { first: 1_000, max: 300_000 };
/** How much longer a pause is at most, at random, so that stores are not tried together. */
const jitterMax = 0.2;
/** Clocks of instances differ by less. What is further ahead was written down before the clock was put back. */
const clocksDifferMsMax = 60_000;

/** Brings what waits in the delivery buffer to its stores, each store's blocks in their order. */
export function startDelivery(deps: DeliveryDeps): PollLoop {
  return joinPollLoops(
    Array.from({ length: workers }, () =>
      startPollLoop('delivery', (signal) => deliverNext(deps, signal), { log: deps.log, pollMs }),
    ),
  );
}

/**
 * Delivers what waits for one store whose time has come, until all is delivered or an attempt fails. Answers
 * whether there was such a store. A batch leaves the buffer after the store has it; when the process dies between
 * the two, it is delivered again under its token, which the store then knows.
 */
export async function deliverNext(deps: DeliveryDeps, signal: AbortSignal): Promise<boolean> {
  const queue = await claimQueue(deps);
  if (queue === undefined) return false;
  let failures = queue.failures;
  let pause = 0;
  try {
    for (let turn = 0; turn < batchesPerTurn && pause === 0 && !signal.aborted; turn += 1) {
      const batch = await readHead(deps, queue.store);
      if (batch === undefined) break;
      const store = deps.openStore(queue.store);
      if (store === undefined) {
        await discard(deps, queue.store);
        pause = pauseMs.first;
        break;
      }
      const error = await deliver(store, batch, signal);
      if (error !== undefined && signal.aborted) break;
      failures = error === undefined ? 0 : failures + 1;
      if (error === undefined) await removeDelivered(deps, queue.store, batch);
      else await noteFailure(deps, queue.store, batch, error);
      if (error !== undefined) pause = pauseAfter(failures, deps.random);
    }
  } finally {
    await releaseQueue(deps, queue.store, failures, pause);
  }
  return true;
}

async function claimQueue({ sql, clock }: DeliveryDeps): Promise<Queue | undefined> {
  const at = (ms: number): Date => new Date(clock.now() + ms);
  const now = at(0);
  const impossible = {
    attempt: at(pauseMs.max * (1 + jitterMax) + clocksDifferMsMax),
    claim: at(claimMs + clocksDifferMsMax),
  };
  const [queue] = await sql<Queue[]>`
    update delivery_queues set claimed_until = ${at(claimMs)}
    where store = (
      select q.store from delivery_queues q
      where (q.next_attempt_at <= ${now} or q.next_attempt_at > ${impossible.attempt})
        and (q.claimed_until is null or q.claimed_until <= ${now} or q.claimed_until > ${impossible.claim})
        and exists (select 1 from delivery_batches b where b.store = q.store and b.exhausted_at is null)
      order by q.next_attempt_at limit 1 for update skip locked
    )
    returning store, failures`;
  return queue;
}

/** The oldest that waits. The claim is renewed with it, because an attempt may take most of one. */
async function readHead({ sql, clock }: DeliveryDeps, store: StoreName): Promise<Batch | undefined> {
  await sql`update delivery_queues set claimed_until = ${new Date(clock.now() + claimMs)} where store = ${store}`;
  const [batch] = await sql<Batch[]>`
    select token, body, attempts from delivery_batches
    where store = ${store} and exhausted_at is null order by id limit 1`;
  return batch;
}

/** Answers why it failed. */
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
 * A block may have been on its way to the buffer while the page was put back to the installation's own store. The
 * database says whether it was: a store that was just set is not known to every instance for a second or two.
 */
async function discard({ sql, log }: DeliveryDeps, store: StoreName): Promise<void> {
  const { count } = await sql`
    delete from delivery_batches
    where store = ${store} and not exists (select 1 from event_stores where page_id::text = ${store})`;
  if (count === 0) return;
  log.warn(
    { store, batches: count },
    'The page has no event store of its own any more; what waited is discarded.',
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
    ? 'A buffered batch was tried for the last time; "heartline store replay" delivers it again.'
    : 'A buffered batch could not be delivered.';
  log.warn({ store, token, attempts: attempts + 1, error }, text);
}

async function releaseQueue(
  { sql, clock }: DeliveryDeps,
  store: StoreName,
  failures: number,
  pause: number,
): Promise<void> {
  await sql`
    update delivery_queues set
      claimed_until = null, failures = ${failures}, next_attempt_at = ${new Date(clock.now() + pause)}
    where store = ${store}`;
}

/** Twice as long after every failure, and up to a fifth more. */
function pauseAfter(failures: number, random: () => number = Math.random): number {
  const ms = Math.min(pauseMs.first * 2 ** Math.min(failures - 1, 20), pauseMs.max);
  return Math.round(ms * (1 + jitterMax * random()));
}
