import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import {
  classic,
  type Labels,
  remoteWriteHeaders,
  remoteWriteHeaders2,
  type TestSeries,
  writeBody,
  writeBody2,
} from '../support/remote-write.js';
import { readRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';
import { snappyBlock } from '../support/snappy.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const path = '/api/v1/prometheus/write';
/** Scrapes of the last minutes, 15 s apart; the oldest is the first. */
const scrapes = Array.from({ length: 6 }, (_, i) => systemClock.now() - 90_000 + i * 15_000);
const at = (scrape: number): number => scrapes[scrape] ?? 0;

function send(
  body: Buffer,
  {
    key = api.ingestKey,
    headers = remoteWriteHeaders,
    url = api.url,
  }: { key?: string | null; headers?: object; url?: string } = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
  });
}

/** Sends series in one body of 1.0. */
async function write(series: readonly TestSeries[], key = api.ingestKey): Promise<void> {
  const answer = await send(writeBody(series), { key });
  if (answer.status !== 204) throw new Error(`${answer.status} ${await answer.text()}`);
}

async function rowsOf(service: string, page = api.pageId) {
  await api.settle();
  const rows = await readRequests(api.stores.clickhouse);
  return rows.filter((row) => row.page === page && row.service === service);
}

/** Method, endpoint, status and requests, over all minutes. */
async function brief(service: string, page = api.pageId) {
  const sums = new Map<string, number>();
  for (const { method, endpoint, status, requests } of await rowsOf(service, page)) {
    const key = JSON.stringify([method, endpoint, status]);
    sums.set(key, (sums.get(key) ?? 0) + requests);
  }
  return [...sums].sort().map(([key, requests]) => [...JSON.parse(key), requests]);
}

const otel = 'http_server_request_duration_seconds';
const labelsOf = (service: string, more: Labels = {}): Labels => ({
  ...{ job: service, instance: 'a:80', http_route: '/carts/:id' },
  ...{ http_request_method: 'GET', http_response_status_code: '200', ...more },
});
/** Requests up to 0.1 s, up to 0.5 s and all of them. */
const counts = (low: number, middle: number, all: number) => ({ '0.1': low, '0.5': middle, '+Inf': all });

t.test('204: what a histogram has counted since its first point counts exactly', async (t) => {
  const labels = labelsOf('exact');
  await write(classic(otel, labels, at(0), counts(1000, 2000, 3000)));
  t.strictSame(await brief('exact'), []);
  await write(classic(otel, labels, at(1), counts(1001, 2002, 3004)));
  await write([
    ...classic(otel, labels, at(2), counts(1001, 2002, 3004)),
    ...classic(otel, labels, at(3), counts(1002, 2003, 3010)),
  ]);
  const rows = await rowsOf('exact');
  t.equal(
    rows.reduce((sum, { requests }) => sum + requests, 0),
    10,
  );
  const query = new URLSearchParams({ service: 'exact', endpoint: '/carts/:id' });
  const { body } = await api.get(`/api/v1/analytics/totals?${query}`, {
    authorization: `Bearer ${api.readKey}`,
  });
  const { p50Ms = 0, p5Ms = 0 } = (body as { now: Record<string, number> }).now;
  // Two requests took up to 0.1 s, one up to 0.5 s, and seven more.
  t.ok(p50Ms >= 480 && p50Ms <= 520, `p50 is ${p50Ms} ms, the bound of the last bucket`);
  t.ok(p5Ms <= 100, `p5 is ${p5Ms} ms`);
});

t.test('204: bodies again, in another order, and buckets in several bodies count once', async (t) => {
  const labels = labelsOf('shards');
  const points = [0, 1, 2, 3, 4].map((i) => classic(otel, labels, at(i), counts(i, 2 * i, 3 * i)));
  for (const point of points) {
    const [low = [], rest = []] = [point.slice(0, 1), point.slice(1)];
    await write(low);
    await write(rest);
    await write(low);
    await write(rest);
  }
  for (const point of [...points].reverse()) await write(point);
  t.strictSame(await brief('shards'), [['GET', '/carts/:id', 200, 12]]);
});

t.test('204: bodies at the same time count once, each bucket in one of its own', async (t) => {
  const labels = labelsOf('at once');
  await write(classic(otel, labels, at(0), counts(0, 0, 0)));
  await write(classic(otel, labels, at(1), counts(1, 2, 3)));
  const bodies = [2, 3, 4, 5].flatMap((i) => {
    const series = classic(otel, labels, at(i), counts(i, 2 * i, 10 * i));
    return [...series.map((one) => [one]), ...series.map((one) => [one])];
  });
  await Promise.all(bodies.map((series) => write(series)));
  await write(classic(otel, labels, at(5), counts(5, 10, 50)));
  t.strictSame(await brief('at once'), [['GET', '/carts/:id', 200, 50]]);
});

t.test('204: a restart counts from zero', async (t) => {
  const labels = labelsOf('restart');
  for (const [i, all] of [100, 110, 4, 9].entries())
    await write(classic(otel, labels, at(i), counts(0, 0, all)));
  t.strictSame(await brief('restart'), [['GET', '/carts/:id', 200, 10 + 4 + 5]]);
});

t.test('204: Micrometer, gRPC, the common name, classes and a timer without buckets', async (t) => {
  const common = { job: 'forms', instance: 'a' };
  const spring = {
    ...common,
    uri: '/carts/{id}',
    method: 'POST',
    exception: 'IOException',
    status: 'UNKNOWN',
  };
  const forms: [
    metric: string,
    labels: Labels,
    counts: Record<string, number>,
    more: Record<string, number>,
  ][] = [
    ['http_server_requests_seconds', { ...spring, outcome: 'SERVER_ERROR' }, { '+Inf': 1 }, { '+Inf': 3 }],
    [
      'http_server_duration_milliseconds',
      { ...common, http_route: '/old', http_method: 'GET', http_status_code: '404' },
      { '5': 1, '+Inf': 1 },
      { '5': 2, '+Inf': 4 },
    ],
    [
      'grpc_server_handling_seconds',
      { ...common, grpc_service: 'shop.Cart', grpc_method: 'Add', grpc_code: 'Unavailable' },
      { '+Inf': 0 },
      { '+Inf': 4 },
    ],
    [
      'http_request_duration_seconds',
      { ...common, handler: '/a', method: 'get', code: '5xx' },
      { '1': 5, '+Inf': 5 },
      { '1': 9, '+Inf': 10 },
    ],
    [
      'http_request_duration_seconds',
      { ...common, path: '/b' },
      { '1': 5, '+Inf': 5 },
      { '1': 9, '+Inf': 11 },
    ],
    [
      'prometheus_http_request_duration_seconds',
      { ...common, handler: '/-/ready' },
      { '1': 0, '+Inf': 0 },
      { '1': 7, '+Inf': 7 },
    ],
  ];
  const timer = (value: number, timestamp: number): TestSeries[] => [
    {
      labels: {
        __name__: 'http_server_requests_seconds_count',
        ...common,
        uri: '/timer',
        method: 'GET',
        status: '201',
      },
      samples: [{ value, timestamp }],
    },
  ];
  await write([
    ...forms.flatMap(([metric, labels, before]) => classic(metric, labels, at(0), before)),
    ...timer(2, at(0)),
  ]);
  await write([
    ...forms.flatMap(([metric, labels, , after]) => classic(metric, labels, at(1), after)),
    ...timer(10, at(1)),
  ]);
  t.strictSame(await brief('forms'), [
    ['GET', '/-/ready', 200, 7],
    ['GET', '/a', 500, 5],
    ['GET', '/b', 200, 6],
    ['GET', '/old', 404, 3],
    ['GET', '/timer', 201, 8],
    ['POST', '/carts/{id}', 500, 2],
    ['RPC', 'shop.Cart/Add', 503, 4],
  ]);
});

t.test('204 with 2.0: the headers say what was written, and a young start counts from it', async (t) => {
  const labels = labelsOf('second');
  const start = at(0) - 1000;
  const histogram = (count: number, timestamp: number) => ({
    ...{ count, sum: 1.5, schema: 0, zeroCount: 1, timestamp },
    ...{ positiveSpans: [{ offset: 0, length: 1 }], positiveDeltas: [count - 1] },
  });
  const native: TestSeries = {
    labels: { __name__: otel, ...labels, http_route: '/native' },
    histograms: [histogram(3, at(0)), histogram(8, at(1))],
    startMs: start,
  };
  const up: TestSeries = {
    labels: { __name__: 'up', job: 'second' },
    samples: [{ value: 1, timestamp: at(0) }],
  };
  const body = writeBody2([
    ...[0, 1].flatMap((i) => classic(otel, labels, at(i), counts(1 + i, 2 + i, 5 + i), start)),
    ...[native, up],
  ]);
  const answer = await send(body, { headers: remoteWriteHeaders2 });
  t.equal(answer.status, 204);
  t.match(Object.fromEntries(answer.headers), {
    'x-prometheus-remote-write-samples-written': '11',
    'x-prometheus-remote-write-histograms-written': '2',
    'x-prometheus-remote-write-exemplars-written': '0',
  });
  t.equal((await send(body, { headers: remoteWriteHeaders2 })).status, 204, 'again');
  t.strictSame(await brief('second'), [
    ['GET', '/carts/:id', 200, 6],
    ['GET', '/native', 200, 8],
  ]);
});

t.test('204: what is not counted is counted by reason, and ends nothing', async (t) => {
  const before = await reasons();
  const labels = labelsOf('reasons');
  const one = (name: string, value: number, timestamp: number, more: Labels = {}): TestSeries => ({
    labels: { __name__: name, ...labels, ...more },
    samples: [{ value, timestamp }],
  });
  const now = at(5);
  await write([
    one('up', 1, now),
    one('http_server_requests_seconds_max', 1, now),
    one(`${otel}_bucket`, Number.NaN, now, { le: '0.1' }),
    one(`${otel}_bucket`, 1.5, now, { le: '0.1' }),
    one(`${otel}_bucket`, -1, now, { le: '0.1' }),
    one(`${otel}_bucket`, 1, now, { le: 'low' }),
    one(`${otel}_bucket`, 1, now - 15 * 86_400_000, { le: '0.1' }),
    one(`${otel}_bucket`, 1, now + 86_400_000, { le: '0.1' }),
  ]);
  await write(classic(otel, labels, at(0), counts(1, 2, 3)));
  await write(classic(otel, labels, at(1), counts(1, 2, 3)));
  await write(classic(otel, labels, at(0), counts(1, 2, 3)));
  const more = Object.entries(await reasons()).map(([reason, n]) => [reason, n - (before[reason] ?? 0)]);
  t.strictSame(Object.fromEntries(more.filter(([, n]) => n !== 0)), {
    ...{ other_metric: 1, other_form: 1, stale: 1, malformed: 3, too_old: 1, in_the_future: 1 },
    ...{ late: 4, first_of_series: 1, no_requests: 1 },
  });
  t.strictSame(await brief('reasons'), []);
});

async function reasons(): Promise<Record<string, number>> {
  const text = await (await fetch(`${api.url}/metrics`)).text();
  const lines = text.matchAll(/^heartline_remote_write_ignored_total\{reason="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, reason, count]) => [reason, Number(count)]));
}

t.test('400: no block of snappy, no protobuf, no such symbol', async (t) => {
  const answers = [
    [await send(Buffer.from('nothing')), 'body.not_decompressible'],
    [await send(snappyBlock(Buffer.from('\xff\xff\xff'))), 'body.not_protobuf'],
    [
      await send(snappyBlock(Buffer.from([0x2a, 0x02, 0x08, 0x07])), { headers: remoteWriteHeaders2 }),
      'body.invalid',
    ],
  ] as const;
  for (const [answer, code] of answers) {
    t.equal(answer.status, 400);
    t.match(await answer.json(), { code });
  }
});

t.test('413: a block that says that it is too large, before it is inflated', async (t) => {
  const answer = await send(Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 0x61]));
  t.equal(answer.status, 413);
  t.match(await answer.json(), { code: 'body.too_large' });
});

t.test('415: other media types, messages and encodings', async (t) => {
  const body = writeBody([]);
  const headers = [
    { 'content-type': 'application/json' },
    { 'content-type': 'application/x-protobuf;proto=io.prometheus.write.v3.Request' },
    { 'content-encoding': 'gzip' },
    { 'content-encoding': 'identity' },
  ];
  for (const more of headers) {
    const answer = await send(body, { headers: { ...remoteWriteHeaders, ...more } });
    t.equal(answer.status, 415, JSON.stringify(more));
    t.match(await answer.json(), { error: 'content-type' in more ? /^Content-Type must be/ : /snappy/ });
  }
  const named = { 'content-type': 'application/x-protobuf; proto="prometheus.WriteRequest"' };
  t.equal((await send(body, { headers: { ...remoteWriteHeaders, ...named } })).status, 204);
});

t.test('401, 403, 405: as for events', async (t) => {
  t.equal((await send(writeBody([]), { key: null })).status, 401);
  t.equal((await send(writeBody([]), { key: 'key_ingest_wrong' })).status, 401);
  t.equal((await send(writeBody([]), { key: api.readKey })).status, 403);
  t.equal((await api.get(path)).status, 405);
});

t.test('503: PostgreSQL is unavailable; what is sent again counts once, over any instance', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const other = await startAnother(t, api, { databaseUrl: gate.url });
  const { url } = other;
  const labels = labelsOf('away');
  const [first, second, third] = [0, 1, 2].map((i) =>
    writeBody(classic(otel, labels, at(i), counts(i, 2 * i, 5 * i))),
  ) as [Buffer, Buffer, Buffer];
  t.equal((await send(first, { url })).status, 204);
  t.equal((await send(second, { url })).status, 204);
  await gate.close();
  const answer = await send(third, { url });
  t.equal(answer.status, 503);
  t.match(await answer.json(), { code: 'store.unavailable' });
  t.match(answer.headers.get('retry-after'), /^[1-9]\d*$/);
  await gate.open();
  t.equal((await send(third, { url })).status, 204);
  t.equal((await send(third)).status, 204, 'over the other instance');
  await other.settle();
  t.strictSame(await brief('away'), [['GET', '/carts/:id', 200, 10]]);
});

t.test("another page's key counts on its own page, with series of its own", async (t) => {
  const labels = labelsOf('tenants');
  await write(classic(otel, labels, at(0), counts(0, 0, 100)));
  await write(classic(otel, labels, at(1), counts(0, 0, 101)), api.otherIngestKey);
  await write(classic(otel, labels, at(2), counts(0, 0, 107)), api.otherIngestKey);
  const isThere = async () => (await rowsOf('tenants', api.otherPageId))[0]?.requests === 6;
  await waitUntil('the other page has it', isThere);
  t.strictSame(await brief('tenants'), []);
});
