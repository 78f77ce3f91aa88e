import { gzipSync } from 'node:zlib';
import t from 'tap';
import { tracesRequest } from '../../ingest/otlp/schemas.js';
import {
  attributesOf,
  decodeAnswer,
  decodeStatus,
  encodeOtlp,
  spanOf,
  tracesOf,
  usualAttributes,
} from '../support/otlp.js';
import { readRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const path = '/v1/traces';
const protobuf = { 'content-type': 'application/x-protobuf' };

async function rowsOf(service: string, page = api.pageId) {
  await api.settle();
  const rows = await readRequests(api.stores.clickhouse);
  return rows.filter((row) => row.page === page && row.service === service);
}

async function countOf(service: string, page = api.pageId): Promise<number> {
  return (await rowsOf(service, page)).reduce((sum, { requests }) => sum + requests, 0);
}

/** Sends bytes, and returns the answer as it came. */
async function send(body: Buffer, headers: Record<string, string> = protobuf, key = api.ingestKey) {
  const answer = await fetch(`${api.url}${path}`, {
    ...{ method: 'POST', body: new Uint8Array(body) },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, type: answer.headers.get('content-type'), bytes, headers: answer.headers };
}

t.test('200: a span of a server is a request', async (t) => {
  const old = { 'http.method': 'post', 'http.status_code': 503, 'http.route': '/pay' };
  const sent = tracesOf('Json', [spanOf(), spanOf({ attributes: old, message: 'no stock', ms: 250 })]);
  const answer = await api.post(path, sent);
  t.match(answer, { status: 200 });
  t.strictSame(answer.body, {}, 'an empty answer says that everything was taken');
  t.match(
    (await rowsOf('json')).sort((a, b) => a.status - b.status),
    [
      { endpoint: '/carts/:id', method: 'GET', status: 200, requests: 1 },
      { endpoint: '/pay', method: 'POST', status: 503, requests: 1 },
    ],
  );
  const messages = await api.get('/api/v1/analytics/messages', { authorization: `Bearer ${api.readKey}` });
  t.match(messages.body, { messages: [{ endpoint: '/pay', message: 'no stock' }] });
});

t.test('200: the same in protobuf, compressed or not, answered in protobuf', async (t) => {
  const bytes = (service: string) => encodeOtlp(tracesOf(service, [spanOf(), spanOf()]), tracesRequest);
  const plain = await send(bytes('plain'));
  t.match(plain, { status: 200, type: 'application/x-protobuf' });
  t.equal(plain.bytes.length, 0);
  t.equal((await send(gzipSync(bytes('gzip')), { ...protobuf, 'content-encoding': 'gzip' })).status, 200);
  t.equal(await countOf('plain'), 2);
  t.equal(await countOf('gzip'), 2);
});

t.test('200: the exception of a failing span is a sample with its trace, sampled or not', async (t) => {
  const spanId = 'B7AD6B7169203331';
  const stack = 'NoPrice: no price\n    at pay (/app/pay.js:10:5)';
  const failing = (ms: number, more: object = {}) => ({
    ...spanOf({ attributes: { ...usualAttributes, 'http.response.status_code': 500 }, ms }),
    ...{ traceId: '4BF92F3577B34DA6A3CE929D0E0E4736', spanId, status: { code: 2 } },
    events: [
      { name: 'exception', attributes: attributesOf({ 'exception.type': 'Earlier' }) },
      {
        name: 'exception',
        attributes: attributesOf({
          ...{ 'exception.type': 'NoPrice', 'exception.message': 'no price, token=abcdef123456' },
          ...{ 'exception.stacktrace': stack, 'exception.escaped': 'true', attempt: 2, api_key: 'hunter2' },
        }),
      },
    ],
    ...more,
  });
  const sampled = failing(20, { traceState: 'ot=th:8' });
  const notFound = spanOf({ attributes: { ...usualAttributes, 'http.response.status_code': 404 } });
  const spans = [failing(10), sampled, notFound, { ...spanOf(), events: failing(1).events }];
  t.strictSame((await api.post(path, tracesOf('thrown', [failing(10), notFound]))).body, {});
  t.equal((await send(encodeOtlp(tracesOf('thrown-too', spans), tracesRequest))).status, 200);
  await api.settle();
  const samplesOf = async (service: string) =>
    (
      await api.get(`/api/v1/analytics/failures?service=${service}`, {
        authorization: `Bearer ${api.readKey}`,
      })
    ).body;
  const sample = {
    ...{ endpoint: '/carts/:id', method: 'GET', status: 500, errorType: 'NoPrice', stack },
    ...{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: spanId.toLowerCase() },
    message: 'no price, token=[redacted]',
    attributes: [
      { name: 'attempt', value: '2' },
      { name: 'api_key', value: '[redacted]' },
    ],
  };
  t.match(await samplesOf('thrown'), { samples: [sample], nextCursor: null });
  t.match(await samplesOf('thrown-too'), { samples: [sample, sample], nextCursor: null });
  t.equal(await countOf('thrown-too'), 5, 'a sample stands for one of the requests that its span counts for');
});

t.test(
  '200: spans of other kinds are ignored, which is usual, and servers without a method are named',
  async (t) => {
    const others = [0, 1, 3, 4].map((kind) => spanOf({ kind }));
    const usual = await api.post(path, tracesOf('kinds', [...others, spanOf()]));
    t.strictSame([usual.status, usual.body], [200, {}]);
    const { 'http.request.method': _, ...nameless } = usualAttributes;
    const odd = [spanOf({ attributes: nameless }), spanOf({ attributes: {} }), spanOf({ kind: 5 }), spanOf()];
    const { body } = await api.post(path, tracesOf('kinds', odd));
    t.strictSame(body, {
      partialSuccess: {
        rejectedSpans: '3',
        errorMessage:
          'A span of a server needs "http.request.method" or "rpc.system"; it has the attribute "http.route", the attribute "http.response.status_code". A span of a consumer needs "messaging.system"; it has the attribute "http.request.method", the attribute "http.route", the attribute "http.response.status_code".',
      },
    });
    t.equal(await countOf('kinds'), 2);
    const metrics = await (await fetch(`${api.url}/metrics`)).text();
    t.match(metrics, 'heartline_otlp_ignored_total{signal="traces",reason="other_kind"} 4');
    t.match(metrics, 'heartline_otlp_ignored_total{signal="traces",reason="no_method"} 2');
    t.match(metrics, 'heartline_otlp_ignored_total{signal="traces",reason="no_message"} 1');
  },
);

t.test('200: a call of gRPC and a message of a queue are requests', async (t) => {
  const rpc = { 'rpc.system': 'grpc', 'rpc.service': 'shop.Cart', 'rpc.method': 'Add' };
  const taken = { 'messaging.system': 'kafka', 'messaging.operation.type': 'process' };
  const spans = [
    spanOf({ attributes: { ...rpc, 'rpc.grpc.status_code': 0 } }),
    spanOf({ attributes: { ...rpc, 'rpc.grpc.status_code': 14 }, message: 'no replica' }),
    spanOf({ kind: 5, attributes: { ...taken, 'messaging.destination.name': 'orders' } }),
  ];
  t.strictSame((await api.post(path, tracesOf('calls', spans))).body, {});
  const rows = (await rowsOf('calls')).map(({ method, endpoint, status }) => [method, endpoint, status]);
  t.strictSame(rows.sort(), [
    ['MESSAGE', 'process orders', 200],
    ['RPC', 'shop.Cart/Add', 200],
    ['RPC', 'shop.Cart/Add', 503],
  ]);
});

t.test('200: sampled spans count for those that were left out, and the answer says so', async (t) => {
  const spans = Array.from({ length: 100 }, (_, i) => spanOf({ ms: 5, traceState: i < 50 ? 'ot=th:c' : '' }));
  const failing = spanOf({
    traceState: 'ot=th:c',
    message: 'out of stock',
    attributes: { 'http.method': 'PUT' },
  });
  const sent = tracesOf('sampled', [...spans, failing]);
  for (let i = 0; i < 2; i += 1) {
    const { body } = await api.post(path, sent);
    t.match(body, {
      partialSuccess: { rejectedSpans: '0', errorMessage: /^Spans are sampled .* estimates\.$/ },
    });
  }
  t.match(
    (await rowsOf('sampled')).sort((a, b) => a.status - b.status),
    [
      { status: 200, requests: 250, timed: 250 },
      { status: 500, requests: 4 },
    ],
  );
  const { body } = await api.get('/api/v1/analytics/messages?service=sampled', {
    authorization: `Bearer ${api.readKey}`,
  });
  t.match(body, { messages: [{ message: 'out of stock' }] });
});

t.test('200: a request without a route is unmatched, and without a service it is unassigned', async (t) => {
  const { 'http.route': _, ...attributes } = usualAttributes;
  await api.post(path, tracesOf('unmatched', [spanOf({ attributes })]));
  t.match(await rowsOf('unmatched'), [{ endpoint: 'unmatched', requests: 1 }]);
  const unnamed = { resourceSpans: [{ scopeSpans: [{ spans: [spanOf()] }] }] };
  await api.post(path, unnamed);
  t.match(await rowsOf('Unassigned'), [{ requests: 1 }]);
});

t.test('200 with a partial success: what cannot be counted is said, and the rest counts', async (t) => {
  const attributes = { ...usualAttributes, 'http.response.status_code': 42 };
  const spans = [spanOf({ attributes }), spanOf(), spanOf({ endMs: Date.now() - 15 * 86_400_000 })];
  const answer = await api.post(path, tracesOf('partial', spans));
  const status =
    '"http.response.status_code" must be a status of HTTP, a whole number from 100 to 599; it was the number 42.';
  const both = new RegExp(
    `^${status} "endTimeUnixNano" must be at most 14 days before it arrives; .*clock.$`,
  );
  t.match(answer, { status: 200, body: { partialSuccess: { rejectedSpans: '2', errorMessage: both } } });
  t.equal(await countOf('partial'), 1);
  const other = tracesOf('partial', [spanOf({ attributes, ms: 3 })]);
  const { bytes, ...rest } = await send(encodeOtlp(other, tracesRequest));
  t.equal(rest.status, 200);
  t.match(decodeAnswer(bytes), { partialSuccess: { rejected: 1, errorMessage: status } });
});

t.test('200 with a partial success: each fault is worded with the names of OTLP', async (t) => {
  const of = (more: object) => spanOf({ attributes: { ...usualAttributes, ...more } });
  const faults: [string, object, RegExp][] = [
    ['method', of({ 'http.request.method': 'no method' }), /^"http.request.method" must be .*"_OTHER"/],
    ['long', of({ 'http.route': '/a'.repeat(101) }), /^"http.route" must have at most 200 characters/],
    ['control', of({ 'http.route': '/a\u0000' }), /^"http.route" must be a text without control/],
    ['status', of({ 'http.response.status_code': 1000 }), /^"http.response.status_code" must be/],
    ['future', spanOf({ endMs: Date.now() + 3_600_000 }), /^"endTimeUnixNano" must be at most 60 seconds/],
    ['time', { ...spanOf(), endTimeUnixNano: 1e22 }, /^"endTimeUnixNano" must be a number of nano/],
  ];
  const wrong: unknown[] = [];
  for (const [name, span, sentence] of faults) {
    const { body } = await api.post(path, tracesOf('worded', [span]));
    const { rejectedSpans, errorMessage } = (body as { partialSuccess: Record<string, string> })
      .partialSuccess;
    if (rejectedSpans !== '1' || !sentence.test(errorMessage ?? '')) wrong.push([name, body]);
  }
  t.strictSame(wrong, []);
});

/** Spans of requests that ended in all ways, with the status that each counts with. */
const endings: Record<string, { attributes?: object; status?: object; events?: object[]; counts: number }> = {
  error: { status: { code: 2, message: 'boom' }, counts: 500 },
  'error by name': { status: { code: 'STATUS_CODE_ERROR' }, counts: 500 },
  'error.type': { attributes: { 'error.type': 'IllegalStateException' }, counts: 500 },
  'error.type with a status': { attributes: { 'error.type': '503' }, counts: 503 },
  'status 0': { attributes: { 'http.status_code': 0 }, counts: 200 },
  'status 0 and an error': {
    attributes: { 'http.response.status_code': 0 },
    ...{ status: { code: 2, message: 'died' }, counts: 500 },
  },
  'nothing at all': { counts: 200 },
  'ok without a status': { status: { code: 1 }, counts: 200 },
  'a status that HTTP has no class for': { attributes: { 'http.response.status_code': 999 }, counts: 500 },
  'an error that was answered': {
    attributes: { 'http.response.status_code': 404, 'error.type': '404' },
    ...{ status: { code: 2 }, counts: 404 },
  },
  'the client left': { attributes: { 'http.status_code': 499 }, counts: 499 },
};

t.test('200: a request without a status counts by how its span ended, in both encodings', async (t) => {
  const spans = Object.entries(endings).map(([name, { attributes, status }]) => ({
    ...spanOf({ attributes: { 'http.request.method': '_OTHER', 'http.route': `/${name}`, ...attributes } }),
    ...(status !== undefined && { status }),
  }));
  const sent = tracesOf('endings', spans);
  t.strictSame((await api.post(path, sent)).body, {});
  const numbered = spans.map(({ status, ...span }) => ({ ...span, status: { code: 2, ...status } }));
  const inProtobuf = numbered.filter(({ status }) => typeof status.code === 'number');
  t.equal((await send(encodeOtlp(tracesOf('endings 2', inProtobuf), tracesRequest))).bytes.length, 0);
  const expected = Object.entries(endings).map(([name, { counts }]) => [`/${name}`, 'OTHER', counts]);
  const counted = (await rowsOf('endings')).map(({ endpoint, method, status }) => [endpoint, method, status]);
  t.strictSame(counted.sort(), expected.sort());
  const [boom] = (await rowsOf('endings 2')).filter(({ endpoint }) => endpoint === '/error');
  t.match(boom, { status: 500, requests: 1 });
  const query = 'service=endings';
  const { body } = await api.get(`/api/v1/analytics/messages?${query}`, {
    authorization: `Bearer ${api.readKey}`,
  });
  const messages = (body as { messages: { endpoint: string; message: string }[] }).messages;
  t.strictSame(Object.fromEntries(messages.map(({ endpoint, message }) => [endpoint, message])), {
    ...{ '/error': 'boom', '/error.type': 'IllegalStateException', '/status 0 and an error': 'died' },
    ...{ '/error.type with a status': '503', '/an error that was answered': '404' },
  });
});

t.test('200: a body with a thousand new routes counts as a whole, and once', async (t) => {
  const routes = Array.from({ length: 1_000 }, (_, i) => `/fleet/${i}/:id`);
  const spans = [...routes, ...routes].map((route) =>
    spanOf({ attributes: { ...usualAttributes, 'http.route': route } }),
  );
  const sent = encodeOtlp(tracesOf('fleet', spans), tracesRequest);
  for (let i = 0; i < 2; i += 1) t.equal((await send(sent)).bytes.length, 0, 'nothing is rejected');
  t.equal(await countOf('fleet'), 2_000);
  t.equal(new Set((await rowsOf('fleet')).map(({ endpoint }) => endpoint)).size, 1_000);
});

t.test('200: more than a thousand spans, and the same body again counts once, on any instance', async (t) => {
  const second = await startAnother(t, api, { hasLog: false });
  const spans = Array.from({ length: 2_345 }, (_, i) => spanOf({ ms: i / 10 }));
  const sent = tracesOf('many', spans);
  for (const instance of [api, second, api])
    t.strictSame((await instance.post(path, sent)).body, {}, 'the answer is the same');
  t.equal(await countOf('many'), 2_345);
});

t.test('200: an empty request', async (t) => {
  for (const body of [{}, { resourceSpans: [] }, { resourceSpans: [{}] }, { other: 1 }])
    t.match(await api.post(path, body), { status: 200, body: {} });
  t.equal((await send(Buffer.alloc(0))).status, 200);
});

t.test('200: members of other types are as if they were absent', async (t) => {
  const wrong = [null, 7, 'text', [], {}, [null], [7], [[]]];
  for (const value of wrong) {
    for (const body of [
      { resourceSpans: value },
      { resourceSpans: [{ resource: value, scopeSpans: value }] },
      { resourceSpans: [{ scopeSpans: [{ spans: value }] }] },
      {
        resourceSpans: [
          { scopeSpans: [{ spans: [{ kind: 2, attributes: value, status: value, events: value }] }] },
        ],
      },
    ])
      t.equal((await api.post(path, body)).status, 200, JSON.stringify(body));
  }
});

t.test('400: a body that is neither JSON nor protobuf, and nothing is stored', async (t) => {
  const whole = encodeOtlp(tracesOf('broken', [spanOf()]), tracesRequest);
  const { status, type, bytes } = await send(whole.subarray(0, -1));
  t.match({ status, type }, { status: 400, type: 'application/x-protobuf' });
  t.match(decodeStatus(bytes), {
    ...{ code: 3, message: 'The request body is not valid protobuf.' },
    details: {
      type: 'type.googleapis.com/google.rpc.ErrorInfo',
      value: { reason: 'body.not_protobuf', domain: 'heartline' },
    },
  });
  const json = await api.post(path, '{"resourceSpans": [');
  t.match(json, { status: 400, body: { error: /JSON/, code: 3, message: /JSON/ } });
  t.match(await api.post(path, '[]'), {
    status: 400,
    body: { error: 'The body must be an object.', code: 3, details: [{ reason: 'body.invalid' }] },
  });
  t.equal(await countOf('broken'), 0);
});

t.test('401, 403: a key that is unknown, or of another scope', async (t) => {
  const body = encodeOtlp(tracesOf('keys', [spanOf()]), tracesRequest);
  const unknown = await send(body, protobuf, 'key_ingest_unknown');
  t.match(unknown, { status: 401 });
  t.match(decodeStatus(unknown.bytes), { code: 16, message: /Invalid or revoked/ });
  t.match(await api.post(path, {}, { key: null }), { status: 401, body: { code: 16 } });
  t.match(await api.post(path, {}, { key: api.readKey }), { status: 403, body: { code: 7 } });
  t.equal(await countOf('keys'), 0);
});

t.test("another page's key stores on its own page", async (t) => {
  await api.post(path, tracesOf('tenants', [spanOf()]), { key: api.otherIngestKey });
  await waitUntil('the other page has it', async () => (await countOf('tenants', api.otherPageId)) === 1);
  t.equal(await countOf('tenants'), 0);
});

t.test('405: another method', async (t) => {
  t.equal((await api.get(path)).status, 405);
});

t.test('413: a body or a list that is too large', async (t) => {
  t.match(await send(Buffer.alloc(4 * 1024 * 1024 + 1)), { status: 413 });
  const attributes = { 'http.method': 'GET' };
  const spans = Array.from({ length: 10_001 }, () => spanOf({ attributes }));
  const { status, bytes } = await send(encodeOtlp(tracesOf('large', spans), tracesRequest));
  t.equal(status, 413);
  t.match(decodeStatus(bytes), { code: 3, message: /at most 10,000 spans/ });
  t.equal(await countOf('large'), 0);
});

t.test('415: an encoding that is not known', async (t) => {
  t.match(await send(Buffer.alloc(1), { ...protobuf, 'content-encoding': 'snappy' }), { status: 415 });
});
