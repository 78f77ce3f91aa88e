import t from 'tap';
import { formOfSeries } from '../../../ingest/prometheus/metrics.js';

/** Service, method, endpoint and status of a series, or why it is none. */
function read(name: string, labels: Readonly<Record<string, string>>) {
  const all = new Map(Object.entries({ __name__: name, ...labels }));
  const form = formOfSeries(all);
  if (form === undefined) return 'other';
  const { service, method, endpoint, status } = form.eventOf(all);
  return [form.metric, form.part, form.perUnitMs, service, method, endpoint, status];
}

const status = (labels: Readonly<Record<string, string>>) =>
  read('http_request_duration_seconds_count', labels)[6];

t.test('the labels of OpenTelemetry, Micrometer, gRPC and of handlers', async (t) => {
  const otel = {
    ...{ job: 'shop/checkout', instance: 'a', http_route: '/carts/{id}' },
    ...{ http_request_method: 'POST', http_response_status_code: '502' },
  };
  t.strictSame(read('http_server_request_duration_seconds_bucket', { ...otel, le: '0.1' }), [
    ...['http_server_request_duration_seconds', 'bucket', 1000, 'shop/checkout', 'POST', '/carts/{id}', 502],
  ]);
  const old = { service_name: 'checkout', job: 'x', http_method: '_OTHER', http_status_code: '200' };
  t.strictSame(read('http_server_duration_milliseconds', old), [
    ...['http_server_duration_milliseconds', 'native', 1, 'checkout', 'OTHER', 'unmatched', 200],
  ]);
  const spring = {
    application: 'shop',
    job: 'pods',
    uri: 'root',
    method: 'GET',
    status: '200',
    outcome: 'SUCCESS',
  };
  t.strictSame(read('http_server_requests_seconds_count', spring), [
    ...['http_server_requests_seconds', 'count', 1000, 'shop', 'GET', '/', 200],
  ]);
  const grpc = { grpc_service: 'shop.Cart', grpc_method: 'Add', grpc_type: 'unary', service: 'cart' };
  t.strictSame(read('grpc_server_handling_seconds_sum', grpc), [
    ...['grpc_server_handling_seconds', 'sum', 1000, 'cart', 'RPC', 'shop.Cart/Add', 200],
  ]);
  t.strictSame(
    read('prometheus_http_request_duration_seconds_bucket', { handler: '/api/v1/query', le: '1' }),
    [...['prometheus_http_request_duration_seconds', 'bucket', 1000, undefined, 'GET', '/api/v1/query', 200]],
  );
});

t.test('metrics that count no requests of a server', async (t) => {
  const others: [string, object][] = [
    ['up', {}],
    ['http_client_request_duration_seconds_bucket', { le: '1' }],
    ['http_request_size_bytes_bucket', { le: '1', handler: '/' }],
    ['my_http_request_duration_seconds_bucket', { le: '1' }],
    ['http_request_duration_seconds_bucket_bucket', { le: '1', handler: '/' }],
    ['', {}],
  ];
  t.strictSame(
    others.map(([name, labels]) => read(name, labels as Record<string, string>)),
    others.map(() => 'other'),
  );
  const parts = ['_max', '_created', ''].map((suffix) =>
    read(`http_server_requests_seconds${suffix}`, suffix === '' ? { quantile: '0.9' } : {}),
  );
  t.strictSame(
    parts.map((read) => read[1]),
    ['other', 'other', 'other'],
  );
});

t.test('statuses: numbers, classes, and what stands for them', async (t) => {
  const cases: [Readonly<Record<string, string>>, number][] = [
    [{ code: '5xx' }, 500],
    [{ status: '4XX' }, 400],
    [{ status_code: '2xx' }, 200],
    [{ code: '404' }, 404],
    [{ status: '700' }, 500],
    [{ status: '42' }, 42],
    [{}, 200],
    [{ status: '0' }, 200],
    [{ status: 'UNKNOWN', outcome: 'CLIENT_ERROR' }, 400],
    [{ outcome: 'SERVER_ERROR' }, 500],
    [{ outcome: 'REDIRECTION', exception: 'None' }, 302],
    [{ status: 'UNKNOWN', outcome: 'UNKNOWN', exception: 'IOException' }, 500],
    [{ outcome: 'SUCCESS', exception: 'none' }, 200],
    [{ error_type: 'timeout' }, 500],
    [{ outcome: 'constructor' }, 200],
  ];
  t.strictSame(
    cases.map(([labels]) => status(labels)),
    cases.map(([, expected]) => expected),
  );
});

t.test('codes of gRPC in either spelling', async (t) => {
  const codes = [
    'OK',
    'Unavailable',
    'DEADLINE_EXCEEDED',
    'DeadlineExceeded',
    'NotFound',
    'Canceled',
    'Unknown',
    'Internal',
  ];
  t.strictSame(
    codes.map((grpc_code) => read('grpc_server_handling_seconds_count', { grpc_code })[6]),
    [200, 503, 504, 504, 404, 499, 500, 500],
  );
});
