import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Cuts long work into slices, so that the event loop serves others in between. Call the returned function with each
 * piece of work that was done, in any unit; when a slice is full, it returns a promise to wait for before the next
 * piece. Work is counted and not timed: a clock would be read for each piece.
 */
export function createSlices(workMax: number): (work: number) => Promise<void> | undefined {
  let done = 0;
  return (work) => {
    done += work;
    if (done < workMax) return undefined;
    done = 0;
    return nextTurn();
  };
}
