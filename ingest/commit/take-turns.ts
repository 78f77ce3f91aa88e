import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';

/**
 * Of the bodies of one page that are under way, from being read to being answered; one body may always be. A page that
 * has the process for itself needs more of them to keep it busy.
 */
const underWayBytesMax = { alone: 16 * 1024 * 1024, shared: 4 * 1024 * 1024 };
/** The process counts as shared for so long after batches of two pages. */
const sharedMs = 10_000;
/** Of the waiting bodies that are begun at a stretch, before the process looks at its sockets again: some 20 ms. */
const stretchBytes = 2 * 1024 * 1024;
/** Of the bodies that wait for their turn, of all pages. */
const waitingBytesMax = 128 * 1024 * 1024;
/** When a page's oldest body has waited for so long, the store hangs: no more of the page are taken. */
const waitMsMax = 10_000;

type Waiting = { bytes: number; since: number; start(): void };
type Page = { id: PageId; underWayBytes: number; underWay: number; queue: Waiting[] };

export type Turns = ReturnType<typeof createTurns>;

/**
 * Pages share the process and the block: without turns the batches of one page that sends as fast as it can all go
 * before the single batch of another, which then waits for seconds. So a page has a bounded amount under way, and
 * what exceeds it waits in the order in which it came, one batch of each page in turn.
 */
export function createTurns({ clock }: { clock: Clock }) {
  /** Pages of which anything is under way or waits. */
  const pages = new Map<PageId, Page>();
  /** Those with a queue; the next one in turn comes first. */
  const inTurn = new Set<Page>();
  let waitingBytes = 0;
  let isScheduled = false;
  let lastPage: PageId | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;

  function noteCaller(pageId: PageId): void {
    if (lastPage !== undefined && lastPage !== pageId) sharedAt = clock.now();
    lastPage = pageId;
  }

  function hasRoom(page: Page, bytes: number): boolean {
    const isShared = Math.abs(clock.now() - sharedAt) < sharedMs;
    const bytesMax = isShared ? underWayBytesMax.shared : underWayBytesMax.alone;
    return page.underWay === 0 || page.underWayBytes + bytes <= bytesMax;
  }

  function begin(page: Page, bytes: number): void {
    pages.set(page.id, page);
    page.underWay += 1;
    page.underWayBytes += bytes;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runStretch);
  }

  function runStretch(): void {
    isScheduled = false;
    let left = stretchBytes;
    // A page that goes to the end is met again, until the stretch is over or no page has room.
    for (const page of inTurn) {
      if (left <= 0) {
        schedule();
        return;
      }
      const next = page.queue[0];
      if (next === undefined || !hasRoom(page, next.bytes)) continue;
      page.queue.shift();
      inTurn.delete(page);
      if (page.queue.length > 0) inTurn.add(page);
      waitingBytes -= next.bytes;
      left -= next.bytes;
      begin(page, next.bytes);
      next.start();
    }
  }

  function wait(page: Page, bytes: number): Promise<void> {
    const now = clock.now();
    const isStalled = now - (page.queue[0]?.since ?? now) > waitMsMax;
    if (isStalled || waitingBytes + bytes > waitingBytesMax) {
      throw new ServiceError('storeBusy', { retryAfterSeconds: isStalled ? 5 : 1 });
    }
    waitingBytes += bytes;
    pages.set(page.id, page);
    inTurn.add(page);
    return new Promise((start) => page.queue.push({ bytes, since: now, start }));
  }

  return {
    /**
     * Does the work of one body of the page when it is its turn, which often is at once.
     *
     * @throws ServiceError 503 when too much waits already; the work is not begun then.
     */
    async take<T>(pageId: PageId, bytes: number, work: () => Promise<T>): Promise<T> {
      noteCaller(pageId);
      const page = pages.get(pageId) ?? { id: pageId, underWayBytes: 0, underWay: 0, queue: [] };
      if (page.queue.length === 0 && hasRoom(page, bytes)) begin(page, bytes);
      else await wait(page, bytes);
      try {
        return await work();
      } finally {
        page.underWay -= 1;
        page.underWayBytes -= bytes;
        if (page.queue.length > 0) schedule();
        else if (page.underWay === 0) pages.delete(pageId);
      }
    },
  };
}
