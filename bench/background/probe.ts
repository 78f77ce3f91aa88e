import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { monitorLimits } from '../../contract/monitors.js';
import { cliActor } from '../../control/audit/index.js';
import { createPage } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { newId } from '../../lib/ids.js';
import { migrate } from '../../sql/migrate.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres, type Sql } from '../../sql/open-postgres.js';
import type { ProbesReport } from '../servers/probes.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/**
 * Checks 5,000 monitors every minute, with the service's probes in one process and the target in another. Measures how
 * late checks start, and what they cost.
 */
const monitors = 5_000;
const everySeconds = 60;
const warmUpSeconds = 20;
const seconds = 120;

const log = { debug() {}, info() {}, warn() {}, error() {} };

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  await migrate({ sql, clickhouse, log });
  const target = start('target');
  const [{ port }] = (await once(target, 'message')) as [{ port: number }];
  await makeMonitors(sql, `http://127.0.0.1:${port}/`);
  const probes = start('probes', databaseUrl, clickhouseUrl);
  await sleep(warmUpSeconds * 1000);
  await ask(probes);
  await sleep(seconds * 1000);
  print(await ask(probes));
  for (const child of [probes, target]) await stop(child);
  await Promise.all([sql.end(), clickhouse.close()]);
});

/** Creates monitors whose due times are spread over the interval, as if they were created over time. */
async function makeMonitors(sql: Sql, url: string): Promise<void> {
  const { monitorsPerPage } = monitorLimits;
  for (let made = 0; made < monitors; made += monitorsPerPage) {
    const slug = `bench-${process.pid}-${made}`;
    const page = await createPage(
      { sql, clock: systemClock, by: cliActor('bench') },
      { slug, hostname: `${slug}.localhost` },
    );
    const now = Date.now();
    const rows = Array.from({ length: monitorsPerPage }, (_, i) => ({
      id: newId(now),
      page_id: page.id,
      slug: `monitor-${i}`,
      name: `Monitor ${i}`,
      url,
      created_at: new Date(now),
      every_seconds: everySeconds,
      next_due_at: new Date(now + Math.floor(Math.random() * everySeconds * 1000)),
    }));
    await sql`insert into monitors ${sql(rows)}`;
  }
}

function start(server: string, ...args: string[]): ChildProcess {
  return fork(new URL(`../servers/${server}.js`, import.meta.url), args);
}

async function ask(probes: ChildProcess): Promise<ProbesReport> {
  const answered = once(probes, 'message');
  probes.send('report');
  const [report] = (await answered) as [ProbesReport];
  return report;
}

async function stop(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}

function print({ lagsMs, outcomes, stored, cpuSeconds, residentMegabytes, ...report }: ProbesReport): void {
  const quantile = (q: number): string =>
    (lagsMs[Math.floor(q * (lagsMs.length - 1))] ?? Number.NaN).toFixed(0);
  const due = Math.round((monitors * report.seconds) / everySeconds);
  line(`${lagsMs.length} checks began in ${report.seconds.toFixed(0)} s, ${due} were due; ${stored} stored`);
  line(`outcomes: ${JSON.stringify(outcomes)}`);
  line(`lag: p50 ${quantile(0.5)} ms, p99 ${quantile(0.99)} ms, most ${quantile(1)} ms`);
  line(`processor time: ${((cpuSeconds / report.seconds) * 100).toFixed(1)} % of one core`);
  line(`resident memory: ${residentMegabytes.toFixed(0)} MB`);
}
