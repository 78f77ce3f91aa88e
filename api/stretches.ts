/** Work of one owner. Returns how many bytes it counts for. */
type Job = () => number;

/** Does a job at once, or when it is the turn of its owner. A job must not throw. */
export type InTurn = (owner: object, job: Job) => void;

/**
 * Bounds the work between two looks at the sockets: jobs for `bytesMax` bytes and a last one run in a stretch, at once.
 * Further jobs wait for the next turn of the event loop, where owners take turns, one job each. Whoever adds jobs bounds
 * how many there are.
 */
export function createStretches(bytesMax: number): InTurn {
  const waiting = new Map<object, Job[]>();
  let left = bytesMax;
  let isScheduled = false;

  function spend(job: Job): void {
    left -= job();
    schedule();
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(startStretch);
  }

  function startStretch(): void {
    isScheduled = false;
    left = bytesMax;
    // The loop meets an owner that moves to the end again, until the stretch is over or nobody waits.
    for (const [owner, jobs] of waiting) {
      if (left <= 0) break;
      const [next] = jobs.splice(0, 1);
      waiting.delete(owner);
      if (jobs.length > 0) waiting.set(owner, jobs);
      if (next !== undefined) spend(next);
    }
    if (waiting.size > 0) schedule();
  }

  return (owner, job) => {
    if (left > 0 && waiting.size === 0) return spend(job);
    const jobs = waiting.get(owner);
    if (jobs === undefined) waiting.set(owner, [job]);
    else jobs.push(job);
  };
}
