import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { openClickHouse } from '../sql/open-clickhouse.js';
import { openPostgres } from '../sql/open-postgres.js';
import { type Heartline, startHeartline, stopHeartline } from './heartline.js';
import type { LoadResult } from './load.js';
import { fillPages, services, slugOf } from './public-pages.js';
import type { ReadJob } from './read-process.js';
import type { BareAnswer } from './servers/bare-answer.js';
import { type Stores, withStores } from './stores.js';

/** Reads of the public summary: of one page from memory beside a bare server, and of many pages for the first time. */
const pages = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000);
const coldReads = Math.min(500, pages - 1);
const connections = 16;
const rounds = 5;
const seconds = 4;
const slug = slugOf(0);
const path = (of: string) => `/api/public/${of}/summary?include=response-time`;
const hostOf = (of: string) => `${of}.localhost`;
const line = (text: string): unknown => process.stdout.write(`${text}\n`);

type Bare = { process: ChildProcess; port: number };
type Read = { status: number; headers: Record<string, string>; bytes: Buffer };

await withStores(async (stores) => {
  const heartline = await startHeartline(stores);
  await fill(stores);
  await readCold(heartline, 1, 1);
  await readCold(heartline, connections, 1 + coldReads / 2);
  const bare = await startBare();
  const { etag = '' } = (await read(heartline.port, slug, {})).headers;
  await compare(heartline, bare, '200, identity', {});
  await compare(heartline, bare, '200, gzip', { 'accept-encoding': 'gzip' });
  await compare(heartline, bare, '200, brotli', { 'accept-encoding': 'gzip, deflate, br' });
  await compare(heartline, bare, '304', { 'if-none-match': etag });
  const before = await residentMb(heartline);
  await compare(heartline, bare, '200, gzip, another URL each', { 'accept-encoding': 'gzip' }, true);
  await compare(heartline, bare, '304, another URL each', { 'if-none-match': etag }, true);
  line(`memory ${before} MB before the URLs that differ, ${await residentMb(heartline)} MB after them`);
  bare.process.disconnect();
  await stopHeartline(heartline);
});

async function fill({ databaseUrl, clickhouseUrl }: Stores): Promise<void> {
  const sql = openPostgres(databaseUrl, { max: 1 });
  const clickhouse = openClickHouse(clickhouseUrl);
  const startedAt = performance.now();
  await fillPages(sql, clickhouse, pages);
  await clickhouse.close();
  await sql.end();
  line(
    `${pages} pages of ${services} services filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
  );
}

/** Pages that nobody has asked for, half of them by one client after another, half by many at once. */
async function readCold({ port }: Heartline, clients: number, firstPage: number): Promise<void> {
  const latencies: number[] = [];
  let next = Math.floor(firstPage);
  const end = next + Math.floor(coldReads / 2);
  const client = async (): Promise<void> => {
    while (next < end) {
      const page = slugOf(next++);
      const startedAt = performance.now();
      const { status } = await read(port, page, { 'accept-encoding': 'gzip' });
      if (status !== 200) throw new Error(`${page} answered ${status}.`);
      latencies.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  latencies.sort((a, b) => a - b);
  const at = (q: number) => latencies[Math.floor(q * (latencies.length - 1))]?.toFixed(1);
  line(
    `${latencies.length} cold reads, ${clients} at a time: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, worst ${at(1)} ms`,
  );
}

async function startBare(): Promise<Bare> {
  const child = fork(new URL('./servers/bare-answer.js', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}

/** In turns, round by round: the machine's speed drifts, and ratios of one round share the drift. */
async function compare(
  heartline: Heartline,
  bare: Bare,
  name: string,
  headers: Record<string, string>,
  vary = false,
): Promise<void> {
  const answer = await read(heartline.port, slug, headers);
  const { date: _date, connection: _connection, 'keep-alive': _keepAlive, ...sent } = answer.headers;
  const bareAnswer: BareAnswer = {
    status: answer.status,
    headers: sent,
    base64: answer.bytes.toString('base64'),
  };
  bare.process.send(bareAnswer);
  await once(bare.process, 'message');
  const results: { ours: LoadResult; bare: LoadResult }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const job = {
      host: hostOf(slug),
      path: path(slug),
      headers,
      vary,
      connections,
      seconds: round === 0 ? 1 : seconds,
    };
    const theirs = await measure({ ...job, port: bare.port });
    const ours = await measure({ ...job, port: heartline.port });
    if (round > 0) results.push({ ours, bare: theirs }); // Round 0 warms up.
  }
  report(`${name}, ${answer.bytes.length} bytes`, results);
}

async function measure(job: ReadJob): Promise<LoadResult> {
  const child = fork(new URL('./read-process.js', import.meta.url));
  child.send(job);
  const [result] = (await once(child, 'message')) as [LoadResult];
  child.disconnect();
  if (result.refused > 0) throw new Error(`${result.refused} reads were refused.`);
  return result;
}

function report(name: string, results: { ours: LoadResult; bare: LoadResult }[]): void {
  const rate = ({ requests, seconds: took }: LoadResult) => requests / took;
  const cells = (runs: LoadResult[]) =>
    `${median(runs.map(rate)).toFixed(0)} requests/s, p99 ${median(runs.map((run) => run.p99Ms)).toFixed(1)} ms`;
  const ratio = median(results.map(({ ours, bare }) => rate(ours) / rate(bare))).toFixed(2);
  line(
    `${name}: ${cells(results.map(({ ours }) => ours))}; bare ${cells(results.map(({ bare }) => bare))}; ratio ${ratio}`,
  );
}

function read(port: number, of: string, headers: Record<string, string>): Promise<Read> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: path(of), headers: { ...headers, host: hostOf(of) } };
    const req = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      res.on('end', () => {
        const pairs = Object.entries(res.headers).map(([name, value]) => [name, String(value)] as const);
        resolve({
          status: res.statusCode ?? 0,
          headers: Object.fromEntries(pairs),
          bytes: Buffer.concat(chunks),
        });
      });
    });
    req.on('error', reject).end();
  });
}

async function residentMb({ port }: Heartline): Promise<string> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const bytes = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  return (bytes / 1e6).toFixed(0);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
