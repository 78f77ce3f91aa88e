import { createReporter } from '@heartline/reporter';
import t from 'tap';
import type { TopAnswer, TopRow, Totals, TotalsAnswer } from '../../contract/analytics/figures.js';
import { metricsRequest, tracesRequest } from '../../ingest/otlp/schemas.js';
import { systemClock } from '../../lib/clock.js';
import { eventsOfPhase, metricsOfPhase, scrapeOfPhase, tracesOfPhase } from '../support/equal-bodies.js';
import {
  bucketOf,
  type Form,
  groupBy,
  makeTraffic,
  phaseMs,
  phases,
  type Served,
  seriesOf,
} from '../support/equal-traffic.js';
import { exports, makeGrpcClient } from '../support/grpc.js';
import { cumulative, delta, encodeOtlp } from '../support/otlp.js';
import { makeKey, makePage } from '../support/pages.js';
import { remoteWriteHeaders, remoteWriteHeaders2, writeBody, writeBody2 } from '../support/remote-write.js';
import { startTestService } from '../support/service.js';

// The same requests reach the service in every way that it reads, each on a page of its own, and have the same figures.
const api = await startTestService(t, { otlpGrpcPort: 0 });
const grpc = makeGrpcClient(t, api.service.otlpGrpcPort, { gzip: true });
const startMs = systemClock.now() - 5 * phaseMs;
const traffic = makeTraffic(1, startMs, 2_000);
const all = { startMs, traffic, series: seriesOf(traffic) };

/** Some bodies are sent again, at once and out of order, as a sender does that has got no answer. */
const sentOrder = [0, 1, 1, 2, 0, 3, 3];
type Send = (key: string) => Promise<void>;
type SendMessage = (key: string, message: object) => Promise<void>;

async function post(path: string, key: string, content: Buffer | object, headers = {}): Promise<void> {
  const { status, body } = await api.post(path, content, { key, headers });
  if (status > 204 || /partialSuccess|rejected":[1-9]/.test(JSON.stringify(body)))
    throw new Error(`${path} answers ${status} ${JSON.stringify(body)}`);
}

async function call(path: string, key: string, content: Buffer): Promise<void> {
  const { code, details, message } = await grpc(content, { path, key });
  if (code !== 0 || message?.length !== 0) throw new Error(`${path} answers ${code} ${details}`);
}

async function sendByReporter(key: string): Promise<void> {
  for (const [service, served] of groupBy(traffic, (one) => one.service)) {
    const errors: Error[] = [];
    const reporter = createReporter({
      ...{ url: api.url, key, reporter: { reporterId: `${service}-1`, englishName: service, service } },
      onError: (error) => errors.push(error),
    });
    for (const { endMs, ...event } of served) reporter.record({ ...event, at: endMs });
    await reporter.stop();
    if (errors.length > 0 || reporter.stats().sent !== served.length)
      throw new Error(`${errors} ${JSON.stringify(reporter.stats())}`);
  }
}

async function sendEvents(key: string): Promise<void> {
  for (const phase of phases) await post('/api/v1/events', key, eventsOfPhase(all, phase));
}

const sendSpans =
  (send: SendMessage): Send =>
  async (key) => {
    for (const phase of sentOrder) await send(key, tracesOfPhase(all, phase));
  };

const protobuf = { 'content-type': 'application/x-protobuf' };
const metricsOverHttp: SendMessage = (key, metrics) =>
  post('/v1/metrics', key, encodeOtlp(metrics, metricsRequest), protobuf);
const metricsOverGrpc: SendMessage = (key, metrics) =>
  call(exports.metrics, key, encodeOtlp(metrics, metricsRequest));

/** Exponential buckets become coarser while a process runs, as its shortest and its longest request need it. */
const scales = [5, 3, 3, 3];
const coarsest = 3;

const sendMetrics =
  (temporality: number, form: 'explicit' | 'exponential', send = metricsOverHttp): Send =>
  async (key) => {
    for (const phase of sentOrder) {
      const buckets = form === 'explicit' ? form : (scales[phase] ?? coarsest);
      await send(key, metricsOfPhase(all, phase, temporality, buckets));
    }
  };

const path = '/api/v1/prometheus/write';

/** Counters count from their first point on, so each is there with zero before the first request. */
async function writeRemotely(key: string): Promise<void> {
  for (const phase of [-1, ...sentOrder])
    await post(path, key, writeBody(scrapeOfPhase(all, phase, false)), remoteWriteHeaders);
}

async function writeRemotely2(key: string): Promise<void> {
  for (const phase of sentOrder)
    await post(path, key, writeBody2(scrapeOfPhase(all, phase, true)), remoteWriteHeaders2);
}

/** Each way, with the buckets in which it has the response times; `exact` ways have each of them. */
const ways: [name: string, form: Form | 'exact', send: Send][] = [
  ['reporter', 'exact', sendByReporter],
  ['events', 'exact', sendEvents],
  ['spans-json', 'exact', sendSpans((key, traces) => post('/v1/traces', key, traces))],
  [
    'spans-protobuf',
    'exact',
    sendSpans((key, traces) => post('/v1/traces', key, encodeOtlp(traces, tracesRequest), protobuf)),
  ],
  [
    'spans-grpc',
    'exact',
    sendSpans((key, traces) => call(exports.traces, key, encodeOtlp(traces, tracesRequest))),
  ],
  ['delta', 'explicit', sendMetrics(delta, 'explicit')],
  ['delta-exponential', coarsest, sendMetrics(delta, 'exponential')],
  ['cumulative', 'explicit', sendMetrics(cumulative, 'explicit')],
  ['cumulative-exponential', coarsest, sendMetrics(cumulative, 'exponential')],
  ['cumulative-grpc', 'explicit', sendMetrics(cumulative, 'explicit', metricsOverGrpc)],
  ['remote-write-1', 'explicit', writeRemotely],
  ['remote-write-2', 'explicit', writeRemotely2],
];

type Counts = Pick<Totals, 'requests' | 'errors' | 'clientErrors'>;
const countsOf = ({ requests, errors, clientErrors }: Counts): Counts => ({ requests, errors, clientErrors });

function countServed(served: readonly Served[]): Counts {
  const errors = served.filter(({ status }) => status >= 500).length;
  const failed = served.filter(({ status }) => status >= 400).length;
  return { requests: served.length, errors, clientErrors: failed - errors };
}

type Named = Pick<TopRow, 'service' | 'endpoint' | 'method' | 'status'>;
const groupings = {
  endpoint: ({ service, endpoint }: Named) => `${service} ${endpoint}`,
  method: ({ method }: Named) => String(method),
  status: ({ status }: Named) => String(status),
};

type Percentiles = Record<string, { p50: number; p95: number }>;

/** Reads the figures of a page: counts by group, and the percentiles of its endpoints. */
async function readFigures(readKey: string): Promise<{ counts: object; percentiles: Percentiles }> {
  const read = async (query: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${readKey}` };
    return (await api.get(`/api/v1/analytics/${query}`, headers)).body;
  };
  const { now } = (await read('totals')) as TotalsAnswer;
  const counts: Record<string, object> = { all: countsOf(now) };
  const percentiles: Percentiles = {};
  for (const [by, nameOf] of Object.entries(groupings)) {
    const { rows } = (await read(`top?by=${by}&limit=200`)) as TopAnswer;
    counts[by] = Object.fromEntries(rows.map((row) => [nameOf(row), countsOf(row.now)]));
    if (by !== 'endpoint') continue;
    for (const row of rows)
      percentiles[nameOf(row)] = { p50: row.now.p50Ms ?? Number.NaN, p95: row.now.p95Ms ?? Number.NaN };
  }
  return { counts, percentiles };
}

const expectedCounts: Record<string, object> = { all: countServed(traffic) };
for (const [by, nameOf] of Object.entries(groupings)) {
  const groups = [...groupBy(traffic, nameOf)].map(([name, served]) => [name, countServed(served)]);
  expectedCounts[by] = Object.fromEntries(groups);
}

/** The response time that a share of the requests of each endpoint took at most. */
const percentilesOf = (share: number) =>
  [...groupBy(traffic, groupings.endpoint)].map(([name, served]) => {
    const sorted = served.map(({ ms }) => ms).sort((a, b) => a - b);
    return [name, sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN] as const;
  });
const shares = { p50: percentilesOf(0.5), p95: percentilesOf(0.95) };

/** Stored response times are within 2.5 % of the sent ones. */
const stored = 1.0251;

/** The percentiles of a way that are further off than its buckets are wide. */
function findWrong(percentiles: Percentiles, form: Form | 'exact'): string[] {
  return (['p50', 'p95'] as const).flatMap((share) =>
    shares[share].flatMap(([name, trueMs]) => {
      const { fromMs, toMs } = form === 'exact' ? { fromMs: trueMs, toMs: trueMs } : bucketOf(form, trueMs);
      const ms = percentiles[name]?.[share] ?? Number.NaN;
      if (ms >= fromMs / stored && ms <= toMs * stored) return [];
      return [`${share} of ${name} is ${ms} ms, and not ${trueMs} ms of ${fromMs} to ${toMs} ms`];
    }),
  );
}

const exact: Percentiles[] = [];

for (const [name, form, send] of ways)
  t.test(`${name}: counts, failures and client errors are equal to the last request`, async (t) => {
    await makePage(api.stores.sql, { slug: name });
    const keyOf = (scope: 'ingest' | 'read') =>
      makeKey({ sql: api.stores.sql, clock: systemClock }, { slug: name, scope });
    const [ingest, read] = [await keyOf('ingest'), await keyOf('read')];
    await send(ingest.key);
    const { counts, percentiles } = await readFigures(read.key);
    t.same(counts, expectedCounts);
    t.strictSame(findWrong(percentiles, form), []);
    if (form === 'exact') exact.push(percentiles);
  });

t.test('the ways that have each response time have the same percentiles', async (t) => {
  t.same(exact, Array(5).fill(exact[0]));
});

t.test('the requests try what they should: failures, and times of five decades', async (t) => {
  const times = traffic.map(({ ms }) => ms);
  t.ok(Math.max(...times) / Math.min(...times) > 1e5, `${Math.min(...times)} to ${Math.max(...times)} ms`);
  t.ok(new Set(traffic.map(({ phase }) => phase)).size === phases.length);
  const { errors, clientErrors } = countServed(traffic);
  t.ok((errors ?? 0) > 100 && (clientErrors ?? 0) > 100);
});
