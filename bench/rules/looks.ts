import { changeAlertsOfRule, endAlertsOfRule } from '../../control/alerts/index.js';
import { putObjective } from '../../control/objectives/index.js';
import { createPage } from '../../control/pages/index.js';
import { type PutRuleFields, putRule } from '../../control/rules/index.js';
import type { PageId } from '../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../lib/times.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { runLeased } from '../../service/jobs/lease.js';
import { lookAtRules, watchRulesJob } from '../../service/jobs/watch-rules.js';
import { migrate } from '../../sql/migrate.js';
import { ensureDatabase, openClickHouse } from '../../sql/open-clickhouse.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { fillReports, fillRequests, servicesPerPage } from '../support/fill-requests.js';
import { loadReadCost, nameQueries } from '../support/read-cost.js';
import { line } from '../support/report.js';
import { withStores } from '../support/stores.js';

/** Measures the looks of a minute at the rules of many pages: the first and the second one, with all that tells of alerts. */
const pages = Number(process.argv[2] ?? 1_000);
const minutes = 3;
const by = { type: 'job', id: 'bench', name: 'bench' } as const;

const about = (service: number) => ({ service: `service-${service % servicesPerPage}` });
/** With the three that a page begins with, 20 rules. None fires: a third of the requests fail. */
const rules: PutRuleFields[] = [
  ...[1, 5, 5, 15].map((windowMinutes, i) => ({
    ...{
      slug: `failing-${i}`,
      name: 'Fails',
      kind: 'failure-rate' as const,
      target: i === 0 ? {} : about(i),
    },
    condition: { percent: 90, windowMinutes, requestsMin: 20 },
  })),
  ...[5, 5, 30].map((windowMinutes, i) => ({
    ...{ slug: `endpoint-${i}`, name: 'Fails', kind: 'failure-rate' as const },
    ...{ target: { ...about(i), endpoint: '/e/1' }, condition: { percent: 90, windowMinutes } },
  })),
  ...[5, 5, 5].map((windowMinutes, i) => ({
    ...{ slug: `slow-${i}`, name: 'Slow', kind: 'latency' as const, target: i === 0 ? {} : about(i) },
    condition: { percentile: 'p95' as const, overMs: 60_000, windowMinutes },
  })),
  ...[5, 60].map((windowMinutes, i) => ({
    ...{ slug: `quiet-${i}`, name: 'Quiet', kind: 'traffic' as const, target: about(i) },
    condition: { belowRequests: 1, windowMinutes },
  })),
  {
    ...{ slug: 'usual', name: 'Less than usual', kind: 'traffic', target: about(0) },
    condition: { belowPercentOfUsual: 1, windowMinutes: 30 },
  },
  ...[
    [900, 60, 5],
    [900, 360, 30],
    [900, 1_440, 120],
    [900, 4_320, 360],
  ].map(([factor = 1, longMinutes = 1, shortMinutes = 1], i) => ({
    ...{ slug: `burn-${i}`, name: 'Burns', kind: 'burn-rate' as const, target: { objective: 'checkout' } },
    condition: { factor, longMinutes, shortMinutes },
  })),
];

await withStores(async ({ databaseUrl, clickhouseUrl }) => {
  const sql = openPostgres(databaseUrl);
  await ensureDatabase(clickhouseUrl);
  const clickhouse = openClickHouse(clickhouseUrl);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await migrate({ sql, clickhouse, log });
  const begin = Math.floor(Date.now() / minuteMs) * minuteMs;
  let now = begin;
  const deps = { sql, clock: { now: () => now }, by };
  const ruleDeps = { ...deps, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule };
  const ids: PageId[] = [];
  for (const i of Array(pages).keys()) {
    const { id: pageId } = await createPage(deps, { slug: `page-${i}`, hostname: `page-${i}.example.com` });
    const objective = { name: 'Checkout', target: 99.9, window: { days: 28 }, sli: { requests: about(i) } };
    await putObjective(deps, { pageId, slug: 'checkout', ...objective });
    for (const rule of rules) await putRule(ruleDeps, { ...rule, pageId });
    ids.push(pageId);
  }
  await sql`
    insert into sources (page_id, kind, source, first_seen_at)
    select page_id, 'service', 'service-' || service, ${new Date(begin - dayMs)}
    from unnest(${ids}::uuid[]) page_id, generate_series(0, ${servicesPerPage - 1}) service`;
  await fillReports(clickhouse, ids, begin);
  const rows = await fillRequests(clickhouse, ids, begin);
  line(
    `${pages} pages of ${rules.length + 3} rules, ${rows.toLocaleString('en')} rows by the minute; of each minute:`,
  );
  let what = '';
  const named = nameQueries(clickhouse, () => what);
  const jobDeps: JobDeps = { ...deps, clickhouse: named, clickhouseOf: () => named, log };
  const job = { name: watchRulesJob, summary: '', schedule: '', run: lookAtRules };
  const spent = new Map<string, { runs: number; ms: number; cpuMs: number }>();
  for (let minute = -minutes; minute <= 0; minute += 1) {
    for (const [name, seconds] of [
      // The first run stores what has no data, and reads what is kept for the next ones.
      [minute === -minutes ? 'the first look after a start' : 'the first look', 15],
      [minute === -minutes ? 'the second look after a start' : 'the second look', 45],
    ] as const) {
      what = name;
      now = begin + minute * minuteMs + seconds * secondMs;
      const [startedAt, used] = [performance.now(), process.cpuUsage()];
      await runLeased(job, jobDeps, now);
      const { user, system } = process.cpuUsage(used);
      const { runs, ms, cpuMs } = spent.get(name) ?? { runs: 0, ms: 0, cpuMs: 0 };
      spent.set(name, {
        runs: runs + 1,
        ms: ms + performance.now() - startedAt,
        cpuMs: cpuMs + (user + system) / 1000,
      });
    }
  }
  for (const [name, { runs, ms, cpuMs }] of spent) {
    const cost = await loadReadCost(clickhouse, name);
    line(
      [
        name.padEnd(30),
        `${(cost.queries / runs).toFixed(0)} queries`.padStart(12),
        `${Math.round(cost.rows / runs).toLocaleString('en')} rows`.padStart(18),
        `${(cost.processorMs / runs).toFixed(0)} ms of a core in ClickHouse`.padStart(34),
        `${(cpuMs / runs).toFixed(0)} ms in the process`.padStart(24),
        `${(ms / runs).toFixed(0)} ms`.padStart(10),
      ].join(' '),
    );
  }
  const alerts = await sql`select count(*)::integer as count from alerts`;
  line(`${alerts[0]?.['count']} alerts.`);
});
