import cron from 'node-cron';
import type { Installation } from '../../contract/manage/installation.js';
import type { Clock } from '../../lib/clock.js';
import { withTimeout } from '../../lib/timeout.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import type { Backlogs } from '../backlogs.js';
import type { Job } from '../jobs/job.js';
import { listInstances } from './instances.js';

/** A store that does not answer within this time is shown as unavailable. */
const storeMsMax = 3_000;

type Store = Installation['stores']['postgres'];

type Deps = {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  version: string;
  jobs: readonly Job[];
  loadBacklogs(): Promise<Backlogs>;
};

/** Loads the state of the installation. */
export async function loadInstallation(deps: Deps): Promise<Installation> {
  const { sql, clickhouse, clock, version } = deps;
  const [postgres, analytics, instances, jobs, backlogs] = await Promise.all([
    askStore(() => askPostgres(sql)),
    askStore(() => askClickHouse(clickhouse)),
    listInstances({ sql, clock }),
    loadJobs(deps),
    deps.loadBacklogs(),
  ]);
  return {
    version,
    stores: { postgres, clickhouse: analytics },
    instances: instances.map(({ startedAt, seenAt, ...instance }) => ({
      ...instance,
      startedAt: startedAt.toISOString(),
      seenAt: seenAt.toISOString(),
    })),
    jobs,
    backlogs: { batches: backlogs.batches, outbox: backlogs.outbox },
  };
}

async function askStore(ask: () => Promise<Omit<Store, 'isAvailable'>>): Promise<Store> {
  try {
    return { isAvailable: true, ...(await withTimeout(ask(), storeMsMax)) };
  } catch {
    return { isAvailable: false, version: null, bytes: null };
  }
}

async function askPostgres(sql: Sql): Promise<Omit<Store, 'isAvailable'>> {
  const [row] = await sql<{ version: string; bytes: number }[]>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes`;
  return { version: row?.version ?? null, bytes: row?.bytes ?? null };
}

async function askClickHouse(clickhouse: ClickHouseClient): Promise<Omit<Store, 'isAvailable'>> {
  const result = await clickhouse.query({
    query: `
      SELECT version() AS version,
        (SELECT toFloat64(sum(bytes_on_disk)) FROM system.parts WHERE active AND database = currentDatabase()) AS bytes`,
    format: 'JSONEachRow',
  });
  const [row] = await result.json<{ version: string; bytes: number }>();
  return { version: row?.version ?? null, bytes: row?.bytes ?? null };
}

type Lease = {
  job: string;
  startedAt: Date;
  endedAt: Date | null;
  finishedAt: Date | null;
  isHeld: boolean;
};

async function loadJobs({ sql, clock, jobs }: Deps): Promise<Installation['jobs']> {
  const leases = await sql<Lease[]>`
    select job, started_at as "startedAt", finished_at as "finishedAt",
      case when ended_at >= started_at then ended_at end as "endedAt", expires_at > ${new Date(clock.now())} as "isHeld"
    from job_leases`;
  const byJob = new Map(leases.map((lease) => [lease.job, lease]));
  return jobs.map((job) => {
    const { name, summary, schedule } = job;
    const lease = byJob.get(name);
    return {
      ...{ name, summary, schedule },
      isRunning: (lease?.isHeld ?? false) && lease?.endedAt === null,
      lastRun: lease === undefined ? null : toRun(lease),
      nextRunAt: nextRunOf(job)?.toISOString() ?? null,
    };
  });
}

function toRun({ startedAt, endedAt, finishedAt }: Lease) {
  return {
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    succeededAt: finishedAt?.toISOString() ?? null,
  };
}

/** Returns when a job is due next; `undefined` when its schedule has no such time. */
function nextRunOf({ schedule }: Job): Date | undefined {
  const task = cron.createTask(schedule, () => {}, { timezone: 'UTC' });
  const [next] = task.getNextRuns(1);
  task.destroy();
  return next;
}
