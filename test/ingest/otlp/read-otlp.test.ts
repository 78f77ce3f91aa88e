import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { limits } from '../../../contract/limits.js';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import { makeName, makeSource } from '../../../ingest/names/names.js';
import { LeftOut } from '../../../ingest/otlp/left-out.js';
import { readOtlp } from '../../../ingest/otlp/read-otlp.js';
import { readPoints } from '../../../ingest/otlp/read-points.js';
import { readSpans } from '../../../ingest/otlp/read-spans.js';
import { metricsRequest, tracesRequest } from '../../../ingest/otlp/schemas.js';
import { spread } from '../../../ingest/otlp/spread.js';
import { readTree } from '../../../ingest/otlp/tree.js';
import { type Message, messagesMax } from '../../../lib/protobuf/decode.js';
import { ServiceError } from '../../../lib/service-error.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { attributesOf, encodeOtlp, tracesOf } from '../../support/otlp.js';
import { propertyOf } from '../../support/property.js';

const source = makeSource('00000000-0000-0000-0000-000000000001', 'service', 'shop');
const [endpoint, method] = [makeName('/a'), makeName('GET')];

const text = fc.string({ maxLength: 12, unit: 'grapheme' });
const whole = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String);
const count = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 2 ** 31 })).map(String);
const value = fc.oneof(
  fc.record({ stringValue: text }),
  fc.record({ intValue: fc.integer().map(String) }),
  fc.record({ doubleValue: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  fc.record({ boolValue: fc.boolean() }),
);
const key = fc.oneof(
  fc.constantFrom(
    'http.route',
    'http.request.method',
    'http.method',
    'http.response.status_code',
    'error.type',
    'otel.metric.overflow',
    'service.name',
    'uri',
    'status',
    'rpc.system',
    'rpc.method',
    'messaging.system',
    'messaging.operation',
  ),
  text,
);
const attributes = fc.array(fc.record({ key, value }), { maxLength: 5 });
const resource = fc.record({ attributes });
const span = fc.record(
  {
    kind: fc.integer({ min: 0, max: 5 }),
    spanId: fc.constantFrom('eee19b7ec3c1b174', '0102030405060708'),
    traceState: fc.constantFrom('', 'ot=th:c', 'a=b,ot=rv:1;th:5', 'ot=th:zz'),
    startTimeUnixNano: whole,
    endTimeUnixNano: whole,
    attributes,
    events: fc.array(fc.record({ name: fc.constantFrom('exception', 'other'), attributes }), {
      maxLength: 2,
    }),
    status: fc.record({ message: text, code: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const traces = fc.record({
  resourceSpans: fc.array(
    fc.record({
      resource,
      scopeSpans: fc.array(fc.record({ spans: fc.array(span, { maxLength: 4 }) }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
});

const number = fc.double({ min: 0, max: 1e4, noNaN: true });
const point = fc
  .uniqueArray(number, { maxLength: 6 })
  .chain((bounds) =>
    fc.record({
      explicitBounds: fc.constant(bounds.sort((a, b) => a - b)),
      bucketCounts: fc.array(count, { minLength: bounds.length + 1, maxLength: bounds.length + 1 }),
      attributes,
      timeUnixNano: whole,
      min: number,
      max: number,
    }),
  )
  .map((made) => ({ ...made, count: String(made.bucketCounts.reduce((sum, one) => sum + Number(one), 0)) }));
const exponential = fc
  .record({
    attributes,
    scale: fc.integer({ min: -4, max: 20 }),
    zeroCount: count,
    positive: fc.record({
      offset: fc.integer({ min: -400, max: 400 }),
      bucketCounts: fc.array(count, { maxLength: 9 }),
    }),
  })
  .map((made) => {
    const all = [made.zeroCount, ...made.positive.bucketCounts];
    return { ...made, count: String(all.reduce((sum, one) => sum + Number(one), 0)) };
  });
const aggregationTemporality = fc.integer({ min: 0, max: 2 });
const metric = fc.record(
  {
    name: fc.constantFrom(
      'http.server.request.duration',
      'http.server.duration',
      'http.server.requests',
      'http_requests_total',
      'rpc.server.duration',
      'rpc.server.call.duration',
      'other',
    ),
    unit: fc.constantFrom('', 's', 'ms', 'milliseconds', 'h'),
    histogram: fc.record({ aggregationTemporality, dataPoints: fc.array(point, { maxLength: 3 }) }),
    exponentialHistogram: fc.record({
      aggregationTemporality,
      dataPoints: fc.array(exponential, { maxLength: 3 }),
    }),
    summary: fc.record({ dataPoints: fc.array(fc.constant({}), { maxLength: 2 }) }),
  },
  { requiredKeys: ['name'] },
);
const metrics = fc.record({
  resourceMetrics: fc.array(
    fc.record({
      resource,
      scopeMetrics: fc.array(fc.record({ metrics: fc.array(metric, { maxLength: 3 }) }), { maxLength: 2 }),
    }),
    { maxLength: 2 },
  ),
});

function spansOf(tree: Message) {
  const leftOut = new LeftOut();
  return { ...readSpans(tree, leftOut), leftOut };
}

function pointsOf(tree: Message) {
  const leftOut = new LeftOut();
  return { points: readPoints(tree, leftOut).counted, leftOut };
}

const asJson = (message: object): Buffer => Buffer.from(JSON.stringify(message));

t.test('spans are the same in JSON and in protobuf', async () => {
  fc.assert(
    fc.property(traces, (message) => {
      const json = spansOf(readTree(asJson(message), 'json', tracesRequest));
      const bytes = encodeOtlp(message, tracesRequest);
      deepStrictEqual(spansOf(readTree(bytes, 'protobuf', tracesRequest)), json);
    }),
    propertyOf(t, { few: 75, many: 1_500 }),
  );
});

t.test(
  'histograms are the same in JSON and in protobuf, with exact counts and finite response times',
  async () => {
    fc.assert(
      fc.property(metrics, (message) => {
        const json = pointsOf(readTree(asJson(message), 'json', metricsRequest));
        const bytes = encodeOtlp(message, metricsRequest);
        deepStrictEqual(pointsOf(readTree(bytes, 'protobuf', metricsRequest)), json);
        for (const { count, buckets } of json.points) {
          const latencies = [...spread(buckets)];
          deepStrictEqual(
            latencies.reduce((sum, { times }) => sum + times, 0),
            count,
          );
          for (const { ms, times } of latencies)
            deepStrictEqual(
              [ms >= 0 && ms <= limits.latencyMsMax, Number.isInteger(times) && times > 0],
              [true, true],
            );
        }
      }),
      propertyOf(t, { few: 75, many: 1_500 }),
    );
  },
);

t.test('any bytes are read or refused', async () => {
  const isRefusal = (error: unknown): boolean =>
    error instanceof ServiceError && ['bodyNotProtobuf', 'bodyNotJson', 'invalidBody'].includes(error.kind);
  const read = (bytes: Buffer): boolean => {
    for (const encoding of ['protobuf', 'json'] as const) {
      for (const schema of [tracesRequest, metricsRequest]) {
        try {
          const tree = readTree(bytes, encoding, schema);
          spansOf(tree);
          pointsOf(tree);
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
      }
    }
    return true;
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => read(Buffer.from(bytes))),
    propertyOf(t, { few: 500, many: 10_000 }),
  );
  fc.assert(
    fc.property(fc.json(), (json) => read(Buffer.from(json))),
    propertyOf(t, { few: 125, many: 2_500 }),
  );
  // Whole messages with a byte changed, or cut off.
  fc.assert(
    fc.property(traces, fc.nat(), fc.nat(255), fc.boolean(), (message, at, byte, cuts) => {
      const bytes = encodeOtlp(message, tracesRequest);
      if (bytes.length > 0) bytes[at % bytes.length] = byte;
      return read(cuts ? bytes.subarray(0, at % (bytes.length + 1)) : bytes);
    }),
    propertyOf(t, { few: 250, many: 5_000 }),
  );
});

t.test('a message that ends within a field is refused, wherever that is', async (t) => {
  const message = { resourceSpans: [{ scopeSpans: [{ spans: [{ kind: 2, status: { message: 'a' } }] }] }] };
  const bytes = encodeOtlp(message, tracesRequest);
  t.ok(bytes.length > 10);
  for (let end = 1; end < bytes.length; end += 1)
    t.throws(
      () => readTree(bytes.subarray(0, end), 'protobuf', tracesRequest),
      likeServiceError('bodyNotProtobuf'),
    );
});

t.test('lists of numbers may be packed', async (t) => {
  const plain = encodeOtlp(
    {
      resourceMetrics: [
        { scopeMetrics: [{ metrics: [{ histogram: { dataPoints: [{ explicitBounds: [1, 2] }] } }] }] },
      ],
    },
    metricsRequest,
  );
  // Field 7 of the point: one at a time 0x39, packed 0x3a with the length 16.
  const at = plain.indexOf(0x39);
  const packedList = Buffer.concat([
    Buffer.from([0x3a, 16]),
    plain.subarray(at + 1, at + 9),
    plain.subarray(at + 10),
  ]);
  const nested = (bytes: Buffer, ...fields: number[]): Buffer =>
    fields.reduce((inner, field) => Buffer.concat([Buffer.from([field, inner.length]), inner]), bytes);
  const packed = nested(packedList, 0x0a, 0x4a, 0x12, 0x12, 0x0a);
  t.strictSame(readTree(packed, 'protobuf', metricsRequest), readTree(plain, 'protobuf', metricsRequest));
});

t.test('whatever numbers a data point has, it is refused or becomes part of a block', async (t) => {
  const odd = fc.oneof(
    fc.constantFrom(
      'Infinity',
      '-Infinity',
      'NaN',
      -0,
      0.5,
      '1e308',
      2 ** 53,
      100_000_000,
      '100000001',
      null,
    ),
    fc.integer({ min: -5, max: 40 }),
    fc.double(),
  );
  const odds = fc.array(odd, { maxLength: 3 });
  const dataPoint = fc
    .record(
      { min: odd, max: odd, sum: odd, scale: odd, zeroCount: odd, explicitBounds: odds, bucketCounts: odds },
      { requiredKeys: [] },
    )
    .chain((made) => fc.record({ made: fc.constant(made), offset: odd, count: odd, fits: fc.boolean() }))
    .map(({ made, offset, count, fits }) => {
      const all = [made.zeroCount ?? 0, ...(made.bucketCounts ?? [])].map(Number);
      return {
        ...made,
        count: fits ? String(all.reduce((sum, one) => sum + one, 0)) : count,
        positive: { offset, bucketCounts: made.bucketCounts ?? [] },
      };
    });
  let points = 0;
  fc.assert(
    fc.property(fc.array(dataPoint, { maxLength: 4 }), fc.boolean(), (dataPoints, isExponential) => {
      const kind = isExponential ? 'exponentialHistogram' : 'histogram';
      const metric = {
        ...{ name: 'http.server.request.duration', unit: 's' },
        [kind]: { aggregationTemporality: 1, dataPoints },
      };
      const tree = { resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] };
      const read = pointsOf(readTree(asJson(tree), 'json', metricsRequest));
      const block = new Block();
      for (const { count, buckets } of read.points) {
        const latencies = [...spread(buckets)];
        points += 1;
        ok(count > 0 && count <= limits.otlpRequestsMax && Number.isInteger(count), `count ${count}`);
        for (const { ms } of latencies) ok(ms >= 0 && ms <= limits.latencyMsMax, `${ms} ms`);
        const at = Date.UTC(2026, 0, 1);
        block.addCounted({ source, endpoint, method, status: 200, at, count, latencies });
      }
      encodeBlock(block);
      return read.points.length + read.leftOut.refused <= dataPoints.length;
    }),
    propertyOf(t, { few: 750, many: 15_000 }),
  );
  t.ok(points > 25, `${points} points were counted`);
});

t.test('a body of many empty messages is refused before it takes long to read', async (t) => {
  const empties = { resourceSpans: [{ scopeSpans: [{ spans: Array(messagesMax).fill({}) }] }] };
  const bytes = encodeOtlp(empties, tracesRequest);
  t.ok(bytes.length < limits.otlpBodyBytes);
  t.throws(() => readTree(bytes, 'protobuf', tracesRequest), likeServiceError('bodyTooLarge'));
  empties.resourceSpans[0]?.scopeSpans[0]?.spans.splice(0, 3);
  const tree = readTree(encodeOtlp(empties, tracesRequest), 'protobuf', tracesRequest);
  t.equal(spansOf(tree).leftOut.counts.get('other_kind'), messagesMax - 3);
});

t.test('data points with more buckets than a body may have are refused', async (t) => {
  const perPoint = 1_000;
  const [count, buckets] = [String(8 * perPoint), Array(perPoint).fill('8')];
  const dataPoints = Array(limits.otlpBucketsMax / perPoint + 2).fill({
    ...{ scale: 3, count, positive: { offset: 0, bucketCounts: buckets } },
  });
  const metric = {
    name: 'http.server.request.duration',
    exponentialHistogram: { aggregationTemporality: 1, dataPoints },
  };
  const bytes = encodeOtlp({ resourceMetrics: [{ scopeMetrics: [{ metrics: [metric] }] }] }, metricsRequest);
  const { points, leftOut } = pointsOf(readTree(bytes, 'protobuf', metricsRequest));
  t.equal(points.length, dataPoints.length - 2);
  t.equal(leftOut.refused, 2);
  t.match(leftOut.messages, [/at most 100000 buckets/]);
});

t.test('a body of more endpoints than a batch may have is cut into batches that hold them', async (t) => {
  const { eventsPerBatch, endpointsPerBatchAndService } = limits;
  const length = 2_500;
  const bodies = {
    'each of its own': (i: number) => `/route/${i}`,
    'a few': (i: number) => `/route/${i % 7}`,
    'as many as fit': (i: number) => `/route/${i % endpointsPerBatchAndService}`,
    'one more': (i: number) => `/route/${i % (endpointsPerBatchAndService + 1)}`,
  };
  const wrong: string[] = [];
  const counts = Object.entries(bodies).map(([name, routeOf]) => {
    const spans = Array.from({ length }, (_, i) => ({
      ...{ kind: 2, attributes: attributesOf({ 'http.method': 'GET', 'http.route': routeOf(i) }) },
    }));
    const body = encodeOtlp(tracesOf('shop', spans), tracesRequest);
    const { slices } = readOtlp(body, { signal: 'traces', encoding: 'protobuf' }, () => {});
    for (const { events, batchId } of slices) {
      const endpoints = new Set(events.map((event) => event.endpoint)).size;
      if (endpoints > endpointsPerBatchAndService || events.length > eventsPerBatch)
        wrong.push(`${name}: ${batchId} has ${events.length} events of ${endpoints} endpoints`);
    }
    if (new Set(slices.map(({ batchId }) => batchId)).size < slices.length) wrong.push(`${name}: equal ids`);
    const read = slices.flatMap(({ events }) => events.map(({ endpoint }) => endpoint));
    if (read.join() !== spans.map((_, i) => routeOf(i)).join()) wrong.push(`${name}: not every event once`);
    return [name, slices.length];
  });
  t.strictSame(wrong, []);
  t.strictSame(Object.fromEntries(counts), {
    ...{ 'each of its own': 13, 'a few': 3, 'as many as fit': 3, 'one more': 13 },
  });
});
