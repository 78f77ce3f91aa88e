import type { Clock } from '../../lib/clock.js';

export type MovingClock = Clock & { advance(ms: number): void };

/** The system clock plus an offset that a test can advance. The timers of the service still follow real time. */
export function makeMovingClock(): MovingClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms;
    },
  };
}

/** A clock that only the test advances, so that nothing becomes due on a slow machine before the test looks. */
export function makeStoppedClock(): MovingClock {
  let now = Date.now();
  return {
    now: () => now,
    advance(ms) {
      now += ms;
    },
  };
}
