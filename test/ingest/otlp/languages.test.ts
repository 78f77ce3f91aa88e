import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { type OtlpRead, readOtlp } from '../../../ingest/otlp/read-otlp.js';
import { withoutMarks } from '../../../ingest/otlp/route.js';
import { metricsRequest, tracesRequest } from '../../../ingest/otlp/schemas.js';
import { type Encoding, type Signal, signals } from '../../../ingest/otlp/tree.js';
import type { RawEvent } from '../../../ingest/read/raw-event.js';
import { encodeOtlp } from '../../support/otlp.js';

/**
 * Exports as the agents and the instrumentations of each language send them with their defaults, written by hand after
 * their documentation and sources. Requests are `method endpoint status`, with the number of each, in the order of the
 * body; `leftOut` are the other spans and metrics, by reason.
 */
type Expected = {
  service: string;
  requests: Record<string, number>;
  leftOut: Record<string, number>;
  failures?: Record<string, unknown>[];
};

const expected: Record<string, Expected> = {
  'java-agent.traces': {
    service: 'petclinic',
    requests: {
      'GET /owners/{ownerId} 200': 1,
      'POST /owners/{ownerId}/visits 500': 1,
      'GET /** 404': 1,
      'GET unmatched 400': 1,
      'GET /reports/{year} 499': 1,
      'MESSAGE process visits 200': 1,
    },
    leftOut: { other_kind: 1 },
    failures: [
      { errorType: 'java.lang.IllegalStateException', message: 'no stock' },
      { errorType: 'org.apache.catalina.connector.ClientAbortException' },
    ],
  },
  'java-agent.metrics': {
    service: 'petclinic',
    requests: {
      'GET /owners/{ownerId} 200': 4,
      'POST /owners/{ownerId}/visits 500': 1,
      'GET /** 404': 2,
      'GET unmatched 400': 1,
    },
    leftOut: { other_metric: 5 },
  },
  'python-flask.traces': {
    service: 'cart',
    requests: { 'GET /users/<int:user_id> 200': 1, 'POST /pay 500': 1, 'GET unmatched 404': 1 },
    leftOut: { other_kind: 1 },
    failures: [{ errorType: 'ZeroDivisionError', message: 'ZeroDivisionError: division by zero' }],
  },
  'python-flask.metrics': {
    service: 'cart',
    requests: { 'GET /users/<int:user_id> 200': 5, 'POST /pay 500': 1, 'GET unmatched 404': 1 },
    leftOut: { other_metric: 3 },
  },
  'python-fastapi.traces': {
    service: 'search',
    requests: { 'GET /items/{item_id} 200': 1, 'POST /items 500': 1, 'PUT /items/{item_id} 422': 1 },
    leftOut: { other_kind: 2, web_socket: 1 },
    failures: [{ errorType: 'ValueError', message: 'ValueError: price' }],
  },
  'python-fastapi.metrics': {
    service: 'search',
    requests: {
      'GET /items/{item_id} 200': 2,
      'POST /items 500': 1,
      'PUT /items/{item_id} 422': 1,
      'GET unmatched 404': 1,
    },
    leftOut: { other_metric: 2 },
  },
  'dotnet-aspnetcore.traces': {
    service: 'orders',
    requests: {
      'GET api/orders/{id:int} 200': 1,
      'GET {controller=Home}/{action=Index}/{id} 200': 1,
      'POST /checkout 500': 1,
      'GET /slow 499': 1,
      'GET unmatched 404': 1,
    },
    leftOut: { other_kind: 1 },
    failures: [{ errorType: 'System.InvalidOperationException', message: 'Sequence contains no elements' }],
  },
  'dotnet-aspnetcore.metrics': {
    service: 'orders',
    requests: {
      'GET api/orders/{id:int} 200': 3,
      'GET {controller=Home}/{action=Index}/{id} 200': 1,
      'POST /checkout 500': 1,
      'GET /slow 499': 1,
      'GET unmatched 404': 1,
    },
    leftOut: { other_metric: 4 },
  },
  'dotnet-grpc.traces': {
    service: 'greeter',
    requests: {
      'GET /healthz 200': 1,
      'RPC greet.Greeter/SayHello 200': 1,
      'RPC greet.Greeter/SayHello 500': 1,
      'RPC greet.Greeter/SayHello 404': 1,
    },
    leftOut: {},
    failures: [{ errorType: undefined }],
  },
  'dotnet-grpc.metrics': {
    service: 'greeter',
    requests: { 'POST /greet.Greeter/SayHello 200': 3, 'GET /healthz 200': 1 },
    leftOut: {},
  },
  'node-express.traces': {
    service: 'checkout',
    requests: { 'GET /carts/:id 200': 1, 'POST /pay/:id 500': 1, 'GET unmatched 404': 1 },
    leftOut: { other_kind: 2 },
    failures: [{ errorType: 'TypeError', message: 'The card was refused.', stack: /server\.js:14:9/ }],
  },
  'php-laravel.traces': {
    service: 'storefront',
    requests: { 'GET products/{product} 200': 1, 'POST orders 500': 1, 'GET unmatched 404': 1 },
    leftOut: { other_kind: 1 },
    failures: [
      {
        errorType: 'Illuminate\\Database\\QueryException',
        message: 'SQLSTATE[HY000] [2002] Connection refused',
        attributes: undefined,
      },
    ],
  },
  'go-otelhttp.traces': {
    service: 'gateway',
    requests: {
      'GET /users/{id} 200': 1,
      'GET /users/{id} 502': 1,
      'HEAD /users/{id} 200': 1,
      'OTHER unmatched 405': 1,
      'RPC shop.Cart/Add 200': 1,
      'RPC shop.Cart/Add 503': 1,
    },
    leftOut: { other_kind: 1 },
    failures: [{ errorType: undefined }, { message: 'stock is unavailable' }],
  },
  'go-otelhttp.metrics': {
    service: 'gateway',
    requests: {
      'GET /users/{id} 200': 2,
      'GET /users/{id} 502': 1,
      'HEAD /users/{id} 200': 1,
      'OTHER unmatched 405': 1,
      'RPC shop.Cart/Add 200': 2,
      'RPC shop.Cart/Add 503': 1,
    },
    leftOut: { other_metric: 3 },
  },
};

const folder = fileURLToPath(new URL('../../../../test/fixtures/otlp/', import.meta.url));

function readFixture(name: string, signal: Signal, encoding: Encoding): OtlpRead {
  const json = readFileSync(`${folder}${name}.json`);
  const schema = signal === 'traces' ? tracesRequest : metricsRequest;
  const body = encoding === 'json' ? json : encodeOtlp(JSON.parse(json.toString()), schema);
  return readOtlp(body, { signal, encoding }, () => {});
}

/** Every request of a body with how many it stands for: of one span, or what the first point of a series has counted. */
function countedIn({ slices, cumulative }: OtlpRead): { event: RawEvent; count: number }[] {
  const single = slices.flatMap(({ events, points }) =>
    events.map((event, i) => ({ event, count: points?.[i]?.count ?? 1 })),
  );
  const since = cumulative.flat().map(({ event, point }) => ({ event, count: point.histogram.count }));
  return [...single, ...since];
}

function describeRead(read: OtlpRead): Pick<Expected, 'requests' | 'leftOut'> & { services: unknown[] } {
  const counted = countedIn(read);
  const requests: Record<string, number> = {};
  for (const { event, count } of counted) {
    const name = `${event.method} ${event.endpoint} ${event.status}`;
    requests[name] = (requests[name] ?? 0) + count;
  }
  const services = [...new Set(counted.map(({ event }) => event.service))];
  return { services, requests, leftOut: Object.fromEntries(read.leftOut.counts) };
}

for (const [name, { service, requests, leftOut, failures = [] }] of Object.entries(expected))
  for (const encoding of ['json', 'protobuf'] as const)
    t.test(`${name} in ${encoding}`, async (t) => {
      const signal = signals.find((one) => name.endsWith(one));
      if (signal === undefined) throw new Error(`${name} has no signal.`);
      const read = readFixture(name, signal, encoding);
      t.same(describeRead(read), { services: [service], requests, leftOut });
      t.strictSame(read.leftOut.messages, [], 'nothing is said to a sender that does nothing wrong');
      const samples = countedIn(read).filter(({ event }) => event.traceId !== undefined);
      t.match(
        samples.map(({ event }) => event),
        failures,
      );
      t.equal(samples.length, failures.length);
    });

t.test('a question mark of a template is left out, and one before a query is not', async (t) => {
  const templates = {
    '/carts/:id': '/carts/:id',
    '/shops/:shop?': '/shops/:shop',
    '/a/:b?/c': '/a/:b/c',
    '/feed.:format?': '/feed.:format',
    '/a/:b?.json': '/a/:b.json',
    '{controller=Home}/{action=Index}/{id?}': '{controller=Home}/{action=Index}/{id}',
    '^items/(?P<id>[0-9]+)/$': '^items/(<id>[0-9]+)/$',
    '/(?<year>\\d+)/(?:a|b)': '/(<year>\\d+)/(a|b)',
    '/find?q=1': '/find?q=1',
    '/find?': '/find',
  };
  const read = Object.keys(templates).map((template) => [template, withoutMarks(template)]);
  t.strictSame(Object.fromEntries(read), templates);
});
