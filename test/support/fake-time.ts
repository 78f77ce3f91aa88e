import { Clock } from '@tapjs/clock';
import type { Test } from 'tap';

const realSetImmediate = setImmediate;

/**
 * Stops the time of a test: only the returned function advances Date and the timers. It lets promises settle at every
 * step.
 */
export function stopTime(t: Test): (ms: number) => Promise<void> {
  const clock = new Clock();
  clock.travel(Date.UTC(2026, 0, 31, 12));
  t.teardown(clock.enter());
  return async (ms) => {
    const stepMs = ms > 5_000 ? 50 : 5;
    for (let passed = 0; passed <= ms; passed += stepMs) {
      clock.advance(passed === 0 ? 0 : stepMs);
      await new Promise((resolve) => realSetImmediate(resolve));
    }
  };
}
