import type { Clock } from '../../lib/clock.js';

/** A clock that is a second further each time it is asked, so that nothing has the same time as another. */
export function tickingClock(begin: number): Clock {
  let now = begin;
  return {
    now() {
      now += 1_000;
      return now;
    },
  };
}
