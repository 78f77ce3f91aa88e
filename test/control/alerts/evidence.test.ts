import t from 'tap';
import { factsOf } from '../../../control/alerts/alert-facts.js';
import {
  changeAlertsOfRule,
  endAlertsOfRule,
  windowsOf,
  worstEndpoints,
} from '../../../control/alerts/index.js';
import { announceDeployment } from '../../../control/deployments/index.js';
import { putObjective } from '../../../control/objectives/index.js';
import { putRule, type Rule, type RuleDeps } from '../../../control/rules/index.js';
import type { MonitorId, PageId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { loadEvidence } from '../../../service/jobs/load-evidence.js';
import { insertRequests, type LandingRow } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const to = Math.floor(Date.now() / hourMs) * hourMs - hourMs;
const clock = { now: () => to + 20_000 };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const deps: RuleDeps = {
  ...{ sql, clock, by: testActor, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
};
let made = 0;

type Fields = Omit<Parameters<typeof putRule>[1], 'pageId' | 'slug' | 'name'>;

type SentObjective = Omit<Parameters<typeof putObjective>[1], 'pageId' | 'slug'>;

async function makeRule(fields: Fields, objective?: SentObjective): Promise<Rule> {
  const { id: pageId } = await makePage(sql, { slug: `evidence-${++made}` });
  if (objective !== undefined) await putObjective(deps, { pageId, slug: 'pay', ...objective });
  const { rule } = await putRule(deps, { ...fields, pageId, slug: 'rule', name: 'Rule' });
  return rule;
}

/** Requests of minutes before the look. */
const send = (pageId: PageId, minutesAgo: number, ...rows: Omit<LandingRow, 'at'>[]) =>
  insertRequests(
    clickhouse,
    pageId,
    rows.map((row) => ({ ...row, at: to - minutesAgo * minuteMs })),
  );

const times = (count: number, ms: number) => Array.from({ length: count }, () => ms);

t.test(
  'a failure rate: the figures now and before, what fails most, why, and what was deployed',
  async (t) => {
    const rule = await makeRule({
      ...{ kind: 'failure-rate', target: { service: 'shop' }, forSeconds: 120 },
      condition: { percent: 5, windowMinutes: 2 },
    });
    const { pageId } = rule;
    const shop = { service: 'shop', endpoint: '/pay' };
    await send(
      pageId,
      1,
      { ...shop, requests: 80 },
      { ...shop, status: 503, requests: 20, message: 'no money 17' },
    );
    await send(pageId, 2, { service: 'shop', endpoint: '/cart', status: 500, requests: 2 });
    await send(pageId, 2, { service: 'other', endpoint: '/', status: 500, requests: 90 });
    // The condition held for two minutes, which are neither now nor before.
    await send(pageId, 3, { ...shop, status: 503, requests: 50 });
    await send(pageId, 5, { ...shop, requests: 99 }, { ...shop, status: 503, requests: 1 });
    await announceDeployment(deps, { pageId, service: 'shop', version: '2.4.1' });
    await sql`update deployments set at = ${new Date(to - 9 * minuteMs)} where page_id = ${pageId}`;
    const evidence = await loadEvidence(jobDeps, { rule, observation: { group: '', look: 'bad' }, to });
    t.match(evidence, {
      ...{ from: new Date(to - 2 * minuteMs).toISOString(), to: new Date(to).toISOString() },
      now: { requests: 102, errors: 22 },
      before: {
        ...{ from: new Date(to - 6 * minuteMs).toISOString(), to: new Date(to - 4 * minuteMs).toISOString() },
        ...{ requests: 100, errors: 1 },
      },
      endpoints: [
        {
          service: 'shop',
          endpoint: '/pay',
          requests: 100,
          errors: 20,
          before: { requests: 100, errors: 1 },
        },
        { service: 'shop', endpoint: '/cart', errors: 2, before: { requests: 0 } },
      ],
      messages: [{ message: 'no money 17' }],
      deployment: { service: 'shop', version: '2.4.1', at: new Date(to - 9 * minuteMs).toISOString() },
    });
    t.equal(evidence.endpoints?.length, 2, 'other services do not contribute');
    const counted = { ...evidence, requests: 102, errors: 22 };
    const facts = factsOf({ kind: 'failure-rate', evidence: counted, startedAt: new Date(to) });
    t.match(
      facts.map(({ name, value }) => `${name}: ${value}`),
      [
        /^Window/,
        'Before: 1 %, 1 of 100',
        /^Last deployment: shop 2\.4\.1/,
        'Worst endpoint: 20 %, 20 of 100: /pay of shop',
        'Message: no money 17',
        'Second endpoint: 100 %, 2 of 2: /cart of shop',
      ],
    );
  },
);

t.test(
  'a latency: the endpoints that are most often and furthest above, with their time before',
  async (t) => {
    const rule = await makeRule({
      kind: 'latency',
      condition: { percentile: 'p95', overMs: 500, windowMinutes: 5, requestsMin: 1 },
    });
    const { pageId } = rule;
    await send(pageId, 1, { endpoint: '/search', latencyMs: times(50, 2_000) });
    await send(
      pageId,
      1,
      { endpoint: '/rare', latencyMs: times(2, 8_000) },
      { endpoint: '/fast', latencyMs: times(90, 20) },
    );
    await send(pageId, 7, { endpoint: '/search', latencyMs: times(50, 100) });
    const observation = { group: '', look: 'bad' as const, value: 2_000, threshold: 500 };
    const evidence = await loadEvidence(jobDeps, { rule, observation, to });
    const { endpoints, now, before } = evidence;
    t.strictSame(
      endpoints?.map(({ endpoint }) => endpoint),
      ['/search', '/rare'],
    );
    t.ok((endpoints?.[0]?.p95Ms ?? 0) > 1_800 && (endpoints?.[0]?.before?.p95Ms ?? 0) < 120);
    t.ok((now?.p95Ms ?? 0) > 1_800 && (before?.p95Ms ?? 0) < 120, 'percentiles of all requests too');
    const facts = factsOf({ kind: 'latency', evidence, startedAt: new Date(to) });
    const time = (ms: RegExp) => `p50 ${ms.source}, p95 ${ms.source}, p99 ${ms.source}, `;
    const [short, long] = [/[\d.]+ ms/, /[\d.]+ m?s/];
    t.match(facts, [
      { name: 'Window' },
      { name: 'Now', value: new RegExp(`^${time(long)}142 requests$`) },
      { name: 'Before', value: new RegExp(`^${time(short)}50 requests$`) },
      {
        name: 'Worst endpoint',
        value: /^p95 2(\.\d+)? s, before (99|1\d\d)(\.\d+)? ms: \/search of api$/,
      },
    ]);
  },
);

t.test('missing traffic: the endpoints whose requests are gone', async (t) => {
  const rule = await makeRule({ kind: 'traffic', condition: { belowRequests: 50, windowMinutes: 5 } });
  const { pageId } = rule;
  await send(pageId, 1, { endpoint: '/a', requests: 10 }, { endpoint: '/new', requests: 9 });
  await send(pageId, 7, { endpoint: '/a', requests: 15 }, { endpoint: '/gone', requests: 80 });
  const evidence = await loadEvidence(jobDeps, { rule, observation: { group: '', look: 'bad' }, to });
  t.match(evidence.endpoints, [
    { endpoint: '/gone', requests: 0, before: { requests: 80 } },
    { endpoint: '/a', requests: 10, before: { requests: 15 } },
  ]);
  t.match([evidence.now?.requests, evidence.before?.requests, evidence.messages], [19, 95, undefined]);
});

t.test('a burn rate: the requests of its objective', async (t) => {
  const rule = await makeRule(
    {
      ...{ kind: 'burn-rate', target: { objective: 'pay' } },
      condition: { factor: 14.4, longMinutes: 60, shortMinutes: 5 },
    },
    { name: 'Payments', target: 99, window: { days: 28 }, sli: { requests: { service: 'shop' } } },
  );
  const { pageId } = rule;
  await send(
    pageId,
    30,
    { service: 'shop', status: 500, requests: 7 },
    { service: 'api', status: 500, requests: 5 },
  );
  const evidence = await loadEvidence(jobDeps, { rule, observation: { group: '', look: 'bad' }, to });
  t.match(evidence, {
    now: { errors: 7 },
    before: { requests: 0 },
    endpoints: [{ service: 'shop', errors: 7 }],
  });
});

async function insertChecks(pageId: PageId, monitorId: MonitorId, minutes: readonly number[], error: string) {
  const values = minutes.map((minute) => ({
    ...{ page_id: pageId, monitor_id: monitorId, interval_seconds: 60, total_ms: 120 },
    at: new Date(to - minute * minuteMs).toISOString(),
    ...{ ok: error === '' ? 1 : 0, up: 1, error, status: error === '' ? 200 : 0 },
  }));
  await clickhouse.insert({
    ...{ table: 'checks', values, format: 'JSONEachRow' },
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
}

t.test('a monitor: its checks now and before, and their errors', async (t) => {
  const rule = await makeRule({ kind: 'monitor', condition: { is: 'down' } });
  const { pageId } = rule;
  const id = await insertMonitor(sql, { pageId, slug: 'web' });
  await insertChecks(pageId, id, [1, 2, 3], 'timeout: No answer within 10 s.');
  await insertChecks(pageId, id, [4, 5, 17, 18], '');
  const evidence = await loadEvidence(jobDeps, { rule, observation: { group: 'web', look: 'bad' }, to });
  t.match(evidence, {
    now: { checks: 5, failed: 3, responseMs: 120 },
    before: { checks: 2, failed: 0 },
    messages: [{ message: 'timeout: No answer within 10 s.', count: 3 }],
  });
});

t.test('a store that fails leaves out what it has, and rules without a window have nothing', async (t) => {
  const rule = await makeRule({ kind: 'failure-rate', condition: { percent: 5, windowMinutes: 1 } });
  const failing: JobDeps = {
    ...jobDeps,
    clickhouseOf() {
      throw new Error('away');
    },
  };
  t.strictSame(await loadEvidence(failing, { rule, observation: { group: '', look: 'bad' }, to }), {
    ...{ from: new Date(to - minuteMs).toISOString(), to: new Date(to).toISOString() },
  });
  const certificate = { kind: 'monitor', condition: { certificateDays: 14 }, forSeconds: 0 } as const;
  t.equal(windowsOf(certificate, to), undefined);
  t.equal(windowsOf({ ...certificate, kind: 'reporter', condition: {} }, to), undefined);
});

t.test('at most three endpoints contribute, and none that does not', async (t) => {
  const endpoint = (name: string, errors: number) => ({ service: 's', endpoint: name, requests: 10, errors });
  const now = [endpoint('/a', 1), endpoint('/b', 5), endpoint('/c', 0), endpoint('/d', 2), endpoint('/e', 3)];
  const names = worstEndpoints('failure-rate', { now, before: [], threshold: 5 }).map((one) => one.endpoint);
  t.strictSame(names, ['/b', '/e', '/d']);
});
