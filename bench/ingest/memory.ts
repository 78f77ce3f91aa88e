import { readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readerRights } from '../../contract/sql-tables.js';
import { openClickHouse } from '../../sql/open-clickhouse.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { makeBatch } from '../support/batches.js';
import { type Heartline, startHeartline, stopHeartline } from '../support/heartline.js';
import { type Answered, postBatch } from '../support/post-batch.js';
import { line } from '../support/report.js';
import { makeSweptFolder } from '../support/swept-folder.js';

/** Sends one million events a minute for three minutes and suspends ClickHouse for 20 s of them. Needs Linux: /proc. */
const eventsPerBatch = 1000;
const everyMs = 60;
const seconds = 180;
const suspended = { fromSecond: 60, toSecond: 80 };
const reportEverySeconds = 10;
const tables = [
  'requests_minute',
  'requests_hour',
  'service_requests_minute',
  'service_requests_hour',
  'endpoint_requests_6h',
  'page_requests_minute',
  'page_requests_hour',
  'endpoint_requests_day',
  'endpoint_requests_hour',
  'endpoint_requests_minute',
];

const log = { debug() {}, info() {}, warn: report, error: report };

const dir = await makeSweptFolder('heartline-bench-');
const [clickhouse, postgres] = await Promise.all([
  startClickHouse({
    dir: join(dir, 'clickhouse'),
    database: 'heartline',
    ...readerRights,
    secretKey: 'a key that only this benchmark uses',
    syncsInserts: true,
    log,
  }),
  startPostgres({ dir: join(dir, 'postgres'), log }),
]);
try {
  const heartline = await startHeartline({
    ...{ databaseUrl: postgres.url, clickhouseUrl: clickhouse.url },
    eventLog: { dir: join(dir, 'event-log'), bytesMax: 2 ** 30 },
  });
  const answers = await run(heartline);
  // A stop delivers what is in the log.
  await stopHeartline(heartline);
  await compare(answers);
} finally {
  await Promise.all([clickhouse.stop(), postgres.stop()]);
  await rm(dir, { recursive: true, force: true });
}

/** An open loop: a batch leaves every 60 ms, without waiting for answers. */
async function run(heartline: Heartline): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true });
  const open: Promise<unknown>[] = [];
  const answers: Answered[] = [];
  const startedAt = performance.now();
  const memory = watchMemory(heartline.process.pid ?? 0, answers, () => open.length);
  const suspending = suspend();
  for (let sent = 0; sent * everyMs < seconds * 1000; sent += 1) {
    const body = makeBatch(eventsPerBatch, sent + 1, Date.now());
    open.push(postBatch(agent, heartline, body).then((answer) => answers.push(answer)));
    await sleep(Math.max(0, startedAt + (sent + 1) * everyMs - performance.now()));
  }
  const outcomes = await Promise.allSettled(open);
  await suspending;
  agent.destroy();
  const slowest = Math.max(...answers.map((answer) => answer.seconds));
  const without = outcomes.filter(({ status }) => status === 'rejected').length;
  line(
    `${open.length} batches in ${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${count(answers, 202)} accepted, ${count(answers, 503)} refused, ${without} without an answer; slowest answer ${slowest.toFixed(1)} s`,
  );
  line(`resident memory of the service: ${await memory.end()} MB at most`);
  return answers;
}

async function suspend(): Promise<void> {
  await sleep(suspended.fromSecond * 1000);
  process.kill(clickhouse.pid, 'SIGSTOP');
  line('  ClickHouse is suspended');
  await sleep((suspended.toSecond - suspended.fromSecond) * 1000);
  process.kill(clickhouse.pid, 'SIGCONT');
  line('  ClickHouse continues');
}

/** Prints the memory while the process runs. `end` returns the kernel's peak for the process. */
function watchMemory(pid: number, answers: readonly Answered[], sent: () => number) {
  const startedAt = performance.now();
  const timer = setInterval(async () => {
    const now = await readMegabytes(pid, 'VmRSS');
    line(
      `  ${((performance.now() - startedAt) / 1000).toFixed(0).padStart(3)} s: ${now} MB, ${count(answers, 202)} accepted, ${count(answers, 503)} refused, ${sent() - answers.length} waiting`,
    );
  }, reportEverySeconds * 1000);
  return {
    end: async (): Promise<number> => {
      clearInterval(timer);
      return await readMegabytes(pid, 'VmHWM');
    },
  };
}

async function readMegabytes(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Math.round((Number(kilobytes) * 1024) / 1e6);
}

async function compare(answers: readonly Answered[]): Promise<void> {
  const accepted = answers.reduce((sum, answer) => sum + answer.accepted, 0);
  const client = openClickHouse(clickhouse.url);
  for (const table of tables) {
    const result = await client.query({
      query: `SELECT sum(requests) AS requests FROM ${table}`,
      format: 'JSONEachRow',
    });
    const stored = Number((await result.json<{ requests: string }>())[0]?.requests);
    line(
      `${table}: ${stored} events stored, ${accepted} accepted: ${stored === accepted ? 'equal' : 'DIFFERENT'}`,
    );
  }
  await client.close();
}

function count(answers: readonly Answered[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

function report(fields: object, text: string): void {
  process.stderr.write(`${text} ${JSON.stringify(fields)}\n`);
}
