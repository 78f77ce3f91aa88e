import { randomUUID } from 'node:crypto';
import type { Job, JobDeps } from './job.js';

/** Longer than a job takes; an instance that dies in the middle of one keeps it from others for this long. */
const leaseSeconds = 600;

/**
 * Runs a job unless another instance is running it, or has finished it since `dueAt`. Answers whether it ran.
 *
 * @param dueAt when the run was due, in milliseconds; of N instances whose clocks strike, the first one runs.
 */
export async function runLeased(job: Job, deps: JobDeps, dueAt: number): Promise<boolean> {
  const holder = randomUUID();
  if (!(await takeLease(job, deps, holder, dueAt))) return false;
  let finishedAt: Date | null = null;
  try {
    await job.run(deps);
    finishedAt = new Date(deps.clock.now());
  } finally {
    await deps.sql`
      UPDATE job_leases SET expires_at = ${new Date(deps.clock.now())}, finished_at = coalesce(${finishedAt}, finished_at)
      WHERE job = ${job.name} AND holder = ${holder}`;
  }
  return true;
}

async function takeLease(job: Job, { sql, clock }: JobDeps, holder: string, dueAt: number): Promise<boolean> {
  const now = new Date(clock.now());
  const expiresAt = new Date(clock.now() + leaseSeconds * 1000);
  const taken = await sql`
    INSERT INTO job_leases AS held (job, holder, expires_at, started_at)
    VALUES (${job.name}, ${holder}, ${expiresAt}, ${now})
    ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, started_at = excluded.started_at
    WHERE held.expires_at <= ${now} AND (held.finished_at IS NULL OR held.finished_at < ${new Date(dueAt)})`;
  return taken.count === 1;
}
