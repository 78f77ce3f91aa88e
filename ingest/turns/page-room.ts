import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';

/** Bytes of the bodies of a page at work: `reading` until their events are in a block, `inFlight` until they are answered. */
export type BytesAtWork = { readingBytes: number; inFlightBytes: number; inFlight: number };

/**
 * Bounds of the bytes of one page at work. One body may always be at work. A page that has the process to itself needs
 * more to keep it busy: an insert takes 0.1 s, in which the process reads some 16 MiB, and what waits for its turn waits
 * with its whole body, while 64 MiB of bodies in flight are 12 MiB of the log.
 */
const bytesMax = {
  readingAlone: 16 * 1024 * 1024,
  inFlightAlone: 64 * 1024 * 1024,
  readingShared: 4 * 1024 * 1024,
  inFlightShared: 8 * 1024 * 1024,
};
/** The process counts as shared for this long after batches of two pages. */
const sharedMs = 10 * secondMs;

/** Decides how many bytes of a page may be at work, which depends on whether pages share the process. */
export function createPageRoom({ clock }: { clock: Clock }) {
  let lastPage: PageId | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;
  return {
    noteCaller(pageId: PageId): void {
      if (lastPage !== undefined && lastPage !== pageId) sharedAt = clock.now();
      lastPage = pageId;
    },
    hasRoom(page: BytesAtWork, bytes: number): boolean {
      if (page.inFlight === 0) return true;
      const isShared = Math.abs(clock.now() - sharedAt) < sharedMs;
      const reading = isShared ? bytesMax.readingShared : bytesMax.readingAlone;
      const inFlight = isShared ? bytesMax.inFlightShared : bytesMax.inFlightAlone;
      return page.readingBytes + bytes <= reading && page.inFlightBytes + bytes <= inFlight;
    },
  };
}
