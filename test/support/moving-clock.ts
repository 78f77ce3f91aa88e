import type { Clock } from '../../lib/clock.js';

export type MovingClock = Clock & { advance(ms: number): void };

/** The system's clock, which a test can put forward: the timers of the service go on by real time. */
export function makeMovingClock(): MovingClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms;
    },
  };
}
