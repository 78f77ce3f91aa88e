import type { JobRun } from '../../contract/manage/installation.js';
import type { Actor } from '../../control/audit/index.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Job, JobDeps } from '../jobs/job.js';
import { beginLeased } from '../jobs/lease.js';

/** A run that takes longer goes on after the answer. */
const waitMs = 5_000;

export type JobRuns = {
  /**
   * Runs a job now, whether or not it is due. Resolves when it has ended, or after 5 s.
   *
   * @throws ServiceError `notFound` when there is no such job, `conflict` while it runs.
   */
  run(name: string, by: Actor): Promise<JobRun>;
  /** Resolves when the runs that were asked for have ended. */
  stop(): Promise<void>;
};

/** Runs jobs that people ask for, with the lease that keeps a job from running twice at a time. */
export function createJobRuns(jobs: readonly Job[], deps: JobDeps): JobRuns {
  const running = new Set<Promise<void>>();

  async function begin(job: Job, by: Actor): Promise<{ ended: Promise<JobRun['state']> }> {
    const begun = await beginLeased(job, deps, deps.clock.now(), by);
    if (begun === undefined) {
      throw new ServiceError('conflict', { message: `The job ${job.name} is running right now.` });
    }
    const ended = begun.ended.then(
      () => 'succeeded' as const,
      (err) => {
        deps.log.error({ job: job.name, err }, 'A job that was asked for failed.');
        return 'failed' as const;
      },
    );
    const tracked = ended.then(() => void running.delete(tracked));
    running.add(tracked);
    return { ended };
  }

  return {
    async run(name, by) {
      const job = jobs.find((known) => known.name === name);
      if (job === undefined) throw new ServiceError('notFound', { message: `There is no job "${name}".` });
      const { ended } = await begin(job, by);
      return { job: name, state: await firstOf(ended) };
    },
    async stop() {
      await Promise.all(running);
    },
  };
}

function firstOf(ended: Promise<JobRun['state']>): Promise<JobRun['state']> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('running'), waitMs);
    void ended.then((state) => {
      clearTimeout(timer);
      resolve(state);
    });
  });
}
