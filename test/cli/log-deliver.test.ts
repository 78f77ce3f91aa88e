import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { setEventStore } from '../../control/event-stores/index.js';
import { systemClock } from '../../lib/clock.js';
import { newId, type PageId } from '../../lib/ids.js';
import { openLogFolder } from '../../lib/outbox/log/log-folder.js';
import { describeThisProcess } from '../../stack/process-identity.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { flipByte, foreignOwner, leaveLog, leftAt, writeAhead } from '../support/left-log.js';
import { makePage } from '../support/pages.js';
import { countRequests } from '../support/rollups.js';
import { type HeartlineRun, runInProcess, startHeartline } from '../support/run-heartline.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { folderForOthers, temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;
const { id: ownPageId } = await makePage(sql, { slug: 'own' });
const env = environmentFor(stores);

const deliver = (dir: string, more: Record<string, string> = {}): Promise<HeartlineRun> =>
  runInProcess(['log', 'deliver', dir], { ...env, ...more });

async function deliverJson(dir: string) {
  const { stdout, stderr } = await runInProcess(['log', 'deliver', dir, '--json'], env);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

const newPage = (): PageId => newId<PageId>(leftAt);
const listed = (dir: string): Promise<string[]> => readdir(dir, { recursive: true });

t.test('every file is delivered once, and nothing is left', async (t) => {
  const dataDir = await temporaryFolder(t);
  const dir = join(dataDir, 'log');
  const pageId = newPage();
  await leaveLog(dir, { pageId, files: [[3, 4], [5]] });
  await leaveLog(dir, { pageId, files: [[10]], owner: null });
  const { code, stdout, stderr } = await deliver(dataDir);
  t.same({ code, stderr }, { code: 0, stderr: '' });
  t.match(stdout, /^3 files with 22 events \(.*\) delivered, 0 left\.\n$/);
  t.equal(await countRequests(clickhouse, pageId), 22);
  t.strictSame(await listed(dir), []);
  t.match(await deliverJson(dir), { files: 0, events: 0, left: 0 }, 'there is nothing more');
});

t.test('a file whose content the store has counts once', async (t) => {
  const dir = await temporaryFolder(t);
  const pageId = newPage();
  for (const time of ['first', 'second']) {
    const id = '0123456789abcdef';
    await leaveLog(dir, { pageId, id, files: [[3], [4]] });
    t.match(await deliverJson(dir), { files: 2, events: 7, left: 0 }, time);
    t.equal(await countRequests(clickhouse, pageId), 7, time);
  }
});

t.test('an interrupted delivery goes on where it ended', async (t) => {
  const folder = await temporaryFolder(t);
  const dir = join(folder, 'copied');
  const pageId = newPage();
  const left = await leaveLog(folder, { pageId, files: [[3], [4], [5]] });
  await rename(left.path, dir);
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  gate.stall(/INSERT(%20|\+| )INTO(%20|\+| )landing/);
  const running = startHeartline(['log', 'deliver', dir], { ...env, CLICKHOUSE_URL: gate.url });
  await waitUntil('the insert is on its way', () => gate.held() > 0, 30_000);
  t.equal((await listed(dir)).filter((name) => /^[0-9a-f]{16}\/default\/.*\.log$/.test(name)).length, 1);
  running.kill('SIGINT');
  const { code, stdout, stderr } = await running.ended;
  t.equal(code, 1);
  t.match(stdout, '0 files with 0 events (0 bytes) delivered, 3 left.\n');
  t.match(stderr, `heartline: The command was interrupted. Nothing is lost; go on with: `);
  t.match(stderr, ` log deliver '${dir}'`.replaceAll("'", ''));
  t.match(await deliverJson(dir), { files: 3, events: 12, left: 0 });
  t.equal(await countRequests(clickhouse, pageId), 12);
  t.strictSame(
    (await listed(dir)).filter((name) => name.endsWith('.log')),
    [],
  );
});

t.test('what a killed delivery had in hands is delivered by the next one', async (t) => {
  const pageId = newPage();
  const dir = await temporaryFolder(t);
  const { path } = await leaveLog(dir, { pageId, files: [[3]] });
  await leaveLog(path, { pageId, files: [[4]] });
  t.match(await deliverJson(path), { files: 2, events: 7, left: 0 }, 'in the folder of the owner');
  await leaveLog(path, { pageId, files: [[5]] });
  t.match(await deliverJson(dir), { files: 1, events: 5, left: 0 }, 'in the folder of the log');
  t.equal(await countRequests(clickhouse, pageId), 12);
});

t.test('files that were written ahead leave nothing but their events', async (t) => {
  const pageId = newPage();
  const dir = await temporaryFolder(t);
  const { path, files } = await leaveLog(dir, { pageId, files: [[3], [4]] });
  for (const file of files) await writeAhead(file.path);
  t.match(await deliverJson(path), { files: 2, events: 7, tailBytes: 0, kept: [], left: 0 });
  t.strictSame(
    (await listed(path)).filter((name) => /\.(log|spare)$/.test(name)),
    [],
  );
  t.equal(await countRequests(clickhouse, pageId), 7);
});

t.test('a store that fails changes nothing, and the next delivery goes on', async (t) => {
  const dir = await temporaryFolder(t);
  const pageId = newPage();
  await leaveLog(dir, { pageId, files: [[3], [4]] });
  const before = await listed(dir);
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  gate.stall(/INSERT(%20|\+| )INTO(%20|\+| )landing/);
  const failing = deliver(dir, { CLICKHOUSE_URL: gate.url });
  await waitUntil('the insert is on its way', () => gate.held() > 0, 30_000);
  gate.cut('reset');
  const { code, stdout, stderr } = await failing;
  t.equal(code, 1);
  t.match(stdout, '0 files with 0 events (0 bytes) delivered, 2 left.\n');
  t.match(stderr, /^heartline: The store did not take \S+\.log: .+\. Nothing is lost; go on with: /);
  t.strictSame(await listed(dir), before);
  t.match(await deliverJson(dir), { files: 2, left: 0 });
  t.equal(await countRequests(clickhouse, pageId), 7);
});

t.test('the log of a process that runs is refused, and so is one that gives signs of life', async (t) => {
  const dir = await temporaryFolder(t);
  await leaveLog(dir, { pageId: newPage() });
  const here = await leaveLog(dir, { pageId: newPage(), owner: await describeThisProcess() });
  const before = await listed(dir);
  t.match(await deliver(dir), {
    code: 1,
    stdout: '',
    stderr: `heartline: The process that owns ${here.path} still runs: it delivers its events by itself`,
  });
  await rm(here.path, { recursive: true });
  const owner = { description: await foreignOwner(), hasEnded: async () => false };
  const elsewhere = await openLogFolder(dir, owner, silentLog);
  t.match(await deliver(dir), {
    code: 1,
    stdout: '',
    stderr: `The process that owns ${elsewhere.path} still runs`,
  });
  await elsewhere.close();
  t.strictSame(
    await listed(dir),
    before.filter((name) => !here.path.endsWith(name.slice(0, 16))),
  );
});

t.test('what cannot be read is skipped, and its file kept', async (t) => {
  const dir = await temporaryFolder(t);
  const pageId = newPage();
  const { path, files } = await leaveLog(dir, { pageId, files: [[1, 20, 300], [1, 20], [7]] });
  const [damaged, torn] = files;
  if (damaged === undefined || torn === undefined) throw new Error('There are no files.');
  await flipByte(damaged.path, (damaged.offsets[1] ?? 0) + 30);
  await truncate(torn.path, (torn.offsets[1] ?? 0) + 30);
  const { code, stdout, stderr } = await deliver(dir);
  t.equal(code, 1);
  const kept = `  ${damaged.path}.damaged\n  ${torn.path}.damaged\n`;
  t.match(stdout, '3 files with 309 events');
  t.match(
    stdout,
    `Skipped 1 damaged stretch and 30 bytes behind the last whole record. These files are kept:\n${kept}`,
  );
  t.equal(stderr, 'heartline: 1 damaged stretch could not be read; the rest is delivered.\n');
  t.equal(await countRequests(clickhouse, pageId), 309);
  t.match(await deliverJson(dir), { files: 0, left: 0 }, 'nothing delivers them again');
  t.equal((await listed(path)).filter((name) => name.endsWith('.damaged')).length, 2);
});

t.test('a record of another version leaves its file, and the others are delivered', async (t) => {
  const dir = await temporaryFolder(t);
  const pageId = newPage();
  await leaveLog(dir, { pageId, files: [[20]] });
  const [first] = (await leaveLog(dir, { pageId, version: 99 })).files;
  if (first === undefined) throw new Error('There is no file.');
  const { code, stderr } = await deliver(dir);
  t.equal(code, 1);
  t.equal(
    stderr,
    `heartline: ${first.path} cannot be read: A record has the version 99, which is not known here.\n`,
  );
  t.equal(await countRequests(clickhouse, pageId), 20);
  t.match(await deliverJson(dir), { files: 0, left: 1, unreadable: [{ path: first.path }] });
});

t.test(
  "the events of a page's own store go to its buffer, and the events of an unknown page stay",
  async (t) => {
    const dir = await temporaryFolder(t);
    const unknown = await leaveLog(dir, { pageId: ownPageId, store: newPage(), files: [[3]] });
    const own = await leaveLog(dir, { pageId: ownPageId, store: ownPageId, files: [[4], [5]] });
    const refused = await deliver(dir);
    t.equal(refused.code, 1);
    t.match(refused.stdout, '0 files with 0 events (0 bytes) delivered, 3 left.\n');
    t.match(
      refused.stderr,
      `${own.path}/${ownPageId} stays: no page with this id has a ClickHouse of its own`,
    );
    t.match(refused.stderr, `Set one with npx heartline store set`);
    await setEventStore(
      { sql, clock: systemClock, secretKey: env['HEARTLINE_SECRET_KEY'] ?? '', by: testActor },
      { pageId: ownPageId, url: 'http://192.0.2.1:8123', database: 'd', username: 'u', password: 'p' },
    );
    t.match(await deliverJson(dir), { files: 2, events: 9, left: 1, refused: [/^\/.*[-0-9a-f]{36}$/] });
    t.match(await sql`select events from delivery_batches where store = ${ownPageId} order by id`, [
      { events: 4 },
      { events: 5 },
    ]);
    t.equal((await listed(unknown.path)).filter((name) => name.endsWith('.log')).length, 1);
    t.equal(await countRequests(clickhouse, ownPageId), 0);
  },
);

t.test('a folder that cannot be used is refused with a sentence, before a store is opened', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'empty'));
  const refusals: [string, RegExp][] = [
    ['none', /^heartline: There is no folder \S+none\.\n$/],
    ['file', /^heartline: \S+file is not a folder\.\n$/],
    ['', /holds no log of events\. Name the folder "log"/],
  ];
  for (const [name, stderr] of refusals) {
    t.match(await runInProcess(['log', 'deliver', join(folder, name)], environmentFor({})), {
      code: 1,
      stderr,
    });
  }
  t.match(await runInProcess(['log', 'deliver', join(folder, 'empty')], environmentFor({})), { code: 0 });
  t.match(await runInProcess(['log', 'deliver'], env), { code: 2, stderr: /DIR is missing/ });
});

const notRoot = process.getuid?.() !== 0 && 'only root can run a program as another user';
const code = fileURLToPath(new URL('../../', import.meta.url));
const hidden =
  spawnSync('ls', [code], { uid: 65_534, gid: 65_534, stdio: 'ignore' }).status !== 0 &&
  'no other user can enter the folder of the code';
t.test('a folder of another user is refused with a sentence', { skip: notRoot || hidden }, async (t) => {
  const folder = await folderForOthers(t);
  const { path } = await leaveLog(folder, { pageId: newPage() });
  await chmod(folder, 0o755);
  const asNobody = (...args: string[]) => startHeartline(args, env, { uid: 65_534, gid: 65_534 }).ended;
  t.match(await asNobody('log', 'deliver', folder), {
    code: 1,
    stderr: `heartline: ${path} cannot be changed (EACCES). Run the command as the user of the service.\n`,
  });
  await chmod(path, 0o700);
  for (const verb of ['show', 'deliver']) {
    t.match(await asNobody('log', verb, folder), {
      code: 1,
      stderr: `heartline: ${path} cannot be read (EACCES).`,
    });
  }
});

t.test('each help says where counting once ends, and what happens to damage', async (t) => {
  const { stdout } = await runInProcess(['log', 'deliver', '--help']);
  t.match(stdout, /^npx heartline log deliver DIR \[--json\]\n/);
  t.match(stdout, '10,000 blocks');
  t.match(stdout, 'NAME.log.damaged');
  t.match(
    (await runInProcess(['log', 'show', '--help'])).stdout,
    /^npx heartline log show \[DIR\] \[--json\]\n/,
  );
});
