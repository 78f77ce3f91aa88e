import { type Deferred, deferred } from '../deferred.js';
import { ServiceError } from '../service-error.js';
import { createDeparture } from './departure.js';

/** Tells the work on a block whether the outbox closes. */
export type Closing = {
  /** Aborted when the outbox begins to close. */
  readonly signal: AbortSignal;
  /** When it began to close, as of performance.now(); `undefined` while it is open. */
  readonly at: number | undefined;
};

export type OutboxOptions<Block, Outcome> = {
  /** Returns an empty block. */
  makeBlock(): Block;
  /**
   * Makes the block durable, and resolves when everything in it may be acknowledged; the outcome goes to everyone who
   * added to the block. Rejects when nothing of it may be acknowledged. The block is sealed: nothing is added to it.
   * `answerBy` is the earliest of its entries' own, as of performance.now().
   */
  commit(block: Block, closing: Closing, answerBy: number): Promise<Outcome>;
  /** Milliseconds between two blocks under sustained load. */
  paceMs(): number;
  /** Blocks that may leave at once after a pause. */
  burst: number;
  /** A commit that takes longer means that the store hangs; new entries are refused until it ends. */
  stalledAfterMs: number;
  /** Refuses the block that waits with `storeBusy` when a commit rejects, instead of trying it as well. */
  refusesWaiting?: true;
  /** Whether there is room for what follows the acknowledgement; entries are refused without it. Always when absent. */
  hasRoomBehind?(): boolean;
};

export type Outbox<Block, Outcome> = {
  /**
   * Admits an entry and returns the block for it. Add the entry before the next turn of the event loop: the block may
   * leave then. `fits` says whether the entry fits into a block that has others already. `answerBy` is when whoever
   * waits for the entry gets an answer in any case, as of performance.now(); never when absent. `outcome` settles when
   * the block is committed.
   *
   * @throws ServiceError `shuttingDown` when the outbox closes; `storeBusy` when the block is full, with a second to
   *   wait, or when the store hangs or what is behind it has no room, with five.
   */
  join(fits: (block: Block) => boolean, answerBy?: number): { block: Block; outcome: Promise<Outcome> };
  /** Sends what waits, whatever the pace; resolves when all that was added by now has its outcome. Does not reject. */
  flush(): Promise<void>;
  /** Sends what waits and refuses the rest; resolves when nothing waits any more. */
  close(): Promise<void>;
  /** The block that waits to leave; `undefined` when nothing waits. */
  readonly waiting: Block | undefined;
};

type Entry<Block, Outcome> = { block: Block; outcome: Deferred<Outcome>; answerBy: number };

/**
 * Collects entries into blocks and commits one block at a time: what arrives meanwhile forms the next block. The
 * larger the load, the larger the blocks, so the number of commits stays bounded. All lengths of time are measured
 * with a monotonic clock: a correction of the time neither stalls the outbox nor makes it believe that it is stalled.
 */
export function createOutbox<Block, Outcome>(options: OutboxOptions<Block, Outcome>): Outbox<Block, Outcome> {
  const { makeBlock, commit, stalledAfterMs, hasRoomBehind = () => true } = options;
  const stopping = new AbortController();
  let closedAt: number | undefined;
  const closing: Closing = {
    signal: stopping.signal,
    get at() {
      return closedAt;
    },
  };
  let waiting: Entry<Block, Outcome> | undefined;
  let inFlight: (Entry<Block, Outcome> & { since: number }) | undefined;
  let drained: Deferred<void> | undefined;

  function admit(fits: (block: Block) => boolean): void {
    if (closedAt !== undefined) throw new ServiceError('shuttingDown', { retryAfterSeconds: 1 });
    const isStalled = inFlight !== undefined && performance.now() - inFlight.since > stalledAfterMs;
    if (isStalled || !hasRoomBehind()) throw new ServiceError('storeBusy', { retryAfterSeconds: 5 });
    if (waiting !== undefined && !fits(waiting.block)) {
      throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
    }
  }

  function open(): Entry<Block, Outcome> {
    const outcome = deferred<Outcome>();
    // Everyone who added to the block waits for the outcome; when nobody is left, a failure must not end the process.
    outcome.promise.catch(() => {});
    return { block: makeBlock(), outcome, answerBy: Number.POSITIVE_INFINITY };
  }

  const departure = createDeparture({
    paceMs: options.paceMs,
    burst: options.burst,
    mayLeave: () => waiting !== undefined && inFlight === undefined,
    leave() {
      if (closedAt === undefined) departure.calmDown();
      if (waiting === undefined) return;
      inFlight = { ...waiting, since: performance.now() };
      waiting = undefined;
      void settle(inFlight);
    },
  });

  async function settle({ block, outcome, answerBy }: Entry<Block, Outcome>): Promise<void> {
    try {
      outcome.resolve(await commit(block, closing, answerBy));
    } catch (error) {
      outcome.reject(error);
      if (options.refusesWaiting) refuseWaiting();
    }
    inFlight = undefined;
    departure.schedule();
    if (waiting === undefined) drained?.resolve();
  }

  /** The block has not left, so nothing of it counts twice when it is sent again. */
  function refuseWaiting(): void {
    departure.cancel();
    waiting?.outcome.reject(new ServiceError('storeBusy', { retryAfterSeconds: 5 }));
    waiting = undefined;
  }

  return {
    join(fits, answerBy = Number.POSITIVE_INFINITY) {
      admit(fits);
      waiting ??= open();
      waiting.answerBy = Math.min(waiting.answerBy, answerBy);
      departure.schedule();
      return { block: waiting.block, outcome: waiting.outcome.promise };
    },
    async flush() {
      const last = waiting ?? inFlight;
      if (last === undefined) return;
      if (waiting !== undefined) departure.hurry();
      await last.outcome.promise.catch(() => {});
    },
    async close() {
      if (closedAt === undefined) {
        closedAt = performance.now();
        stopping.abort();
      }
      if (waiting === undefined && inFlight === undefined) return;
      drained ??= deferred<void>();
      departure.hurry();
      await drained.promise;
    },
    get waiting() {
      return waiting?.block;
    },
  };
}
