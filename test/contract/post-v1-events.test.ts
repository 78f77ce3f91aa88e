import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { rejectionsOf, withoutRejections } from '../support/rejections.js';
import { readRequests, select } from '../support/rollups.js';
import { type Answer, startTestService } from '../support/service.js';

const path = '/api/v1/events';
const api = await startTestService(t);
const { clickhouse } = api.stores;

/** A time for events that must fall into one minute, whenever they are sent. */
const at = new Date(Date.now() - 3_600_000).toISOString();
const minuteOf = (at: number) => new Date(at - (at % 60_000)).toISOString().slice(0, 19).replace('T', ' ');

function isAccepted(t: Test, answer: Answer, body: object): void {
  t.equal(answer.status, 202);
  t.strictSame(withoutRejections(t, answer), body);
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
}

async function readStored() {
  await api.settle();
  return readRequests(clickhouse);
}

/** The rows of a service of the first page. */
async function rowsOf(service: string) {
  const rows = await readStored();
  return rows
    .filter((row) => row.page === api.pageId && row.service === service)
    .map(({ page, ...row }) => row);
}

t.test('202: an object with events, or the bare array', async (t) => {
  const events = [
    { service: 'Forms', endpoint: '/a?x=1', status: 200, at },
    { app: 'forms', path: '/a/', statusCode: 200, at },
    { component: ' forms ', route: '/b', method: 'post', status_code: 201, at },
  ];
  isAccepted(t, await api.post(path, { events }), { accepted: 3, rejected: 0, rows: 2, statements: 1 });
  isAccepted(t, await api.post(path, events), { accepted: 3, rejected: 0, rows: 2, statements: 1 });
  t.match(await rowsOf('forms'), [
    { kind: 'service', endpoint: '/a', method: 'GET', status: 200, requests: 4 },
    { kind: 'service', endpoint: '/b', method: 'POST', status: 201, requests: 2 },
  ]);
});

t.test('202: the stored rows match the events', async (t) => {
  const now = Date.now();
  const [old, older] = [now - 3_600_000, now - 13 * 86_400_000];
  const at = (time: number) => new Date(time).toISOString();
  const events = [
    { service: 'exact', endpoint: '/x', status: 200, ms: 1.5, at: at(old) },
    { service: 'exact', endpoint: '/x', status: 200, ms: 2.25, at: at(old) },
    { service: 'exact', endpoint: '/x', status: 200, at: at(old) },
    { service: 'exact', endpoint: '/x', status: 500, ms: 30, at: at(older), message: 'first' },
    { service: 'exact', endpoint: '/x', status: 502, ms: -1, at: at(older + 1), error: 'second' },
    { service: 'exact', endpoint: '/x', status: 404, duration_ms: 0, at: at(older) },
    { service: 'exact', endpoint: '/x', status: 200, at: at(old), message: 'not kept' },
    { service: 'exact', endpoint: '/x', status: '200' },
    { service: 'exact', status: 200 },
    { service: 'exact', endpoint: '/x', status: 200, at: at(now - 15 * 86_400_000) },
    { service: 'exact', endpoint: '/x', status: 200, at: at(now + 120_000) },
    null,
  ];
  isAccepted(t, await api.post(path, events), { accepted: 7, rejected: 5, rows: 4, statements: 1 });
  const row = { kind: 'service', service: 'exact', endpoint: '/x', method: 'GET' };
  t.strictSame(await rowsOf('exact'), [
    { ...row, status: 200, minute: minuteOf(old), requests: 4, timed: 2, sumUs: 3_750 },
    { ...row, status: 404, minute: minuteOf(older), requests: 1, timed: 1, sumUs: 0 },
    { ...row, status: 500, minute: minuteOf(older), requests: 1, timed: 1, sumUs: 30_000 },
    { ...row, status: 502, minute: minuteOf(older + 1), requests: 1, timed: 0, sumUs: 0 },
  ]);
  const messages = await select(
    clickhouse,
    `SELECT endpoint, max(latest).status AS status, max(latest).method AS method, max(latest).message AS message
     FROM messages WHERE service = 'exact' GROUP BY endpoint, minute`,
  );
  t.strictSame(messages, [{ endpoint: '/x', status: 502, method: 'GET', message: 'second' }]);
  const [hours] = await select<{ requests: string }>(
    clickhouse,
    `SELECT sum(requests) AS requests FROM requests_hour WHERE service = 'exact'`,
  );
  t.equal(Number(hours?.requests), 7);
  const [reports] = await select<{ calls: string }>(
    clickhouse,
    `SELECT sum(calls) AS calls FROM reports WHERE service = 'exact' AND kind = 'service'`,
  );
  t.equal(Number(reports?.calls), 1);
});

t.test('202: a batch without events is acknowledged, and writes nothing', async (t) => {
  isAccepted(t, await api.post(path, []), { accepted: 0, rejected: 0, rows: 0, statements: 0 });
  const answer = await api.post(path, { events: [null, 7, {}, []] });
  isAccepted(t, answer, { accepted: 0, rejected: 4, rows: 0, statements: 0 });
});

t.test('202: gzip, br and deflate', async (t) => {
  const json = JSON.stringify([{ service: 'packed', endpoint: '/a', status: 200, at }]);
  const acknowledgement = { accepted: 1, rejected: 0, rows: 1, statements: 1 };
  const packed = {
    gzip: gzipSync(json),
    'x-gzip': gzipSync(json),
    br: brotliCompressSync(json),
    deflate: deflateSync(json),
    identity: json,
    ' GZip ': gzipSync(json),
  };
  for (const [encoding, body] of Object.entries(packed)) {
    isAccepted(t, await api.post(path, body, { headers: { 'content-encoding': encoding } }), acknowledgement);
  }
  t.match(await rowsOf('packed'), [{ requests: 6 }]);
});

t.test('202: any content type, and any spelling of the scheme', async (t) => {
  const body = [{ service: 'spelled', endpoint: '/a', status: 200 }];
  for (const headers of [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
    { authorization: `bearer ${api.ingestKey}` },
    { authorization: `BEARER   ${api.ingestKey} ` },
  ]) {
    const key = 'authorization' in headers ? null : api.ingestKey;
    t.equal((await api.post(path, body, { key, headers })).status, 202);
  }
});

t.test('202: an event without a usable service is filed under Unassigned', async (t) => {
  const events = ['', 7, 'x'.repeat(61), null].map((service) => ({
    service,
    endpoint: '/a',
    status: 200,
    at,
  }));
  isAccepted(t, await api.post(path, events), { accepted: 4, rejected: 0, rows: 1, statements: 1 });
  t.match(await rowsOf('Unassigned'), [{ endpoint: '/a', requests: 4 }]);
});

t.test('202: the first 200 endpoints of a service count, with a warning about the others', async (t) => {
  const events = Array.from({ length: 205 }, (_, i) => ({ service: 'wide', endpoint: `/${i}`, status: 200 }));
  isAccepted(t, await api.post(path, [...events, { service: 'narrow', endpoint: '/204', status: 200 }]), {
    accepted: 201,
    rejected: 5,
    rows: 201,
    statements: 1,
    warning:
      '5 events dropped: more than 200 distinct endpoints of one service in a batch (/200, /201, /202, …).',
  });
  t.equal((await rowsOf('wide')).length, 200);
});

t.test('202: simultaneous batches count each event once', async (t) => {
  const batch = Array.from({ length: 50 }, (_, i) => ({
    service: 'many',
    endpoint: `/${i % 5}`,
    status: 200 + (i % 2),
    ms: i,
    at,
  }));
  const answers = await Promise.all(Array.from({ length: 60 }, () => api.post(path, batch)));
  for (const answer of answers) isAccepted(t, answer, { accepted: 50, rejected: 0, rows: 10, statements: 1 });
  const rows = await rowsOf('many');
  t.equal(
    rows.reduce((sum, { requests }) => sum + requests, 0),
    60 * 50,
  );
  t.equal(
    rows.reduce((sum, { sumUs }) => sum + sumUs, 0),
    60 * ((49 * 50) / 2) * 1_000,
  );
});

t.test('the key decides the page, whatever the body and the headers say', async (t) => {
  const before = (await readStored()).filter(({ page }) => page === api.pageId).length;
  const event = { endpoint: '/mine', status: 200, page_id: api.pageId, pageId: api.pageId, slug: 'acme' };
  const body = { events: [event], page_id: api.pageId, pageId: api.pageId, slug: 'acme' };
  const headers = { 'x-heartline-page': api.pageId, host: 'acme.localhost' };
  const answer = await api.post(`${path}?page_id=${api.pageId}&slug=acme`, body, {
    key: api.otherIngestKey,
    headers,
  });
  isAccepted(t, answer, { accepted: 1, rejected: 0, rows: 1, statements: 1 });
  const rows = await readStored();
  t.strictSame(
    rows.filter(({ endpoint }) => endpoint === '/mine').map(({ page }) => page),
    [api.otherPageId],
  );
  t.equal(rows.filter(({ page }) => page === api.pageId).length, before);
});

t.test('simultaneous batches of two pages with the same names stay separate', async (t) => {
  const batch = (count: number) =>
    Array.from({ length: count }, () => ({ service: 'apart', endpoint: '/same', status: 200 }));
  await Promise.all(
    Array.from({ length: 20 }, () => [
      api.post(path, batch(3)),
      api.post(path, batch(5), { key: api.otherIngestKey }),
    ]).flat(),
  );
  const rows = (await readStored()).filter(({ service }) => service === 'apart');
  const sum = (page: string) =>
    rows.filter((row) => row.page === page).reduce((total, { requests }) => total + requests, 0);
  t.equal(sum(api.pageId), 60);
  t.equal(sum(api.otherPageId), 100);
});

t.test('202: rejected events say why, the most frequent reason first', async (t) => {
  const good = { service: 'told', endpoint: '/a', status: 200 };
  const events = [
    good,
    { ...good, status: '200' },
    null,
    { ...good, status: 99 },
    { service: 'told', status: 200 },
    { ...good, path: '/b', endpoint: null, at: 'yesterday' },
    { ...good, status: true },
  ];
  const answer = await api.post(path, events);
  t.match(answer.body, { accepted: 1, rejected: 6 });
  t.strictSame(rejectionsOf(answer), [
    {
      reason: 'status_invalid',
      count: 3,
      firstIndex: 1,
      message: '"status" must be a whole number from 100 to 599, without quotes; it was the text "200".',
    },
    {
      reason: 'not_an_object',
      count: 1,
      firstIndex: 2,
      message: 'An event must be an object such as {"endpoint": "/cart/:id", "status": 200}; it was null.',
    },
    {
      reason: 'endpoint_missing',
      count: 1,
      firstIndex: 4,
      message:
        '"endpoint" is missing. Send the route template, such as "/cart/:id"; "path" and "route" are read, too.',
    },
    {
      reason: 'at_invalid',
      count: 1,
      firstIndex: 5,
      message:
        '"at" must be an ISO-8601 time that exists, such as "2026-01-31T23:59:59.000Z"; it was the text "yesterday". Without "at" the time of arrival counts.',
    },
  ]);
});

t.test(
  '202: the rejections of a limit stand beside its warning, with their places in the batch',
  async (t) => {
    const events = Array.from({ length: 203 }, (_, i) => ({
      service: 'broad',
      endpoint: `/${i}`,
      status: 200,
    }));
    const answer = await api.post(path, [{ service: 'broad' }, ...events]);
    t.match(answer.body, { accepted: 200, rejected: 4, warning: /^3 events dropped/ });
    t.match(rejectionsOf(answer), [
      {
        reason: 'endpoint_limit_per_batch',
        count: 3,
        firstIndex: 201,
        message: /with the endpoint "\/200"\. Send/,
      },
      { reason: 'status_missing', count: 1, firstIndex: 0 },
    ]);
  },
);

t.test('202: ten reasons at most', async (t) => {
  const good = { service: 'all', endpoint: '/a', status: 200 };
  const bad = [
    ...[null, {}, { ...good, status: 1 }, { status: 200 }, { ...good, endpoint: '' }],
    ...[
      { ...good, endpoint: '/a b'.repeat(60) },
      { ...good, at: '1999-01-01T00:00:00Z' },
    ],
    ...[
      { ...good, at: '2099-01-01T00:00:00Z' },
      { ...good, at: 'x' },
      { ...good, method: '' },
    ],
  ];
  const wide = Array.from({ length: 201 }, (_, i) => ({ ...good, service: 'wide too', endpoint: `/${i}` }));
  const answer = await api.post(path, [...bad, ...wide]);
  t.match(answer.body, { accepted: 200, rejected: 11 });
  t.equal(new Set(rejectionsOf(answer).map(({ reason }) => reason)).size, 10);
});

t.test('202: fields and values that are not read are named in the warning, and counted', async (t) => {
  const events = [
    { service: 'unread', endpoint: '/a', status: 200, ms: 12 },
    { service: 'unread', endpoint: '/a', status: 200, duration: 12, timestamp: 7 },
    { service: 'unread', endpoint: '/a', status: 200, ms: '12ms' },
  ];
  const unreadBatches = async () => {
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    return Number(/^heartline_event_batches_unread_total (\d+)$/m.exec(metrics)?.[1]);
  };
  const before = await unreadBatches();
  const { body } = await api.post(path, events);
  t.match(body, { accepted: 3, rejected: 0 });
  const { warning } = body as { warning: string };
  t.match(
    warning,
    /^The field "duration" is not read; did you mean "ms"\? The field "timestamp" .* "at"\? The value/,
  );
  t.notOk('warning' in ((await api.post(path, events.slice(0, 1))).body as object), 'nothing to say');
  t.equal((await unreadBatches()) - before, 1);
  const { body: rejections } = await api.get('/api/v1/analytics/rejections', {
    authorization: `Bearer ${api.readKey}`,
  });
  const { reasons } = rejections as { reasons: { reason: string }[] };
  t.notOk(
    reasons.some(({ reason }) => reason === 'unread'),
    'they are no rejections',
  );
});
