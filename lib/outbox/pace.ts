export type Pace = {
  /** Takes the credit of one block and returns 0, or returns the milliseconds until there is one. */
  take(): number;
  /** Takes what credit there is, for a block that does not wait. */
  spend(): void;
};

/**
 * Lets one block leave every `paceMs` milliseconds under sustained load, and up to `burst` at once after a pause.
 * `paceMs` may change between two calls. Counts with a monotonic clock, which no correction of the time can stop.
 */
export function createPace({ paceMs, burst }: { paceMs(): number; burst: number }): Pace {
  let credit = burst;
  let countedAt = performance.now();

  function count(): void {
    const now = performance.now();
    credit = Math.min(burst, credit + Math.max(0, now - countedAt) / paceMs());
    countedAt = now;
  }

  return {
    take() {
      count();
      if (credit < 1) return Math.ceil((1 - credit) * paceMs());
      credit -= 1;
      return 0;
    },
    spend() {
      count();
      credit = Math.max(0, credit - 1);
    },
  };
}
