import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createLimiter } from '../../lib/limiter.js';
import { ServiceError } from '../../lib/service-error.js';
import { secondMs } from '../../lib/times.js';

/** An answer about a tile, as JSON. */
type Answer = { body: Buffer; loadedAt: number };

export type SharedTiles = {
  /** Returns the answer for a key while it is fresh, and loads it otherwise. */
  read(pageId: PageId, key: string, load: () => Promise<Buffer>): Promise<Buffer>;
};

/** Viewers ask once a minute; most of them get what the first one got. */
const freshMs = 20 * secondMs;
const bytesMax = 64 * 1024 * 1024;
/** All tiles of the largest board. */
const waitingMaxPerPage = 40;
const retryAfterSeconds = 5;

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
  const loads = new Map<string, Promise<Buffer>>();
  const turns = createLimiter<PageId>({ maxPerKey: 1, waitingMaxPerKey: waitingMaxPerPage });

  async function inTurn(pageId: PageId, key: string, load: () => Promise<Buffer>): Promise<Buffer> {
    const release = await turns.take(pageId);
    if (release === undefined) throw new ServiceError('overloaded', { retryAfterSeconds });
    try {
      const loadedAt = clock.now();
      const body = await load();
      answers.set(key, { body, loadedAt });
      return body;
    } finally {
      release();
    }
  }

  return {
    read(pageId, key, load) {
      const known = answers.get(key);
      // A clock that was put back makes the answer old.
      if (known !== undefined && Math.abs(clock.now() - known.loadedAt) < freshMs) {
        return Promise.resolve(known.body);
      }
      const running = loads.get(key);
      if (running !== undefined) return running;
      const begun = inTurn(pageId, key, load);
      loads.set(key, begun);
      const end = (): boolean => loads.delete(key);
      begun.then(end, end);
      return begun;
    },
  };
}
