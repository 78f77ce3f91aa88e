import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { secondMs } from '../../lib/times.js';

/** Bytes of waiting bodies that start in one stretch, before the process looks at its sockets again: some 20 ms. */
const stretchBytes = 2 * 1024 * 1024;
/** Bytes of the bodies of all pages that wait for their turn. */
const waitingBytesMax = 128 * 1024 * 1024;
/**
 * When a page's oldest body has waited for longer, further bodies of the page are refused: the store hangs, or the page sends
 * more than its turns, with its rests, let through.
 */
const waitMsMax = 7 * secondMs;

type Waiting = { bytes: number; since: number; start(): void };

/** The bodies of a page that wait, in the order of their arrival. */
export type Queue = { readonly queue: Waiting[] };

type Deps<Page> = {
  clock: Clock;
  /** Whether the page has room for a body of this size. */
  mayStart(page: Page, bytes: number): boolean;
  /** Called when the last body of a page has left its queue without its turn. */
  onEmpty(page: Page): void;
};

/** Keeps the bodies that wait, and starts them when their page may: pages go one body each in turn. */
export function createWaitingBodies<Page extends Queue>({ clock, mayStart, onEmpty }: Deps<Page>) {
  /** Pages with a queue; the next in turn comes first. */
  const inTurn = new Set<Page>();
  let waitingBytes = 0;
  /** Bytes of waiting bodies that may still start in this stretch. */
  let left = 0;
  let isScheduled = false;

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
      if (next === undefined || !mayStart(page, next.bytes)) continue;
      page.queue.shift();
      inTurn.delete(page);
      if (page.queue.length > 0) inTurn.add(page);
      waitingBytes -= next.bytes;
      left -= next.bytes;
      next.start();
    }
  }

  /** Takes a body that will not start out of the queue. */
  function forget(page: Page, waiting: Waiting): void {
    page.queue.splice(page.queue.indexOf(waiting), 1);
    waitingBytes -= waiting.bytes;
    if (page.queue.length > 0) return;
    inTurn.delete(page);
    onEmpty(page);
  }

  return {
    /** Looks soon for bodies that may start. */
    schedule,
    /** Takes bytes from the current stretch. */
    spend(bytes: number): void {
      left -= bytes;
    },
    /**
     * Puts a body into the queue of its page; `run` does its work when it is the page's turn.
     *
     * @throws ServiceError `storeBusy` when too much waits already, or the reason of the signal.
     */
    wait<T>(page: Page, bytes: number, run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
      signal?.throwIfAborted();
      const now = clock.now();
      const isStalled = now - (page.queue[0]?.since ?? now) > waitMsMax;
      if (isStalled || waitingBytes + bytes > waitingBytesMax) {
        throw new ServiceError('storeBusy', { retryAfterSeconds: isStalled ? 5 : 1 });
      }
      waitingBytes += bytes;
      inTurn.add(page);
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          forget(page, waiting);
          reject(signal?.reason);
        };
        const start = (): void => {
          signal?.removeEventListener('abort', leave);
          // At once, so that the stretch counts the charges of the body.
          resolve(run());
        };
        const waiting = { bytes, since: now, start };
        page.queue.push(waiting);
        signal?.addEventListener('abort', leave);
      });
    },
  };
}
