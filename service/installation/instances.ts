import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../lib/clock.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

const writeEveryMs = 10_000;
/** An instance that was not seen for this long does not run. */
const silentMsMax = minuteMs;

export type Instance = {
  id: string;
  host: string;
  process: number;
  version: string;
  roles: string[];
  startedAt: Date;
  seenAt: Date;
};

/**
 * Records that this process runs, every ten seconds until it is stopped. What PostgreSQL does not take is written ten
 * seconds later.
 */
export function announceInstance({
  sql,
  clock,
  version,
  roles,
}: {
  sql: Sql;
  clock: Clock;
  version: string;
  roles: ReadonlySet<string>;
}): { stop(): Promise<void> } {
  const id = randomUUID();
  const startedAt = new Date(clock.now());
  let writing = write();

  async function write(): Promise<void> {
    const now = clock.now();
    const row = { id, host: hostname(), process: process.pid, version, roles: [...roles] };
    await withQueryTimeout(
      sql`
        insert into instances (id, host, process, version, roles, started_at, seen_at)
        values (${row.id}, ${row.host}, ${row.process}, ${row.version}, ${row.roles}::text[], ${startedAt}, ${new Date(now)})
        on conflict (id) do update set seen_at = excluded.seen_at`,
    ).catch(() => {});
    await withQueryTimeout(sql`delete from instances where seen_at < ${new Date(now - dayMs)}`).catch(
      () => {},
    );
  }

  const timer = setInterval(() => {
    writing = write();
  }, writeEveryMs);
  timer.unref();

  return {
    async stop() {
      clearInterval(timer);
      await writing;
      await withQueryTimeout(sql`delete from instances where id = ${id}`).catch(() => {});
    },
  };
}

/** Lists the processes of the service that run, the longest first. */
export async function listInstances({ sql, clock }: { sql: Sql; clock: Clock }): Promise<Instance[]> {
  return sql<Instance[]>`
    select id, host, process, version, roles, started_at as "startedAt", seen_at as "seenAt" from instances
    where seen_at > ${new Date(clock.now() - silentMsMax)} order by started_at, id`;
}
