import type { PageId } from '../../lib/ids.js';
import { secondMs } from '../../lib/times.js';

/**
 * Charged bytes for which a page rests, and how long. They are 105,000 empty spans, which take 8 ms of an idle core, and
 * 36 ms where the machine is busy.
 */
const restAfterBytes = 1024 * 1024;
const restMs = 36;
/** A page that is charged with less forgets it after this long without a charge, so that no page owes for ever. */
const forgetMs = 1 * secondMs;

/** Bytes that a page was charged with and has not rested for, and when that ends. */
type Debt = { bytes: number; timer: NodeJS.Timeout };

/**
 * Lets pages rest whose bodies took more work than their length says: a batch of another page goes through the process in
 * several steps, each of which would wait for one such body.
 *
 * @param onEnd is called when a page has rested.
 */
export function createPageRests(onEnd: () => void) {
  const debts = new Map<PageId, Debt>();
  const owedBy = (pageId: PageId): number => debts.get(pageId)?.bytes ?? 0;

  return {
    /** Whether the page rests now. */
    has: (pageId: PageId): boolean => debts.size > 0 && owedBy(pageId) >= restAfterBytes,

    /** Adds to the debt of a page, which one timer ends: one for each charge would run while the next body is worked on. */
    charge(pageId: PageId, more: number): void {
      const bytes = owedBy(pageId) + more;
      clearTimeout(debts.get(pageId)?.timer);
      const isDue = bytes >= restAfterBytes;
      const end = (): void => {
        debts.delete(pageId);
        onEnd();
      };
      const timer = setTimeout(end, isDue ? (bytes / restAfterBytes) * restMs : forgetMs);
      // Nobody waits for it, unlike for the end of a rest.
      if (!isDue) timer.unref();
      debts.set(pageId, { bytes, timer });
    },
  };
}
