import { open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { markerOf } from '../../../../lib/outbox/log/frame.js';
import { createLogFile, type LogFile } from '../../../../lib/outbox/log/log-file.js';
import { needsSmallDisk, onSmallDisk } from '../../../faults/small-disk.js';
import { readFrames } from '../../../support/read-frames.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const wanted = (): boolean => true;
const never = { mayBeLost: () => false };

async function setUp(
  t: Test,
  fence = never,
): Promise<{ file: LogFile; append(text: string): Promise<void> }> {
  const file = await createLogFile(join(await temporaryFolder(t), '0123456789abcdef.1.log'), fence);
  t.teardown(() => file.close());
  return { file, append: (text) => file.append(1, [Buffer.from(text)], wanted) };
}

/** The payloads of a file, and how many bytes follow the last one. */
async function readBack(path: string, name = path): Promise<[payloads: string[], tailBytes: number]> {
  const { frames, tailBytes } = readFrames(await readFile(path), markerOf(name));
  return [frames.map(({ payload }) => payload.toString()), tailBytes];
}

/** Lets the next write of the disk take this many bytes only, as a disk that fills up does, and go on as usual then. */
async function takePart(t: Test, path: string, bytes: number): Promise<void> {
  const handle = await open(path);
  const prototype: { writev: (chunks: readonly Buffer[], at: number) => Promise<{ bytesWritten: number }> } =
    Object.getPrototypeOf(handle);
  await handle.close();
  const { writev } = prototype;
  t.teardown(() => {
    prototype.writev = writev;
  });
  prototype.writev = function partly(chunks, at) {
    prototype.writev = writev;
    return writev.call(this, [Buffer.concat(chunks).subarray(0, bytes)], at);
  };
}

t.test('records of several chunks are read back in order', async (t) => {
  const { file, append } = await setUp(t);
  await append('a');
  await file.append(1, [Buffer.from('b'), Buffer.alloc(0), Buffer.from('c')], wanted);
  t.strictSame(await readBack(file.path), [['a', 'bc'], 0]);
  const { size, mode } = await stat(file.path);
  t.equal(file.bytes, size);
  t.equal(mode & 0o777, 0o600);
});

t.test('a file that exists is not written over', async (t) => {
  const { file } = await setUp(t);
  await t.rejects(createLogFile(file.path, never), { code: 'EEXIST' });
});

t.test('a write that the disk takes in parts is one record', async (t) => {
  const { file, append } = await setUp(t);
  await append('a');
  for (const bytes of [1, 23, 24, 26]) {
    await takePart(t, file.path, bytes);
    await append(`after ${bytes}`);
  }
  t.strictSame(await readBack(file.path), [['a', 'after 1', 'after 23', 'after 24', 'after 26'], 0]);
});

t.test('a record that nobody waits for any more is taken out again', async (t) => {
  const { file, append } = await setUp(t);
  await append('a');
  const { bytes } = file;
  await t.rejects(
    file.append(1, [Buffer.from('late')], () => false),
    /took too long/,
  );
  t.equal(file.bytes, bytes);
  t.strictSame(await readBack(file.path), [['a'], 0]);
  await append('b');
  t.strictSame(await readBack(file.path), [['a', 'b'], 0]);
});

t.test('a record for a file that another process has taken over is refused', async (t) => {
  let mayBeLost = false;
  const { file, append } = await setUp(t, { mayBeLost: () => mayBeLost });
  await append('a');
  mayBeLost = true;
  await append('the file is still there');
  const taken = `${file.path}.taken`;
  await rename(file.path, taken);
  await t.rejects(append('b'), { code: 'ENOENT' });
  t.strictSame(await readBack(taken, file.path), [['a', 'the file is still there'], 0]);
  const other = await createLogFile(file.path, never);
  t.teardown(() => other.close());
  await t.rejects(append('c'), /Another process has taken/);
});

const modules = new URL('../../../../lib/outbox/log/', import.meta.url);
const begin = `
  import { execFileSync } from 'node:child_process';
  import { readFile, statfs } from 'node:fs/promises';
  import { createLogFile } from '${new URL('log-file.js', modules)}';
  import { markerOf } from '${new URL('frame.js', modules)}';
    import { readFrames } from '${new URL('../../../test/support/read-frames.js', modules)}';
  const folder = process.argv[1];
  const file = await createLogFile(folder + '/0123456789abcdef.1.log', { mayBeLost: () => false });
  const append = (bytes) => file.append(1, [Buffer.alloc(bytes, 'x')], () => true);
  const outcome = (done) => done.then(() => 'written', ({ code }) => code);
  const report = async (outcomes) => {
    const { frames, tailBytes } = readFrames(await readFile(file.path), markerOf(file.path));
    const lengths = frames.map(({ payload }) => payload.length);
    console.log(JSON.stringify({ outcomes, lengths, tailBytes }));
  };
`;

t.test('a disk that is full in the middle of a record', needsSmallDisk(), async (t) => {
  const program = `${begin}
    const outcomes = [];
    for (const bytes of [400_000, 400_000, 400_000, 100_000]) outcomes.push(await outcome(append(bytes)));
    await report(outcomes);`;
  t.strictSame(JSON.parse(await onSmallDisk(await temporaryFolder(t), program)), {
    outcomes: ['written', 'written', 'ENOSPC', 'written'],
    lengths: [400_000, 400_000, 100_000],
    tailBytes: 0,
  });
});

t.test('a disk that becomes read-only keeps what it has', needsSmallDisk(), async (t) => {
  const program = `${begin}
    const outcomes = [await outcome(append(1_000))];
    await file.close();
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const next = createLogFile(folder + '/0123456789abcdef.2.log', { mayBeLost: () => false });
    outcomes.push(await outcome(next));
    await report(outcomes);`;
  t.strictSame(JSON.parse(await onSmallDisk(await temporaryFolder(t), program)), {
    outcomes: ['written', 'EROFS'],
    lengths: [1_000],
    tailBytes: 0,
  });
});
