import t from 'tap';
import { changeAlertsOfRule, endAlertsOfRule, listAlerts } from '../../control/alerts/index.js';
import { type PutRuleFields, putRule, type RuleDeps } from '../../control/rules/index.js';
import { insertPoolReports } from '../../database-health/pool-reports/insert-pool-reports.js';
import { loadPoolWindows } from '../../database-health/pool-windows.js';
import type { PageId } from '../../lib/ids.js';
import { hourMs, minuteMs } from '../../lib/times.js';
import type { JobDeps } from '../../service/jobs/job.js';
import { lookAtRules } from '../../service/jobs/watch-rules.js';
import { testActor } from '../support/actor.js';
import { makePage } from '../support/pages.js';
import { makePoolBlock, type PoolReportPart } from '../support/pool-blocks.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const deps: RuleDeps = {
  ...{ sql, clock, by: testActor, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
};
let pages = 0;

async function makePageWith(...rules: PutRuleFields[]): Promise<PageId> {
  const { id: pageId } = await makePage(sql, { slug: `pools-${++pages}` });
  for (const rule of rules) await putRule(deps, { ...rule, pageId });
  t.teardown(() => sql`update rules set enabled = false where page_id = ${pageId}`);
  return pageId;
}

/** Reports of the minute with this number, each of a process of its own. */
async function report(pageId: PageId, minute: number, ...parts: Omit<PoolReportPart, 'to'>[]): Promise<void> {
  const to = begin + (minute + 1) * minuteMs;
  await insertPoolReports(
    { clickhouse },
    makePoolBlock(
      pageId,
      parts.map((part) => ({ ...part, to })),
    ),
  );
}

const peaks = (waiting: number) => ({ open: 10, busy: 10, waiting });
const poolWith = (busy: number, failures: number, counts: number[]) => ({
  ...{ snapshot: { open: 10, busy, idle: 0, waiting: 0 }, maximum: 10, failures },
  acquisition: { counts, sumMs: 1_000 },
});

t.test('the figures of a pool are those of all its processes over each window', async (t) => {
  const [one, other] = [await makePageWith(), await makePageWith()];
  const quick = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const slow = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10];
  await report(one, 0, { pools: [{ ...poolWith(4, 5, quick), peaks: peaks(9) }] });
  await report(
    one,
    1,
    { pools: [{ ...poolWith(4, 1, quick), peaks: peaks(3) }] },
    { pools: [{ ...poolWith(10, 2, slow), peaks: peaks(7) }] },
  );
  await report(other, 1, {
    service: 'mail',
    pools: [{ snapshot: { open: 1, busy: null, idle: null, waiting: null } }],
  });
  const rows = await loadPoolWindows(
    { clickhouse },
    { pageIds: [one, other], windowsMinutes: [1, 2], to: begin + 2 * minuteMs },
  );
  const pool = { environment: 'production', target: 'orders', pool: 'main' };
  const expected = [
    { ...pool, pageId: one, service: 'api', windowMinutes: 1, waiting: 7, utilization: 70 },
    { ...pool, pageId: one, service: 'api', windowMinutes: 2, waiting: 9, utilization: 60 },
    { ...pool, pageId: other, service: 'mail', windowMinutes: 1, waiting: null, utilization: null },
    { ...pool, pageId: other, service: 'mail', windowMinutes: 2, waiting: null, utilization: null },
  ];
  const sorted = [...rows].sort(
    (a, b) => a.service.localeCompare(b.service) || a.windowMinutes - b.windowMinutes,
  );
  t.match(sorted, expected);
  t.strictSame(
    sorted.map(({ failures, acquisitionP95Ms }) => [failures, acquisitionP95Ms]),
    [
      [3, Number.POSITIVE_INFINITY],
      [8, 1],
      [null, null],
      [null, null],
    ],
  );
});

t.test('callers that wait make an alert of the pool, until they wait no more', async (t) => {
  const waiting: PutRuleFields = {
    ...{ slug: 'waiting', name: 'Waiting', kind: 'pool', target: { service: 'api' } },
    condition: { figure: 'waiting', above: 5, windowMinutes: 1 },
  };
  const pageId = await makePageWith(waiting);
  const lookAt = async (minute: number) => {
    now = begin + minute * minuteMs + 20_000;
    await lookAtRules(jobDeps);
    const alerts = await listAlerts({ sql }, { pageId, state: 'all', limit: 10, after: undefined });
    return alerts.map(({ title, state }) => `${state}: ${title}`);
  };
  await report(
    pageId,
    0,
    { pools: [{ peaks: peaks(5) }] },
    { service: 'mail', pools: [{ peaks: peaks(50) }] },
  );
  t.strictSame(await lookAt(1), []);
  await report(pageId, 1, { pools: [{ peaks: peaks(6) }] });
  const title = '6 callers wait for a connection of main of api on orders (production)';
  t.strictSame(await lookAt(2), [`firing: ${title}`]);
  t.strictSame(await lookAt(3), [`firing: ${title}`], 'no report is no news');
  await report(pageId, 3, { pools: [{ peaks: peaks(0) }] });
  t.strictSame(await lookAt(4), [`resolved: ${title}`]);
});
