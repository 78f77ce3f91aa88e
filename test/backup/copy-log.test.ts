import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import type { CopiedFile } from '../../backup/copy-files.js';
import { copyLog } from '../../backup/copy-log.js';
import { markerOf } from '../../lib/outbox/log/frame.js';
import { beforeNextRead, useAgain } from '../support/disturb-reads.js';
import { leaveLog, writeAhead } from '../support/left-log.js';
import { readFrames } from '../support/read-frames.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const page = '0b1c9c8e-5a86-4a53-9a1f-1d9f6f4c2a11';
const [first, second] = ['00000000000000aa', '00000000000000bb'];
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `${first}.${i + 1}.log`);

t.test('the files of all owners and stores are copied, and nothing else of the log', async (t) => {
  const { dataDir, copy, directory } = await dataFolder(t, {
    [`${first}/owner.json`]: '{"pid":1}',
    [`${first}/default/${first}.1.log`]: 'one',
    [`${first}/default/${first}.2.log`]: '',
    [`${first}/${page}/${first}.3.log`]: 'three',
    [`${second}/default/${second}.1.log`]: 'from a process that has ended',
    [`${first}/default/notes.txt`]: 'of an operator',
    'readme.log': 'a file where owners are',
  });
  const { files, bytes } = await copy();
  t.strictSame(files.map(({ path }) => path).sort(), [
    `log/${first}/${page}/${first}.3.log`,
    `log/${first}/default/${first}.1.log`,
    `log/${first}/default/${first}.2.log`,
    `log/${second}/default/${second}.1.log`,
  ]);
  t.equal(bytes, 37, 'the progress has all bytes');
  for (const { path } of files) {
    t.strictSame(await readFile(join(directory, path)), await readFile(join(dataDir, path)), path);
    t.equal((await stat(join(directory, path))).mode & 0o777, 0o600);
  }
});

t.test('space that was written ahead is left out', async (t) => {
  const { dataDir, copy, directory } = await dataFolder(t, {});
  const { path, files } = await leaveLog(join(dataDir, 'log'), { pageId: page, files: [[3, 4]] });
  const file = files[0]?.path ?? '';
  const content = await readFile(file);
  await writeAhead(file);
  const copied = await copy();
  t.strictSame(
    copied.files.map(({ path }) => path),
    [`log/${basename(path)}/default/${basename(file)}`],
  );
  t.strictSame(await readFile(join(directory, copied.files[0]?.path ?? '')), content);
});

t.test('a data folder without a log has nothing to copy', async (t) => {
  const { copy } = await dataFolder(t, {});
  t.strictSame(await copy(), { files: [], bytes: 0 });
});

t.test('a file that is delivered before it is copied is left out', async (t) => {
  const files = names(40);
  const { dataDir, directory, copy } = await dataFolder(t, placed(files, first));
  // Eight files at most are open by then.
  const copied = await copy(() => rmSync(join(dataDir, 'log', first), { recursive: true, force: true }));
  t.ok(copied.files.length > 0 && copied.files.length <= 16, `${copied.files.length} files were copied`);
  await checkContents(t, directory, copied.files);
});

t.test('a file that is delivered and used again while it is copied is left out', async (t) => {
  const { dataDir, directory, copy } = await dataFolder(t, {});
  const { files } = await leaveLog(join(dataDir, 'log'), { pageId: page, files: [[100, 100, 100]] });
  const file = files[0]?.path ?? '';
  const next = file.replace(/1\.log$/, '9.log');
  await beforeNextRead(t, directory.replace(/backup$/, 'data'), () => useAgain(file, next));
  const copied = await copy();
  const [only] = copied.files;
  t.strictSame(
    copied.files.map(({ path }) => basename(path)),
    [basename(next)],
    'the second listing has the file under its new name',
  );
  const content = await readFile(join(directory, only?.path ?? ''));
  t.equal(copied.bytes, content.length);
  t.match(readFrames(content, markerOf(next)), { damaged: 0, tailBytes: 0, frames: [{ version: 1 }] });
  t.strictSame(
    (await readdir(dirname(join(directory, only?.path ?? '')))).sort(),
    [basename(next)],
    'nothing of the first one stays',
  );
});

t.test('files that another process takes over meanwhile are copied once each', async (t) => {
  const files = names(40);
  const { dataDir, directory, copy } = await dataFolder(t, placed(files, first));
  let hasMoved = false;
  const copied = await copy(() => {
    if (!hasMoved) renameSync(join(dataDir, 'log', first), join(dataDir, 'log', second));
    hasMoved = true;
  });
  t.strictSame(copied.files.map(({ path }) => basename(path)).sort(), files.toSorted());
  const owners = new Set(copied.files.map(({ path }) => basename(dirname(dirname(path)))));
  t.strictSame([...owners].sort(), [first, second], 'some were copied before, some after');
  await checkContents(t, directory, copied.files);
});

t.test('a file that grows is copied up to a byte, and listed with the bytes of the copy', async (t) => {
  const path = `log/${first}/default/${first}.1.log`;
  const before = randomBytes(4 * 1024 * 1024);
  const { dataDir, directory, copy } = await dataFolder(t, { [path.slice(4)]: before });
  let isCopying = true;
  const write = (): void => {
    if (!isCopying) return;
    appendFileSync(join(dataDir, path), randomBytes(100));
    setImmediate(write);
  };
  write();
  const { files, bytes } = await copy().finally(() => {
    isCopying = false;
  });
  const [content, source] = [await readFile(join(directory, path)), await readFile(join(dataDir, path))];
  t.ok(content.length > before.length, 'it has what was there when the copy began');
  t.ok(source.length > content.length, `${source.length - content.length} bytes were added later`);
  t.ok(source.subarray(0, content.length).equals(content), 'it is the beginning');
  t.strictSame(files, [{ path, bytes: content.length, sha256: sha256(content) }]);
  t.equal(bytes, content.length);
});

/** Creates a data folder with these files of a log. `copy` copies them, and calls `onCopied` after each file. */
async function dataFolder(t: Test, log: Record<string, string | Buffer>) {
  const folder = await temporaryFolder(t);
  const [dataDir, directory] = [join(folder, 'data'), join(folder, 'backup')];
  for (const [path, content] of Object.entries(log)) {
    await mkdir(dirname(join(dataDir, 'log', path)), { recursive: true });
    await writeFile(join(dataDir, 'log', path), content);
  }
  const copy = async (onCopied = () => {}): Promise<{ files: CopiedFile[]; bytes: number }> => {
    let bytes = 0;
    const files = await copyLog(dataDir, {
      directory,
      signal: new AbortController().signal,
      onCopied(size) {
        bytes += size;
        onCopied();
      },
    });
    return { files, bytes };
  };
  return { dataDir, directory, copy };
}

const placed = (files: readonly string[], owner: string): Record<string, string> =>
  Object.fromEntries(files.map((name) => [`${owner}/default/${name}`, `content of ${name}`]));

async function checkContents(t: Test, directory: string, files: readonly CopiedFile[]): Promise<void> {
  for (const { path, ...copied } of files) {
    const content = await readFile(join(directory, path));
    t.equal(content.toString(), `content of ${basename(path)}`);
    t.strictSame(copied, { bytes: content.length, sha256: sha256(content) });
  }
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
