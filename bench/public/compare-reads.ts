import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import type { BareAnswer } from '../servers/bare-answer.js';
import type { LoadResult } from '../support/load.js';
import { median } from '../support/report.js';
import type { ReadJob } from './read-process.js';

/** A path on the host of a page. */
export type ReadTarget = { host: string; path: string };
export type Read = { status: number; headers: Record<string, string>; bytes: Buffer };

export type BareServer = { process: ChildProcess; port: number };

export type Comparison = {
  /** Name in the report. */
  name: string;
  /** Port of the service. */
  port: number;
  target: ReadTarget;
  headers: Record<string, string>;
  /** Whether an unknown parameter makes each URL unique. */
  vary?: boolean;
};

const connections = 16;
const rounds = 5;
const seconds = 4;

/** Starts a bare `node:http` server in its own process. */
export async function startBare(): Promise<BareServer> {
  const child = fork(new URL('../servers/bare-answer.js', import.meta.url));
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}

/**
 * Measures reads of the service and of the bare server with the same bytes and headers, and prints a line about both.
 * The two take turns in each round: the machine's speed drifts, and the ratios of one round share the drift.
 */
export async function compareReads(
  bare: BareServer,
  { name, port, target, headers, vary = false }: Comparison,
): Promise<void> {
  const answer = await read(port, target, headers);
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
    const job = { ...target, headers, vary, connections, seconds: round === 0 ? 1 : seconds };
    const theirs = await measure({ ...job, port: bare.port });
    const ours = await measure({ ...job, port });
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
  const ours = cells(results.map((result) => result.ours));
  const bare = cells(results.map((result) => result.bare));
  process.stdout.write(`${name}: ${ours}; bare ${bare}; ratio ${ratio}\n`);
}

/** Reads once from the service; any status resolves. */
export function read(
  port: number,
  { host, path }: ReadTarget,
  headers: Record<string, string>,
): Promise<Read> {
  return new Promise((resolve, reject) => {
    const req = request({ host: '127.0.0.1', port, path, headers: { ...headers, host } }, (res) => {
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
