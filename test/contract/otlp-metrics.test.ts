import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { metricsRequest } from '../../ingest/otlp/schemas.js';
import {
  attributesOf,
  decodeAnswer,
  delta,
  encodeOtlp,
  histogramOf,
  metricsOf,
  usualAttributes,
} from '../support/otlp.js';
import { readRequests } from '../support/rollups.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const path = '/v1/metrics';

async function rowsOf(service: string, page = api.pageId) {
  await api.settle();
  const rows = await readRequests(api.stores.clickhouse);
  return rows.filter((row) => row.page === page && row.service === service);
}

/** Counts and percentiles of an endpoint, as the API answers them. */
async function totalsOf(service: string, endpoint: string) {
  const query = new URLSearchParams({ service, endpoint });
  const answer = await api.get(`/api/v1/analytics/totals?${query}`, {
    authorization: `Bearer ${api.readKey}`,
  });
  return (answer.body as { now: Record<string, number> }).now;
}

t.test('200: a histogram of deltas counts its requests exactly', async (t) => {
  const pay = { 'http.method': 'POST', 'http.route': '/pay', 'http.status_code': 500 };
  const answer = await api.post(
    path,
    metricsOf('exact', [
      histogramOf({}),
      histogramOf({
        ...{ attributes: attributesOf(pay), count: '1000000', bucketCounts: ['999999', '0', '1'] },
      }),
    ]),
  );
  t.strictSame([answer.status, answer.body], [200, {}]);
  t.match(
    (await rowsOf('exact')).sort((a, b) => a.requests - b.requests),
    [
      { endpoint: '/carts/:id', method: 'GET', status: 200, requests: 6 },
      { endpoint: '/pay', method: 'POST', status: 500, requests: 1_000_000 },
    ],
  );
  const { requests, p50Ms = 0, p99Ms = 0 } = await totalsOf('exact', '/carts/:id');
  t.equal(requests, 6);
  t.ok(p50Ms > 10 && p50Ms <= 100, `p50 ${p50Ms} is in the bucket of the third request`);
  t.ok(p99Ms > 100 && p99Ms <= 300, `p99 ${p99Ms} is at most the greatest one`);
});

t.test('200: the same body again counts once, in JSON and in protobuf', async (t) => {
  const json = metricsOf('again', [histogramOf({})]);
  const bytes = encodeOtlp(
    metricsOf('again', [histogramOf({ count: 7, bucketCounts: [1, 2, 4] })]),
    metricsRequest,
  );
  for (let i = 0; i < 3; i += 1) {
    t.equal((await api.post(path, json)).status, 200);
    const headers = { 'content-type': 'application/x-protobuf' };
    t.equal((await api.post(path, bytes, { headers })).status, 200);
  }
  t.match(await rowsOf('again'), [{ requests: 13 }]);
});

t.test(
  '200: exponential histograms, histograms without buckets, and the old name in milliseconds',
  async (t) => {
    const exponential = {
      ...{ name: 'http.server.request.duration', unit: 's', histogram: undefined },
      exponentialHistogram: {
        aggregationTemporality: delta,
        dataPoints: [
          {
            attributes: attributesOf(usualAttributes),
            ...{ count: '5', scale: 0, zeroCount: '1', positive: { offset: -4, bucketCounts: ['1', '3'] } },
          },
        ],
      },
    };
    const whole = histogramOf({ count: '4', bucketCounts: [], explicitBounds: [] });
    const old = histogramOf(
      { explicitBounds: [10, 100], min: 4, max: 300 },
      { name: 'http.server.duration', unit: 'ms' },
    );
    const before = metricsOf('forms before 1.23', [old]);
    for (const body of [metricsOf('forms', [exponential, whole]), before, metricsOf('twice', [whole, old])])
      t.strictSame((await api.post(path, body)).body, {});
    const countOf = async (service: string) =>
      (await rowsOf(service)).reduce((sum, { requests }) => sum + requests, 0);
    t.equal(await countOf('forms'), 9);
    t.equal(await countOf('forms before 1.23'), 6);
    t.equal(await countOf('twice'), 4, 'of both names in one resource, the newer counts');
  },
);

t.test(
  '200: counts and response times at their bounds are stored, and those of others in the same second',
  async (t) => {
    const longest = { explicitBounds: [86_400], bucketCounts: ['0', '90000000'], count: '90000000' };
    const bodies = [0, 1, 2].map((i) =>
      metricsOf(`bounds ${i}`, [histogramOf({ ...longest, min: undefined, max: undefined })]),
    );
    const answers = await Promise.all([
      ...bodies.map((body) => api.post(path, body)),
      api.post(path, metricsOf('bounds', [histogramOf({})]), { key: api.otherIngestKey }),
    ]);
    for (const answer of answers) t.strictSame([answer.status, answer.body], [200, {}]);
    for (const [i] of bodies.entries()) t.match(await rowsOf(`bounds ${i}`), [{ requests: 90_000_000 }]);
    t.match(await rowsOf('bounds', api.otherPageId), [{ requests: 6 }]);
    const { p50Ms = 0 } = await totalsOf('bounds 1', '/carts/:id');
    t.ok(Math.abs(p50Ms / 86_400_000 - 1) < 0.0079, `p50 is ${p50Ms} ms`);
  },
);

t.test('200 with a partial success: more requests than a body may count', async (t) => {
  const most = { bucketCounts: ['60000000', '0', '0'], count: '60000000' };
  t.match(await api.post(path, metricsOf('many', [histogramOf(most), histogramOf(most), histogramOf({})])), {
    status: 200,
    body: { partialSuccess: { rejectedDataPoints: '1', errorMessage: /at most 100000000 requests/ } },
  });
  t.equal(
    (await rowsOf('many')).reduce((sum, { requests }) => sum + requests, 0),
    60_000_006,
  );
});

t.test('200: other metrics are ignored', async (t) => {
  const other = histogramOf({}, { name: 'http.client.request.duration' });
  const answer = await api.post(
    path,
    metricsOf('others', [other, { name: 'cpu', gauge: { dataPoints: [{}] } }]),
  );
  t.strictSame([answer.status, answer.body], [200, {}]);
  t.strictSame(await rowsOf('others'), []);
});

t.test('200: a data point without a status counts by its error, and an overflow counts, too', async (t) => {
  const get = { 'http.request.method': 'GET' };
  const points = [
    { ...get, 'http.route': '/error', 'error.type': 'timeout' },
    { ...get, 'http.route': '/nothing' },
    { ...get, 'http.route': '/zero', 'http.response.status_code': 0 },
    { 'http.method': 'GET', 'http.target': '/python/{id}?page=1', 'http.status_code': 999 },
    { 'otel.metric.overflow': true },
  ].map((attributes) => histogramOf({ attributes: attributesOf(attributes) }));
  const sent = metricsOf('endings', points);
  t.strictSame((await api.post(path, sent)).body, {});
  const bytes = encodeOtlp(metricsOf('endings 2', points), metricsRequest);
  t.equal(
    (await api.post(path, bytes, { headers: { 'content-type': 'application/x-protobuf' } })).status,
    200,
  );
  for (const service of ['endings', 'endings 2']) {
    const rows = (await rowsOf(service)).map((row) => [row.endpoint, row.method, row.status, row.requests]);
    t.strictSame(rows.sort(), [
      ['/error', 'GET', 500, 6],
      ['/nothing', 'GET', 200, 6],
      ['/python/{id}', 'GET', 500, 6],
      ['/zero', 'GET', 200, 6],
      ['unmatched', 'OTHER', 200, 6],
    ]);
  }
});

/** A data point of Micrometer: no buckets, and milliseconds. */
const micrometerOf = (tags: Record<string, string>, more: object = {}) =>
  histogramOf(
    {
      ...{ attributes: attributesOf({ method: 'GET', uri: '/carts/{id}', exception: 'none', ...tags }) },
      ...{ count: '5', bucketCounts: undefined, explicitBounds: undefined, min: undefined, max: 50 },
    },
    { name: 'http.server.requests', unit: 'milliseconds', ...more },
  );

t.test('200: the histogram of Micrometer counts by its own tags', async (t) => {
  const points = [
    micrometerOf({ status: '500', outcome: 'SERVER_ERROR' }),
    micrometerOf({ status: '200', uri: 'root' }),
    micrometerOf({ status: '404', uri: 'NOT_FOUND' }),
    micrometerOf({ status: 'UNKNOWN', outcome: 'UNKNOWN', uri: '/thrown', exception: 'IOException' }),
    micrometerOf({ status: 'UNKNOWN', outcome: 'CLIENT_ERROR', uri: '/left' }),
    micrometerOf({ status: 'UNKNOWN', outcome: 'UNKNOWN', uri: '/nothing' }),
  ];
  t.strictSame((await api.post(path, metricsOf('spring', points))).body, {});
  const rows = (await rowsOf('spring')).map((row) => [row.endpoint, row.status, row.requests]);
  t.strictSame(rows.sort(), [
    ['/', 200, 5],
    ['/carts/{id}', 500, 5],
    ['/left', 400, 5],
    ['/nothing', 200, 5],
    ['/thrown', 500, 5],
    ['unmatched', 404, 5],
  ]);
});

t.test('200 with a partial success: what is named like a histogram of requests and is none', async (t) => {
  const one = (form: string) => ({ [form]: { dataPoints: [{}, {}] }, histogram: undefined });
  const unsaid = () => {
    const { histogram, ...metric } = histogramOf({}) as { histogram: object };
    return { ...metric, histogram: { ...histogram, aggregationTemporality: 0 } };
  };
  const refusals: [object, string, RegExp][] = [
    [
      histogramOf({}, one('summary')),
      '2',
      /"http.server.request.duration" must be a histogram; it was a summary/,
    ],
    [histogramOf({}, one('sum')), '2', /must be a histogram; it was a sum.*view/],
    [histogramOf({}, one('gauge')), '2', /must be a histogram; it was a gauge/],
    [micrometerOf({ status: '200' }, one('summary')), '2', /was a summary. Remove its percentiles/],
    [histogramOf({}, { unit: 'By' }), '1', /The unit of .* must be "s", .*; it was the unit "By"/],
    [unsaid(), '1', /must say whether its counts are deltas or cumulative/],
    [
      histogramOf({}, { name: 'http_server_requests_seconds' }),
      '0',
      /Nothing was counted: the metric "http_server_requests_seconds" is not read/,
    ],
    [histogramOf({}, { name: 'http.server.request.count' }), '0', /OTEL_SEMCONV_STABILITY_OPT_IN=http/],
  ];
  const wrong: unknown[] = [];
  for (const [metric, rejected, sentence] of refusals) {
    const { body } = await api.post(path, metricsOf('forms refused', [metric]));
    const bytes = encodeOtlp(metricsOf('forms refused', [metric]), metricsRequest);
    const answer = await fetch(`${api.url}${path}`, {
      ...{ method: 'POST', body: new Uint8Array(bytes) },
      headers: { authorization: `Bearer ${api.ingestKey}`, 'content-type': 'application/x-protobuf' },
    });
    const inProtobuf = decodeAnswer(Buffer.from(await answer.arrayBuffer()))['partialSuccess'];
    const { errorMessage, ...rest } = (body as { partialSuccess: Record<string, string> }).partialSuccess;
    const isSame = isDeepStrictEqual(inProtobuf, { rejected: Number(rejected), errorMessage });
    if (rest['rejectedDataPoints'] !== rejected || !sentence.test(errorMessage ?? '') || !isSame)
      wrong.push([sentence, body, inProtobuf]);
  }
  t.strictSame(wrong, []);
  t.strictSame(await rowsOf('forms refused'), []);
  const counted = await (await fetch(`${api.url}/metrics`)).text();
  const reasons = ['not_a_histogram', 'unknown_unit', 'no_temporality', 'other_name', 'other_metric'];
  const missing = reasons.filter(
    (reason) =>
      !new RegExp(`otlp_ignored_total\\{signal="metrics",reason="${reason}"\\} [1-9]`).test(counted),
  );
  t.strictSame(missing, []);
});

t.test(
  '200: a metric of another name is no matter where requests count, and one of others is none',
  async (t) => {
    const dotted = [
      'http.server.active_requests',
      'http.server.request.body.size',
      'http.client.request.duration',
    ];
    const others = dotted.map((name) => histogramOf({}, { name }));
    t.strictSame((await api.post(path, metricsOf('beside', others))).body, {});
    const beside = histogramOf({}, { name: 'http_requests_total' });
    t.strictSame((await api.post(path, metricsOf('beside', [beside, histogramOf({})]))).body, {});
  },
);

t.test('200 with a partial success: buckets that do not fit together', async (t) => {
  const wrong = [
    { bucketCounts: ['1', '2'] },
    { count: '7' },
    { explicitBounds: [0.1, 0.01] },
    { explicitBounds: ['a', 'b'] },
    { bucketCounts: ['-1', '4', '3'] },
    { bucketCounts: ['1.5', '1.5', '3'] },
    { bucketCounts: [], explicitBounds: [], count: '0.5' },
  ].map((point) => histogramOf(point));
  t.match(await api.post(path, metricsOf('refused', [...wrong, histogramOf({})])), {
    body: { partialSuccess: { rejectedDataPoints: '7', errorMessage: /A histogram needs/ } },
  });
  const attributes = { ...usualAttributes, 'http.response.status_code': 42 };
  const outside = histogramOf({ attributes: attributesOf(attributes) });
  t.match(await api.post(path, metricsOf('refused', [outside])), {
    body: {
      partialSuccess: { rejectedDataPoints: '1', errorMessage: /^"http.response.status_code" must be/ },
    },
  });
  t.match(await rowsOf('refused'), [{ requests: 6 }]);
});

t.test('400, 401, 403, 405: as for traces', async (t) => {
  t.match(await api.post(path, '{'), { status: 400, body: { code: 3 } });
  t.match(await api.post(path, {}, { key: null }), { status: 401 });
  t.match(await api.post(path, {}, { key: api.readKey }), { status: 403 });
  t.equal((await api.get(path)).status, 405);
});

t.test("another page's key stores on its own page", async (t) => {
  await api.post(path, metricsOf('tenants', [histogramOf({})]), { key: api.otherIngestKey });
  const isThere = async () => (await rowsOf('tenants', api.otherPageId))[0]?.requests === 6;
  await waitUntil('the other page has it', isThere);
  t.strictSame(await rowsOf('tenants'), []);
});

t.test('200: histograms of RPC count by service and method, in both conventions', async (t) => {
  const before = {
    'rpc.system': 'grpc',
    'rpc.service': 'shop.Cart',
    'rpc.method': 'Add',
    'rpc.grpc.status_code': 14,
  };
  const since = {
    'rpc.system.name': 'grpc',
    'rpc.method': 'shop.Cart/Get',
    'rpc.response.status_code': 'OK',
  };
  const sent = [
    metricsOf('rpc', [
      histogramOf(
        { attributes: attributesOf(before), explicitBounds: [10, 100], min: 4, max: 300 },
        { name: 'rpc.server.duration', unit: 'ms' },
      ),
    ]),
    metricsOf('rpc', [
      histogramOf({ attributes: attributesOf(since) }, { name: 'rpc.server.call.duration' }),
    ]),
  ];
  for (const body of sent) t.strictSame((await api.post(path, body)).body, {});
  const rows = (await rowsOf('rpc')).map(({ method, endpoint, status, requests }) => [
    method,
    endpoint,
    status,
    requests,
  ]);
  t.strictSame(rows.sort(), [
    ['RPC', 'shop.Cart/Add', 503, 6],
    ['RPC', 'shop.Cart/Get', 200, 6],
  ]);
});
