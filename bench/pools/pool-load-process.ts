import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePoolReport } from './pool-report.js';

/** A load of pool reports, sent by a separate process. `keys` are the ingest keys of the pages. */
export type PoolLoadJob = {
  kind: 'paced' | 'saturated';
  port: number;
  keys: readonly string[];
  seconds: number;
};

export type PoolLoadResult = {
  accepted: number;
  refused: number;
  /** Requests that failed without an answer. */
  failed: number;
  seconds: number;
  p50Ms: number;
  p99Ms: number;
  worstMs: number;
};

const reportsPerPageAndMinute = 1_024;
const poolsPerReport = 4;
/** Processes report twice a minute, as often as allowed, so half of the reports belong to known sessions. */
const intervalMs = 30_000;
const sessionsPerPage = reportsPerPageAndMinute / 2;
const connections = 256;

type Answers = { latenciesMs: number[]; accepted: number; refused: number; failed: number };

process.on('message', async (job: PoolLoadJob) => {
  const startedAt = performance.now();
  // A report that is due while all connections are taken waits, and that time counts.
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers: Answers = { latenciesMs: [], accepted: 0, refused: 0, failed: 0 };
  const send = reportSender(job, agent, answers);
  await (job.kind === 'paced' ? sendPaced(job, send) : sendSaturated(job, send));
  agent.destroy();
  const sorted = answers.latenciesMs.sort((a, b) => a - b);
  const at = (q: number): number => sorted[Math.ceil(q * sorted.length) - 1] ?? Number.NaN;
  const result: PoolLoadResult = {
    ...{ accepted: answers.accepted, refused: answers.refused, failed: answers.failed },
    ...{ seconds: (performance.now() - startedAt) / 1000, p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1) },
  };
  process.send?.(result);
});
process.on('disconnect', () => process.exit());

/** Sends report number n. Its latency counts from `dueAt`, so it includes any delay of the sender. */
type Send = (n: number, dueAt: number) => Promise<void>;

function reportSender({ port, keys }: PoolLoadJob, agent: Agent, answers: Answers): Send {
  const beganAt = Date.now();
  const sessions = Array.from({ length: keys.length * sessionsPerPage }, () => randomUUID());
  return async (n, dueAt) => {
    const session = sessions[n % sessions.length] ?? '';
    const sequence = Math.floor(n / sessions.length);
    // Consecutive intervals of a process that started half an hour ago.
    const report = makePoolReport({
      ...{ session, sequence, intervalMs, pools: poolsPerReport },
      ...{ beganAt: beganAt - 1_800_000, endsAt: beganAt + (sequence - 1) * intervalMs },
    });
    const body = JSON.stringify(report);
    const status = await post(port, keys[n % keys.length] ?? '', body, agent);
    answers.latenciesMs.push(performance.now() - dueAt);
    if (status === 201) answers.accepted += 1;
    else if (status === 0) answers.failed += 1;
    else answers.refused += 1;
  };
}

/** Sends each report at its time, without waiting for answers. */
async function sendPaced({ keys, seconds }: PoolLoadJob, send: Send): Promise<void> {
  const everyMs = 60_000 / (reportsPerPageAndMinute * keys.length);
  const startedAt = performance.now();
  const sent: Promise<void>[] = [];
  const total = Math.floor((seconds * 1000) / everyMs);
  while (sent.length < total) {
    const due = Math.min(total, Math.floor((performance.now() - startedAt) / everyMs));
    while (sent.length < due) sent.push(send(sent.length, startedAt + (sent.length + 1) * everyMs));
    await sleep(1);
  }
  await Promise.all(sent);
}

/** Each client sends its next report when the previous one is answered. */
async function sendSaturated({ keys, seconds }: PoolLoadJob, send: Send): Promise<void> {
  const until = performance.now() + seconds * 1000;
  const total = keys.length * reportsPerPageAndMinute;
  let next = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < until && next < total) await send(next++, performance.now());
  };
  await Promise.all(Array.from({ length: connections }, client));
}

/** The status of the answer, or 0 without an answer. */
function post(port: number, key: string, body: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const path = '/api/v1/database-health/reports';
    const req = request({ host: '127.0.0.1', port, path, method: 'POST', agent, headers }, (res) => {
      res.resume().on('error', () => resolve(0));
      res.on('end', () => resolve(res.statusCode ?? 0));
    });
    req.on('error', () => resolve(0)).end(body);
  });
}
