import cron, { type ScheduledTask } from 'node-cron';
import { secondMs } from '../../lib/times.js';
import type { Job, JobDeps } from './job.js';
import { findAbandoned, runLeased } from './lease.js';

export type Schedule = {
  /** Starts no further run, asks the current ones to end early, and resolves when they have ended. */
  stop(): Promise<void>;
};

/** With a lease of 30 s, the run of an instance that crashed is repeated within 40 s of the crash. */
const findAbandonedEveryMs = 10_000;
/** A run that finished within half of the time between runs is the one that is due now: clocks of instances differ by seconds. */
const sameRunMsOf = ({ everySeconds = 60 }: Job): number => (everySeconds * secondMs) / 2;

/**
 * Runs each job when it is due, on the first instance that takes its lease. A run that fails is logged, and repeated
 * when the job is next due; a run that was cut off because its instance crashed is repeated at once.
 */
export function startSchedule(jobs: readonly Job[], jobDeps: Omit<JobDeps, 'signal'>): Schedule {
  const stopping = new AbortController();
  const deps: JobDeps = { ...jobDeps, signal: stopping.signal };
  const running = new Set<Promise<void>>();

  async function run(job: Job): Promise<void> {
    const startedAt = deps.clock.now();
    try {
      const ran = await runLeased(job, deps, startedAt - sameRunMsOf(job));
      if (ran) deps.log.debug({ job: job.name, ms: deps.clock.now() - startedAt }, 'A job has run.');
    } catch (err) {
      deps.log.error({ job: job.name, err }, 'A job failed; it runs again when it is next due.');
    }
  }

  function begin(job: Job): void {
    const ended = run(job).finally(() => running.delete(ended));
    running.add(ended);
  }

  async function repeatAbandoned(): Promise<void> {
    try {
      for (const job of await findAbandoned(jobs, deps)) begin(job);
    } catch (err) {
      deps.log.warn(
        { err },
        'PostgreSQL did not say which runs of jobs were cut off; the next attempt follows in 10 s.',
      );
    }
  }

  const timer = setInterval(repeatAbandoned, findAbandonedEveryMs);
  timer.unref();
  const tasks: ScheduledTask[] = jobs.map((job) =>
    cron.schedule(job.schedule, () => begin(job), { timezone: 'UTC', name: job.name }),
  );

  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(running);
    },
  };
}
