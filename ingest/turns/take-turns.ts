import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { createPageRests } from './page-rests.js';
import { type BytesAtWork, createPageRoom } from './page-room.js';
import { createWaitingBodies, type Queue } from './waiting-bodies.js';

type Page = BytesAtWork & Queue & { id: PageId };

export type Turns = ReturnType<typeof createTurns>;

/** The turn of one body. */
export type Turn = {
  /** Its events are in a block: the page may read the next body. */
  end(): void;
  /**
   * Raises the bytes that the body counts for to these, when it took more work than its length says. The charges of one or
   * several bodies add up; at 1 MiB the page rests for as long as they took on a busy machine.
   */
  charge(bytes: number): void;
};

/**
 * Lets pages take turns. Pages share the process and the block: without turns, all batches of a page that sends as fast
 * as it can go before the single batch of another page, which then waits for seconds. A page therefore has a bounded
 * number of bytes at work. Further batches wait in the order of their arrival, and pages go one batch each in turn.
 */
export function createTurns({ clock }: { clock: Clock }) {
  /** Pages with a batch that is in flight or waits. */
  const pages = new Map<PageId, Page>();
  const rests = createPageRests(() => waiting.schedule());
  const room = createPageRoom({ clock });
  const waiting = createWaitingBodies<Page>({
    clock,
    mayStart: (page, bytes) => !rests.has(page.id) && room.hasRoom(page, bytes),
    onEmpty(page) {
      if (page.inFlight === 0) pages.delete(page.id);
    },
  });

  async function run<T>(page: Page, bytes: number, work: (turn: Turn) => Promise<T>): Promise<T> {
    pages.set(page.id, page);
    const { turn, leave } = enter(page, bytes, {
      onCharge(more) {
        waiting.spend(more);
        rests.charge(page.id, more);
      },
      onRoom() {
        if (page.queue.length > 0) waiting.schedule();
      },
    });
    try {
      return await work(turn);
    } finally {
      leave();
      if (page.queue.length === 0 && page.inFlight === 0) pages.delete(page.id);
    }
  }

  return {
    /**
     * Does the work of one body of the page when it is the page's turn, which often is at once. The turn is over when
     * `work` ends it, or ends.
     *
     * @param leave makes a signal; a body that waits leaves the queue when it is aborted. Called for those that wait only.
     * @throws ServiceError `storeBusy` when too much waits already, or the reason of the signal; the work has not begun
     *   then.
     */
    async take<T>(
      pageId: PageId,
      bytes: number,
      work: (turn: Turn) => Promise<T>,
      leave?: () => AbortSignal,
    ): Promise<T> {
      room.noteCaller(pageId);
      const page = pages.get(pageId) ?? makePage(pageId);
      const isFree = page.queue.length === 0 && !rests.has(pageId) && room.hasRoom(page, bytes);
      if (isFree) return run(page, bytes, work);
      const signal = leave?.();
      const outcome = waiting.wait(page, bytes, () => run(page, bytes, work), signal);
      pages.set(pageId, page);
      return outcome;
    },
  };
}

const makePage = (id: PageId): Page => ({ id, readingBytes: 0, inFlightBytes: 0, inFlight: 0, queue: [] });

/** Counts a body as at work on its page. `onRoom` is called when the page has more room. */
function enter(
  page: BytesAtWork,
  bytes: number,
  { onCharge, onRoom }: { onCharge(more: number): void; onRoom(): void },
): { turn: Turn; leave(): void } {
  page.inFlight += 1;
  page.readingBytes += bytes;
  page.inFlightBytes += bytes;
  let [reading, charged] = [bytes, bytes];
  const turn: Turn = {
    end() {
      page.readingBytes -= reading;
      reading = 0;
      onRoom();
    },
    charge(to) {
      const more = to - charged;
      if (more <= 0) return;
      page.readingBytes += more;
      page.inFlightBytes += more;
      reading += more;
      charged += more;
      onCharge(more);
    },
  };
  return {
    turn,
    leave() {
      page.readingBytes -= reading;
      page.inFlightBytes -= charged;
      page.inFlight -= 1;
      onRoom();
    },
  };
}
