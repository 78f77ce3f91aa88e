import t from 'tap';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { openManageClient } from '../../support/manage-client.js';
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
    const down = { kind: 'monitor', condition: { is: 'down' } };
    t.match(await countOf(down), [0, [], /kind monitor/]);
  },
);

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
