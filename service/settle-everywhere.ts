import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { createLru } from '../lib/lru.js';
import { shareNextResult } from '../lib/share-result.js';
import { endsWithin } from '../lib/timeout.js';

/** The events of a page that other processes of this instance have acknowledged and the store lacks. */
export type OthersSettled = {
  /** When the oldest of their events arrived that still waits, in milliseconds since the epoch; absent when none does. */
  oldest?: number;
  /** Whether this holds for every process. */
  isWhole: boolean;
};

/** Brings the events of a page that the other processes have acknowledged to the store. Does not reject. */
export type SettleOthers = (pageId: PageId) => Promise<OthersSettled>;

type Deps = {
  /** Does the same in this process; see `Commit.settle`. */
  settleOwn(pageId: PageId): Promise<number | undefined>;
  settleOthers: SettleOthers;
  clock: Clock;
};

/** A process has 2.25 s for its answer; the rest is for the way. A busy page waits for a turn of its ask as well. */
const waitMs = 2_500;
/** Some 100 bytes each. */
const pagesMax = 10_000;

/**
 * Returns a function that brings everything that this instance has acknowledged for a page to the store, as `Commit.settle`
 * does for a process. A page asks the other processes once at a time: a read during an ask waits for the next one, because
 * the one that runs may have passed an event that was acknowledged since. When a process does not answer in time, the
 * result is the time up to which an earlier read of the page had it all, or the start of this function.
 */
export function createSettle({ settleOwn, settleOthers, clock }: Deps): Deps['settleOwn'] {
  const startedAt = clock.now();
  const wholeUntil = createLru<PageId, number>(pagesMax);
  const ask = shareNextResult(settleOthers);

  async function askInTime(pageId: PageId): Promise<OthersSettled> {
    const asked = ask(pageId);
    return (await endsWithin(asked, waitMs)) ? asked : { isWhole: false };
  }

  return async (pageId) => {
    const now = clock.now();
    const [own, { oldest: others, isWhole }] = await Promise.all([settleOwn(pageId), askInTime(pageId)]);
    const oldest = earlier(own, others);
    if (!isWhole) return earlier(oldest, wholeUntil.get(pageId) ?? startedAt);
    wholeUntil.set(pageId, oldest ?? now);
    return oldest;
  };
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
