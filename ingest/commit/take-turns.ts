import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { secondMs } from '../../lib/times.js';

/**
 * Bytes of one page's bodies at work: `reading` until their events are in a block, `inFlight` until they are answered.
 * One body may always be at work. A page that has the process to itself needs more to keep it busy: an insert takes 0.1 s,
 * in which the process reads some 16 MiB.
 */
const bytesMax = {
  readingAlone: 16 * 1024 * 1024,
  inFlightAlone: 32 * 1024 * 1024,
  readingShared: 4 * 1024 * 1024,
  inFlightShared: 8 * 1024 * 1024,
};
/** The process counts as shared for this long after batches of two pages. */
const sharedMs = 10 * secondMs;
/** Bytes of waiting bodies that start in one stretch, before the process looks at its sockets again: some 20 ms. */
const stretchBytes = 2 * 1024 * 1024;
/**
 * Charged bytes for which a page rests, and how long. They are 105,000 empty spans, which take 8 ms of an idle core, and
 * 36 ms where the machine is busy.
 */
const restAfterBytes = 1024 * 1024;
const restMs = 36;
/** A page that is charged with less forgets it after this long without a charge, so that no page owes for ever. */
const forgetMs = 1 * secondMs;
/** Bytes of the bodies of all pages that wait for their turn. */
const waitingBytesMax = 128 * 1024 * 1024;
/**
 * When a page's oldest body has waited for longer, further bodies of the page are refused: the store hangs, or the page sends
 * more than its turns, with its rests, let through.
 */
const waitMsMax = 7 * secondMs;

type Waiting = { bytes: number; since: number; start(): void };
type Page = {
  id: PageId;
  readingBytes: number;
  inFlightBytes: number;
  inFlight: number;
  queue: Waiting[];
};
/** Bytes that a page was charged with and has not rested for, and when that ends. */
type Debt = { bytes: number; timer: NodeJS.Timeout };

export type Turns = ReturnType<typeof createTurns>;

/** The turn of one body. */
export type Turn = {
  /** Its events are in a block: the page may read the next body. */
  end(): void;
  /**
   * Raises the bytes that the body counts for to these, when it took more work than its length says. What one or several
   * bodies are charged with adds up; at 1 MiB the page rests for as long as they took on a busy machine, since a batch of
   * another page goes through the process in several steps, each of which would wait for one such body.
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
  /** Pages with a queue; the next in turn comes first. */
  const inTurn = new Set<Page>();
  const debts = new Map<PageId, Debt>();
  let waitingBytes = 0;
  /** Bytes of waiting bodies that may still start in this stretch. */
  let left = 0;
  let isScheduled = false;
  let lastPage: PageId | undefined;
  let sharedAt = Number.NEGATIVE_INFINITY;

  function noteCaller(pageId: PageId): void {
    if (lastPage !== undefined && lastPage !== pageId) sharedAt = clock.now();
    lastPage = pageId;
  }

  function hasRoom(page: Page, bytes: number): boolean {
    const isShared = Math.abs(clock.now() - sharedAt) < sharedMs;
    const reading = isShared ? bytesMax.readingShared : bytesMax.readingAlone;
    const inFlight = isShared ? bytesMax.inFlightShared : bytesMax.inFlightAlone;
    if (page.inFlight === 0) return true;
    return page.readingBytes + bytes <= reading && page.inFlightBytes + bytes <= inFlight;
  }

  function rests(page: Page): boolean {
    return debts.size > 0 && owedBy(page) >= restAfterBytes;
  }

  function owedBy({ id }: Page): number {
    return debts.get(id)?.bytes ?? 0;
  }

  /** Adds to what the page owes, which one timer ends: one for each charge would run while the next body is worked on. */
  function noteCharge(page: Page, more: number): void {
    left -= more;
    const bytes = owedBy(page) + more;
    clearTimeout(debts.get(page.id)?.timer);
    const isDue = bytes >= restAfterBytes;
    const end = (): void => {
      debts.delete(page.id);
      schedule();
    };
    const timer = setTimeout(end, isDue ? (bytes / restAfterBytes) * restMs : forgetMs);
    // Nobody waits for it, unlike for the end of a rest.
    if (!isDue) timer.unref();
    debts.set(page.id, { bytes, timer });
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(runStretch);
  }

  function runStretch(): void {
    isScheduled = false;
    left = stretchBytes;
    // The loop meets a page that moves to the end again, until the stretch is over or no page has room.
    for (const page of inTurn) {
      if (left <= 0) {
        schedule();
        return;
      }
      const next = page.queue[0];
      if (next === undefined || rests(page) || !hasRoom(page, next.bytes)) continue;
      page.queue.shift();
      inTurn.delete(page);
      if (page.queue.length > 0) inTurn.add(page);
      waitingBytes -= next.bytes;
      left -= next.bytes;
      next.start();
    }
  }

  /** Puts a body into the queue of its page; `run` does its work when it is the page's turn. */
  function wait<T>(
    page: Page,
    bytes: number,
    run: () => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    signal?.throwIfAborted();
    const now = clock.now();
    const isStalled = now - (page.queue[0]?.since ?? now) > waitMsMax;
    if (isStalled || waitingBytes + bytes > waitingBytesMax) {
      throw new ServiceError('storeBusy', { retryAfterSeconds: isStalled ? 5 : 1 });
    }
    waitingBytes += bytes;
    pages.set(page.id, page);
    inTurn.add(page);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        forget(page, waiting);
        reject(signal?.reason);
      };
      const start = (): void => {
        signal?.removeEventListener('abort', leave);
        // At once, so that the stretch counts what the body is charged with.
        resolve(run());
      };
      const waiting = { bytes, since: now, start };
      page.queue.push(waiting);
      signal?.addEventListener('abort', leave);
    });
  }

  /** Takes a body that will not start out of the queue. */
  function forget(page: Page, waiting: Waiting): void {
    page.queue.splice(page.queue.indexOf(waiting), 1);
    waitingBytes -= waiting.bytes;
    if (page.queue.length > 0) return;
    inTurn.delete(page);
    if (page.inFlight === 0) pages.delete(page.id);
  }

  async function run<T>(page: Page, bytes: number, work: (turn: Turn) => Promise<T>): Promise<T> {
    pages.set(page.id, page);
    page.inFlight += 1;
    page.readingBytes += bytes;
    page.inFlightBytes += bytes;
    let [reading, charged] = [bytes, bytes];
    const turn: Turn = {
      end() {
        page.readingBytes -= reading;
        reading = 0;
        if (page.queue.length > 0) schedule();
      },
      charge(to) {
        const more = to - charged;
        if (more <= 0) return;
        page.readingBytes += more;
        page.inFlightBytes += more;
        reading += more;
        charged += more;
        noteCharge(page, more);
      },
    };
    try {
      return await work(turn);
    } finally {
      turn.end();
      page.inFlight -= 1;
      page.inFlightBytes -= charged;
      if (page.queue.length > 0) schedule();
      else if (page.inFlight === 0) pages.delete(page.id);
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
      noteCaller(pageId);
      const page = pages.get(pageId) ?? {
        id: pageId,
        readingBytes: 0,
        inFlightBytes: 0,
        inFlight: 0,
        queue: [],
      };
      const isFree = page.queue.length === 0 && !rests(page) && hasRoom(page, bytes);
      if (isFree) return run(page, bytes, work);
      return wait(page, bytes, () => run(page, bytes, work), leave?.());
    },
  };
}
