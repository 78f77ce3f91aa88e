import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { startReceiver } from '../../support/receiver.js';
import { readRequests } from '../../support/rollups.js';
import { startTestService } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));
const api = await startTestService(t);

/** Runs a program that has the reporter, in a process of its own. */
function runHost(url: string, key: string, program: string, options: readonly string[] = []) {
  const begin = `const { createReporter } = await import('@heartline/reporter');
    const event = { endpoint: '/carts/:id', method: 'GET', status: 200, ms: 5 };`;
  const args = [...options, '--input-type=module', '--eval', `${begin}\n${program}`];
  return run(process.execPath, args, { cwd: root, timeout: 60_000, env: { URL_: url, KEY: key } });
}

const create = (id: string) =>
  `createReporter({ url: process.env.URL_, key: process.env.KEY, reporter: { reporterId: '${id}', englishName: 'Host', expectedEverySeconds: 15 } })`;

async function requestsOf(service: string): Promise<number> {
  await api.settle();
  const rows = (await readRequests(api.stores.clickhouse)).filter((row) => row.service === service);
  return rows.reduce((sum, { requests }) => sum + requests, 0);
}

t.test('a reporter does not keep a process alive', async (t) => {
  const { stdout, stderr } = await runHost(api.url, api.ingestKey, `${create('quiet')}.record(event);`);
  t.strictSame({ stdout, stderr }, { stdout: '', stderr: '' });
});

t.test('a process ends while a batch is in flight', async (t) => {
  const receiver = await startReceiver(t);
  receiver.answer = () => 'hang';
  const args = ['--input-type=module', '--eval'];
  const program = `const { createReporter } = await import('@heartline/reporter');
    const reporter = createReporter({ url: '${receiver.url}', key: 'k', service: 'host' });
    for (let i = 0; i < 500; i++) reporter.record({ endpoint: '/', method: 'GET', status: 200, ms: 1 });
    for await (const _ of process.stdin);`;
  const child = spawn(process.execPath, [...args, program], {
    cwd: root,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await waitUntil('the batch has come', () => receiver.received.length > 0);
  const endedAt = performance.now();
  child.stdin.end();
  t.equal(await ended, 0);
  t.ok(performance.now() - endedAt < 9_000, 'it does not wait for the timeout of ten seconds');
});

t.test('a process that stops its reporter has sent everything', async (t) => {
  const program = `const reporter = ${create('stopped')};
    for (let i = 0; i < 1234; i++) reporter.record({ ...event, status: i % 10 === 0 ? 503 : 200, message: 'none' });
    await reporter.stop();
    console.log(JSON.stringify(reporter.stats()));`;
  const { stdout, stderr } = await runHost(api.url, api.ingestKey, program);
  t.match(JSON.parse(stdout), { recorded: 1234, sent: 1234, waiting: 0, uncertain: 0 });
  t.equal(stderr, '');
  t.equal(await requestsOf('stopped'), 1234);
});

t.test('a flush keeps the process alive until its batch is accepted', async (t) => {
  const program = `const reporter = ${create('flushed')}; reporter.record(event); await reporter.flush();
    console.log(reporter.stats().sent);`;
  t.equal((await runHost(api.url, api.ingestKey, program)).stdout, '1\n');
});

t.test('a service reports with v1', async (t) => {
  const program = `const reporter = createReporter({ url: process.env.URL_, key: process.env.KEY, service: 'Checkout' });
    reporter.record(event); await reporter.stop(); console.log(reporter.stats().sent);`;
  t.equal((await runHost(api.url, api.ingestKey, program)).stdout, '1\n');
  t.equal(await requestsOf('checkout'), 1);
});

t.test(
  "another page's key counts on its page, and an unknown one is told once, without the key",
  async (t) => {
    const program = `const reporter = ${create('other')}; reporter.record(event); await reporter.stop();`;
    await runHost(api.url, api.otherIngestKey, program);
    const rows = (await readRequests(api.stores.clickhouse)).filter(({ service }) => service === 'other');
    await api.settle();
    t.ok(rows.every(({ page }) => page === api.otherPageId));
    const secret = 'key_ingest_unknown';
    const { stderr } = await runHost(
      api.url,
      secret,
      `const reporter = ${create('unknown')};
    for (let i = 0; i < 3; i++) { reporter.record(event); await reporter.flush(); } await reporter.stop();`,
    );
    t.equal(stderr.match(/HTTP 401/g)?.length, 1);
    t.notMatch(stderr, secret);
  },
);

t.test(
  'while Heartline is unavailable, 100,000 events leave the heap flat, and no listeners or timers',
  async (t) => {
    const program = `const reporter = ${create('flat')};
    const listeners = () => process.eventNames().reduce((n, name) => n + process.listenerCount(name), 0);
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const fill = () => { for (let i = 0; i < 20_000; i++) reporter.record(event); };
    const heap = () => { gc(); return process.memoryUsage().heapUsed; };
    fill();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = { heap: heap(), listeners: listeners(), timers: timers() };
    for (let i = 0; i < 5; i++) { fill(); await new Promise(setImmediate); }
    const after = { heap: heap(), listeners: listeners(), timers: timers() };
    console.log(JSON.stringify({ before, after, stats: reporter.stats() }));`;
    const { stdout } = await runHost('http://127.0.0.1:1', 'k', program, ['--expose-gc']);
    const { before, after, stats } = JSON.parse(stdout);
    t.comment(`heap ${before.heap} before, ${after.heap} after`);
    t.ok(after.heap - before.heap < 500_000, 'half a megabyte for 100,000 events');
    t.ok(after.listeners <= before.listeners);
    t.ok(after.timers <= before.timers + 1, 'the next attempt');
    t.match(stats, { recorded: 120_000, sent: 0 });
    t.ok(stats.waiting <= 10_500);
  },
);
