import { randomUUID } from 'node:crypto';
import type { Job, JobDeps } from '../../sql/job.js';

/** How long an instance that dies in the middle of a job keeps it from others. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;
/** Clocks of instances differ by less. What is further ahead was written down before the clock was put back. */
const clocksDifferMsMax = 60_000;

/**
 * Runs a job unless another instance is running it, or has finished it since `dueAt`. Answers whether it ran.
 *
 * @param dueAt when the run was due, in milliseconds; of N instances whose clocks strike, the first one runs.
 */
export async function runLeased(job: Job, deps: JobDeps, dueAt: number): Promise<boolean> {
  const holder = randomUUID();
  if (!(await takeLease(job, deps, holder, dueAt))) return false;
  const stopRenewing = renew(job, deps, holder);
  let finishedAt: Date | null = null;
  try {
    await job.run(deps);
    finishedAt = new Date(deps.clock.now());
  } finally {
    await stopRenewing();
    const now = new Date(deps.clock.now());
    await deps.sql`
      UPDATE job_leases SET expires_at = ${now}, ended_at = ${now}, finished_at = coalesce(${finishedAt}, finished_at)
      WHERE job = ${job.name} AND holder = ${holder}`;
  }
  return true;
}

/** Of these jobs, the ones whose last run was cut off: its instance died, and its lease is over. */
export async function findAbandoned(
  jobs: readonly Job[],
  { sql, clock }: Pick<JobDeps, 'sql' | 'clock'>,
): Promise<Job[]> {
  const rows = await sql<{ job: string }[]>`
    SELECT job FROM job_leases
    WHERE expires_at <= ${new Date(clock.now())} AND (ended_at IS NULL OR ended_at < started_at)`;
  const names = new Set(rows.map(({ job }) => job));
  return jobs.filter(({ name }) => names.has(name));
}

async function takeLease(job: Job, { sql, clock }: JobDeps, holder: string, dueAt: number): Promise<boolean> {
  const now = new Date(clock.now());
  const expiresAt = new Date(clock.now() + leaseMs);
  const impossible = {
    end: new Date(clock.now() + leaseMs + clocksDifferMsMax),
    finish: new Date(clock.now() + clocksDifferMsMax),
  };
  const taken = await sql`
    INSERT INTO job_leases AS held (job, holder, expires_at, started_at)
    VALUES (${job.name}, ${holder}, ${expiresAt}, ${now})
    ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at, started_at = excluded.started_at
    WHERE (held.expires_at <= ${now} OR held.expires_at > ${impossible.end})
      AND (held.finished_at IS NULL OR held.finished_at < ${new Date(dueAt)} OR held.finished_at > ${impossible.finish})`;
  return taken.count === 1;
}

/** Until it is stopped. A renewal that fails is made up for by the next one; two of them fit into a lease. */
function renew(job: Job, { sql, clock, log }: JobDeps, holder: string): () => Promise<void> {
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = extend().catch((err) =>
      log.warn({ job: job.name, err }, 'The lease of a job was not renewed.'),
    );
  }, renewEveryMs);
  timer.unref();

  async function extend(): Promise<void> {
    await sql`
      UPDATE job_leases SET expires_at = ${new Date(clock.now() + leaseMs)}
      WHERE job = ${job.name} AND holder = ${holder}`;
  }

  return async () => {
    clearInterval(timer);
    await renewing;
  };
}
