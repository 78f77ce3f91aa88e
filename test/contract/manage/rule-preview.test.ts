import t from 'tap';
import { insertPoolReports } from '../../../database-health/pool-reports/insert-pool-reports.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { insertReports, insertRequests } from '../../analytics/support.js';
import { openManageClient } from '../../support/manage-client.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePoolBlock } from '../../support/pool-blocks.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const { send, keys } = await openManageClient(t, service);
const path = '/acme/rules/preview';
const failing = {
  ...{ name: 'Fails', kind: 'failure-rate', condition: { percent: 50, windowMinutes: 5, requestsMin: 20 } },
};

const begin = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
await insertRequests(
  clickhouse,
  service.pageId,
  Array.from({ length: 60 }, (_, i) => i).flatMap((i) => {
    const row = { service: 'api', endpoint: '/pay', at: begin + i * minuteMs };
    const ok = { ...row, status: 200, latencyMs: Array.from({ length: 10 }, () => (i < 30 ? 100 : 700)) };
    return i >= 20 && i < 30 ? [ok, { ...row, status: 503, requests: 90 }] : [ok];
  }),
);

t.test('200: when it would have fired, for how long, and its figures', async (t) => {
  const { status, body: answer } = await send('POST', path, failing);
  const body = Object(answer);
  t.equal(status, 200, JSON.stringify(body));
  // The first failing minute is over at 21, and with the minute at 33 the share over five minutes is below half.
  t.match(body, {
    ...{ unit: 'percent', direction: 'above', threshold: 50, count: 1, unknown: null },
    firings: [
      {
        ...{ group: '', startedAt: iso(21) },
        endedAt: iso(35),
      },
    ],
    firingSeconds: 14 * 60,
  });
  const [series] = body.groups;
  t.equal(Math.max(...series.values.map(Number)), 90);
  t.ok(series.values.length <= 400);
  t.equal(
    series.values.length,
    Math.ceil((Date.parse(body.to) - Date.parse(body.from)) / (body.stepMinutes * minuteMs)),
  );
});

t.test(
  '200: a condition that has to hold longer, groups, response times, traffic and a budget',
  async (t) => {
    const countOf = async (rule: object) => {
      const { status, body: answer } = await send('POST', path, { name: 'Rule', ...rule });
      const body = Object(answer);
      t.equal(status, 200, JSON.stringify(body));
      return [body.count, body.groups.map(({ group }: { group: string }) => group), body.unknown];
    };
    t.strictSame(await countOf({ ...failing, forSeconds: 900 }), [0, [''], null]);
    t.strictSame(await countOf({ ...failing, target: { by: 'endpoint' } }), [1, ['/pay of api'], null]);
    const slow = { kind: 'latency', condition: { percentile: 'p95', overMs: 500, windowMinutes: 5 } };
    t.strictSame(await countOf(slow), [1, [''], null]);
    const quiet = { kind: 'traffic', condition: { belowRequests: 40, windowMinutes: 5 } };
    t.match(
      await countOf({ ...quiet, target: { service: 'api' } }),
      [2, [''], null],
      'before and after the hour',
    );
    const objective = {
      name: 'Checkout',
      target: 99,
      window: { days: 28 },
      sli: { requests: { service: 'api' } },
    };
    t.equal((await send('PUT', '/acme/objectives/checkout', objective)).status, 201);
    const burning = { factor: 14.4, longMinutes: 60, shortMinutes: 5 };
    const burn = { kind: 'burn-rate', target: { objective: 'checkout' }, condition: burning };
    t.strictSame(await countOf(burn), [1, [''], null]);
  },
);

t.test('200: monitors, by their checks, without maintenance and pauses', async (t) => {
  const { pageId } = service;
  const api = await insertMonitor(sql, { pageId, slug: 'api' });
  const shop = await insertMonitor(sql, { pageId, slug: 'shop' });
  // Down for 10 minutes, and slow for 5; the other one is down while nobody watches it.
  const checks = Array.from({ length: 60 }, (_, i) => i).flatMap((i) => [
    { monitor: api, i, up: i >= 20 && i < 30 ? 0 : 1, degraded: i >= 40 && i < 45 ? 1 : 0 },
    { monitor: shop, i, up: i >= 5 && i < 15 ? 0 : 1, degraded: 0 },
  ]);
  await clickhouse.insert({
    table: 'checks',
    format: 'JSONEachRow',
    values: checks.map(({ monitor, i, up, degraded }) => ({
      ...{ page_id: pageId, monitor_id: monitor, at: timeOf(i), interval_seconds: 60, ok: up },
      ...{ up, degraded, error: up === 1 ? '' : 'timeout', status: 0 },
    })),
  });
  await sql`
    insert into applied_exclusions (page_id, monitor_id, from_at, to_at)
    values (${pageId}, ${shop}, ${iso(0)}, ${iso(14)})`;
  const watch = async (rule: object) => {
    const { status, body } = await send('POST', path, { name: 'Down', kind: 'monitor', ...rule });
    t.equal(status, 200, JSON.stringify(body));
    return Object(body);
  };
  const down = await watch({ condition: { is: 'down' } });
  t.match(down, { unit: 'count', threshold: null, count: 2, firingSeconds: 11 * 60, unknown: null });
  t.strictSame(down.firings, [
    { group: 'api', startedAt: iso(20), endedAt: iso(30) },
    { group: 'shop', startedAt: iso(14), endedAt: iso(15) },
  ]);
  for (const { values } of down.groups) t.strictSame([...new Set(values)].sort(), [0, 1, null]);
  const slow = await watch({ condition: { is: 'degraded' }, target: { monitor: 'api' } });
  t.strictSame(slow.firings, [
    { group: 'api', startedAt: iso(40), endedAt: iso(45) },
    { group: 'api', startedAt: iso(20), endedAt: iso(30) },
  ]);
  t.match(await watch({ condition: { is: 'down' }, forSeconds: 1_200 }), { count: 0, unknown: null });
  t.match(await watch({ condition: { certificateDays: 14 } }), { count: 0, unknown: /Of a certificate/ });
});

t.test('200: pools, over windows of their reports', async (t) => {
  const report = (minute: number, waiting: number, counts: number[]) => ({
    to: begin + (minute + 1) * minuteMs,
    pools: [
      {
        ...{ snapshot: { open: 10, busy: 5, idle: 5, waiting: 0 }, maximum: 10, failures: 1 },
        ...{ peaks: { open: 10, busy: 10, waiting }, acquisition: { counts, sumMs: 1_000 } },
      },
    ],
  });
  const quick = [100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const slow = [100, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0];
  await insertPoolReports(
    { clickhouse },
    makePoolBlock(
      service.pageId,
      Array.from({ length: 30 }, (_, i) => report(i, i === 10 ? 9 : 0, i === 20 ? slow : quick)),
    ),
  );
  const watch = async (condition: object, target: object = {}) => {
    const { status, body } = await send('POST', path, { name: 'Pool', kind: 'pool', condition, target });
    t.equal(status, 200, JSON.stringify(body));
    return Object(body);
  };
  const group = 'main of api on orders (production)';
  t.match(await watch({ figure: 'waiting', above: 5, windowMinutes: 5 }), {
    ...{ unit: 'count', threshold: 5, count: 1, unknown: null, groups: [{ group }] },
    firings: [{ group, startedAt: iso(11), endedAt: iso(16) }],
  });
  t.match(await watch({ figure: 'acquisitionP95Ms', above: 100, windowMinutes: 2 }), {
    firings: [{ group, startedAt: iso(21), endedAt: iso(23) }],
  });
  t.match(await watch({ figure: 'failures', above: 4, windowMinutes: 5 }), {
    firings: [{ group, startedAt: iso(5) }],
  });
  t.match(await watch({ figure: 'utilization', above: 50, windowMinutes: 1 }), { count: 0 });
  t.match(await watch({ figure: 'utilization', above: 49, windowMinutes: 1 }), { count: 1 });
  t.match(await watch({ figure: 'waiting', above: 5, windowMinutes: 5 }, { service: 'mail' }), {
    ...{ count: 0, unknown: null },
  });
});

t.test('200: reporters, by the minutes in which they reported', async (t) => {
  const { pageId } = service;
  await sql`
    insert into sources (page_id, kind, source, name, team, expected_every_seconds, first_seen_at)
    values (${pageId}, 'reporter', 'eu-1', 'Europe', 'core', 60, ${iso(0)}),
      (${pageId}, 'reporter', 'us-1', 'America', null, null, ${iso(0)})`;
  const minutes = Array.from({ length: 60 }, (_, i) => i).filter((i) => i < 20 || i >= 40);
  const at = minutes.map((i) => begin + i * minuteMs);
  await insertReports(clickhouse, pageId, { kind: 'reporter', service: 'eu-1' }, at);
  // It has no promise: five minutes between reports are usual.
  const seldom = [0, 5, 10, 15, 20, 50, 55].map((i) => begin + i * minuteMs);
  await insertReports(clickhouse, pageId, { kind: 'reporter', service: 'us-1' }, seldom);
  const watch = async (is: string, target: object) => {
    const rule = { name: 'Silent', kind: 'reporter', condition: { is }, target };
    const { status, body } = await send('POST', path, rule);
    t.equal(status, 200, JSON.stringify(body));
    return Object(body);
  };
  const silent = await watch('silent', { team: 'core' });
  t.match(silent, { unit: 'count', unknown: null, count: 2, groups: [{ group: 'Europe (eu-1)' }] });
  // The last report before is from minute 19, and five promises later it is silent.
  t.match(silent.firings, [
    { startedAt: iso(65), endedAt: null },
    { startedAt: iso(25), endedAt: iso(41) },
  ]);
  const late = await watch('late', { reporter: 'eu-1' });
  t.match(late.firings.at(-1), { startedAt: iso(22), endedAt: iso(41) });
  const usual = await watch('silent', { reporter: 'us-1' });
  t.match(usual.firings.at(-1), { startedAt: iso(46), endedAt: iso(51) });
  t.match(await watch('silent', { reporter: 'nobody' }), { count: 0, groups: [], unknown: null });
});

t.test('200: a rule whose past is not kept says why', async (t) => {
  const rule = {
    name: 'Orders',
    kind: 'query',
    target: { query: 'orders' },
    condition: { operator: '>', value: 1 },
  };
  t.match(await send('POST', path, rule), { status: 200, body: { count: 0, unknown: /^A query runs/ } });
});

t.test('a preview has every event that was acknowledged before it, and changes nothing', async (t) => {
  const at = new Date(Date.now() - 5 * dayMs).toISOString();
  await service.post('/api/v1/events', [{ service: 'late', endpoint: '/a', status: 500, at }]);
  const rule = { ...failing, target: { service: 'late' }, condition: { percent: 100, windowMinutes: 1 } };
  t.match(await send('POST', path, rule), { status: 200, body: { count: 1 } });
  t.equal((await sql`select 1 from rules where slug = 'preview'`).length, 0);
});

t.test('400: a rule that does not fit together, an objective that is not there', async (t) => {
  const wrong = [
    [{ ...failing, condition: { percent: 5 } }, /windowMinutes is missing/],
    [
      {
        ...{ name: 'Burn', kind: 'burn-rate', target: { objective: 'none' } },
        condition: { factor: 1, longMinutes: 60, shortMinutes: 5 },
      },
      /no objective "none"/,
    ],
  ] as const;
  for (const [rule, error] of wrong)
    t.match(await send('POST', path, rule), { status: 400, body: { error } });
});

t.test('401, 404: without a key, another page', async (t) => {
  t.equal((await send('POST', path, failing, { key: '' })).status, 401);
  t.equal((await send('POST', path, failing, { key: keys.read })).status, 200, 'a read');
  t.equal((await send('POST', path, failing, { key: keys.other })).status, 404);
});

function iso(minute: number): string {
  return new Date(begin + minute * minuteMs).toISOString();
}

/** As ClickHouse reads it. */
function timeOf(minute: number): string {
  return iso(minute).replace('T', ' ').slice(0, -1);
}
