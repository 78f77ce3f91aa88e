import type { Name, Source } from '../../../ingest/names/names.js';
import { openPastEvents, type PastEvents } from '../../../ingest/past-events.js';
import { dayMs, minuteMs, secondMs } from '../../../lib/times.js';
import { loadRows } from '../../../sql/load-rows.js';
import { type DemoDeps, trafficDays } from '../extent.js';
import type { FilledPage } from '../fill.js';
import { loadAt, noiseAt, normalAt } from '../noise.js';
import type { Times } from '../plot.js';
import { behaviourOf, fillMessage } from './behaviour.js';
import type { Endpoint } from './endpoints.js';
import { releaseAt, releaseEnvironment, releases } from './releases.js';
import { type DemoSource, idOf, isCalling, serviceOf, sources } from './sources.js';

/** Response times of an endpoint and minute that are written; each stands for as many requests. */
const latenciesMax = 6;

/**
 * Writes the events that a page lacks, by the minute: a week on the first run, then those since the last call of the
 * demo. They are the same each time. Returns the number of requests written. `onProgress` gets the share that is done.
 */
export async function writePastTraffic(
  deps: DemoDeps,
  { page }: Pick<FilledPage, 'page'>,
  times: Times,
  onProgress: (share: number) => void = () => {},
): Promise<number> {
  const to = Math.floor(deps.clock.now() / minuteMs) * minuteMs;
  const from = Math.max(to - trafficDays * dayMs, (await loadNewestMinute(deps, page.id)) + minuteMs);
  if (from >= to) return 0;
  const past = await openPastEvents(deps, page.id, {
    endpoints: [...new Set(sources.flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint)))],
    services: [...new Set(sources.flatMap((source) => serviceOf(source) ?? []))],
    reporters: sources.flatMap(({ reporter }) => reporter ?? []),
  });
  const writers = sources.map((source) => writerOf(past, source, times));
  let requests = 0;
  let first = from;
  let flushed: Promise<void> = Promise.resolve();
  for (let at = from; at < to; at += minuteMs) {
    for (const writer of writers) requests += addMinute(past, writer, at, times);
    if (!past.isFull && at + minuteMs < to) continue;
    // In the order of time, so that a run that is interrupted ends where the next one begins.
    await flushed;
    flushed = past.flush(`demo ${page.id} ${first} ${at}`);
    // Handled when it is awaited.
    flushed.catch(() => {});
    onProgress((at - from) / (to - from));
    first = at + minuteMs;
  }
  await flushed;
  return requests;
}

/** Returns the newest minute with a call of the demo, in milliseconds since the epoch; 0 without any. */
async function loadNewestMinute({ clickhouse }: DemoDeps, pageId: string): Promise<number> {
  const steady = sources.find(({ reporter }) => reporter !== undefined);
  const [row] = await loadRows<{ seconds: number }>(
    clickhouse,
    `SELECT toUInt32(max(minute)) AS seconds FROM reports
     WHERE page_id = {page:UUID} AND kind = 'reporter' AND service = {source:String}`,
    { page: pageId, source: steady === undefined ? '' : idOf(steady) },
  );
  return (row?.seconds ?? 0) * secondMs;
}

/** A source of the demo with the names of its rows: of its calls and of its requests. */
type Writer = {
  demo: DemoSource;
  caller: Source;
  /** The source of its requests at a time. */
  sourceAt(at: number): Source;
  endpoints: readonly { usual: Endpoint; endpoint: Name; method: Name; seed: number }[];
};

function writerOf(past: PastEvents, demo: DemoSource, times: Times): Writer {
  const caller = past.source(demo.service === undefined ? 'reporter' : 'service', idOf(demo));
  const service = serviceOf(demo);
  const unversioned = service === undefined ? caller : past.source('service', service);
  const versions = new Map(
    releases
      .filter((one) => one.service === service)
      .map((one) => [one, past.version(one.service, one.version, releaseEnvironment)]),
  );
  return {
    ...{ demo, caller },
    sourceAt(at) {
      const release = releaseAt(service, at, times);
      return (release && versions.get(release)) ?? unversioned;
    },
    endpoints: demo.endpoints.map((usual, place) => ({
      usual,
      endpoint: past.endpoint(usual.endpoint),
      method: past.method(usual.method),
      seed: 1_000 + 100 * demo.place + 3 * place,
    })),
  };
}

/** Adds the requests and calls of a source in the minute that begins at `at`. Returns the number of requests. */
function addMinute(past: PastEvents, writer: Writer, at: number, times: Times): number {
  const { demo, caller } = writer;
  if (!isCalling(demo, at, times)) return 0;
  const everyMs = demo.callEverySeconds * secondMs;
  for (let call = Math.ceil(at / everyMs) * everyMs; call < at + minuteMs; call += everyMs)
    past.addCall(caller, call);
  const load = loadAt(at) * (1 + 0.06 * normalAt(11 + demo.place, at / minuteMs));
  const source = writer.sourceAt(at);
  let requests = 0;
  for (const endpoint of writer.endpoints)
    requests += addEndpoint(past, source, endpoint, { at, expected: demo.perSecond * 60 * load, times });
  return requests;
}

type Minute = {
  at: number;
  /** Requests of the source in this minute. */
  expected: number;
  times: Times;
};

function addEndpoint(
  past: PastEvents,
  source: Source,
  { usual, endpoint, method, seed }: Writer['endpoints'][number],
  { at, expected: ofSource, times }: Minute,
): number {
  const minute = at / minuteMs;
  const { load, slowness, failing, failures } = behaviourOf(usual, at, times);
  const expected = ofSource * usual.share * load;
  const count = atRandom(expected + Math.sqrt(expected) * normalAt(seed, minute), noiseAt(seed + 1, minute));
  const failed = Math.min(count, atRandom(count * failing, noiseAt(seed + 2, minute)));
  const passed = count - failed;
  const medianMs = usual.usualMs * slowness;
  if (passed > 0) {
    const latencies = latenciesOf(medianMs, passed, seed, minute);
    past.add({ source, endpoint, method, status: usual.status, at, count: passed, latencies });
  }
  if (failed > 0) {
    const failure = failures[Math.floor(failures.length * noiseAt(seed + 3, minute))] ?? usual.failure;
    const message = fillMessage(failure.message, seed + 4, minute);
    const latencies = latenciesOf(medianMs, failed, seed + 7, minute);
    // Somewhere in the minute, so that the newest message is not always of the same endpoint.
    const failedAt = at + Math.floor(59_000 * noiseAt(seed + 5, minute));
    const { status } = failure;
    past.add({ source, endpoint, method, status, at: failedAt, count: failed, latencies, message });
  }
  return count;
}

/** The whole part of a number, or one more: with the probability that keeps the average. */
function atRandom(expected: number, noise: number): number {
  return Math.max(0, Math.floor(expected + noise));
}

/** Draws response times as live traffic has them: log-normal around the median. */
function latenciesOf(medianMs: number, count: number, seed: number, minute: number) {
  const values = Math.min(count, latenciesMax);
  const each = Math.floor(count / values);
  const latencies: { ms: number; times: number }[] = [];
  for (let i = 0; i < values; i += 1) {
    // The first one stands for what is left over, too.
    const times = i === 0 ? count - each * (values - 1) : each;
    const ms = Math.round(medianMs * Math.exp(0.5 * normalAt(seed + 11 * i, 8 * minute + i)) * 10) / 10;
    latencies.push({ ms, times });
  }
  return latencies;
}
