import t from 'tap';
import { lastCompleteMinute } from '../../analytics/minute/load-minute.js';
import { minuteMs } from '../../lib/times.js';
import { parseExposition } from '../support/exposition.js';
import { readFamilies } from '../support/metric-families.js';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { startTestService } from '../support/service.js';

/** Stands still, in the middle of a minute. */
const time = Math.floor(Date.now() / minuteMs) * minuteMs + 30_000;
const api = await startTestService(t, { clock: { now: () => time } });
const path = '/api/v1/analytics/metrics';
const minute = lastCompleteMinute(time);
const readKey = { authorization: `Bearer ${api.readKey}` };

async function send(events: object[], key = api.ingestKey, at = minute + 1_000): Promise<void> {
  const timed = events.map((event) => ({ at: new Date(at).toISOString(), ...event }));
  const answer = await api.post('/api/v1/events', timed, { key });
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
}

async function scrape(accept?: string, headers: Record<string, string> = readKey) {
  const answer = await fetch(api.url + path, {
    headers: { ...headers, ...(accept !== undefined && { accept }) },
  });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    text: bytes.toString(),
    bytes,
  };
}

const hostile = 'a"b\\c{d},e="f"\u00e9';
await send([
  ...Array.from({ length: 90 }, () => ({ service: 'Shop', endpoint: '/carts/:id', status: 200, ms: 20 })),
  ...Array.from({ length: 10 }, () => ({ service: 'shop', endpoint: '/carts/:id', status: 503, ms: 700 })),
  { service: 'shop', endpoint: `/${hostile}`, status: 200 },
  { service: 'shop', endpoint: '/later', status: 200, at: new Date(time).toISOString() },
]);
await send([{ service: 'secret', endpoint: '/other', status: 200 }], api.otherIngestKey);

t.test('200: text, by default', async (t) => {
  const { status, type, text } = await scrape();
  t.equal(status, 200);
  t.equal(type, 'text/plain; version=0.0.4; charset=utf-8');
  const figureOf = (metric: string, endpoint: string, le?: string) =>
    parseExposition(text.replaceAll(/ \d{13}$/gm, '')).find(
      (one) => one.metric === metric && one.labels['endpoint'] === endpoint && one.labels['le'] === le,
    )?.value;
  t.equal(figureOf('heartline_last_minute_requests', '/carts/:id'), '100');
  t.equal(figureOf('heartline_last_minute_errors', '/carts/:id'), '10');
  t.equal(figureOf('heartline_last_minute_response_seconds_count', '/carts/:id'), '100');
  t.equal(figureOf('heartline_last_minute_response_seconds_sum', '/carts/:id'), '8.8');
  t.equal(figureOf('heartline_last_minute_response_seconds_bucket', '/carts/:id', '0.01'), '0');
  t.equal(figureOf('heartline_last_minute_response_seconds_bucket', '/carts/:id', '0.025'), '90');
  t.equal(figureOf('heartline_last_minute_response_seconds_bucket', '/carts/:id', '1.0'), '100');
  t.match(text, `endpoint="/a\\"b\\\\c{d},e=\\"f\\"\u00e9"`, 'a label is escaped');
  t.notMatch(text, '/later', 'the minute that runs is left out');
  t.ok(text.includes(`{kind="service",service="shop",endpoint="/carts/:id"} 100 ${minute + minuteMs}\n`));
  t.equal((await scrape('text/html')).type, type);
});

t.test('200: OpenMetrics, with seconds, units and an end', async (t) => {
  const { type, text } = await scrape('application/openmetrics-text;version=1.0.0,text/plain;q=0.5');
  t.equal(type, 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  t.match(text, '# TYPE heartline_last_minute_response_seconds gaugehistogram\n');
  t.match(text, '# UNIT heartline_last_minute_response_seconds seconds\n');
  t.match(text, /_gcount\{kind="service",service="shop",endpoint="\/carts\/:id"\} 100 \d{10}\n/);
  t.ok(text.endsWith('\n# EOF\n'));
});

t.test('200: protobuf, with native histograms', async (t) => {
  const wanted =
    'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,text/plain;q=0.4';
  const { type, bytes } = await scrape(wanted);
  t.match(type, 'application/vnd.google.protobuf');
  const families = readFamilies(bytes);
  t.strictSame(
    families.map(({ name, type }) => [name, type]),
    [
      ['heartline_last_minute_requests', 1],
      ['heartline_last_minute_errors', 1],
      ['heartline_last_minute_response_seconds', 5],
    ],
  );
  const histogram = families[2]?.metrics.find(({ labels }) => labels['endpoint'] === '/carts/:id')?.histogram;
  t.match(histogram, { count: 100, sum: 8.8, schema: 4 });
  // Two buckets, the upper bounds of which hold the middles of the stored ones, and are at most 4.5 % above.
  const native = histogram?.native ?? [];
  t.strictSame(
    native.map(({ count }) => count),
    [90, 10],
  );
  for (const [i, seconds] of [0.02, 0.7].entries()) {
    const upper = native[i]?.upper ?? 0;
    t.ok(upper >= seconds * 0.975 && upper < seconds * 1.045, `${upper} is the bound above ${seconds}`);
  }
});

t.test('200: another page has its own, and none of this one', async (t) => {
  const { text } = await scrape();
  t.notMatch(text, 'secret');
});

t.test('200: beyond the 1,000 largest, endpoints are added up as other', async (t) => {
  for (let from = 0; from < 1_100; from += 200)
    await send(
      Array.from({ length: Math.min(200, 1_100 - from) }, (_, i) => ({
        ...{ service: 'large', endpoint: `/${String(from + i).padStart(4, '0')}`, status: 500, ms: 3 },
      })),
    );
  const { text } = await scrape();
  const samples = parseExposition(text.replaceAll(/ \d{13}$/gm, ''));
  const sumOf = (metric: string): number =>
    samples.filter((one) => one.metric === metric).reduce((sum, { value }) => sum + Number(value), 0);
  t.equal(samples.filter(({ metric }) => metric === 'heartline_last_minute_requests').length, 1_001);
  t.equal(sumOf('heartline_last_minute_requests'), 1_201);
  t.equal(sumOf('heartline_last_minute_errors'), 1_110);
  t.equal(sumOf('heartline_last_minute_response_seconds_count'), 1_200);
  const other = samples.find(
    ({ labels, metric }) => labels['service'] === 'other' && /requests$/.test(metric),
  );
  t.match(other, { labels: { kind: 'other', endpoint: 'other' }, value: '102' });
});

t.test('401, 403, 405', async (t) => {
  t.equal((await scrape(undefined, {})).status, 401);
  t.equal((await scrape(undefined, { authorization: `Bearer ${api.ingestKey}` })).status, 403);
  t.equal((await api.post(path, {})).status, 405);
});

t.test('promtool finds nothing', needsPromtool, async (t) => {
  const { code, said } = runPromtool(['check', 'metrics'], (await scrape()).text);
  t.strictSame({ code, said }, { code: 0, said: '' });
});
