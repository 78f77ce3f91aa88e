import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { createAdoption } from '../../../../lib/outbox/log/adopt.js';
import { isDirectType, writesDirectly } from '../../../../lib/outbox/log/file-system.js';
import { markerOf } from '../../../../lib/outbox/log/frame.js';
import type { LogFile } from '../../../../lib/outbox/log/log-file.js';
import { openLogFolder } from '../../../../lib/outbox/log/log-folder.js';
import { createLogSpace } from '../../../../lib/outbox/log/log-space.js';
import { contentBytes } from '../../../../lib/outbox/log/written-content.js';
import { needsSmallDisk, onSmallDisk } from '../../../faults/small-disk.js';
import { stopTime } from '../../../support/fake-time.js';
import { readFrames } from '../../../support/read-frames.js';
import { silentLog } from '../../../support/silent-log.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const [kib, mib] = [1024, 1024 * 1024];
const wanted = (): boolean => true;
const owner = { description: 'this process', hasEnded: async () => false };

async function setUp(t: Test, bytesMax = 1024 * mib) {
  const dir = join(await temporaryFolder(t), 'log');
  const folder = await openLogFolder(dir, owner, silentLog);
  const space = createLogSpace(bytesMax);
  const files = await folder.prepare('default', space);
  if (files === undefined) throw new Error('This file system writes nothing ahead.');
  await files.tend();
  const inFolder = async (): Promise<string[]> => (await readdir(join(folder.path, 'default'))).sort();
  t.teardown(async () => {
    await files.close();
    await folder.close();
  });
  return { dir, folder, space, files, inFolder };
}

/** Writes records into a file, and seals it. */
async function fill(file: LogFile, ...texts: string[]): Promise<LogFile> {
  for (const text of texts) await file.append(1, [Buffer.from(text)], wanted);
  await file.close();
  return file;
}

/** The texts that a reader finds in a file, and what it says of the rest. */
async function textsIn(path: string): Promise<{ texts: string[]; damaged: number; tailBytes: number }> {
  const { frames, damaged, tailBytes } = readFrames(await readFile(path), markerOf(path));
  return { texts: frames.map(({ payload }) => payload.toString()), damaged, tailBytes };
}

const needsDirect = (await writesDirectly('.')) ? {} : { skip: 'this file system writes nothing ahead' };

t.test('file systems that are known to write directly', async (t) => {
  t.ok([0xef53, 0x58465342, 0x794c7630].every(isDirectType), 'ext4, XFS and overlayfs');
  t.notOk([0x6969, 0x65735546, 0x01021997, 0x9123683e].some(isDirectType), 'NFS, FUSE, 9P and Btrfs');
  t.equal(await writesDirectly(join(await temporaryFolder(t), 'none')), false);
});

t.test('the next file is written ahead, and a reader finds its records alone', needsDirect, async (t) => {
  const { files, inFolder, space } = await setUp(t);
  const [name = ''] = await inFolder();
  t.match(await inFolder(), [/\.log$/], 'one file is ready');
  t.equal(space.aheadBytes, 256 * kib);
  const file = await files.next();
  t.equal(basename(file.path), name);
  t.match(await textsIn(file.path), { texts: [], damaged: 0, tailBytes: 0 });
  await fill(file, 'a', 'b');
  t.match(await textsIn(file.path), { texts: ['a', 'b'], damaged: 0, tailBytes: 0 });
  t.equal((await stat(file.path)).size, 256 * kib);
  t.equal(await contentBytes(file.path), file.bytes);
  t.equal((await stat(file.path)).mode & 0o777, 0o600);
});

t.test('a file that is delivered is used again under another name', needsDirect, async (t) => {
  const { files, folder, inFolder } = await setUp(t);
  const old = await fill(await files.next(), 'old 1', 'old 2', 'old 3');
  await files.tend();
  const { ino } = await stat(old.path);
  t.equal(await files.keep(old.path, old.bytes), true);
  t.notOk((await inFolder()).includes(basename(old.path)), 'its name is gone');
  await files.next();
  await files.tend();
  const again = await files.next();
  t.equal((await stat(again.path)).ino, ino, 'the same file');
  t.notOk(again.path === old.path);
  t.match(await textsIn(again.path), { texts: [], damaged: 0, tailBytes: 0 });
  await again.append(1, [Buffer.from('new')], wanted);
  t.match(await textsIn(again.path), { texts: ['new'], damaged: 0, tailBytes: 0 });
  t.match((await readFile(again.path)).toString('latin1'), /old 3/, 'its old records are still there');
  t.equal(await contentBytes(again.path), again.bytes);
  await again.close();
  await files.tend();
  await files.close();
  await folder.remove(again.path);
});

t.test('records beyond the space that is ready, and larger files after them', needsDirect, async (t) => {
  const { files } = await setUp(t);
  const text = 'x'.repeat(100 * kib);
  const file = await fill(await files.next(), text, text, text, 'end');
  t.match(await textsIn(file.path), { texts: [text, text, text, 'end'], damaged: 0, tailBytes: 0 });
  t.equal((await stat(file.path)).size, file.bytes);
  await files.keep(file.path, file.bytes);
  await files.tend();
  await files.next();
  await files.tend();
  t.equal((await stat((await files.next()).path)).size, 512 * kib);
});

t.test('the size follows the files of this process, each once', needsDirect, async (t) => {
  const { files, dir } = await setUp(t);
  const sizeOfNext = async (): Promise<number> => {
    await files.next();
    await files.tend();
    return (await stat((await files.next()).path)).size;
  };
  const other = join(dir, '0123456789abcdef', 'default', '01234567-89ab-cdef-0000-000000000001.log');
  t.equal(await files.keep(other, 8 * mib), false);
  t.equal(await sizeOfNext(), 256 * kib, 'not of a file that was adopted');
  const take = async (text: string): Promise<LogFile> => {
    await files.tend();
    return fill(await files.next(), text);
  };
  const taken = [await take('x'.repeat(mib)), await take('a'), await take('b')] as const;
  await files.tend();
  const kept: boolean[] = [];
  for (const { path, bytes } of taken) kept.push(await files.keep(path, bytes));
  t.strictSame(kept, [true, true, false], 'there are spare files enough');
  const [, , small] = taken;
  for (let attempt = 0; attempt < 10; attempt += 1) await files.keep(small.path, small.bytes);
  t.ok((await sizeOfNext()) > mib, 'attempts to remove a small file do not displace a large one');
});

t.test('a record that is taken out again leaves none', needsDirect, async (t) => {
  const { files, space } = await setUp(t);
  const file = await files.next();
  await file.append(1, [Buffer.from('a')], wanted);
  await t.rejects(file.append(1, [Buffer.from('late')], () => false));
  await file.append(1, [Buffer.from('b')], wanted);
  t.match(await textsIn(file.path), { texts: ['a', 'b'], damaged: 0, tailBytes: 0 });
  await file.close();
  await files.tend();
  t.equal(space.aheadBytes, 256 * kib, 'the next file alone is ahead');
});

t.test('what waits is cut to its records', needsDirect, async (t) => {
  const { files, space } = await setUp(t);
  const file = await fill(await files.next(), 'a');
  await files.tend();
  await files.cut(file.path, file.bytes);
  t.equal((await stat(file.path)).size, file.bytes);
  t.match(await textsIn(file.path), { texts: ['a'], damaged: 0, tailBytes: 0 });
  t.equal(space.aheadBytes, 256 * kib);
});

t.test('spare files are few, and counted until they go', needsDirect, async (t) => {
  const { files, folder, space, inFolder } = await setUp(t);
  const written: LogFile[] = [];
  for (let i = 0; i < 5; i += 1) {
    written.push(await fill(await files.next(), `${i}`));
    await files.tend();
  }
  t.equal(space.aheadBytes, 6 * 256 * kib - written.reduce((sum, { bytes }) => sum + bytes, 0));
  const kept: boolean[] = [];
  for (const { path, bytes } of written) {
    const isKept = await files.keep(path, bytes);
    if (!isKept) await folder.remove(path);
    kept.push(isKept);
  }
  t.strictSame(kept, [true, true, false, false, false]);
  t.equal((await inFolder()).length, 3);
  t.equal(space.aheadBytes, 3 * 256 * kib);
  await files.close();
  t.strictSame(await inFolder(), [], 'a stop removes them');
  t.equal(space.aheadBytes, 0);
});

t.test('a minute without events gives large files back', needsDirect, async (t) => {
  const pass = stopTime(t);
  const { files, space, inFolder } = await setUp(t);
  for (let i = 0; i < 3; i += 1) {
    const file = await fill(await files.next(), 'x'.repeat(2 * mib));
    await files.tend();
    await files.keep(file.path, file.bytes);
  }
  t.ok(space.aheadBytes > 2 * mib);
  await pass(61_000);
  await files.tend();
  t.equal(space.aheadBytes, 256 * kib);
  t.equal((await inFolder()).length, 1);
});

t.test('a small log, and one that fills up, keep their space for events', needsDirect, async (t) => {
  const { files, inFolder } = await setUp(t, 128 * kib);
  t.strictSame(await inFolder(), []);
  const file = await fill(await files.next(), 'a');
  t.match(await textsIn(file.path), { texts: ['a'], tailBytes: 0 });
  t.equal(await files.keep(file.path, file.bytes), false);
  const other = await setUp(t, 8 * mib);
  other.space.add(4 * mib);
  await other.files.next();
  await other.files.tend();
  t.equal((await other.inFolder()).length, 1, 'nothing more is prepared');
});

t.test('after a crash, another process takes records over, and removes the rest', needsDirect, async (t) => {
  const { dir, folder, files, inFolder } = await setUp(t);
  const [kept, left] = [await fill(await files.next(), 'delivered'), await files.next()];
  await files.tend();
  await files.keep(kept.path, kept.bytes);
  await left.append(1, [Buffer.from('left')], wanted);
  await left.close();
  await files.tend();
  const names = await inFolder();
  t.match(names.map((name) => name.replace(/^.*\./, '')).sort(), ['log', 'log', 'spare']);
  const ended = { ...owner, description: 'other', hasEnded: async () => true };
  const taker = await openLogFolder(dir, ended, silentLog);
  const space = createLogSpace(1024 * mib);
  const takerFiles = await taker.prepare('default', space);
  const found = await createAdoption(dir, taker, ended)();
  t.strictSame(
    found.map(({ bytes }) => bytes).sort((a, b) => a - b),
    [0, left.bytes],
    'cut to its records',
  );
  const [adopted] = found.filter(({ bytes }) => bytes > 0);
  t.match(await textsIn(adopted?.path ?? ''), { texts: ['left'], damaged: 0, tailBytes: 0 });
  t.strictSame(await readdir(dir), [taker.id], 'nothing is left of its folder');
  t.equal(
    await takerFiles?.keep(adopted?.path ?? '', left.bytes),
    false,
    'its process may be suspended in the middle of a write, so the file takes no records of another one',
  );
  for (const { path } of found) await taker.remove(path);
  await takerFiles?.close();
  await taker.close();
  // The process whose log was taken goes on with new files.
  const next = await files.next().catch((error: NodeJS.ErrnoException) => error.code);
  t.not(next, undefined);
  await folder.close();
});

t.test('a file that cannot be prepared stops no event', needsDirect, async (t) => {
  const { files, folder } = await setUp(t);
  const store = join(folder.path, 'default');
  await files.next();
  await files.tend();
  await files.next();
  // The folder is gone while the next file is prepared, and back when it is created.
  await rename(store, `${store}.aside`);
  await writeFile(store, 'where a folder belongs');
  await files.tend();
  await t.rejects(files.next());
  await rename(store, `${store}.file`);
  await rename(`${store}.aside`, store);
  const file = await fill(await files.next(), 'a');
  t.equal(dirname(file.path), store);
  t.match(await textsIn(file.path), { texts: ['a'] });
});

const modules = new URL('../../../../lib/outbox/log/', import.meta.url);
const silent = new URL('../../../support/silent-log.js', import.meta.url);

t.test('a full disk: what is ready takes records, and then they are refused', needsSmallDisk(), async (t) => {
  const program = `
    import { statfs, readFile, writeFile } from 'node:fs/promises';
    import { markerOf } from '${new URL('frame.js', modules)}';
    import { readFrames } from '${new URL('../../../test/support/read-frames.js', modules)}';
    import { openLogFolder } from '${new URL('log-folder.js', modules)}';
    import { createLogSpace } from '${new URL('log-space.js', modules)}';
    import { silentLog } from '${silent}';
    const dir = process.argv[1];
    const owner = { description: '', hasEnded: async () => false };
    const folder = await openLogFolder(dir + '/log', owner, silentLog);
    const files = await folder.prepare('default', createLogSpace(2 ** 30));
    await files.tend();
    const { bavail, bsize } = await statfs(dir);
    await writeFile(dir + '/filler', Buffer.alloc(bavail * bsize)).catch(() => {});
    const file = await files.next();
    await files.tend();
    const outcomes = [];
    for (let i = 0; i < 4; i += 1) {
      const done = file.append(1, [Buffer.alloc(100_000, 'x')], () => true);
      outcomes.push(await done.then(() => 'written', ({ code }) => code));
    }
    const next = await files.next().then((one) => one.append(1, [Buffer.alloc(100_000)], () => true)).catch(({ code }) => code);
    const { frames, damaged, tailBytes } = readFrames(await readFile(file.path), markerOf(file.path));
    console.log(JSON.stringify({ outcomes, next, records: frames.length, damaged, tailBytes }));
    process.exit();`;
  t.strictSame(JSON.parse(await onSmallDisk(await temporaryFolder(t), program)), {
    outcomes: ['written', 'written', 'ENOSPC', 'ENOSPC'],
    next: 'ENOSPC',
    records: 2,
    ...{ damaged: 0, tailBytes: 0 },
  });
});
