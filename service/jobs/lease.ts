import { randomUUID } from 'node:crypto';
import { type Actor, recordChange } from '../../control/audit/index.js';
import { clocksDifferMsMax, isUnclaimed } from '../../sql/claim.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Job, JobDeps } from './job.js';

/** How long an instance that crashes during a job keeps it from others. */
const leaseMs = 30_000;
const renewEveryMs = 10_000;

/**
 * Runs a job unless another instance is running it, or has finished it since `dueAt`. Returns whether the job ran.
 *
 * @param dueAt when the run was due, in milliseconds since the epoch. When it is due on N instances, the first one runs.
 * @param by who asks for the run; the audit log gets a row, and without it the job does not run. A run on schedule has
 *   nobody and no row.
 */
export async function runLeased(job: Job, deps: JobDeps, dueAt: number, by?: Actor): Promise<boolean> {
  const run = await beginLeased(job, deps, dueAt, by);
  await run?.ended;
  return run !== undefined;
}

/**
 * The same, but returns once the job runs: `ended` resolves when it has, and rejects when it fails. Returns `undefined`
 * when it does not run.
 */
export async function beginLeased(
  job: Job,
  deps: JobDeps,
  dueAt: number,
  by?: Actor,
): Promise<{ ended: Promise<void> } | undefined> {
  const holder = randomUUID();
  const now = deps.clock.now();
  const isTaken = await inTransaction(deps.sql, async (tx) => {
    const taken = await takeLease(tx, job, { holder, dueAt, now });
    if (taken && by !== undefined) await recordRun(tx, job, { by, now });
    return taken;
  });
  return isTaken ? { ended: runHolding(job, deps, holder) } : undefined;
}

function recordRun(tx: Transaction, { name }: Job, audit: { by: Actor; now: number }): Promise<void> {
  return recordChange(tx, audit, {
    pageId: null,
    action: 'job.run',
    target: { type: 'job', id: name, name },
    before: null,
    after: { startedAt: new Date(audit.now) },
  });
}

async function runHolding(job: Job, deps: JobDeps, holder: string): Promise<void> {
  const stopRenewing = renew(job, deps, holder);
  let finishedAt: Date | null = null;
  try {
    await job.run(deps);
    finishedAt = new Date(deps.clock.now());
  } finally {
    await stopRenewing();
    const now = new Date(deps.clock.now());
    await deps.sql`
      update job_leases
      set expires_at = ${now}, ended_at = ${now}, finished_at = coalesce(${finishedAt}, finished_at)
      where job = ${job.name} and holder = ${holder}`;
  }
}

/** Finds when the last run of a job that succeeded ended, in milliseconds since the epoch; `undefined` before the first. */
export async function findFinishedAt(
  { sql }: Pick<JobDeps, 'sql'>,
  name: string,
): Promise<number | undefined> {
  const [row] = await sql<{ finishedAt: Date | null }[]>`
    select finished_at as "finishedAt" from job_leases where job = ${name}`;
  return row?.finishedAt?.getTime();
}

/** Returns the jobs whose last run was cut off: its instance crashed, and the lease has expired. */
export async function findAbandoned(
  jobs: readonly Job[],
  { sql, clock }: Pick<JobDeps, 'sql' | 'clock'>,
): Promise<Job[]> {
  const rows = await sql<{ job: string }[]>`
    select job from job_leases
    where expires_at <= ${new Date(clock.now())} and (ended_at is null or ended_at < started_at)`;
  const names = new Set(rows.map(({ job }) => job));
  return jobs.filter(({ name }) => names.has(name));
}

async function takeLease(
  tx: Transaction,
  job: Job,
  { holder, dueAt, now }: { holder: string; dueAt: number; now: number },
): Promise<boolean> {
  const impossibleFinish = new Date(now + clocksDifferMsMax);
  const taken = await tx`
    insert into job_leases as held (job, holder, expires_at, started_at)
    values (${job.name}, ${holder}, ${new Date(now + leaseMs)}, ${new Date(now)})
    on conflict (job) do update
      set holder = excluded.holder, expires_at = excluded.expires_at, started_at = excluded.started_at
    where ${isUnclaimed(tx, 'held.expires_at', { now, leaseMs })}
      and (held.finished_at is null or held.finished_at < ${new Date(dueAt)} or held.finished_at > ${impossibleFinish})`;
  return taken.count === 1;
}

/** Renews the lease until the returned function is called. Two renewals fit into a lease, so one of them may fail. */
function renew(job: Job, { sql, clock, log }: JobDeps, holder: string): () => Promise<void> {
  let renewing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    renewing = extend().catch((err) =>
      log.warn(
        { job: job.name, err },
        'The lease of a job was not renewed; the next attempt follows in 10 s.',
      ),
    );
  }, renewEveryMs);
  timer.unref();

  async function extend(): Promise<void> {
    await sql`
      update job_leases set expires_at = ${new Date(clock.now() + leaseMs)}
      where job = ${job.name} and holder = ${holder}`;
  }

  return async () => {
    clearInterval(timer);
    await renewing;
  };
}
