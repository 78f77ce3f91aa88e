import { randomUUID } from 'node:crypto';
import { limits } from '../../contract/limits.js';
import type { Log } from '../../lib/log.js';
import { createOutbox } from '../../lib/outbox/outbox.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { NotHeldError } from '../buffer/held-blocks.js';
import { packBlock } from '../buffer/packed-block.js';
import { type Block, eventsMax } from '../commit/collapse.js';
import type { Arrival, Commit, CommitMetrics, Committed } from '../commit/commit.js';
import { encodeInSlices } from '../commit/encode-block.js';
import { rowsMax } from '../commit/histograms.js';
import type { BlockStore, HoldingBuffer } from '../commit/store-block.js';
import { createOpenBlocks, type OpenBlocks } from '../postgres/open-blocks.js';
import { writeTimes } from '../postgres/write-times.js';
import { type Counted, countPoints, type NamedPoint, type PointBatch } from './count-points.js';

/** `committed` is undefined when nothing new was in the points. */
export type CumulativeOutcome = Counted & { committed: Committed | undefined };

/** Counts what is new in cumulative data points, and acknowledges them from PostgreSQL. */
export type CumulativeCommit = Pick<Commit, 'settle' | 'close' | 'waitingEvents'> & {
  /**
   * Counts what is new in points whose names are all registered: each difference to the last point of a series that any
   * instance has seen counts once, whichever points are sent again and in whatever order. Keeps `points` until then.
   *
   * @throws ServiceError as Commit.add() does. The points may count then; sent again, they count once.
   */
  add(points: readonly NamedPoint[], arrival: Arrival): Promise<CumulativeOutcome>;
};

/** Batches that leave in one transaction. */
type Write = { batches: PointBatch[]; points: number };

type Deps = { store: BlockStore; buffer: HoldingBuffer; log: Log; metrics: CommitMetrics };

/** Each point may become a row, and each of its sources. */
const pointsMax = Math.floor(rowsMax / 2) - 1_000;

/**
 * Writes differences to PostgreSQL as createPostgresCommit() writes batches, in blocks of its own: a transaction that
 * waits for the series of another instance then keeps no batch without series waiting. The transaction that keeps the
 * last points of the series has the block as well: neither is there without the other, whatever crashes.
 */
export function createCumulativeCommit({ store, buffer, log, metrics }: Deps): CumulativeCommit {
  const openBlocks = createOpenBlocks({ store, buffer, log, metrics });
  const outbox = createOutbox<Write, CumulativeOutcome[]>({
    makeBlock: () => ({ batches: [], points: 0 }),
    commit: (write, _closing, answerBy) => commit(write, answerBy),
    paceMs: () => (buffer.behind ? writeTimes.paceMsBehind : writeTimes.paceMs),
    burst: writeTimes.burst,
    stalledAfterMs: writeTimes.stalledAfterMs,
    refusesWaiting: true,
  });

  async function commit(write: Write, answerBy: number): Promise<CumulativeOutcome[]> {
    try {
      const isWaiting = buffer.behind && (await buffer.look(writeTimes.lookMsMax).catch(() => false));
      return await keepWrite(write, { buffer, openBlocks, isWaiting, answerBy });
    } catch (error) {
      log.error(
        { error: String(error), points: write.points },
        'Cumulative data points could not be written to PostgreSQL; their senders get an error.',
      );
      throw new ServiceError('storeUnavailable', { retryAfterSeconds: 5 });
    }
  }

  return {
    async add(points, { pageId, at, answerBy }) {
      if (answerBy - performance.now() < writeTimes.timeMsMin)
        throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
      const fits = (waiting: Write): boolean => waiting.points + points.length <= pointsMax;
      const { block: write, outcome } = outbox.join(fits, answerBy);
      write.points += points.length;
      const place = write.batches.push({ pageId, arrival: at, points }) - 1;
      const answered = (await outcome)[place];
      if (answered === undefined) throw new Error('Points were left out of their write.');
      return answered;
    },
    settle: openBlocks.settle,
    async close() {
      await outbox.close();
      await openBlocks.close();
    },
    get waitingEvents() {
      return outbox.waiting?.points ?? 0;
    },
  };
}

type Target = {
  buffer: HoldingBuffer;
  openBlocks: OpenBlocks;
  /** Whether blocks wait for the store, so that this one goes behind them. */
  isWaiting: boolean;
  answerBy: number;
};

/** Writes the last points of the series and the block of the differences: both or neither. */
async function keepWrite({ batches, points }: Write, target: Target): Promise<CumulativeOutcome[]> {
  const { buffer, openBlocks, isWaiting, answerBy } = target;
  const endsAt = Math.min(performance.now() + writeTimes.writeMsMax, answerBy - writeTimes.answerMs);
  const timeoutMs = endsAt - performance.now();
  if (timeoutMs < writeTimes.writeMsMin) throw new Error('The writes before it took too long.');
  // Joined for as many rows as there may be; its requests are not known yet.
  const open = isWaiting ? undefined : openBlocks.join({ rows: 2 * points, events: limits.otlpRequestsMax });
  const kept: { block: Block | undefined; bytes: number; counted: readonly Counted[] } = {
    ...{ block: undefined, bytes: 0, counted: [] },
  };
  const decide = async <Content>(
    tx: Transaction,
    now: number,
    encode: (block: Block) => Content | Promise<Content>,
  ) => {
    const requestsMax = eventsMax - (open?.block.events ?? 0);
    const { block, counted } = await countPoints(tx, batches, { now, requestsMax });
    kept.counted = counted;
    kept.block = block.rows === 0 ? undefined : block;
    if (kept.block === undefined) return undefined;
    const { rows, events } = block;
    return { token: open?.token ?? randomUUID(), rows, events, ...(await encode(block)) };
  };
  try {
    if (open === undefined)
      await buffer.keep(
        (tx, now) => decide(tx, now, async (block) => ({ bytes: await encodeInSlices(block) })),
        timeoutMs,
      );
    else
      await buffer.keepPart(
        (tx, now) =>
          decide(tx, now, (block) => {
            const packed = packBlock(block);
            kept.bytes = packed.length * writeTimes.bytesPerCharacter;
            return { packed };
          }),
        { part: open.parts, timeoutMs },
      );
  } catch (error) {
    if (open !== undefined) openBlocks.end(open, undefined);
    // The next attempt joins a new block, which this process holds.
    if (error instanceof NotHeldError) return keepWrite({ batches, points }, target);
    throw error;
  }
  const arrivals = batches.map(({ pageId, arrival }) => ({ pageId, at: arrival }));
  if (open !== undefined) openBlocks.end(open, { ...kept, batches: arrivals });
  return kept.counted.map((counted) => ({
    ...counted,
    committed: counted.events === 0 ? undefined : { rows: counted.rows, writtenTo: 'postgres', isWaiting },
  }));
}
