import type { Clock } from '../../lib/clock.js';

/** Advances by a second with each reading, so that no two times are equal. */
export function tickingClock(begin: number): Clock {
  let now = begin;
  return {
    now() {
      now += 1_000;
      return now;
    },
  };
}
