import { gzipSync } from 'node:zlib';
import t from 'tap';
import { metricsRequest, tracesRequest } from '../../ingest/otlp/schemas.js';
import { callRaw, exports, framed, makeGrpcClient } from '../support/grpc.js';
import {
  cumulative,
  decodeAnswer,
  encodeOtlp,
  histogramOf,
  metricsOf,
  spanOf,
  tracesOf,
} from '../support/otlp.js';
import { openConnection } from '../support/raw-http.js';
import { readRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { otlpGrpcPort: 0, bodyTimeoutMs: 1_500 });
const port = api.service.otlpGrpcPort;
const send = makeGrpcClient(t, port);
const key = api.ingestKey;
const traces = (service: string, count = 1) =>
  encodeOtlp(tracesOf(service, Array(count).fill(spanOf())), tracesRequest);

async function countOf(service: string, page = api.pageId): Promise<number> {
  await api.settle();
  const rows = await readRequests(api.stores.clickhouse);
  const found = rows.filter((row) => row.page === page && row.service === service);
  return found.reduce((sum, { requests }) => sum + requests, 0);
}

t.test('OK: traces and metrics count, plain and with gzip', async (t) => {
  const sendGzip = makeGrpcClient(t, port, { gzip: true });
  for (const [form, call] of Object.entries({ plain: send, gzip: sendGzip })) {
    const answer = await call(traces(form, 30), { key });
    t.match(answer, { code: 0, message: Buffer.alloc(0) }, form);
    const metrics = encodeOtlp(metricsOf(`${form} metrics`, [histogramOf({})]), metricsRequest);
    t.match(await call(metrics, { key, path: exports.metrics }), { code: 0 }, form);
    t.equal(await countOf(form), 30);
    t.equal(await countOf(`${form} metrics`), 6);
  }
});

t.test('OK: an empty request, and a body of more than the window of a connection', async (t) => {
  t.match(await send(Buffer.alloc(0), { key }), { code: 0 });
  const long = spanOf({ attributes: { 'http.request.method': 'GET', 'url.query': 'x'.repeat(2_000) } });
  const body = encodeOtlp(tracesOf('long', Array(1_500).fill(long)), tracesRequest);
  t.ok(body.length > 3_000_000);
  t.match(await send(body, { key }), { code: 0 });
  t.equal(await countOf('long'), 1_500);
});

t.test('OK with a partial success', async (t) => {
  const attributes = { 'http.request.method': 'GET', 'http.response.status_code': 42 };
  const body = encodeOtlp(tracesOf('partial', [spanOf({ attributes }), spanOf()]), tracesRequest);
  const { code, message } = await send(body, { key });
  t.equal(code, 0);
  const said = /"http.response.status_code" must be a status of HTTP/;
  t.match(decodeAnswer(message ?? Buffer.alloc(0)), { partialSuccess: { rejected: 1, errorMessage: said } });
  t.equal(await countOf('partial'), 1);
});

t.test('a body that came over HTTP before counts once', async (t) => {
  const body = traces('twice', 3);
  const headers = { 'content-type': 'application/x-protobuf' };
  t.equal((await api.post('/v1/traces', body, { headers })).status, 200);
  t.match(await send(body, { key }), { code: 0 });
  t.equal(await countOf('twice'), 3);
});

t.test(
  'UNAUTHENTICATED and PERMISSION_DENIED: no key, an unknown one, and one of another scope',
  async (t) => {
    const body = traces('keys');
    t.match(await send(body), { code: 16, reason: 'ingest_key.invalid', details: /no Authorization header/ });
    const unknown = await send(body, { key: `key_ingest_${'z'.repeat(43)}` });
    t.match(unknown, { code: 16, reason: 'ingest_key.invalid', details: /unknown or revoked/ });
    const wrong = await send(body, { key: api.readKey });
    t.match(wrong, { code: 7, reason: 'key.wrong_scope', details: /needs the scope ingest/ });
    t.equal(await countOf('keys'), 0);
  },
);

t.test("another page's key stores on its own page", async (t) => {
  t.match(await send(traces('tenants'), { key: api.otherIngestKey }), { code: 0 });
  await waitUntil('the other page has it', async () => (await countOf('tenants', api.otherPageId)) === 1);
  t.equal(await countOf('tenants'), 0);
});

t.test('INVALID_ARGUMENT: no protobuf, no gzip, not one message, too large, too many', async (t) => {
  const broken = await send(traces('broken').subarray(0, -1), { key });
  t.match(broken, {
    code: 3,
    reason: 'body.not_protobuf',
    details: 'The request body is not valid protobuf.',
  });
  t.match(await send(Buffer.alloc(4 * 1024 ** 2 + 1), { key }), { code: 3, reason: 'body.too_large' });
  const many = encodeOtlp(tracesOf('broken', Array(10_001).fill(spanOf())), tracesRequest);
  t.match(await send(many, { key }), { code: 3, reason: 'spans.too_many' });
  const headers = { authorization: `Bearer ${key}` };
  const bodies: [string, Buffer, RegExp][] = [
    ['no message', Buffer.alloc(0), /exactly one whole message/],
    ['half a message', framed(Buffer.from('abc'), { length: 4 }), /exactly one whole message/],
    ['two messages', Buffer.concat([framed(traces('broken')), framed(traces('broken'))]), /exactly one/],
    ['an unknown flag', framed(traces('broken'), { flag: 2 }), /exactly one whole message/],
    ['compressed without a coding', framed(gzipSync(traces('broken')), { flag: 1 }), /not valid protobuf/],
  ];
  for (const [name, body, said] of bodies) {
    const answer = await callRaw(t, port, headers, body);
    t.equal(answer['grpc-status'], '3', name);
    t.match(decodeURIComponent(String(answer['grpc-message'])), said, name);
  }
  const plain = await callRaw(
    t,
    port,
    { ...headers, 'grpc-encoding': 'gzip' },
    framed(Buffer.from('x'), { flag: 1 }),
  );
  t.match(plain, { 'grpc-status': '3', 'grpc-message': /could not be decompressed/ });
  const timeout = await callRaw(t, port, { ...headers, 'grpc-timeout': 'soon' }, framed(traces('broken')));
  t.match(timeout, { 'grpc-status': '3', 'grpc-message': /grpc-timeout must be/ });
  t.equal(await countOf('broken'), 0);
});

t.test('INVALID_ARGUMENT: a body that inflates a thousandfold, and the service goes on', async (t) => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2), { level: 9 });
  t.ok(bomb.length < 70_000);
  const headers = { authorization: `Bearer ${key}`, 'grpc-encoding': 'gzip' };
  const before = process.memoryUsage().arrayBuffers;
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => callRaw(t, port, headers, framed(bomb, { flag: 1 }))),
  );
  const wrong = answers.filter((answer) => answer['grpc-status'] !== '3' && answer['grpc-status'] !== '8');
  t.strictSame(wrong, []);
  t.ok(answers.some((answer) => /too large/.test(String(answer['grpc-message']))));
  t.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 ** 2, 'none was inflated as a whole');
  t.match(await send(traces('after'), { key }), { code: 0 });
});

t.test('UNIMPLEMENTED: logs, other calls, and other codings', async (t) => {
  const logs = await send(Buffer.alloc(0), { key, path: exports.logs });
  t.match(logs, { code: 12, details: /keeps no logs: set OTEL_LOGS_EXPORTER=none/, retrySeconds: undefined });
  const other = await send(Buffer.alloc(0), { path: '/grpc.health.v1.Health/Check' });
  t.match(other, { code: 12, details: /TraceService\/Export and .*MetricsService\/Export/ });
  const headers = { authorization: `Bearer ${key}`, 'grpc-encoding': 'snappy' };
  const coding = await callRaw(t, port, headers, framed(traces('coding'), { flag: 1 }));
  t.match(coding, { 'grpc-status': '12', 'grpc-accept-encoding': 'identity,gzip,deflate' });
});

t.test('RESOURCE_EXHAUSTED with the time to wait while the store is unavailable, and no loss', async (t) => {
  const gate = await openTcpGate(t, api.stores.databaseUrl);
  const instance = await startAnother(t, api, { databaseUrl: gate.url, hasLog: false, otlpGrpcPort: 0 });
  const call = makeGrpcClient(t, instance.service.otlpGrpcPort);
  t.match(await call(traces('away', 2), { key }), { code: 0 });
  // A block that the instance is sending while it loses PostgreSQL waits until its lease ends.
  await instance.settle();
  await gate.close();
  const body = traces('away', 3);
  const refused = await call(body, { key });
  t.match(refused, { code: 8, reason: 'store.unavailable', details: /Retry later/ });
  t.ok((refused.retrySeconds ?? 0) >= 1);
  const unknown = await call(body, { key: `key_ingest_${'y'.repeat(43)}` });
  t.match(unknown, { code: 8, reason: 'store.unavailable' });
  await gate.open();
  await waitUntil('it is taken', async () => (await call(body, { key })).code === 0);
  await waitUntil('it is stored', async () => (await countOf('away')) === 5);
});

t.test(
  'totals while PostgreSQL hangs: 503 and RESOURCE_EXHAUSTED, and each counts once when it is sent again',
  async (t) => {
    const gate = await openTcpGate(t, api.stores.databaseUrl);
    const instance = await startAnother(t, api, { databaseUrl: gate.url, otlpGrpcPort: 0 });
    const call = makeGrpcClient(t, instance.service.otlpGrpcPort);
    const startedAt = Date.now() - 60_000;
    const bodyOf = (service: string, number: number) => {
      const point = {
        ...{ startTimeUnixNano: `${startedAt}000000`, timeUnixNano: `${startedAt + number}000000` },
        ...{
          count: String(number),
          bucketCounts: [String(number), '0', '0'],
          min: undefined,
          max: undefined,
        },
      };
      return metricsOf(service, [histogramOf(point, {}, cumulative)]);
    };
    const overHttp = (number: number) => instance.post('/v1/metrics', bodyOf('totals by http', number));
    const overGrpc = (number: number) =>
      call(encodeOtlp(bodyOf('totals by grpc', number), metricsRequest), { key, path: exports.metrics });
    t.match(await Promise.all([overHttp(3), overGrpc(3)]), [{ status: 200, body: {} }, { code: 0 }]);
    await instance.settle();
    await waitUntil(
      'nothing is held',
      async () => (await api.stores.sql`select 1 from held_blocks`).length === 0,
    );
    gate.stall();
    const [http, grpc] = await Promise.all([overHttp(8), overGrpc(8)]);
    t.match(http, { status: 503, body: { code: 14 } });
    t.match(http.headers.get('retry-after'), /^[1-9]/);
    t.match(grpc, { code: 8 });
    t.ok((grpc.retrySeconds ?? 0) >= 1);
    await gate.close();
    await gate.open();
    await waitUntil('it is taken', async () => (await overHttp(8)).status === 200);
    await waitUntil('it is taken', async () => (await overGrpc(8)).code === 0);
    t.match(await Promise.all([overHttp(8), overGrpc(8)]), [{ status: 200 }, { code: 0 }]);
    for (const service of ['totals by http', 'totals by grpc']) {
      await waitUntil('all is stored', async () => (await countOf(service)) >= 8);
      t.equal(await countOf(service), 8);
    }
  },
);

t.test('DEADLINE_EXCEEDED: the deadline of the caller, and a body that does not arrive', async (t) => {
  const headers = { authorization: `Bearer ${key}` };
  const late = await callRaw(t, port, { ...headers, 'grpc-timeout': '20m' }, undefined);
  t.match(late, { 'grpc-status': '4', 'grpc-message': /deadline of the call passed/ });
  const slow = await callRaw(t, port, headers, undefined);
  t.match(slow, { 'grpc-status': '4', 'grpc-message': /took too long to arrive/ });
});

t.test('a client that does not speak gRPC gets a sentence', async (t) => {
  const connection = await openConnection(t, `http://127.0.0.1:${port}`);
  connection.send('POST /v1/traces HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n');
  t.match(await connection.readToEnd(), /^HTTP\/1\.1 415 .*OTLP over gRPC only.*request\.not_grpc/s);
  t.match(await callRaw(t, port, { 'content-type': 'application/json' }, Buffer.from('{}')), {
    ':status': 415,
  });
});

t.test('calls are in the metrics as requests are', async (t) => {
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  for (const path of [exports.traces, exports.metrics])
    t.ok(
      metrics.includes(`heartline_http_request_seconds_count{route="${path}",method="POST",status="200"}`),
      path,
    );
  t.match(metrics, 'route="none",method="POST",status="404"');
});

t.test('a stop answers the calls in flight, and takes no new ones', async (t) => {
  const instance = await startAnother(t, api, { otlpGrpcPort: 0 });
  const call = makeGrpcClient(t, instance.service.otlpGrpcPort);
  t.match(await call(Buffer.alloc(0), { key }), { code: 0 });
  const sent = Array.from({ length: 20 }, (_, i) => call(traces('stopped', i + 1), { key }));
  const [first] = await Promise.all([sent[0], instance.service.close()]);
  t.match(first, { code: 0 });
  const codes = new Set((await Promise.all(sent)).map(({ code }) => code));
  t.ok(
    [...codes].every((code) => [0, 8, 14].includes(code)),
    [...codes].join(),
  );
  t.match(await call(traces('stopped'), { key }), { code: 14 });
});
