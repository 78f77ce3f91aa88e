import { cliActor } from '../../control/audit/index.js';
import { createPage } from '../../control/pages/index.js';
import { type IncidentId, type MonitorId, newId, type PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import { computePoints } from '../../rollups/compute-points.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { migrate } from '../../sql/migrate.js';
import { type ClickHouseClient, ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Measures the time to compute points: three months, one minute, and the change of one maintenance. */
const monitors = 200;
const days = 90;
const everySeconds = 60;
const monitorsPerInsert = 10;

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl);
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await migrate({ sql, clickhouse, log });
  const time = { now: Math.floor(Date.now() / 60_000) * 60_000 };
  const reads = { rows: 0 };
  const deps: JobDeps = {
    sql,
    clickhouse: countReads(clickhouse, reads),
    clickhouseOf: () => clickhouse,
    clock: { now: () => time.now },
    log,
  };
  const measure = async (what: string): Promise<void> => {
    reads.rows = 0;
    const startedAt = performance.now();
    await computePoints(deps);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(2).padStart(7);
    line(`${what.padEnd(62)} ${seconds} s  ${reads.rows.toLocaleString('en').padStart(13)} rows read`);
  };

  const owners = await makeMonitors(sql, time.now);
  const begin = time.now - days * dayMs;
  for (let from = 0; from < owners.length; from += monitorsPerInsert) {
    await fill(clickhouse, owners.slice(from, from + monitorsPerInsert), begin, time.now);
  }
  const checks = (monitors * days * dayMs) / (everySeconds * 1000);
  line(`${checks.toLocaleString('en')} checks: ${monitors} monitors, every ${everySeconds} s, ${days} days`);
  await measure('all of it');
  await measure('again, with nothing new but the last two minutes');
  for (let minute = 1; minute <= 3; minute += 1) {
    await fill(clickhouse, owners, time.now, time.now + 60_000);
    time.now += 60_000;
    await measure('a minute later, with a check of each monitor');
  }
  const incidentId = await schedule(sql, owners[0], time.now - 30 * dayMs);
  await measure('the same minute, and one maintenance announced afterwards');
  await sql`update incidents set started_at = started_at + interval '3 days',
    scheduled_end_at = scheduled_end_at + interval '3 days' where id = ${incidentId}`;
  await measure('the same minute, and that maintenance moved by three days');
  await clickhouse.close();
  await sql.end();
});

type Owner = { pageId: PageId; monitorId: MonitorId };

async function makeMonitors(sql: Sql, now: number): Promise<[Owner, ...Owner[]]> {
  const clock = { now: () => now };
  const page = await createPage(
    { sql, clock, by: cliActor('bench') },
    { slug: 'bench', hostname: 'bench.localhost' },
  );
  const make = async (number: number): Promise<Owner> => {
    const monitorId = newId<MonitorId>(now);
    await sql`
      insert into monitors (id, page_id, slug, name, url, created_at)
      values (${monitorId}, ${page.id}, ${`monitor-${number}`}, 'Monitor', 'https://example.com/', ${new Date(now)})`;
    return { pageId: page.id, monitorId };
  };
  const owners: [Owner, ...Owner[]] = [await make(0)];
  for (let number = 1; number < monitors; number += 1) owners.push(await make(number));
  return owners;
}

/** One check in two hundred fails. Each arrives a second after it was made, as in the service. */
async function fill(
  clickhouse: ClickHouseClient,
  owners: readonly Owner[],
  from: number,
  to: number,
): Promise<void> {
  await clickhouse.command({
    query: `
      INSERT INTO checks (page_id, monitor_id, at, interval_seconds, ok, up, total_ms, inserted_at)
      SELECT {page:UUID}, arrayJoin({ids:Array(UUID)}) AS monitor,
        fromUnixTimestamp64Milli({from:Int64} + toInt64(number * ${everySeconds * 1000} + cityHash64(monitor, number) % 1000)) AS made,
        ${everySeconds}, cityHash64(monitor, number) % 200 > 0 AS passed, passed, 50 + cityHash64(number, monitor) % 300,
        made + INTERVAL 1 SECOND
      FROM numbers({count:UInt64})`,
    query_params: {
      ...{ from, page: owners[0]?.pageId, ids: owners.map(({ monitorId }) => monitorId) },
      count: Math.floor((to - from) / (everySeconds * 1000)),
    },
  });
}

/** Inserts two hours of maintenance. */
async function schedule(sql: Sql, { pageId, monitorId }: Owner, startedAt: number): Promise<IncidentId> {
  const id = newId<IncidentId>(startedAt);
  await sql`
    insert into incidents (id, page_id, type, title, summary, started_at, scheduled_end_at, published_at, announced_state)
    values (${id}, ${pageId}, 'maintenance', 'Work', 'On it.', ${new Date(startedAt)}, ${new Date(startedAt + 7_200_000)},
      ${new Date(startedAt)}, 'completed')`;
  await sql`insert into incident_monitors values (${id}, ${monitorId}, 0)`;
  return id;
}

/** Wraps the client to add up the rows and bytes that its statements read. */
function countReads(clickhouse: ClickHouseClient, reads: { rows: number }): ClickHouseClient {
  const add = <T extends { response_headers: Record<string, string | string[] | undefined> }>(
    answer: T,
  ): T => {
    const { read_rows: rows }: { read_rows?: string } = JSON.parse(
      String(answer.response_headers['x-clickhouse-summary'] ?? '{}'),
    );
    reads.rows += Number(rows ?? 0);
    return answer;
  };
  return new Proxy(clickhouse, {
    get(target, name) {
      if (name === 'query') return async (...args: [never]) => add(await target.query(...args));
      if (name === 'command') return async (...args: [never]) => add(await target.command(...args));
      return Reflect.get(target, name);
    },
  });
}
