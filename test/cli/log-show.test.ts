import { copyFile, mkdir, readdir, readFile, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import t from 'tap';
import { newId, type PageId } from '../../lib/ids.js';
import { openLogFolder, ownerFile } from '../../lib/outbox/log/log-folder.js';
import { describeThisProcess, hasEnded } from '../../stack/process-identity.js';
import { environmentFor } from '../support/cli-environment.js';
import { duringNextReadFile, useAgain } from '../support/disturb-reads.js';
import { flipByte, foreignOwner, leaveLog, leftAt, writeAhead } from '../support/left-log.js';
import { runInProcess } from '../support/run-heartline.js';
import { silentLog } from '../support/silent-log.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const pageId = newId<PageId>(Date.now());
const iso = (at: number): string => new Date(at).toISOString();

// No store is there: a command that opened one would fail.
const show = (args: string[], dataDir = '/nowhere') =>
  runInProcess(['log', 'show', ...args], { ...environmentFor({}), HEARTLINE_DATA_DIR: dataDir });

async function showJson(...args: string[]) {
  const { code, stdout, stderr } = await show([...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

t.test('the log of a data folder, of one owner, and of all owners', async (t) => {
  const dataDir = await temporaryFolder(t);
  const dir = join(dataDir, 'log');
  const left = await leaveLog(dir, { pageId, files: [[3, 4], [5]] });
  const store = { store: 'default', files: 2, events: 12, oldestAt: iso(leftAt), newestAt: iso(leftAt + 4) };
  const owner = { id: basename(left.path), path: left.path, state: 'ended', stores: [store] };
  for (const named of [dataDir, dir, left.path]) {
    t.match(await showJson(named), { owners: [owner] }, named);
  }
  t.match(await show([], dataDir), {
    code: 0,
    stdout: `${left.path}  ended\n  default: 2 files, `,
    stderr: '',
  });
  t.match(await show([], dataDir), { stdout: `12 events, from ${iso(leftAt)} to ${iso(leftAt + 4)}\n` });
  const copy = join(dataDir, 'copied under another name');
  await rename(left.path, copy);
  t.match(await showJson(copy), { owners: [{ path: copy, state: 'ended', stores: [store] }] });
});

t.test('what waits for the stores of pages, and what a delivery has kept', async (t) => {
  const dir = await temporaryFolder(t);
  const { path, files } = await leaveLog(dir, { pageId, store: pageId, owner: null });
  const [file] = files;
  await copyFile(file?.path ?? '', join(path, pageId, 'other.log.damaged'));
  t.match(await showJson(dir), {
    owners: [{ state: 'left', lastSignAt: null, stores: [{ store: pageId, files: 1, events: 1, kept: 1 }] }],
  });
  t.match(await show([dir]), {
    stdout: /left\n {2}[-0-9a-f]{36}: 1 file, .*1 event, .*; 1 file kept for damage\n$/,
  });
});

t.test('nothing waits', async (t) => {
  const dataDir = await temporaryFolder(t);
  const dir = join(dataDir, 'log');
  t.match(await show([], dataDir), { code: 0, stdout: `There is no log in ${dir}: nothing waits there.\n` });
  await mkdir(dir);
  t.match(await show([dir, '--json']), { code: 0, stdout: `${JSON.stringify({ dir, owners: [] })}\n` });
  const folder = await openLogFolder(dir, { description: await describeThisProcess(), hasEnded }, silentLog);
  t.match(await show([dataDir]), { code: 0, stdout: `${folder.path}  running\n  nothing waits\n` });
  await folder.close();
});

t.test('an owner that cannot be seen from here runs as long as it gives signs of life', async (t) => {
  const dir = await temporaryFolder(t);
  const { path } = await leaveLog(dir, { pageId, owner: await foreignOwner() });
  t.match(await showJson(dir), { owners: [{ state: 'running' }] });
  // A file system need not keep milliseconds.
  const sign = new Date(Math.floor(Date.now() / 1000 - 16) * 1000);
  await utimes(join(path, ownerFile), sign, sign);
  t.match(await showJson(dir), { owners: [{ state: 'silent', lastSignAt: sign.toISOString() }] });
  t.match(await show([dir]), {
    stdout: `${path}  silent, no sign of life since ${sign.toISOString()}\n  default: 1 file`,
  });
});

t.test('damage is counted, and the records around it are shown', async (t) => {
  const dir = await temporaryFolder(t);
  const { path, files } = await leaveLog(dir, { pageId, files: [[1, 20, 300], [1, 20], [1]] });
  const [damaged, torn, unknown] = files;
  if (damaged === undefined || torn === undefined || unknown === undefined) throw new Error('No files.');
  await flipByte(damaged.path, (damaged.offsets[1] ?? 0) + 30);
  await truncate(torn.path, (torn.offsets[1] ?? 0) + 30);
  const before = await readdir(dir, { recursive: true });
  const store = { files: 3, events: 301 + 1 + 1, damaged: 1, tornTails: 1, unreadable: [] };
  t.match(await showJson(dir), { owners: [{ stores: [store] }] });
  t.match(await show([dir]), { stdout: /; 1 damaged stretch; 1 torn end\n$/ });
  t.strictSame(await readdir(dir, { recursive: true }), before, 'nothing is changed');
  await writeFile(join(path, ownerFile), await describeThisProcess());
  t.match(await showJson(dir), { owners: [{ state: 'running', stores: [{ damaged: 1, tornTails: 0 }] }] });
});

t.test('space that was written ahead is not shown', async (t) => {
  const dir = await temporaryFolder(t);
  const { files } = await leaveLog(dir, { pageId, files: [[3, 4], [5]] });
  const [before] = (await showJson(dir)).owners;
  for (const { path } of files) await writeAhead(path);
  t.strictSame((await showJson(dir)).owners, [before]);
  t.match(before, { stores: [{ files: 2, events: 12, tornTails: 0 }] });
});

t.test('a file that is delivered and used again while it is read is not damaged', async (t) => {
  const dir = await temporaryFolder(t);
  const { path, files } = await leaveLog(dir, { pageId, files: [[100, 100, 100], [5]] });
  const [first] = files;
  if (first === undefined) throw new Error('No file.');
  const next = first.path.replace(/1\.log$/, '9.log');
  await duringNextReadFile(t, path, 0, () => useAgain(first.path, next));
  t.match(await showJson(dir), { owners: [{ stores: [{ files: 1, events: 5, damaged: 0, tornTails: 0 }] }] });
});

t.test('a file that takes records while it is read is not damaged', async (t) => {
  const dir = await temporaryFolder(t);
  const { path, files } = await leaveLog(dir, { pageId, files: [[10, 20, 30]] });
  const [{ path: file, offsets } = { path: '', offsets: [] }] = files;
  const whole = await readFile(file);
  const second = offsets[1] ?? 0;
  await truncate(file, second);
  await truncate(file, whole.length);
  // The reading has zeros in the place of the second record's beginning, and the third record.
  await duringNextReadFile(t, path, second + 100, () => writeFile(file, whole));
  t.match(await showJson(dir), { owners: [{ stores: [{ events: 60, damaged: 0, tornTails: 0 }] }] });
});

t.test('a folder without a log is refused with a sentence', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  t.match(await show([join(folder, 'none')]), { code: 1, stderr: `There is no folder ${folder}/none.\n` });
  t.match(await show([file]), { code: 1, stderr: `heartline: ${file} is not a folder.\n` });
  t.match(await show([folder]), {
    code: 1,
    stderr: `${folder} holds no log of events. Name the folder "log"`,
  });
  t.match(await show([folder, folder]), { code: 2, stderr: 'heartline log show [DIR] [--json]' });
});
