import type { PageId } from '../../lib/ids.js';
import { createLimiter } from '../../lib/limiter.js';
import { ServiceError } from '../../lib/service-error.js';

/** Drawing a page reads its history, and takes long for a large one. */
const previewsMax = { max: 4, maxPerKey: 2, waitingMaxPerKey: 4, waitingMax: 32 };

/**
 * Runs the work once the page has a turn. A preview whose signal is aborted meanwhile leaves the queue: a browser gives up
 * one with each key that is pressed.
 *
 * @throws ServiceError `rateLimited` when too many previews wait already; the reason of the signal.
 */
export type InTurn = <T>(pageId: PageId, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Bounds how many previews are drawn at once, for each page and in all. */
export function createPreviewTurns(): InTurn {
  const running = createLimiter<PageId>(previewsMax);
  return async (pageId, signal, work) => {
    const release = await running.take(pageId, signal);
    if (release === undefined) {
      const message = 'Other previews are drawn now; wait for them.';
      throw new ServiceError('rateLimited', { message, retryAfterSeconds: 1 });
    }
    try {
      return await work();
    } finally {
      release();
    }
  };
}
