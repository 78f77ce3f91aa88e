import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t, { type Test } from 'tap';
import { writeBackupFile } from '../../backup/backup-file.js';
import { copyFiles, listTree } from '../../backup/copy-files.js';
import { restore } from '../../backup/restore.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const stores = {
  'postgres/tables.json': '{"tables":[],"sequences":[]}',
  'clickhouse/metadata/heartline.sql': 'ATTACH DATABASE',
};
const file = 'log/00000000000000aa/default/00000000000000aa.7.log';
const log = { [file]: 'events', 'log/00000000000000bb/default/00000000000000bb.1.log': 'more' };

t.test('the log of a backup is put into the data folder', async (t) => {
  const { dataDir, restoreInto } = await backup(t, { ...stores, ...log });
  const shares = await restoreInto();
  t.equal(shares.at(-1), 1, 'the progress counts the log');
  const { files } = await listTree(dataDir);
  t.strictSame(files.filter((path) => !path.startsWith('postgres/')).sort(), [
    'clickhouse/data/metadata/heartline.sql',
    ...Object.keys(log),
  ]);
  t.ok(files.includes('postgres/data/PG_VERSION'), 'a new server has the rows');
  t.equal(await readFile(join(dataDir, file), 'utf8'), 'events');
});

t.test('a backup of a version without a log is restored', async (t) => {
  const { dataDir, restoreInto } = await backup(t, stores);
  const shares = await restoreInto();
  t.equal(shares.at(-1), 1);
  t.strictSame((await readdir(dataDir)).sort(), ['clickhouse', 'postgres']);
});

t.test('a changed or missing file of the log is found, and nothing is restored', async (t) => {
  const changed = await backup(t, { ...stores, ...log });
  await writeFile(join(changed.directory, file), 'Events');
  await t.rejects(changed.restoreInto(), {
    message: new RegExp(`${file} was changed. Nothing was restored`),
  });
  t.strictSame(await readdir(changed.dataDir), []);

  const missing = await backup(t, { ...stores, ...log }, [file]);
  await t.rejects(missing.restoreInto(), { message: new RegExp(`${file} is missing. Nothing was restored`) });
  t.strictSame(await readdir(missing.dataDir), []);
});

t.test('a data folder with a log is refused and stays as it is', async (t) => {
  const { dataDir, restoreInto } = await backup(t, { ...stores, ...log });
  await write(dataDir, { [file]: 'events that no store has' });
  await t.rejects(restoreInto(), {
    message: /data\/log may hold events that no store has; move it elsewhere/,
  });
  t.strictSame((await listTree(dataDir)).files, [file]);
  t.equal(await readFile(join(dataDir, file), 'utf8'), 'events that no store has');
});

t.test('an empty folder of the log is no obstacle', async (t) => {
  const { dataDir, restoreInto } = await backup(t, { ...stores, ...log });
  await mkdir(join(dataDir, 'log'), { recursive: true });
  await restoreInto();
  t.equal(await readFile(join(dataDir, file), 'utf8'), 'events');
});

t.test('a restore that was killed after it placed the log is repeated', async (t) => {
  const { dataDir, restoreInto } = await backup(t, { ...stores, ...log });
  await write(dataDir, {
    'restoring/postgres/data/PG_VERSION': '18\n',
    'log/00000000000000cc/default/00000000000000cc.1.log': 'of another backup',
  });
  await restoreInto();
  t.strictSame((await readdir(dataDir)).sort(), ['clickhouse', 'log', 'postgres']);
  t.strictSame((await readdir(join(dataDir, 'log'))).sort(), ['00000000000000aa', '00000000000000bb']);
});

/** Creates a backup of these files, of which the `lost` ones are only listed. */
async function backup(t: Test, files: Record<string, string>, lost: readonly string[] = []) {
  const folder = await temporaryFolder(t);
  const [source, directory, dataDir] = [join(folder, 'source'), join(folder, 'backup'), join(folder, 'data')];
  const { signal } = new AbortController();
  await write(source, files);
  const copies = Object.keys(files).map((path) => ({ from: join(source, path), to: path }));
  const copied = await copyFiles(copies, { directory, signal, onCopied() {} });
  const sizeOf = (part: string) => {
    const sizes = copied.filter(({ path }) => path.startsWith(`${part}/`)).map(({ bytes }) => bytes);
    return { files: sizes.length, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) };
  };
  const logSize = sizeOf('log');
  await writeBackupFile(directory, copied, {
    ...{ version: '0.0.0', createdAt: new Date(0).toISOString() },
    ...(logSize.files > 0 && { log: logSize }),
    postgres: { ...sizeOf('postgres'), migrations: [] },
    clickhouse: { ...sizeOf('clickhouse'), migrations: [] },
  });
  await Promise.all(lost.map((path) => rm(join(directory, path))));
  const restoreInto = async (): Promise<number[]> => {
    const shares: number[] = [];
    const onProgress = (share: number): void => void shares.push(share);
    await restore({ directory, dataDir, secretKey: undefined, signal, onProgress });
    return shares;
  };
  return { directory, dataDir, restoreInto };
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
