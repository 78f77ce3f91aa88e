import { gzipSync } from 'node:zlib';
import t from 'tap';
import { limits } from '../../contract/limits.js';
import { pruneSeries } from '../../ingest/cumulative/series-store.js';
import { metricsRequest, tracesRequest } from '../../ingest/otlp/schemas.js';
import { systemClock } from '../../lib/clock.js';
import { messageField } from '../../lib/protobuf/write-fields.js';
import { minuteMs } from '../../lib/times.js';
import { fillNames } from '../support/fill-names.js';
import { exports, makeGrpcClient } from '../support/grpc.js';
import {
  attributesOf,
  cumulative,
  decodeAnswer,
  encodeOtlp,
  spanOf,
  usualAttributes,
} from '../support/otlp.js';
import { makeKey, makePage } from '../support/pages.js';
import { remoteWriteHeaders2, writeBody2 } from '../support/remote-write.js';
import { readRequests } from '../support/rollups.js';
import { startTestService } from '../support/service.js';
import { isThirdTier } from '../support/tiers.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t, { otlpGrpcPort: 0 });
const { sql } = api.stores;
const call = makeGrpcClient(t, api.service.otlpGrpcPort);
const callGzip = makeGrpcClient(t, api.service.otlpGrpcPort, { gzip: true });
const deps = { sql, clock: systemClock };
const quietReadKey = (await makeKey(deps, { slug: 'other', scope: 'read' })).key;
const now = systemClock.now();
const nano = (ago: number): string => String(BigInt(now - ago) * 1_000_000n);
const megabyte = 'x'.repeat(1_000_000);
/** One sends spans, and the other metrics: each request counts by one of the two. */
const [shop, counter] = [{ 'service.name': 'shop' }, { 'service.name': 'counter' }];

type Signal = 'traces' | 'metrics';
type Said = { rejected: number; errorMessage: string };

/** A page that sends what it should not, with its key. */
async function makeLoud(slug: string) {
  const { id: pageId } = await makePage(sql, { slug });
  const { key } = await makeKey(deps, { slug, scope: 'ingest' });
  const { key: readKey } = await makeKey(deps, { slug, scope: 'read' });
  const said = (bytes: Uint8Array): Said => {
    const { rejected = 0, errorMessage = '' } = (decodeAnswer(Buffer.from(bytes))['partialSuccess'] ??
      {}) as Partial<Said>;
    return { rejected, errorMessage };
  };
  return {
    pageId,
    key,
    /** Sends a body until it is taken or refused for good, as SDKs do: on a busy machine 10,000 new routes may take two attempts. */
    async http(signal: Signal, body: Buffer, headers = {}): Promise<Said> {
      const answer = await fetch(`${api.url}/v1/${signal}`, {
        method: 'POST',
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/x-protobuf', authorization: `Bearer ${key}`, ...headers },
      });
      if (answer.status === 503) return this.http(signal, body, headers);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return said(new Uint8Array(await answer.arrayBuffer()));
    },
    async grpc(signal: Signal, body: Buffer, send = call): Promise<Said> {
      const { code, details, message, retrySeconds } = await send(body, { key, path: exports[signal] });
      if (retrySeconds !== undefined) return this.grpc(signal, body, send);
      if (code !== 0) throw new Error(`${code}: ${details}`);
      return said(message ?? Buffer.alloc(0));
    },
    /** The requests that are stored. A read brings those of the page to the store. */
    async requests(): Promise<number> {
      await api.get('/api/v1/analytics/reporters', { authorization: `Bearer ${readKey}` });
      await api.settle();
      await waitUntil('no block is held', async () => (await sql`select 1 from held_blocks`).length === 0);
      const rows = await readRequests(api.stores.clickhouse);
      return rows.filter(({ page }) => page === pageId).reduce((sum, { requests }) => sum + requests, 0);
    },
    async countRows(
      table: 'sources' | 'endpoints' | 'service_signals' | 'service_versions' | 'series_groups',
    ) {
      return (await sql`select 1 from ${sql(table)} where page_id = ${pageId}`).length;
    },
  };
}

const taken: Said = { rejected: 0, errorMessage: '' };
let quietEvents = 0;

/** Does the work while another page sends events and reads its figures, which it may do as if it was alone. */
async function besideAnother<Value>(work: Promise<Value>): Promise<Value> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  ended.catch(() => {});
  const headers = { authorization: `Bearer ${quietReadKey}` };
  do {
    const [sent, read] = await Promise.all([
      api.post('/api/v1/events', [{ endpoint: '/quiet', status: 200 }], { key: api.otherIngestKey }),
      api.get('/api/v1/analytics/reporters', headers),
    ]);
    if (sent.status !== 202 || read.status !== 200)
      throw new Error(`The other page got ${sent.status} and ${read.status}: ${JSON.stringify(sent.body)}`);
    quietEvents += 1;
  } while (!isOver);
  return ended;
}

type ResourceOptions = Readonly<Record<string, string>>;

/** A body of one resource and scope around spans or metrics that are encoded. */
function around(resource: ResourceOptions, parts: readonly Buffer[]): Buffer {
  const head = encodeOtlp(
    { resourceSpans: [{ resource: { attributes: attributesOf(resource) } }] },
    tracesRequest,
  );
  // The field of the one resource, without its tag and length: both signals have the same numbers of fields here.
  const inner = head.subarray(head.length - innerLength(head));
  return messageField(1, [inner, messageField(2, parts)]);
}

function innerLength(head: Buffer): number {
  let at = 1;
  let length = 0;
  for (let shift = 1; ; shift *= 128) {
    const byte = head[at] ?? 0;
    at += 1;
    length += (byte & 0x7f) * shift;
    if (byte < 0x80) return length;
  }
}

/** A span as a field of its scope. */
function encodeSpan(route: string, more: Readonly<Record<string, string>> = {}): Buffer {
  const span = spanOf({ attributes: { ...usualAttributes, 'http.route': route, ...more } });
  return unwrap(encodeOtlp({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }, tracesRequest), 2);
}

/** A point of a series that began a minute ago, in a metric of its own, as a field of its scope. */
function encodeMetric(user: string, count: number, { ago = 0, more = {} } = {}): Buffer {
  const point = {
    attributes: attributesOf({ ...usualAttributes, 'user.id': user, ...more }),
    ...{ startTimeUnixNano: nano(minuteMs), timeUnixNano: nano(ago), count: String(count) },
    ...{ bucketCounts: [String(count), '0'], explicitBounds: [0.1] },
  };
  const metric = {
    ...{ name: 'http.server.request.duration', unit: 's' },
    histogram: { aggregationTemporality: cumulative, dataPoints: [point] },
  };
  return unwrap(
    encodeOtlp({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] }, metricsRequest),
    2,
  );
}

/** Takes messages off their envelopes. */
function unwrap(bytes: Buffer, levels: number): Buffer {
  return levels === 0 ? bytes : unwrap(bytes.subarray(bytes.length - innerLength(bytes)), levels - 1);
}

const users = (count: number, requests: number, options = {}): Buffer[] =>
  Array.from({ length: count }, (_, i) => encodeMetric(`user ${i}`, requests, options));

const tenThousand = users(10_000, 1);

t.test(
  '10,000 routes in a body: those that a page has room for count, and the answer has the number of the others',
  async (t) => {
    const loud = await makeLoud('routes');
    await fillNames(sql, loud.pageId, { endpoints: limits.endpointsPerPage - 7_000 });
    const routes = Array.from({ length: 10_000 }, (_, i) => encodeSpan(`/new/${i}`));
    const over = await besideAnother(loud.http('traces', around(shop, routes)));
    t.equal(over.rejected, 3_000);
    t.match(
      over.errorMessage,
      /more than 25,000 distinct endpoints on this status page with the endpoint "\/new\/7000"/,
    );
    const later = around(shop, [encodeSpan('/new/1'), encodeSpan('/known/1'), encodeSpan('/later')]);
    t.match(await loud.grpc('traces', later), { rejected: 1, errorMessage: /with the endpoint "\/later"/ });
    t.equal(await loud.countRows('endpoints'), limits.endpointsPerPage);
    t.equal(await loud.requests(), 7_002);
  },
);

t.test('100,000 cumulative series: more are refused with their number, and the others go on', async (t) => {
  const loud = await makeLoud('series');
  // A body of 10,000 takes half a second.
  const senders = isThirdTier ? 10 : 2;
  const before = limits.cumulativeSeriesPerPage - senders * 10_000;
  await sql`
    insert into series_groups (page_id, key, weight, touched_at)
    values (${loud.pageId}, gen_random_uuid(), ${before}, ${new Date(now)})`;
  const sender = (i: number) => ({ 'service.name': 'shop', 'service.instance.id': `pod ${i}` });
  t.strictSame(await besideAnother(loud.http('metrics', around(sender(0), tenThousand))), taken);
  const tooMany = /more than 100,000 series on this status page, or more than 10,000 of one sender/;
  const further = around(sender(0), [encodeMetric('one more', 1)]);
  t.match(await loud.grpc('metrics', further), { rejected: 1, errorMessage: tooMany });
  for (let i = 1; i < senders; i += 1)
    t.strictSame(
      await besideAnother(loud[i % 2 === 0 ? 'http' : 'grpc']('metrics', around(sender(i), tenThousand))),
      taken,
    );
  t.match(await besideAnother(loud.grpc('metrics', around(sender(senders), tenThousand))), {
    rejected: 10_000,
    errorMessage: tooMany,
  });
  const [held] =
    await sql`select sum(weight)::int as series, count(*)::int as groups from series_groups where page_id = ${loud.pageId}`;
  t.same(held, { series: limits.cumulativeSeriesPerPage, groups: senders + 1 });
  t.equal(await loud.requests(), senders * 10_000);
  const grown = around(sender(1), users(1_000, 3, { ago: -1_000 }));
  t.strictSame(await besideAnother(loud.http('metrics', grown)), taken);
  t.equal(await loud.requests(), senders * 10_000 + 2_000);
});

t.test('an attribute of a megabyte, of a span, a data point and a resource that 10,000 share', async (t) => {
  const loud = await makeLoud('megabyte');
  t.strictSame(await loud.http('traces', around(shop, [encodeSpan('/a', { 'url.query': megabyte })])), taken);
  t.match(await loud.grpc('traces', around(shop, [encodeSpan(megabyte), encodeSpan('/a')])), {
    rejected: 1,
    errorMessage: /"http.route" must have at most 200 characters; it was the text "x+…"/,
  });
  const long = encodeMetric('long', 2, { more: { 'user.note': megabyte } });
  t.strictSame(await loud.grpc('metrics', around(counter, [long])), taken);
  t.equal(await loud.requests(), 4);
  const shared = { ...counter, 'process.command_args': megabyte };
  t.strictSame(await besideAnother(loud.http('metrics', around(shared, tenThousand))), taken);
  const unnamed = around({ 'service.name': megabyte }, Array(10_000).fill(encodeSpan('/a')));
  t.strictSame(await besideAnother(loud.grpc('traces', unnamed)), taken);
  t.equal(await loud.requests(), 20_004);
  const [state] =
    await sql`select sum(octet_length(state))::int as bytes from series_groups where page_id = ${loud.pageId}`;
  t.ok(state?.['bytes'] < 400_000, `${state?.['bytes']} bytes of series`);
});

t.test('remote write 2.0: 10,000 series that refer to a symbol of a megabyte', async (t) => {
  const loud = await makeLoud('symbols');
  const series = Array.from({ length: 10_000 }, (_, i) => ({
    labels: { __name__: 'http_request_duration_seconds_count', note: megabyte, nr: `${i % 100}` },
    samples: [{ value: i, timestamp: now }],
  }));
  const send = async (count: number) => {
    const headers = { ...remoteWriteHeaders2, authorization: `Bearer ${loud.key}` };
    const body = new Uint8Array(writeBody2(series.slice(0, count)));
    const answer = await fetch(`${api.url}/api/v1/prometheus/write`, { method: 'POST', body, headers });
    return `${answer.status} ${await answer.text()}`;
  };
  t.match(await besideAnother(send(10_000)), /^413 .*labels of a body have at most 16,777,216 characters/);
  t.match(await besideAnother(send(3)), /^204 $/);
});

t.test(
  'a body that inflates a thousandfold: refused beyond 4 MiB, read below, and never inflated as a whole',
  async (t) => {
    const loud = await makeLoud('bombs');
    const bomb = gzipSync(Buffer.alloc(64 * 1024 ** 2), { level: 9 });
    t.ok(bomb.length < 70_000);
    const before = process.memoryUsage().arrayBuffers;
    const refusals = await besideAnother(
      Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          loud
            .http(i % 2 === 0 ? 'traces' : 'metrics', bomb, { 'content-encoding': 'gzip' })
            .then(() => 'taken', String),
        ),
      ),
    );
    t.strictSame(
      refusals.filter((said) => !/Error: 413: .*body\.too_large/s.test(said)),
      [],
    );
    t.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 ** 2);
    const large = around(shop, [encodeSpan('/a', { 'url.query': megabyte.repeat(4) })]);
    const packed = gzipSync(large, { level: 9 });
    t.ok(packed.length * 900 < large.length);
    t.strictSame(await loud.http('traces', packed, { 'content-encoding': 'gzip' }), taken);
    t.strictSame(
      await loud.grpc(
        'metrics',
        around(counter, [encodeMetric('a', 1, { more: { 'user.note': megabyte.repeat(4) } })]),
        callGzip,
      ),
      taken,
    );
    t.equal(await loud.requests(), 2);
  },
);

t.test('a resource that changes with every export: the state has a bound, and room comes back', async (t) => {
  const loud = await makeLoud('resources');
  const resourceOf = (i: number) => ({
    ...{ 'service.name': 'shop', 'service.instance.id': `pod ${i}`, 'host.name': `host ${i}` },
    ...{ 'deploy.nonce': String(Math.imul(i, 0x9e3779b1)), 'service.version': `1.0.${i}` },
  });
  const exportOf = (i: number, count = 1, ago = 0): Buffer =>
    around(resourceOf(i), [encodeMetric('a', count, { ago })]);
  const versions = limits.versionsPerService;
  const answers: Said[] = [];
  for (let i = 0; i < 40; i += 1)
    answers.push(await loud[i % 2 === 0 ? 'http' : 'grpc']('metrics', exportOf(i)));
  t.strictSame(answers.slice(0, versions), Array(versions).fill(taken));
  t.match(
    answers.slice(versions),
    Array(20).fill({ rejected: 0, errorMessage: /version is not read, because .* 20 / }),
  );
  const counts = async () => [
    await loud.countRows('sources'),
    await loud.countRows('endpoints'),
    await loud.countRows('service_signals'),
    await loud.countRows('service_versions'),
    await loud.countRows('series_groups'),
  ];
  t.strictSame(await counts(), [1, 1, 1, versions, 40]);
  // As many series as the processes of an hour leave.
  await sql`
    insert into series_groups (page_id, key, weight, touched_at)
    select ${loud.pageId}, gen_random_uuid(), 1, ${new Date(now - 2 * limits.cumulativeIdleMinutes * minuteMs)}
    from generate_series(1, ${limits.cumulativeSeriesPerPage - 45})`;
  const later = await besideAnother(
    Promise.all(Array.from({ length: 20 }, (_, i) => loud.http('metrics', exportOf(40 + i)))),
  );
  t.equal(later.filter(({ rejected }) => rejected === 1).length, 15);
  t.equal(await loud.countRows('series_groups'), limits.cumulativeSeriesPerPage);
  t.match(await loud.grpc('metrics', exportOf(0, 5, -1_000)), { rejected: 0 });
  t.equal(await loud.requests(), 49);
  await pruneSeries(deps);
  t.match(await loud.http('metrics', exportOf(99)), { rejected: 0 });
  t.strictSame(await counts(), [1, 1, 1, versions, 46]);
});

t.test('the other page has all its events', async (t) => {
  const stored = async () => {
    const rows = await readRequests(api.stores.clickhouse);
    return rows
      .filter(({ page }) => page === api.otherPageId)
      .reduce((sum, { requests }) => sum + requests, 0);
  };
  await waitUntil('all are stored', async () => (await stored()) >= quietEvents);
  t.equal(await stored(), quietEvents);
});
