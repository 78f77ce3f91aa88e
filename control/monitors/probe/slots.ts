import type { PageId } from '../../../lib/ids.js';

type Waiting = { pageId: PageId; start: () => void };

export type Slots = {
  /** Calls `work` as soon as a slot is free for the page; the slot is free again when the work has ended. */
  run(pageId: PageId, work: () => Promise<void>): void;
  /** Forgets what waits. */
  clear(): void;
};

/**
 * Bounds how many checks run at once, and how many of one page: targets that are silent hold a slot until their
 * timeout, and those of one tenant must leave room for others.
 */
export function createSlots({ max, perPage }: { max: number; perPage: number }): Slots {
  const running = new Map<PageId, number>();
  let count = 0;
  let waiting: Waiting[] = [];

  const isFree = (pageId: PageId): boolean => count < max && (running.get(pageId) ?? 0) < perPage;

  function take(pageId: PageId, change: 1 | -1): void {
    const left = (running.get(pageId) ?? 0) + change;
    if (left === 0) running.delete(pageId);
    else running.set(pageId, left);
    count += change;
  }

  function startNext(): void {
    const index = waiting.findIndex(({ pageId }) => isFree(pageId));
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    next?.start();
  }

  return {
    run(pageId, work) {
      const start = (): void => {
        take(pageId, 1);
        void work().finally(() => {
          take(pageId, -1);
          startNext();
        });
      };
      if (isFree(pageId)) start();
      else waiting.push({ pageId, start });
    },
    clear() {
      waiting = [];
    },
  };
}
