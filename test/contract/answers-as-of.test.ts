import t from 'tap';
import { secondMs } from '../../lib/times.js';
import type { Description } from '../support/api-description.js';
import { type Answer, startAnother, startTestService, type TestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

/** Every read that says up to when it has all events: as it should be sent, and with a mistake. */
type Read = { send(api: TestService): Promise<Answer>; sendWrong(api: TestService): Promise<Answer> };

const readOf = (path: string): Read => {
  const get = (api: TestService, query = '') =>
    api.get(`${path}${query}`, { authorization: `Bearer ${api.readKey}` });
  return { send: (api) => get(api), sendWrong: (api) => get(api, '?unknown=1') };
};

function readBySql(): Read {
  const post = (api: TestService, body: object) =>
    api.post('/api/v1/analytics/sql', body, { key: api.readKey });
  return {
    send: (api) => post(api, { sql: 'SELECT sum(requests) FROM requests_minute' }),
    sendWrong: (api) => post(api, { statement: 'SELECT 1' }),
  };
}

const reads: Readonly<Record<string, Read>> = {
  '/api/v1/analytics/requests': readOf('/api/v1/analytics/requests'),
  '/api/v1/analytics/reporters': readOf('/api/v1/analytics/reporters'),
  '/api/v1/analytics/messages': readOf('/api/v1/analytics/messages'),
  '/api/v1/analytics/messages/groups': readOf('/api/v1/analytics/messages/groups'),
  '/api/v1/analytics/totals': readOf('/api/v1/analytics/totals'),
  '/api/v1/analytics/top': readOf('/api/v1/analytics/top'),
  '/api/v1/analytics/calls': readOf('/api/v1/analytics/calls'),
  '/api/v1/analytics/failures': readOf('/api/v1/analytics/failures'),
  '/api/v1/analytics/failures/groups': readOf('/api/v1/analytics/failures/groups'),
  '/api/v1/analytics/versions': readOf('/api/v1/analytics/versions'),
  '/api/v1/analytics/sql': readBySql(),
};

const withoutLog = await startTestService(t, { hasLog: false });
const gate = await openTcpGate(t, withoutLog.stores.clickhouseUrl);
const logged = await startAnother(t, withoutLog, { clickhouseUrl: gate.url });
const event = { service: 'shop', endpoint: '/cart', status: 503, message: 'no stock service' };
const batch = { version: '1.0.0', events: [event] };

const asOf = ({ headers }: Answer): string => headers.get('heartline-as-of') ?? 'no time';

for (const [path, { send, sendWrong }] of Object.entries(reads)) {
  for (const [name, api] of Object.entries({ PostgreSQL: withoutLog, 'the log': logged })) {
    t.test(`${path} has every event that was acknowledged from ${name}, and says so`, async (t) => {
      t.match(await api.post('/api/v1/events', batch), { status: 202 });
      const sentAt = Date.now();
      const answer = await send(api);
      t.equal(answer.status, 200);
      t.match(asOf(answer), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const time = Date.parse(asOf(answer));
      t.ok(time >= sentAt && time <= Date.now(), asOf(answer));
    });
  }

  t.test(`${path} checks a request before it brings events to the store`, async (t) => {
    const answer = await sendWrong(logged);
    t.equal(answer.status, 400);
    t.notOk(answer.headers.has('heartline-as-of'));
  });
}

t.test('answers that miss events say since when', async (t) => {
  gate.stall(/INSERT/);
  const sentAt = Date.now();
  t.match(await logged.post('/api/v1/events', batch), { status: 202 });
  const acknowledgedAt = Date.now();
  for (const [path, { send }] of Object.entries(reads)) {
    const answer = await send(logged);
    t.equal(answer.status, 200, path);
    const time = Date.parse(asOf(answer));
    t.ok(time >= sentAt && time <= acknowledgedAt, `${path} ${asOf(answer)}`);
    t.ok(Date.now() - acknowledgedAt < 2.5 * secondMs * Object.keys(reads).length);
  }
  await gate.close();
  await gate.open();
  const begun = Date.now();
  const { send } = readOf('/api/v1/analytics/requests');
  await waitUntil('answers have all again, because the store takes them', async () => {
    const answer = await send(logged);
    return answer.status === 200 && Date.parse(asOf(answer)) >= begun;
  });
});

t.test('a read without ClickHouse is a 503', async (t) => {
  await gate.close();
  for (const [path, { send }] of Object.entries(reads)) {
    t.match(await send(logged), { status: 503 }, path);
  }
  await gate.open();
});

t.test('the description has the header at these reads, and nowhere else', async (t) => {
  type Operation = { responses?: Record<string, { headers?: object }> };
  const { paths } = (await withoutLog.get('/openapi.json')).body as Description;
  const described = Object.entries(paths)
    .filter(([, item]) =>
      Object.values(item).some((one) => {
        const { headers = {} } = (one as Operation).responses?.['200'] ?? {}; // What is not an operation has no responses.
        return 'Heartline-As-Of' in headers;
      }),
    )
    .map(([path]) => path);
  const ofPages = Object.keys(reads).map((path) => path.replace('/v1/', '/v1/pages/{page}/'));
  // Their own tests send these: they are of pages alone.
  const reports = ['objectives/{slug}/report', 'reports/{every}'].map(
    (path) => `/api/v1/pages/{page}/${path}`,
  );
  // test/api/clickhouse/ has the tests of the door for tools.
  const door = ['/clickhouse', '/clickhouse/'];
  t.strictSame(described.sort(), [...Object.keys(reads), ...ofPages, ...reports, ...door].sort());
});
