import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pgPool, postgresJs, startPoolReporter } from '@heartline/pool-reporter';
import pg from 'pg';
import t, { type Test } from 'tap';
import type { DatabaseHealthAnswer } from '../../contract/database-health.js';
import { systemClock } from '../../lib/clock.js';
import { setPage } from '../support/pages.js';
import { identity } from '../support/pool-reporter.js';
import { untilStored } from '../support/pool-reports.js';
import { startReceiver } from '../support/receiver.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const { sql, databaseUrl } = api.stores;
await setPage({ sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });
const root = fileURLToPath(new URL('../../../', import.meta.url));

function openPool(t: Test, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max });
  // `end` does not wait until the server has closed the connections, and dropping the database then ends them first.
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  return pool;
}

/** Keeps only the points of steps that have a report: the range may touch two. */
async function readHealth(parameters: Record<string, string>): Promise<DatabaseHealthAnswer> {
  const hourMs = 3_600_000;
  const from = new Date(Math.floor(Date.now() / hourMs) * hourMs - hourMs).toISOString();
  const to = new Date(Math.floor(Date.now() / hourMs) * hourMs + 2 * hourMs).toISOString();
  const query = new URLSearchParams({ from, to, step: '10800', ...parameters });
  await untilStored(sql);
  const path = `/api/v1/analytics/database-health?${query}`;
  const { status, body } = await api.get(path, { authorization: `Bearer ${api.readKey}` });
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  const answer = body as DatabaseHealthAnswer; // A 200 has this form.
  const series = answer.series.map(({ group, points }) => ({
    group,
    points: points.filter(({ coverage }) => coverage !== null),
  }));
  return { ...answer, series };
}

t.test('pools of pg and postgres show in the analytics', async (t) => {
  const pool = openPool(t, 2);
  const errors: Error[] = [];
  const reporter = startPoolReporter({
    ...identity,
    url: api.url,
    key: api.ingestKey,
    pools: [
      pgPool(pool, { target: 'orders', pool: 'main' }),
      postgresJs(sql, { target: 'orders', pool: 'own' }),
    ],
    onError: (error) => errors.push(error),
  });
  const [one, two] = [await pool.connect(), await pool.connect()];
  const third = new Promise<pg.PoolClient>((resolve, reject) => {
    pool.connect((error, client) => (client ? resolve(client) : reject(error)));
  });
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
  one.release();
  (await third).release();
  t.strictSame((await pool.query('SELECT 1 AS one')).rows, [{ one: 1 }]);
  await reporter.stop();
  t.strictSame(errors, []);

  const { current, series, exporters } = await readHealth({ groupBy: 'pool' });
  t.match(
    current.pools.find(({ pool }) => pool === 'main'),
    {
      ...{ service: 'checkout', environment: 'test', system: 'postgresql', target: 'orders' },
      ...{ serverPool: 'default', coverage: 'complete', processes: 1 },
      snapshot: { open: 2, busy: 1, idle: 1, waiting: 0 },
      peaks: { open: 2, busy: 2, waiting: 1 },
    },
  );
  t.match(
    current.pools.find(({ pool }) => pool === 'own'),
    { coverage: 'partial', snapshot: { open: null, busy: null, idle: null, waiting: null } },
  );
  const [point] = series.find(({ group }) => group === 'main')?.points ?? [];
  t.match(point, {
    ...{ acquisitions: 4, failures: 0, created: 2, closed: 0, peakWaiting: 1, utilisation: 0.5 },
    averageMs: Number,
    coverage: 'complete',
  });
  const [unmeasured] = series.find(({ group }) => group === 'own')?.points ?? [];
  t.match(unmeasured, { acquisitions: null, failures: null, coverage: 'partial' });
  t.match(exporters.services, [{ service: 'checkout', processes: 1, dropped: 0, failures: 0 }]);
  two.release();
});

t.test('a client that is returned broken is closed, and the pool keeps working', async (t) => {
  const pool = openPool(t, 2);
  const source = pgPool(pool, { target: 'orders', pool: 'broken' });
  const held = await pool.connect(); // Before the reporter came.
  const options = { ...identity, url: api.url, key: api.ingestKey };
  const reporter = startPoolReporter({ ...options, pools: [source] });
  const removed = new Promise((resolve) => pool.once('remove', resolve));
  held.release(true);
  await removed;
  await pool.query('SELECT 1');
  await reporter.stop();
  const { current, series } = await readHealth({ pool: 'broken' });
  t.match(current.pools, [{ snapshot: { open: 1, busy: 0, idle: 1, waiting: 0 } }]);
  t.match(series, [{ points: [{ acquisitions: 1, created: 1, closed: 1 }] }]);
});

t.test('a key of the wrong page goes to onError, and nothing is stored', async (t) => {
  const errors: string[] = [];
  const reporter = startPoolReporter({
    ...{ ...identity, service: 'intruder' },
    url: api.url,
    key: api.otherIngestKey,
    pools: [],
    onError: ({ message }) => errors.push(message),
  });
  const startedAt = Date.now();
  await waitUntil('an interval has a length', () => Date.now() > startedAt);
  await reporter.stop();
  t.match(errors, [/HTTP 404/]);
  t.notOk(errors.some((message) => message.includes(api.otherIngestKey)));
  const { exporters } = await readHealth({ service: 'intruder' });
  t.strictSame(exporters.services, []);
});

/** Runs a host program with intervals of 10 ms. */
function runHost(program: string) {
  const faster = `const later = setTimeout;
    globalThis.setTimeout = (act, ms, ...rest) => later(act, ms > 40_000 ? 10 : ms, ...rest);`;
  const args = ['--input-type=module', '--eval', `${faster}\n${program}`];
  const child = spawn(process.execPath, args, { cwd: root, timeout: 30_000 });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, printed }));
  });
  return { ended, finishInput: () => child.stdin.end() };
}

const start = (url: string, key: string, service = 'host') => `
  const { pgPool, startPoolReporter } = await import('@heartline/pool-reporter');
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: '${databaseUrl}', allowExitOnIdle: true });
  const reporter = startPoolReporter({ url: '${url}', key: '${key}', service: '${service}', environment: 'test',
    revision: '1', pools: [pgPool(pool, { target: 'orders', pool: 'main' })] });
  await pool.query('SELECT 1');`;

t.test('the reporter does not keep a process alive', async (t) => {
  t.strictSame(await runHost(start(api.url, api.ingestKey)).ended, { code: 0, printed: '' });
});

t.test('a process ends while a report is in flight', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  // If the process waited for the timeout of three seconds, the test would kill it first.
  const patient = `const quick = setTimeout;
    globalThis.setTimeout = (act, ms, ...rest) => quick(act, ms === 3_000 ? 39_000 : ms, ...rest);`;
  const host = runHost(`${patient}
    ${start(receiver.url, 'key')}
    for await (const _ of process.stdin);`);
  await waitUntil('the report has come', () => receiver.received.length > 0);
  host.finishInput();
  t.strictSame(await host.ended, { code: 0, printed: '' });
});

t.test('a process that stops the reporter sends its last report', async (t) => {
  t.strictSame(await runHost(`${start(api.url, api.ingestKey, 'stopped')} await reporter.stop();`).ended, {
    ...{ code: 0, printed: '' },
  });
  const { series } = await readHealth({ service: 'stopped' });
  t.match(series, [{ points: [{ acquisitions: 1 }] }]);
});

t.test('a process keeps working when the service is unavailable', async (t) => {
  const host = runHost(`${start('http://127.0.0.1:1', 'key')}
    for (let i = 0; i < 50; i++) {
      const { rows } = await pool.query('SELECT $1::int AS n', [i]);
      if (rows[0].n !== i) process.exit(3);
    }
    await reporter.stop();`);
  host.finishInput();
  t.strictSame(await host.ended, { code: 0, printed: '' });
});
