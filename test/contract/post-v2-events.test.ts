import t, { type Test } from 'tap';
import { rejectionsOf, withoutRejections } from '../support/rejections.js';
import { readRequests, select } from '../support/rollups.js';
import { type Answer, startTestService } from '../support/service.js';

const path = '/api/v2/events';
const api = await startTestService(t);
const { clickhouse, sql } = api.stores;

const reporterOf = (reporterId: string, more: object = {}) => ({
  reporterId,
  englishName: 'Worker',
  ...more,
});

function isAccepted(t: Test, answer: Answer, body: object): void {
  t.equal(answer.status, 202);
  t.strictSame(withoutRejections(t, answer), body);
}

async function readStored() {
  await api.settle();
  return readRequests(clickhouse);
}

async function rowsOf(reporterId: string) {
  const rows = await readStored();
  return rows.filter(
    ({ page, kind, service }) => page === api.pageId && kind === 'reporter' && service === reporterId,
  );
}

async function callsOf(reporterId: string) {
  await api.settle();
  const [row] = await select<{ calls: string; last: string }>(
    clickhouse,
    `SELECT sum(calls) AS calls, toString(max(last_report_at)) AS last
     FROM reports WHERE kind = 'reporter' AND service = '${reporterId}'`,
  );
  return { calls: Number(row?.calls), last: Date.parse(`${row?.last.replace(' ', 'T')}Z`) };
}

async function storedReporter(reporterId: string): Promise<object> {
  const [row] = await sql`
    SELECT kind, name, region, team, expected_every_seconds AS every
    FROM sources WHERE page_id = ${api.pageId} AND source = ${reporterId}`;
  return { ...row };
}

t.test('202: events of a named reporter; their own service is ignored', async (t) => {
  const events = [
    { service: 'shop', endpoint: '/a', status: 200, ms: 2 },
    { endpoint: '/a/', status: 200 },
    { endpoint: '/b', status: 503, message: 'down' },
    { endpoint: '/b', status: 'bad' },
  ];
  const answer = await api.post(path, { reporter: reporterOf('Worker-1'), events });
  isAccepted(t, answer, {
    accepted: 3,
    rejected: 1,
    rows: 2,
    statements: 1,
    heartbeat: true,
    reporterId: 'Worker-1',
  });
  t.match(await rowsOf('Worker-1'), [
    { endpoint: '/a', requests: 2, timed: 1, sumUs: 2_000 },
    { endpoint: '/b', status: 503, requests: 1 },
  ]);
  t.equal((await readStored()).filter(({ service }) => service === 'shop').length, 0);
});

t.test('202: an empty batch is a heartbeat', async (t) => {
  const begin = Date.now();
  const beat = () => api.post(path, { reporter: reporterOf('beating'), events: [] });
  const body = { accepted: 0, rejected: 0, rows: 0, statements: 1, heartbeat: true, reporterId: 'beating' };
  isAccepted(t, await beat(), body);
  isAccepted(t, await beat(), body);
  const { calls, last } = await callsOf('beating');
  t.equal(calls, 2);
  t.ok(last >= begin && last <= Date.now(), 'the time of the last call, to the millisecond');
  t.equal((await rowsOf('beating')).length, 0);
});

t.test('202: a batch of rejected events is a heartbeat as well', async (t) => {
  const answer = await api.post(path, { reporter: reporterOf('useless'), events: [null, {}] });
  isAccepted(t, answer, {
    accepted: 0,
    rejected: 2,
    rows: 0,
    statements: 1,
    heartbeat: true,
    reporterId: 'useless',
  });
  t.equal((await callsOf('useless')).calls, 1);
});

t.test('202: events older than ten minutes or more than one minute ahead are rejected', async (t) => {
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const events = [-595, 0, 55, -605, -86_400, 65].map((seconds) => ({
    endpoint: '/a',
    status: 200,
    at: at(seconds),
  }));
  const answer = await api.post(path, { reporter: reporterOf('timely'), events });
  t.match(answer, { status: 202, body: { accepted: 3, rejected: 3, heartbeat: true } });
});

t.test('the fields of a reporter are stored, labels in lower case, and change with it', async (t) => {
  const send = (more: object) => api.post(path, { reporter: reporterOf('labelled', more), events: [] });
  await send({});
  t.strictSame(await storedReporter('labelled'), {
    kind: 'reporter',
    name: 'Worker',
    region: null,
    team: null,
    every: null,
  });
  const labels = { englishName: 'Arbeiter Ä', region: ' EU-West ', team: 'ÖPS', expectedEverySeconds: 15 };
  t.equal((await send(labels)).status, 202);
  t.strictSame(await storedReporter('labelled'), {
    kind: 'reporter',
    name: 'Arbeiter Ä',
    region: 'eu-west',
    team: 'öps',
    every: 15,
  });
  t.equal((await send({ ...labels, region: null, team: '', expectedEverySeconds: 300 })).status, 202);
  t.match(await storedReporter('labelled'), { region: null, team: null, every: 300 });
});

t.test('202: reporters that name a service are counted for it, and call for themselves', async (t) => {
  const send = (reporterId: string, service: string | null, events: object[]) =>
    api.post(path, { reporter: reporterOf(reporterId, { service }), events });
  const found = { endpoint: '/search', status: 200, ms: 2 };
  const failed = { endpoint: '/search', status: 503, message: 'down' };
  isAccepted(t, await send('search-eu-1', ' Search ', [found, failed]), {
    ...{ accepted: 2, rejected: 0, rows: 2, statements: 1, heartbeat: true, reporterId: 'search-eu-1' },
  });
  await send('search-us-1', 'search', [found, found]);
  await send('search-us-1', 'search', []);
  await api.post('/api/v1/events', [{ ...found, service: 'search' }]);
  const stored = (await readStored()).filter(
    ({ page, endpoint }) => page === api.pageId && endpoint === '/search',
  );
  t.match(
    stored.map(({ kind, service, status, requests }) => ({ kind, service, status, requests })),
    [
      { kind: 'service', service: 'search', status: 200, requests: 4 },
      { kind: 'service', service: 'search', status: 503, requests: 1 },
    ],
  );
  t.strictSame(
    [
      (await callsOf('search-eu-1')).calls,
      (await callsOf('search-us-1')).calls,
      (await callsOf('search')).calls,
    ],
    [1, 2, 0],
  );
  t.strictSame(
    [...(await sql`SELECT kind, source, service FROM sources WHERE source ~ '^search' ORDER BY source`)],
    [
      { kind: 'service', source: 'search', service: null },
      { kind: 'reporter', source: 'search-eu-1', service: 'search' },
      { kind: 'reporter', source: 'search-us-1', service: 'search' },
    ],
  );
  await send('search-us-1', null, [found]);
  t.match(
    await rowsOf('search-us-1'),
    [{ endpoint: '/search', requests: 1 }],
    'without a service, for itself',
  );
});

t.test('a batch with an id counts once for the service, whichever path it takes', async (t) => {
  const body = {
    batchId: 'twice',
    reporter: reporterOf('pay-1', { service: 'pay' }),
    events: [{ endpoint: '/pay', status: 200 }],
  };
  const [first, second] = [await api.post(path, body), await api.post(path, body)];
  t.match([first.body, second.body], [{ accepted: 1 }, { accepted: 1, duplicate: true }]);
  await api.post(path, { ...body, reporter: reporterOf('pay-2', { service: 'pay' }) });
  const stored = (await readStored()).filter(({ service }) => service === 'pay');
  t.match(stored, [{ kind: 'service', requests: 2 }], 'ids of two reporters are two');
});

t.test('unknown fields are ignored', async (t) => {
  const answer = await api.post(path, {
    reporter: reporterOf('extra', { pid: 7, hostname: 'x' }),
    events: [{ endpoint: '/a', status: 200, host: 'x' }],
    sentAt: 'now',
  });
  t.match(answer, { status: 202, body: { accepted: 1, rejected: 0 } });
});

t.test('a reporter has 200 endpoints per batch, whatever services its events name', async (t) => {
  const events = Array.from({ length: 210 }, (_, i) => ({
    service: `s${i}`,
    endpoint: `/${i}`,
    status: 200,
  }));
  const answer = await api.post(path, { reporter: reporterOf('wide'), events });
  t.match(answer, {
    status: 202,
    body: {
      accepted: 200,
      rejected: 10,
      heartbeat: true,
      warning: /^10 events dropped: more than 200 distinct/,
    },
  });
});

t.test('reporters of two pages with the same id are two reporters', async (t) => {
  const send = (key: string, englishName: string) =>
    api.post(
      path,
      { reporter: reporterOf('twin', { englishName }), events: [{ endpoint: '/t', status: 200 }] },
      { key },
    );
  await Promise.all([send(api.ingestKey, 'Mine'), send(api.otherIngestKey, 'Theirs')]);
  const names = await sql`SELECT page_id, name FROM sources WHERE source = 'twin' ORDER BY name`;
  t.strictSame(
    names.map((row) => [row['page_id'], row['name']]),
    [
      [api.pageId, 'Mine'],
      [api.otherPageId, 'Theirs'],
    ],
  );
  const rows = (await readStored()).filter(({ service }) => service === 'twin');
  t.strictSame(
    rows.map(({ page, requests }) => [page, requests]).sort(),
    [
      [api.pageId, 1],
      [api.otherPageId, 1],
    ].sort(),
  );
});

t.test('202: rejected events say why', async (t) => {
  const events = [{ endpoint: '/a' }, { endpoint: '/a', status: 200, at: '2026-01-01T00:00:00Z' }];
  const answer = await api.post(path, { reporter: reporterOf('told'), events });
  t.match(rejectionsOf(answer), [
    { reason: 'status_missing', count: 1, firstIndex: 0, message: /^"status" is missing\./ },
    { reason: 'too_old', count: 1, firstIndex: 1, message: /at most 10 minutes before the event arrives/ },
  ]);
});

t.test('202: a reporter that said goodbye is stopped until it calls again', async (t) => {
  const call = (more: object = {}) => api.post(path, { reporter: reporterOf('leaving', more), events: [] });
  const reporting = async () => {
    const { body } = await api.get('/api/v1/analytics/reporters', { authorization: `Bearer ${api.readKey}` });
    const { reporters } = body as { reporters: { id: string; reporting: string }[] };
    return reporters.find(({ id }) => id === 'leaving')?.reporting;
  };
  t.equal((await call()).status, 202);
  t.equal(await reporting(), 'clean');
  t.equal((await call({ stopping: true })).status, 202);
  t.equal(await reporting(), 'stopped');
  t.equal((await call({ stopping: false })).status, 202);
  t.equal(await reporting(), 'clean', 'it has started again');
  t.equal((await call({ stopping: null })).status, 202);
  t.equal((await call({ stopping: 'yes' })).status, 400);
  const first = { reporter: reporterOf('short', { stopping: true }), events: [] };
  t.equal((await api.post(path, first)).status, 202);
  const [row] = await sql`select stopped_at from sources where source = 'short'`;
  t.ok(row?.['stopped_at'], 'of a reporter that is new, too');
});
