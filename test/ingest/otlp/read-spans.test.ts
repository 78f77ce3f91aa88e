import t, { type Test } from 'tap';
import { limits } from '../../../contract/limits.js';
import { LeftOut } from '../../../ingest/otlp/left-out.js';
import { readSpans } from '../../../ingest/otlp/read-spans.js';
import { adjustedCount, roundById, weightMax } from '../../../ingest/otlp/sampling.js';
import type { Message } from '../../../lib/protobuf/decode.js';
import { attributesOf, type SpanOptions, spanOf, tracesOf } from '../../support/otlp.js';

function read(...spans: object[]) {
  const leftOut = new LeftOut();
  return { ...readSpans(tracesOf('shop', spans) as Message, leftOut), leftOut };
}

/** Method, endpoint and status of a span. */
function requestOf(options: SpanOptions): unknown[] {
  const [event] = read(spanOf(options)).events;
  return [event?.method, event?.endpoint, event?.status];
}

/** Compares what each span of a table becomes, and asserts once. */
function same(t: Test, table: Readonly<Record<string, [SpanOptions, unknown[]]>>): void {
  const read = Object.entries(table).map(([name, [options]]) => [name, requestOf(options)]);
  const expected = Object.entries(table).map(([name, [, request]]) => [name, request]);
  t.strictSame(Object.fromEntries(read), Object.fromEntries(expected));
}

const grpc = { 'rpc.system': 'grpc', 'rpc.service': 'shop.Cart', 'rpc.method': 'Add' };

t.test('a call of a procedure has its service and method as the endpoint, in every convention', async (t) => {
  const name = ['RPC', 'shop.Cart/Add'];
  same(t, {
    'before 1.38': [{ attributes: { ...grpc, 'rpc.grpc.status_code': 0 } }, [...name, 200]],
    'since 1.38': [
      {
        attributes: {
          ...{ 'rpc.system.name': 'grpc', 'rpc.method': 'shop.Cart/Add' },
          'rpc.response.status_code': 'DEADLINE_EXCEEDED',
        },
      },
      [...name, 504],
    ],
    'both at once': [
      { attributes: { ...grpc, 'rpc.method': 'shop.Cart/Add', 'rpc.response.status_code': 'OK' } },
      [...name, 200],
    ],
    'the path of HTTP/2': [
      { attributes: { 'rpc.system': 'grpc', 'rpc.method': '/shop.Cart/Add' } },
      [...name, 200],
    ],
    'ASP.NET Core': [
      {
        attributes: {
          ...{ ...grpc, 'rpc.grpc.status_code': 13, 'http.request.method': 'POST' },
          ...{ 'http.route': '/shop.Cart/Add', 'http.response.status_code': 200 },
        },
      },
      [...name, 500],
    ],
    Connect: [
      { attributes: { ...grpc, 'rpc.system': 'connect_rpc', 'rpc.connect_rpc.error_code': 'canceled' } },
      [...name, 499],
    ],
    'the code in error.type': [{ attributes: { ...grpc, 'error.type': 'UNAVAILABLE' } }, [...name, 503]],
    'a failure without a code': [{ attributes: grpc, message: 'boom' }, [...name, 500]],
    'JSON-RPC': [
      {
        attributes: { 'rpc.system': 'jsonrpc', 'rpc.method': 'add', 'rpc.response.status_code': '-32602' },
        message: 'x',
      },
      ['RPC', 'add', 500],
    ],
    'an unknown method': [
      { attributes: { 'rpc.system': 'grpc', 'rpc.method': '_OTHER' } },
      ['RPC', 'unmatched', 200],
    ],
    'without names': [{ attributes: { 'rpc.system': 'grpc' } }, ['RPC', 'unmatched', 200]],
  });
});

t.test(
  'the codes of gRPC that the conventions call errors of the server are the statuses from 500 on',
  async (t) => {
    const names = [
      ...[
        'OK',
        'CANCELLED',
        'UNKNOWN',
        'INVALID_ARGUMENT',
        'DEADLINE_EXCEEDED',
        'NOT_FOUND',
        'ALREADY_EXISTS',
      ],
      ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE'],
      ...['UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
    ];
    const statusOf = (attributes: SpanOptions['attributes']) =>
      requestOf({ attributes: { ...grpc, ...attributes } })[2];
    const byNumber = names.map((_, code) => statusOf({ 'rpc.grpc.status_code': code }));
    t.strictSame(
      names.map((name) => statusOf({ 'rpc.response.status_code': name })),
      byNumber,
    );
    t.strictSame(
      names.filter((_, code) => Number(byNumber[code]) >= 500),
      ['UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
    );
    t.strictSame(
      names.filter((_, code) => Number(byNumber[code]) < 400),
      ['OK'],
    );
  },
);

t.test('a message has its operation and its queue as the endpoint', async (t) => {
  const of = (attributes: SpanOptions['attributes'], more: SpanOptions = {}): SpanOptions => ({
    ...{ kind: 5, attributes: { 'messaging.system': 'kafka', ...attributes } },
    ...more,
  });
  same(t, {
    receive: [
      of({ 'messaging.operation.type': 'receive', 'messaging.destination.name': 'a' }),
      ['MESSAGE', 'receive a', 200],
    ],
    'before 1.25': [
      of({ 'messaging.operation': 'process', 'messaging.destination.name': 'a' }),
      ['MESSAGE', 'process a', 200],
    ],
    'before 1.17': [
      of({ 'messaging.operation': 'process', 'messaging.destination': 'a' }),
      ['MESSAGE', 'process a', 200],
    ],
    'of 1.17': [of({ 'messaging.source.name': 'a' }), ['MESSAGE', 'receive a', 200]],
    'a template': [
      of({ 'messaging.destination.template': '/user/{id}', 'messaging.destination.name': '/user/4711' }),
      ['MESSAGE', 'receive /user/{id}', 200],
    ],
    temporary: [
      of({ 'messaging.destination.temporary': true, 'messaging.destination.name': 'x-4711' }),
      ['MESSAGE', 'receive (temporary)', 200],
    ],
    'of RabbitMQ': [
      of({ 'messaging.destination.name': 'amq.gen-JzTY20' }),
      ['MESSAGE', 'receive (anonymous)', 200],
    ],
    'without a queue': [of({}), ['MESSAGE', 'receive unmatched', 200]],
    'a failure': [
      of({ 'messaging.destination.name': 'a' }, { message: 'poison' }),
      ['MESSAGE', 'receive a', 500],
    ],
    'a failure by type': [
      of({ 'messaging.destination.name': 'a', 'error.type': 'ECONNRESET' }),
      ['MESSAGE', 'receive a', 499],
    ],
  });
});

t.test(
  'a client that hung up is 499 where the server says so, and a failure of the server is not',
  async (t) => {
    const exception = (type: string, message: string) => [
      {
        name: 'exception',
        attributes: attributesOf({ 'exception.type': type, 'exception.message': message }),
      },
    ];
    const get = { 'http.request.method': 'GET', 'http.route': '/' };
    const sent = (status: number, error: string): SpanOptions => ({
      attributes: { ...get, 'http.response.status_code': status, 'error.type': error },
      message: '',
    });
    const without = (error: string): SpanOptions => ({ attributes: { ...get, 'error.type': error } });
    const statuses: Record<string, [SpanOptions, number]> = {
      'the status says so': [{ attributes: { ...get, 'http.response.status_code': 499 } }, 499],
      Tomcat: [sent(500, 'org.apache.catalina.connector.ClientAbortException'), 499],
      Go: [sent(500, 'context_canceled'), 499],
      'Go, by message': [
        { attributes: { ...get, 'http.status_code': 500 }, message: 'query: context canceled' },
        499,
      ],
      Starlette: [
        { attributes: get, events: exception('starlette.requests.ClientDisconnect', ''), message: '' },
        499,
      ],
      'Node.js': [without('ECONNRESET'), 499],
      Ruby: [without('Errno::EPIPE'), 499],
      'Go, the socket': [
        { attributes: get, message: 'write tcp 10.0.0.1:80->10.0.0.2:4711: write: broken pipe' },
        499,
      ],
      'another server closed its connection': [sent(502, 'ECONNRESET'), 502],
      'a timeout of .NET': [without('System.Threading.Tasks.TaskCanceledException'), 500],
      'headers were sent': [sent(200, 'org.apache.catalina.connector.ClientAbortException'), 200],
      'any other error': [without('IllegalStateException'), 500],
    };
    const read = Object.entries(statuses).map(([name, [options]]) => [name, requestOf(options)[2]]);
    const expected = Object.entries(statuses).map(([name, [, status]]) => [name, status]);
    t.strictSame(Object.fromEntries(read), Object.fromEntries(expected));
  },
);

t.test('a threshold says how many requests a span stands for', async (t) => {
  const counts: Record<string, number> = {
    ...{ '': 1, 'ot=th:0': 1, 'ot=th:8': 2, 'ot=th:c': 4, 'ot=th:fd70a3d70a3d71': 100 },
    ...{ 'vendor=x, ot=rv:6e6d1a75832a2f;th:8,other=y': 2, 'ot=p:3;r:9': 1, 'ot=th:8g': 1, 'xot=th:8': 1 },
    ...{ 'ot=th:ffffffffffffff': weightMax, 'ot=th:123456789abcdef': 1, 'a=th:8': 1, 'ot=TH:8': 1 },
  };
  const read = Object.keys(counts).map((state) => [state, Math.round(adjustedCount(state) * 1e9) / 1e9]);
  t.strictSame(Object.fromEntries(read), counts);
});

t.test('fractions are right on average, and the same for a span that is sent again', async (t) => {
  const count = adjustedCount('ot=th:5');
  t.ok(count > 1.45 && count < 1.46);
  const spans = 100_000;
  let sum = 0;
  // Ids in equal steps over all that there are, so that the average is the fraction itself.
  for (let i = 0; i < spans; i += 1) {
    const id = Math.floor((i / spans) * 2 ** 48)
      .toString(16)
      .padStart(16, '0');
    sum += roundById(count, id);
  }
  t.ok(Math.abs(sum / spans - count) < 1e-4, `${sum / spans} for ${count}`);
  t.equal(roundById(1.6, 'eee19b7ec3c1b174'), roundById(1.6, 'eee19b7ec3c1b174'));
  t.equal(roundById(1.6, undefined), 2);
});

t.test('spans of a sampler are estimates, and their sum is bounded', async (t) => {
  const one = spanOf({ traceState: 'ot=th:ffffffffffffff' });
  const most = limits.otlpRequestsMax / weightMax;
  const { events, weights, leftOut } = read(...Array(most + 2).fill(one));
  t.equal(events.length, most);
  t.equal(
    weights?.reduce((sum, weight) => sum + weight, 0),
    limits.otlpRequestsMax,
  );
  t.equal(leftOut.counts.get('too_many_requests'), 2);
  t.match(leftOut.messages, [/estimates\.$/, /at most 1,000,000 requests/, /at most 100,000,000 requests/]);
  t.equal(read(spanOf()).weights, undefined);
  t.strictSame(read(spanOf({ traceState: 'ot=th:0' })).leftOut.messages, []);
});
