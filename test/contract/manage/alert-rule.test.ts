import t from 'tap';
import type { Me } from '../../../contract/manage/session.js';
import { systemClock } from '../../../lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { makeManageKeys } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const deps = { sql, clock: systemClock };
const { write: key, read: readKey, other: otherKey } = await makeManageKeys(deps);
const path = '/api/v1/pages/acme/alert-rule';
const rule = { thresholdPercent: 5, windowSeconds: 300, minimumRequests: 100 };
const send = (method: string, body?: unknown, { as = key, ifMatch = '', at = path } = {}) =>
  service.post(at, body, { method, key: as, headers: ifMatch === '' ? {} : { 'if-match': ifMatch } });
const setFirst = () => service.post(path, rule, { method: 'PUT', key, headers: { 'if-none-match': '*' } });

t.test('a rule is set, replaced and deleted, with a row in the log for each change', async (t) => {
  t.match(await send('GET'), { status: 404, body: { error: 'The page has no alert rule.' } });
  t.equal((await send('PUT', rule, { ifMatch: '"x-y"' })).status, 412);
  const created = await setFirst();
  t.equal((await setFirst()).status, 412, 'there is one');
  t.match(created, { status: 201, body: { ...rule, incidentId: null } });
  const tag = created.headers.get('etag') ?? '';
  t.equal((await send('GET')).headers.get('etag'), tag);
  t.equal((await send('PUT', rule, { ifMatch: tag })).status, 200);
  t.equal((await send('PUT', { ...rule, windowSeconds: 600 })).status, 200);
  t.equal((await send('PUT', rule, { ifMatch: tag })).status, 412);
  t.equal((await send('DELETE', undefined, { ifMatch: tag })).status, 412);
  t.equal((await send('DELETE')).status, 204);
  t.equal((await send('DELETE')).status, 404);
  const rows = await sql`
    select action, before -> 'condition' as before, after -> 'condition' as after from audit_log
    where target_type = 'rule' and target_name = 'failure-rate' order by at, id`;
  const condition = { percent: rule.thresholdPercent, windowMinutes: 5, requestsMin: rule.minimumRequests };
  t.same(
    [...rows],
    [
      { action: 'rule.create', before: null, after: condition },
      {
        action: 'rule.update',
        before: condition,
        after: { ...condition, windowMinutes: 10 },
      },
      { action: 'rule.delete', before: { ...condition, windowMinutes: 10 }, after: null },
    ],
  );
});

t.test('everybody who may read the page learns its threshold, and no other page does', async (t) => {
  const thresholdOf = async (as: string) =>
    ((await send('GET', undefined, { as, at: '/api/v1/me' })).body as Me).pages.map(
      ({ slug, alertThresholdPercent }) => [slug, alertThresholdPercent],
    );
  t.same(await thresholdOf(readKey), [['acme', null]], 'there is no rule');
  await send('PUT', { ...rule, thresholdPercent: 0.5 });
  t.same([await thresholdOf(readKey), await thresholdOf(otherKey)], [[['acme', 0.5]], [['other', null]]]);
  await send('DELETE');
});

t.test('of rules that are set at once, one is the first', async (t) => {
  const answers = await Promise.all(
    [1, 2, 3].map((windows) => send('PUT', { ...rule, windowSeconds: 60 * windows })),
  );
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 201]);
  await send('DELETE');
});

t.test('400, 401, 403, 404: what is not taken', async (t) => {
  t.equal((await send('PUT', { ...rule, thresholdPercent: 0 })).status, 400);
  t.equal((await send('PUT', { ...rule, windowSeconds: 61 })).status, 400);
  t.match((await send('PUT', { ...rule, pageId: 'x' })).body, { error: 'There is no field /pageId here.' });
  t.equal((await service.get(path)).status, 401);
  t.equal((await send('PUT', rule, { as: readKey })).status, 403);
  t.equal((await send('PUT', rule, { as: otherKey })).status, 404);
  t.equal((await send('POST', {}, { at: `${path}/preview` })).status, 404);
  t.equal((await send('GET')).status, 404);
});

t.test('a preview says when the rule would have fired, and changes nothing', async (t) => {
  const begin = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
  // An hour of 60 requests a minute; ten minutes of it, half of them fail.
  const values = Array.from({ length: 60 }, (_, minute) => minute).flatMap((minute) => {
    const failed = minute >= 20 && minute < 30 ? 30 : 0;
    const row = (status: number, requests: number) => ({
      ...{ page_id: service.pageId, kind: 'service', service: 'api', status, requests },
      minute: (begin + minute * minuteMs) / 1000,
    });
    return [row(200, 60 - failed), ...(failed > 0 ? [row(503, failed)] : [])];
  });
  await clickhouse.insert({ table: 'service_requests_minute', values, format: 'JSONEachRow' });
  const { status, body } = await send('POST', rule, { at: `${path}/preview` });
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, {
    count: 1,
    firings: [
      {
        from: new Date(begin + 21 * minuteMs).toISOString(),
        // The window must be below 5 % again, of 300 requests.
        to: new Date(begin + 35 * minuteMs).toISOString(),
        requests: 300,
        errors: 30,
      },
    ],
  });
  t.match((await send('POST', { ...rule, minimumRequests: 301 }, { at: `${path}/preview` })).body, {
    count: 0,
    firings: [],
  });
  t.equal((await send('GET')).status, 404);
  await send('PUT', rule);
  t.match((await send('POST', undefined, { at: `${path}/preview` })).body, { count: 1 });
  t.equal((await send('POST', { windowSeconds: 30 }, { at: `${path}/preview` })).status, 400);
});

t.test('a preview has every event that was acknowledged before it', async (t) => {
  const asked = { ...rule, windowSeconds: 3_600, thresholdPercent: 100, minimumRequests: 1 };
  const preview = () => send('POST', asked, { at: `${path}/preview` });
  t.match((await preview()).body, { count: 0 });
  const at = new Date(Date.now() - 13 * dayMs).toISOString();
  const before = Date.now();
  await service.post('/api/v1/events', [{ service: 'late', endpoint: '/a', status: 500, at }]);
  const answer = await preview();
  t.match(answer.body, { count: 1, firings: [{ requests: 1, errors: 1 }] });
  t.ok(Date.parse(answer.headers.get('heartline-as-of') ?? '') >= before);
});
