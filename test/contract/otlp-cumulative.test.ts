import t from 'tap';
import { metricsRequest } from '../../ingest/otlp/schemas.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import {
  attributesOf,
  cumulative,
  encodeOtlp,
  histogramOf,
  metricsOf,
  usualAttributes,
} from '../support/otlp.js';
import { readRequests } from '../support/rollups.js';
import { startAnother, startTestService } from '../support/service.js';

const api = await startTestService(t);
const path = '/v1/metrics';
const arrival = Date.now();
const nano = (ago: number): string => String(BigInt(arrival - ago) * 1_000_000n);

/** A point of a series that began `startedAgo` before now, with two buckets, as of `ago` before now. */
type Sent = { startedAgo?: number; ago: number; low: number; high?: number; more?: object };

function pointOf({ startedAgo, ago, low, high = 0, more }: Sent): object {
  return {
    attributes: attributesOf(usualAttributes),
    ...(startedAgo !== undefined && { startTimeUnixNano: nano(startedAgo) }),
    timeUnixNano: nano(ago),
    ...{ count: String(low + high), bucketCounts: [String(low), String(high)], explicitBounds: [0.1] },
    ...more,
  };
}

const metricOf = (...dataPoints: object[]) => ({
  ...{ name: 'http.server.request.duration', unit: 's' },
  histogram: { aggregationTemporality: cumulative, dataPoints },
});

const send = async (service: string, sent: Sent, options = {}) =>
  (await api.post(path, metricsOf(service, [metricOf(pointOf(sent))]), options)).body;

async function requestsOf(service: string, page = api.pageId): Promise<number> {
  await api.settle();
  const rows = await readRequests(api.stores.clickhouse);
  return rows
    .filter((row) => row.page === page && row.service === service)
    .reduce((sum, { requests }) => sum + requests, 0);
}

const old = 10 * minuteMs;

t.test('200: the differences between points count, and all of a series that has just begun', async (t) => {
  const first = await send('usual', { startedAgo: old, ago: 2 * minuteMs, low: 10 });
  t.match(first, {
    partialSuccess: { rejectedDataPoints: '0', errorMessage: /^The first point of a series does not count/ },
  });
  t.equal(await requestsOf('usual'), 0);
  t.strictSame(await send('usual', { startedAgo: old, ago: minuteMs, low: 25, high: 5 }), {});
  t.equal(await requestsOf('usual'), 20);
  t.strictSame(await send('usual', { startedAgo: old, ago: 0, low: 25, high: 9 }), {});
  t.equal(await requestsOf('usual'), 24);
  t.strictSame(await send('usual', { startedAgo: secondMs, ago: 0, low: 4 }), {}, 'the sender has restarted');
  t.equal(await requestsOf('usual'), 28);
});

t.test('200: a restart counts from its start, also when its first point comes late', async (t) => {
  await send('late', { startedAgo: 60 * minuteMs, ago: 20 * minuteMs, low: 7 });
  t.strictSame(await send('late', { startedAgo: old, ago: 0, low: 4 }), {});
  t.equal(await requestsOf('late'), 4);
  t.match(await send('late', { startedAgo: 30 * minuteMs, ago: 0, low: 9 }), { partialSuccess: {} });
  t.equal(await requestsOf('late'), 4, 'a start before the last point may have counted elsewhere');
});

t.test('200: repeated points and points out of order count once, over two instances', async (t) => {
  const other = await startAnother(t, api);
  const sent = [2, 1, 3, 3, 0, 2, 1].map((minutes) => ({
    ...{ startedAgo: 4 * minuteMs + 30 * secondMs, ago: minutes * minuteMs, low: 100 - 10 * minutes },
  }));
  const answers = [];
  for (const [i, one] of sent.entries()) {
    const body = metricsOf('two', [metricOf(pointOf(one))]);
    answers.push((await (i % 2 === 0 ? api : other).post(path, body)).body);
  }
  t.strictSame(answers, Array(sent.length).fill({}));
  await other.settle();
  t.equal(await requestsOf('two'), 100);
});

t.test('200: the same series in JSON and in protobuf, with the attributes in any order', async (t) => {
  await send('encodings', { startedAgo: minuteMs, ago: 30 * secondMs, low: 3 });
  const turned = { attributes: attributesOf(usualAttributes).reverse() };
  const body = metricsOf('encodings', [
    metricOf(pointOf({ startedAgo: minuteMs, ago: 0, low: 8, more: turned })),
  ]);
  const headers = { 'content-type': 'application/x-protobuf' };
  t.equal((await api.post(path, encodeOtlp(body, metricsRequest), { headers })).status, 200);
  t.equal(await requestsOf('encodings'), 8);
});

t.test('200: each page has series of its own', async (t) => {
  const sent = { startedAgo: minuteMs, ago: 0, low: 6 };
  await send('pages', sent);
  t.strictSame(await send('pages', sent, { key: api.otherIngestKey }), {});
  t.strictSame([await requestsOf('pages'), await requestsOf('pages', api.otherPageId)], [6, 6]);
});

t.test('200: exponential buckets, also when the sender makes them coarser', async (t) => {
  const exponentialOf = (ago: number, scale: number, offset: number, bucketCounts: number[]) => ({
    ...{ name: 'http.server.request.duration', unit: 's' },
    exponentialHistogram: {
      aggregationTemporality: cumulative,
      dataPoints: [
        {
          ...{
            attributes: attributesOf(usualAttributes),
            startTimeUnixNano: nano(minuteMs),
            timeUnixNano: nano(ago),
          },
          ...{ count: bucketCounts.reduce((a, b) => a + b, 0), scale, positive: { offset, bucketCounts } },
        },
      ],
    },
  });
  await api.post(path, metricsOf('exponential', [exponentialOf(30_000, 1, -4, [1, 2, 3, 0])]));
  t.equal(await requestsOf('exponential'), 6);
  const answer = await api.post(path, metricsOf('exponential', [exponentialOf(0, 0, -2, [3, 7, 1])]));
  t.strictSame(answer.body, {});
  t.equal(await requestsOf('exponential'), 11);
});

t.test('200 with a partial success: a count that falls without a new start', async (t) => {
  await send('falls', { startedAgo: minuteMs, ago: 30_000, low: 9 });
  t.match(await send('falls', { startedAgo: minuteMs, ago: 20_000, low: 5 }), {
    partialSuccess: { rejectedDataPoints: '1', errorMessage: /service.instance.id/ },
  });
  t.strictSame(await send('falls', { startedAgo: minuteMs, ago: 10_000, low: 11 }), {});
  t.equal(await requestsOf('falls'), 11);
  t.match(await send('falls', { ago: 30_000, low: 9 }), { partialSuccess: { rejectedDataPoints: '0' } });
  t.strictSame(await send('falls', { ago: 20_000, low: 5 }), {}, 'without a start it is a new beginning');
  t.equal(await requestsOf('falls'), 16);
});

t.test('200: deltas and cumulative points in one body, which is sent again', async (t) => {
  const fresh = metricOf(pointOf({ startedAgo: minuteMs, ago: 0, low: 5 }));
  const body = metricsOf('mixed', [histogramOf({}), fresh]);
  for (let i = 0; i < 3; i += 1) t.strictSame((await api.post(path, body)).body, {});
  t.equal(await requestsOf('mixed'), 11);
});

t.test('the reasons are counted', async (t) => {
  const counted = await (await fetch(`${api.url}/metrics`)).text();
  const reasons = ['seen_before', 'first_of_series', 'counts_fell'];
  const isCounted = (reason: string) =>
    new RegExp(`otlp_ignored_total\\{signal="metrics",reason="${reason}"\\} [1-9]`).test(counted);
  t.strictSame(
    reasons.filter((reason) => !isCounted(reason)),
    [],
  );
});
