import cron, { type ScheduledTask } from 'node-cron';
import type { Job, JobDeps } from '../../sql/job.js';
import { findAbandoned, runLeased } from './lease.js';

export type Schedule = {
  /** Starts no further run, and resolves when those under way have ended. */
  stop(): Promise<void>;
};

/** With the length of a lease, a run of an instance that died is made up for within 40 s of its death. */
const lookForAbandonedMs = 10_000;

/**
 * Runs each job when it is due, on whichever instance is first. A run that fails is logged and due again next time;
 * one that was cut off, because its instance died, is run again.
 */
export function startSchedule(jobs: readonly Job[], deps: JobDeps): Schedule {
  const running = new Set<Promise<void>>();

  async function run(job: Job): Promise<void> {
    const startedAt = deps.clock.now();
    try {
      // Clocks of instances differ by seconds; a run that finished within the last half minute was this one.
      const ran = await runLeased(job, deps, startedAt - 30_000);
      if (ran) deps.log.debug({ job: job.name, ms: deps.clock.now() - startedAt }, 'A job has run.');
    } catch (err) {
      deps.log.error({ job: job.name, err }, 'A job failed; it runs again when it is next due.');
    }
  }

  function begin(job: Job): void {
    const ended = run(job).finally(() => running.delete(ended));
    running.add(ended);
  }

  async function makeUp(): Promise<void> {
    try {
      for (const job of await findAbandoned(jobs, deps)) begin(job);
    } catch (err) {
      deps.log.warn({ err }, 'It cannot be told whether the run of a job was cut off.');
    }
  }

  const timer = setInterval(makeUp, lookForAbandonedMs);
  timer.unref();
  const tasks: ScheduledTask[] = jobs.map((job) =>
    cron.schedule(job.schedule, () => begin(job), { timezone: 'UTC', name: job.name }),
  );

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(tasks.map((task) => task.destroy()));
      await Promise.all(running);
    },
  };
}
