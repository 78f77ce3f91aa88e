import { createPace } from './pace.js';

type Options = {
  /** As for createPace(). */
  paceMs(): number;
  burst: number;
  /** Whether a block waits and none is in flight. */
  mayLeave(): boolean;
  leave(): void;
};

/** Lets the block that waits leave at the next turn of the event loop at the earliest, as the pace allows. */
export function createDeparture({ paceMs, burst, mayLeave, leave }: Options) {
  const pace = createPace({ paceMs, burst });
  let cancelTimer: (() => void) | undefined;
  let isUrgent = false;

  function schedule(): void {
    if (cancelTimer !== undefined || !mayLeave()) return;
    if (isUrgent) pace.spend();
    const waitMs = isUrgent ? 0 : pace.take();
    if (waitMs > 0) {
      const timer = setTimeout(again, waitMs);
      cancelTimer = () => clearTimeout(timer);
    } else {
      // In the next turn: requests that have been read already join the block first.
      const timer = setImmediate(() => {
        cancelTimer = undefined;
        leave();
      });
      cancelTimer = () => clearImmediate(timer);
    }
  }

  function again(): void {
    cancel();
    schedule();
  }

  /** Keeps the block that waits from leaving. */
  function cancel(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  return {
    schedule,
    cancel,
    /** Lets blocks leave whatever the pace, until calmDown(). */
    hurry(): void {
      isUrgent = true;
      again();
    },
    calmDown(): void {
      isUrgent = false;
    },
  };
}
