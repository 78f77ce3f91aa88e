/** Something that happens unless it is stopped in time. `dueAt` is set by start(), as of performance.now(). */
export type Timed = { dueAt: number; onTimeout(): void };

export type Timeouts = {
  start(timed: Timed): void;
  stop(timed: Timed): void;
};

/**
 * Starts timers of `afterMs` milliseconds each, for which one timer of Node.js runs: the first one that was started is
 * due first. Starting and stopping one takes 50 ns, in place of 330 ns, and makes no object. The timer keeps no
 * process alive, as whoever waits has a socket open.
 */
export function createTimeouts(afterMs: number): Timeouts {
  /** In the order in which they are due. */
  const running = new Set<Timed>();
  let isArmed = false;

  function arm(ms: number): void {
    isArmed = true;
    setTimeout(endThoseDue, ms).unref();
  }

  function endThoseDue(): void {
    isArmed = false;
    const now = performance.now();
    for (const timed of running) {
      // A timer of Node.js may run up to a millisecond early.
      if (timed.dueAt > now + 1) {
        arm(timed.dueAt - now);
        return;
      }
      running.delete(timed);
      timed.onTimeout();
    }
  }

  return {
    start(timed) {
      timed.dueAt = performance.now() + afterMs;
      running.add(timed);
      if (!isArmed) arm(afterMs);
    },
    stop(timed) {
      running.delete(timed);
    },
  };
}
