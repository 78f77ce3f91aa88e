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

  const atWork: AtWork = {
    onCharge(page, more) {
      waiting.spend(more);
      rests.charge(page.id, more);
    },
    onRoom(page) {
      if (page.queue.length > 0) waiting.schedule();
    },
    onLeave(page) {
      if (page.queue.length === 0 && page.inFlight === 0) pages.delete(page.id);
    },
  };

  function run<T>(page: Page, bytes: number, work: (turn: Turn) => Promise<T>): Promise<T> {
    pages.set(page.id, page);
    const turn = new BodyTurn(page, bytes, atWork);
    const leave = (): void => turn.leave();
    let outcome: Promise<T>;
    try {
      outcome = work(turn);
    } catch (error) {
      outcome = Promise.reject(error);
    }
    outcome.then(leave, leave);
    return outcome;
  }

  return {
    /**
     * Does the work of one body of the page when it is the page's turn, which often is at once. The turn is over when
     * `work` ends it, or ends.
     *
     * @param sender `leave` makes a signal; a body that waits leaves the queue when it is aborted. Called for those that wait only.
     * @throws ServiceError `storeBusy` when too much waits already, or the reason of the signal; the work has not begun
     *   then.
     */
    take<T>(
      pageId: PageId,
      bytes: number,
      work: (turn: Turn) => Promise<T>,
      sender?: { leave?(): AbortSignal },
    ): Promise<T> {
      room.noteCaller(pageId);
      const page = pages.get(pageId) ?? makePage(pageId);
      const isFree = page.queue.length === 0 && !rests.has(pageId) && room.hasRoom(page, bytes);
      return isFree ? run(page, bytes, work) : wait(page, bytes, work, sender);
    },
  };

  async function wait<T>(
    page: Page,
    bytes: number,
    work: (turn: Turn) => Promise<T>,
    sender: { leave?(): AbortSignal } | undefined,
  ): Promise<T> {
    const outcome = waiting.wait(page, bytes, () => run(page, bytes, work), sender?.leave?.());
    pages.set(page.id, page);
    return outcome;
  }
}

const makePage = (id: PageId): Page => ({ id, readingBytes: 0, inFlightBytes: 0, inFlight: 0, queue: [] });

type AtWork = {
  onCharge(page: Page, more: number): void;
  /** Called when the page has more room. */
  onRoom(page: Page): void;
  /** Called when the last of the work on a body is over. */
  onLeave(page: Page): void;
};

/** Counts a body as at work on its page. A class, because closures for each body took 1 kB until its answer. */
class BodyTurn implements Turn {
  private reading: number;
  private charged: number;

  constructor(
    private readonly page: Page,
    bytes: number,
    private readonly atWork: AtWork,
  ) {
    page.inFlight += 1;
    page.readingBytes += bytes;
    page.inFlightBytes += bytes;
    this.reading = bytes;
    this.charged = bytes;
  }

  end(): void {
    this.page.readingBytes -= this.reading;
    this.reading = 0;
    this.atWork.onRoom(this.page);
  }

  charge(to: number): void {
    const more = to - this.charged;
    if (more <= 0) return;
    this.page.readingBytes += more;
    this.page.inFlightBytes += more;
    this.reading += more;
    this.charged += more;
    this.atWork.onCharge(this.page, more);
  }

  leave(): void {
    this.page.readingBytes -= this.reading;
    this.page.inFlightBytes -= this.charged;
    this.page.inFlight -= 1;
    this.atWork.onRoom(this.page);
    this.atWork.onLeave(this.page);
  }
}
