import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createLimiter, type Release } from '../../lib/limiter.js';
import { ServiceError } from '../../lib/service-error.js';
import { startDeadline, withTimeout } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';

/** An answer about a tile, as JSON. */
type Answer = { body: Buffer; loadedAt: number };

/** Loads an answer. The signal is aborted when nobody waits for the answer any more. */
export type LoadTile = (signal: AbortSignal) => Promise<Buffer>;

type Asked = { load: LoadTile; signal: AbortSignal };

/** A load that runs or waits, with the number of requests that wait for it. */
type Load = { answer: Promise<Buffer>; ending: AbortController; readers: number };

export type SharedTiles = {
  /**
   * Returns the answer for a key while it is fresh, and loads it otherwise. A load goes on while one of its readers is
   * there: the last one that leaves ends it.
   *
   * @param asked.signal aborted when this reader leaves.
   * @throws ServiceError `overloaded` when too many loads wait, or this one waits for too long; the reason of `signal`;
   *   what `load` throws
   */
  read(pageId: PageId, key: string, asked: Asked): Promise<Buffer>;
};

/** Viewers ask once a minute; most of them get what the first one got. */
const freshMs = 20 * secondMs;
const bytesMax = 64 * 1024 * 1024;
/** All tiles of the largest board. */
const waitingMaxPerPage = 40;
/** Loads that wait over all pages: 25 pages with as many as they may have. */
const waitingMax = 1_000;
/** Longer than a statement takes, which has an answer after 12 s: one that is too slow fails, and not the tile behind it. */
const turnMsMax = 15 * secondMs;
/** As long as the page of a shared board waits: for its turn, those of the page, and a statement. */
const answerMsMax = 60 * secondMs;

/**
 * Bounds what the readers of links to boards cost a page, however many they are: they share answers for 20 s, share one that is
 * being loaded, and take one turn of the page at a time, so that its own people and rules keep the others. Beyond 64 MB the
 * answer that was not asked for longest is forgotten.
 */
export function createSharedTiles(clock: Clock): SharedTiles {
  const answers = new LRUCache<string, Answer>({
    maxSize: bytesMax,
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + 1,
  });
  const loads = new Map<string, Load>();
  const turns = createLimiter<PageId>({ maxPerKey: 1, waitingMaxPerKey: waitingMaxPerPage, waitingMax });

  async function takeTurn(pageId: PageId, signal: AbortSignal): Promise<Release> {
    const deadline = startDeadline(turnMsMax, signal, tooManyTiles);
    try {
      const release = await turns.take(pageId, deadline.signal);
      if (release !== undefined) return release;
    } finally {
      deadline.end();
    }
    throw tooManyTiles();
  }

  async function loadInTurn(pageId: PageId, key: string, { load, signal }: Asked): Promise<Buffer> {
    const release = await takeTurn(pageId, signal);
    try {
      // The last reader may have left at the moment of the turn.
      signal.throwIfAborted();
      const loadedAt = clock.now();
      const body = await load(signal);
      answers.set(key, { body, loadedAt });
      return body;
    } finally {
      release();
    }
  }

  function begin(pageId: PageId, key: string, load: LoadTile): Load {
    const ending = new AbortController();
    const one = { answer: loadInTurn(pageId, key, { load, signal: ending.signal }), ending, readers: 0 };
    loads.set(key, one);
    const end = (): void => {
      if (loads.get(key) === one) loads.delete(key);
    };
    one.answer.then(end, end);
    return one;
  }

  return {
    async read(pageId, key, { load, signal }) {
      signal.throwIfAborted();
      const known = answers.get(key);
      // A clock that was put back makes the answer old.
      if (known !== undefined && Math.abs(clock.now() - known.loadedAt) < freshMs) return known.body;
      const one = loads.get(key) ?? begin(pageId, key, load);
      one.readers += 1;
      try {
        return await withTimeout(one.answer, answerMsMax, { error: tooManyTiles, signal });
      } finally {
        one.readers -= 1;
        // A load that has ended is not there any more.
        if (one.readers === 0 && loads.get(key) === one) {
          loads.delete(key);
          one.ending.abort(new ServiceError('callerGone'));
        }
      }
    },
  };
}

function tooManyTiles(): ServiceError {
  return new ServiceError('overloaded', {
    message: 'Too many tiles of shared boards are being read. Retry later.',
    retryAfterSeconds: 5,
  });
}
