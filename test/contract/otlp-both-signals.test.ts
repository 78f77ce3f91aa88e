import t from 'tap';
import { minuteMs, secondMs } from '../../lib/times.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { attributesOf, cumulative, delta, spanOf, usualAttributes } from '../support/otlp.js';
import { readRequests } from '../support/rollups.js';
import { type Answer, startAnother, startTestService, type TestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

// The stores deliver by this clock, so it cannot stand still; what is sent has the times of `sentAt`, which is behind it.
const clock = makeMovingClock();
let sentAt = clock.now();
const one = await startTestService(t, { clock });
const two = await startAnother(t, one, { clock });
const instances = [one, two];

const intervalMs = minuteMs;
const flushMs = 20 * secondMs;
const perFlush = 3;
const perMinute = (perFlush * intervalMs) / flushMs;
const bounds = [0.01, 0.1];

const resourceOf = (service: string) => ({
  attributes: attributesOf({ 'service.name': service, 'service.version': '1.4.0' }),
});
const nano = (ms: number): string => String(BigInt(ms) * 1_000_000n);

/** Sends a body as an SDK does: again, when the service is busy. */
async function post(api: TestService, path: string, body: object, options = {}): Promise<Answer> {
  let answer: Answer | undefined;
  await waitUntil('the service has taken the body', async () => {
    answer = await api.post(path, body, options);
    return answer.status !== 503;
  });
  return answer as Answer;
}

/** Waits until ClickHouse has what was acknowledged. */
async function untilStored(): Promise<void> {
  for (const api of instances) await api.settle();
  const { sql } = one.stores;
  await waitUntil('the store has the blocks', async () => {
    const rows = await sql`select 1 from held_blocks union all select 1 from delivery_batches`;
    return rows.length === 0;
  });
}

/** The attributes of requests that were answered well and of those that were not, in spans and in data points. */
const http = {
  fine: usualAttributes,
  failed: { ...usualAttributes, 'http.response.status_code': 503 },
};
type Attributes = Readonly<Record<string, string | number>>;
type Forms = Record<'spans' | 'points', Record<'fine' | 'failed', Attributes>>;

/** A process that handles three requests each 20 seconds: it sends their spans then, and a point once a minute. */
function makeProcess(service: string, temporality: number, forms: Forms = { spans: http, points: http }) {
  const startedAt = sentAt;
  const scopes = { resource: resourceOf(service) };
  let [handled, pointAt, handledAtPoint] = [0, startedAt, 0];
  return {
    /** The requests since the last flush; the last of them fails with a message. */
    async sendSpans(api: TestService) {
      const spans = Array.from({ length: perFlush }, (_, i) => {
        const endMs = sentAt - (i + 1) * secondMs;
        return i === 0
          ? spanOf({ endMs, message: 'no stock', attributes: forms.spans.failed })
          : spanOf({ endMs, attributes: forms.spans.fine });
      });
      return post(api, '/v1/traces', { resourceSpans: [{ ...scopes, scopeSpans: [{ spans }] }] });
    },
    handle: () => {
      handled += perFlush;
    },
    /** The requests since the start of the process, or since the last point. A third of them has failed. */
    async sendMetrics(api: TestService) {
      const isDelta = temporality === delta;
      const count = isDelta ? handled - handledAtPoint : handled;
      const dataPoints = [count / 3, (2 * count) / 3].map((some, i) => ({
        attributes: attributesOf(i === 0 ? forms.points.failed : forms.points.fine),
        startTimeUnixNano: nano(isDelta ? pointAt : startedAt),
        timeUnixNano: nano(sentAt),
        ...{ count: String(some), bucketCounts: ['0', String(some), '0'], explicitBounds: bounds },
      }));
      [pointAt, handledAtPoint] = [sentAt, handled];
      const histogram = { aggregationTemporality: temporality, dataPoints };
      const metrics = [{ name: 'http.server.request.duration', unit: 's', histogram }];
      return post(api, '/v1/metrics', { resourceMetrics: [{ ...scopes, scopeMetrics: [{ metrics }] }] });
    },
    get handled() {
      return handled;
    },
  };
}

async function rowsOf(service: string) {
  await untilStored();
  const rows = await readRequests(one.stores.clickhouse);
  return rows.filter((row) => row.page === one.pageId && row.service === service);
}

async function countsOf(service: string): Promise<{ all: number; failed: number }> {
  const sums = { all: 0, failed: 0 };
  for (const { status, requests } of await rowsOf(service)) {
    sums.all += status === 0 ? 0 : requests;
    sums.failed += status === 503 ? requests : 0;
  }
  return sums;
}

/** Minutes of a process whose signals go to the instances in turn; `ends` says in which order they come. */
async function walk(
  process: ReturnType<typeof makeProcess>,
  minutes: number,
  send: { spans: boolean; metrics: 'first' | 'last' | 'none' },
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const [metricsFirst, metricsLast] = [send.metrics === 'first', send.metrics === 'last'];
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let at = flushMs; at <= intervalMs; at += flushMs) {
      clock.advance(flushMs);
      sentAt += flushMs;
      process.handle();
      const isEnd = at === intervalMs;
      const [here, there] = (minute + at / flushMs) % 2 === 0 ? [one, two] : [two, one];
      if (isEnd && metricsFirst) answers.push(await process.sendMetrics(there));
      if (send.spans) answers.push(await process.sendSpans(here));
      if (isEnd && metricsLast) answers.push(await process.sendMetrics(there));
    }
  }
  return answers;
}

const cases = [
  ['cumulative', cumulative, 'first'],
  ['cumulative', cumulative, 'last'],
  ['delta', delta, 'last'],
] as const;

for (const [name, temporality, order] of cases)
  t.test(`200: spans and ${name} metrics, which come ${order}, count each request once`, async (t) => {
    const service = `${name}-${order}`;
    const process = makeProcess(service, temporality);
    const answers = await walk(process, 5, { spans: true, metrics: order });
    t.strictSame(
      answers.filter(({ status, body }) => status !== 200 || JSON.stringify(body) !== '{}'),
      [],
      'nothing is rejected, and nothing is said',
    );
    t.strictSame(await countsOf(service), { all: process.handled, failed: process.handled / 3 });
  });

t.test('200: calls of gRPC of ASP.NET Core are in the metrics of HTTP, and count once', async (t) => {
  const call = { 'http.request.method': 'POST', 'http.route': '/shop.Cart/Add' };
  const answered = { ...call, 'http.response.status_code': 200 };
  const rpc = { ...answered, 'rpc.system': 'grpc', 'rpc.service': 'shop.Cart', 'rpc.method': 'Add' };
  const spans = {
    fine: { ...rpc, 'rpc.grpc.status_code': 0 },
    failed: { ...answered, 'grpc.method': '/shop.Cart/Add', 'grpc.status_code': '14' },
  };
  const unary = { ...answered, 'network.protocol.version': '2' };
  const points = { fine: unary, failed: { ...unary, 'aspnetcore.request.is_unhandled': 'true' } };
  const process = makeProcess('aspnet', cumulative, { spans, points });
  await walk(process, 5, { spans: true, metrics: 'last' });
  const rows = await rowsOf('aspnet');
  const sum = (of: (row: (typeof rows)[number]) => boolean) =>
    rows.filter(of).reduce((all, { requests }) => all + requests, 0);
  t.equal((await countsOf('aspnet')).all, process.handled);
  const bySpans = sum(({ method, endpoint }) => method === 'RPC' && endpoint === 'shop.Cart/Add');
  const byPoints = sum(({ method, endpoint }) => method === 'POST' && endpoint === '/shop.Cart/Add');
  t.ok(bySpans > 0 && byPoints > 0, `${bySpans} and ${byPoints}`);
  t.equal(
    sum(({ status }) => status === 503),
    bySpans / 3,
    'spans know the code of gRPC',
  );
});

t.test('200: the messages of failures stay when metrics count', async (t) => {
  const process = makeProcess('messages', cumulative);
  await walk(process, 1, { spans: false, metrics: 'last' });
  await walk(process, 1, { spans: true, metrics: 'last' });
  t.strictSame(await countsOf('messages'), { all: process.handled, failed: process.handled / 3 });
  const answer = await one.get('/api/v1/analytics/messages', { authorization: `Bearer ${one.readKey}` });
  const { messages } = answer.body as { messages: { service: string }[] };
  t.match(
    messages.filter(({ service }) => service === 'messages'),
    [{ endpoint: '/carts/:id', message: 'no stock' }],
  );
});

t.test('200: metrics that are switched off leave the service to spans within five minutes', async (t) => {
  const process = makeProcess('switched-off', cumulative);
  await walk(process, 1, { spans: false, metrics: 'last' });
  await walk(process, 1, { spans: true, metrics: 'none' });
  const { all } = await countsOf('switched-off');
  t.equal(all, perMinute, 'spans do not count while metrics may only be late');
  clock.advance(5 * minuteMs);
  sentAt += 5 * minuteMs;
  await walk(process, 1, { spans: true, metrics: 'none' });
  t.equal((await countsOf('switched-off')).all, 2 * perMinute);
});

t.test('200: a service that sends metrics alone, or spans alone, counts by them at once', async (t) => {
  const metrics = makeProcess('metrics-alone', cumulative);
  await walk(metrics, 1, { spans: false, metrics: 'last' });
  t.equal((await countsOf('metrics-alone')).all, metrics.handled);
  const spans = makeProcess('spans-alone', cumulative);
  await walk(spans, 1, { spans: true, metrics: 'none' });
  t.equal((await countsOf('spans-alone')).all, spans.handled);
});

t.test('the choice of a page and a service is no choice of others', async (t) => {
  const own = makeProcess('tenants', cumulative);
  await walk(own, 1, { spans: false, metrics: 'last' });
  const other = tracesWith(one.otherIngestKey);
  t.strictSame((await other('tenants')).body, {});
  t.strictSame((await tracesWith(one.ingestKey)('another')).body, {});
  await untilStored();
  const rows = await readRequests(one.stores.clickhouse);
  t.match(
    rows.filter(({ page, service }) => page === one.otherPageId && service === 'tenants'),
    [{ endpoint: '/carts/:id', requests: 1 }],
  );
  t.equal((await countsOf('another')).all, 1);
});

const tracesWith = (key: string) => (service: string) =>
  post(
    one,
    '/v1/traces',
    {
      resourceSpans: [
        { resource: resourceOf(service), scopeSpans: [{ spans: [spanOf({ endMs: sentAt })] }] },
      ],
    },
    { key },
  );

t.test('what the other signal counts is counted by reason', async (t) => {
  const counted = await (await fetch(`${one.url}/metrics`)).text();
  t.match(counted, /otlp_ignored_total\{signal="traces",reason="counted_by_metrics"\} [1-9]/);
  t.match(counted, /otlp_ignored_total\{signal="metrics",reason="counted_by_spans"\} [1-9]/);
});
