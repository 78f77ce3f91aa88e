export type Progress = {
  /** Counts a step that was estimated at so many seconds. */
  done(seconds: number, name: string): void;
};

/**
 * Says on standard error how far a benchmark is and how long the rest takes, so that its output holds figures only.
 *
 * @param secondsInAll the estimate of all steps. The rest is estimated from how long the first steps took.
 */
export function startProgress(secondsInAll: number): Progress {
  const startedAt = performance.now();
  let estimated = 0;
  say(`This takes about ${minutes(secondsInAll)}.`);
  return {
    done(seconds, name) {
      estimated += seconds;
      const share = estimated / secondsInAll;
      const leftSeconds = ((performance.now() - startedAt) / 1000 / share) * (1 - share);
      say(`  ${(share * 100).toFixed(0).padStart(3)} %, about ${minutes(leftSeconds)} left: ${name}`);
    },
  };
}

function minutes(seconds: number): string {
  return seconds < 90 ? `${Math.max(0, seconds).toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
