import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { makeToken, openLogFolder } from '../../../../lib/outbox/log/log-folder.js';
import { silentLog } from '../../../support/silent-log.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const owner = { description: '{"pid":1}', hasEnded: async () => false };

t.test('a folder has its owner, and files of numbered names in a folder for each store', async (t) => {
  const dir = join(await temporaryFolder(t), 'log');
  const folder = await openLogFolder(dir, owner, silentLog);
  t.match(folder.id, /^[0-9a-f]{16}$/);
  t.equal(await readFile(join(dir, folder.id, 'owner.json'), 'utf8'), owner.description);
  t.equal((await stat(folder.path)).mode & 0o777, 0o700);
  const files = [await folder.create('default'), await folder.create('page'), await folder.create('default')];
  t.strictSame(
    files.map(({ path }) => path.slice(folder.path.length)),
    [
      `/default/${makeToken(folder.id, 1)}.log`,
      `/page/${makeToken(folder.id, 2)}.log`,
      `/default/${makeToken(folder.id, 3)}.log`,
    ],
  );
  for (const file of files) await file.close();
  for (const file of files) await folder.remove(file.path);
  await folder.close();
  t.strictSame(await readdir(dir), [], 'nothing is left of an empty folder');
});

t.test('a close leaves files behind without an owner, so that another process adopts them', async (t) => {
  const dir = join(await temporaryFolder(t), 'log');
  const folder = await openLogFolder(dir, owner, silentLog);
  await (await folder.create('default')).close();
  await folder.close();
  t.strictSame(await readdir(folder.path), ['default']);
});

t.test('two processes on one folder have different names', async (t) => {
  const dir = join(await temporaryFolder(t), 'log');
  const folders = await Promise.all([1, 2].map(() => openLogFolder(dir, owner, silentLog)));
  t.equal(new Set(folders.map(({ id }) => id)).size, 2);
  for (const folder of folders) await folder.close();
});

t.test('a folder that cannot be created stops the start', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  await t.rejects(openLogFolder(join(file, 'log'), owner, silentLog), { code: 'ENOTDIR' });
});
