import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { type Heartline, startHeartline, stopHeartline } from '../../../../bench/support/heartline.js';
import { processorSeconds } from '../../../../bench/support/processor-time.js';
import { line, median } from '../../../../bench/support/report.js';
import { withStores } from '../../../../bench/support/stores.js';
import { untilIdle } from '../../../../bench/support/until-idle.js';
import { exportsOf, sendersAtOnce } from './otlp-exports.js';

/** Measures what the running service spends on the same requests over HTTP and gRPC, and as delta and cumulative points. */
const rounds = 9;
/** Exports of a sender in a round. */
const exportsPerRound = 20;
const requestsPerBody = 1_000;
const logBytesMax = 2e9;

type Send = (body: Buffer) => Promise<void>;
/** `bodiesOf` returns the bodies of a round, one list for each sender. */
type Way = { name: string; bodiesOf: (round: number) => Buffer[][]; send: Send };
type Figures = { cpuUs: number; perSecond: number };

/** @param spans the body of an export of 1,000 spans */
export async function compareWays(spans: Buffer): Promise<void> {
  await withStores(async (stores) => {
    const eventLog = { dir: join(stores.dataDir, 'event-log'), bytesMax: logBytesMax };
    const service = await startHeartline({ ...stores, eventLog, otlpGrpcPort: 0 });
    try {
      await compare(service, spans);
    } finally {
      await stopHeartline(service);
    }
  });
}

async function compare(service: Heartline, spans: Buffer): Promise<void> {
  const grpc = new Client(`127.0.0.1:${service.otlpGrpcPort}`, credentials.createInsecure());
  const agent = new Agent({ keepAlive: true, maxSockets: sendersAtOnce });
  const sameSpans = () => Array.from({ length: sendersAtOnce }, () => Array(exportsPerRound).fill(spans));
  // The first points of a young process count in full.
  const startedAtMs = Date.now() - 60_000;
  const pointsOf = (temporality: 'delta' | 'cumulative') => (round: number) =>
    exportsOf(temporality, { from: round * exportsPerRound, exports: exportsPerRound, startedAtMs });
  const ways: readonly Way[] = [
    { name: 'spans, HTTP', bodiesOf: sameSpans, send: overHttp(service, agent, '/v1/traces') },
    { name: 'spans, gRPC', bodiesOf: sameSpans, send: overGrpc(service, grpc) },
    ...(['delta', 'cumulative'] as const).map((temporality) => ({
      name: `histograms, ${temporality}`,
      bodiesOf: pointsOf(temporality),
      send: overHttp(service, agent, '/v1/metrics'),
    })),
  ];
  const results = new Map(ways.map(({ name }) => [name, [] as Figures[]]));
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const figures = await measure(service, way, round);
      if (round > 0) results.get(way.name)?.push(figures);
    }
  }
  grpc.close();
  agent.destroy();
  report(results);
}

async function measure(service: Heartline, { bodiesOf, send }: Way, round: number): Promise<Figures> {
  const bodies = bodiesOf(round);
  await untilIdle();
  const pid = service.process.pid ?? 0;
  const [before, startedAt] = [await processorSeconds(pid), performance.now()];
  await Promise.all(
    bodies.map(async (exports) => {
      for (const body of exports) await send(body);
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = sendersAtOnce * exportsPerRound * requestsPerBody;
  const cpuSeconds = (await processorSeconds(pid)) - before;
  return { cpuUs: (cpuSeconds / requests) * 1e6, perSecond: requests / seconds };
}

function report(results: ReadonlyMap<string, readonly Figures[]>): void {
  line(`\n${''.padEnd(22)} requests/s   processor time of the service`);
  for (const [name, figures] of results) {
    const of = (key: keyof Figures) => median(figures.map((one) => one[key]));
    line(
      `${name.padEnd(22)} ${of('perSecond').toFixed(0).padStart(10)} ${of('cpuUs').toFixed(2).padStart(12)} µs a request`,
    );
  }
  const ratio = (key: keyof Figures, of: string, to: string) =>
    median((results.get(of) ?? []).map((one, i) => one[key] / (results.get(to)?.[i]?.[key] ?? Number.NaN)));
  line(
    `spans a second, gRPC / HTTP                 ${ratio('perSecond', 'spans, gRPC', 'spans, HTTP').toFixed(2)}, wanted ≥ 0.8`,
  );
  for (const key of ['cpuUs', 'perSecond'] as const) {
    const found = ratio(key, 'histograms, cumulative', 'histograms, delta').toFixed(2);
    line(
      key === 'cpuUs'
        ? `processor time of points, cumulative / delta ${found}, wanted ≤ 2`
        : `points a second, cumulative / delta          ${found}`,
    );
  }
}

function overHttp({ port, key }: Heartline, agent: Agent, path: string): Send {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/x-protobuf' };
  return (body) =>
    new Promise((resolve, reject) => {
      request({ agent, port, headers, host: '127.0.0.1', method: 'POST', path }, async (response) => {
        const answer = await text(response);
        // All accepted is an empty message.
        if (response.statusCode === 200 && answer === '') resolve();
        else reject(new Error(`${path} answers ${response.statusCode}: ${answer}`));
      })
        .once('error', reject)
        .end(body);
    });
}

function overGrpc({ key }: Heartline, client: Client): Send {
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  const same = (bytes: Buffer) => bytes;
  return (body) =>
    new Promise((resolve, reject) =>
      client.makeUnaryRequest(path, same, same, body, metadata, (error, answer) => {
        if (error === null && answer?.length === 0) resolve();
        else reject(error ?? new Error(`${path} answers ${answer?.toString('latin1')}`));
      }),
    );
}
