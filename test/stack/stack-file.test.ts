import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { findRunningStack, removeRunningStack, writeRunningStack } from '../../stack/stack-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const stack = {
  clickhouseUrl: 'http://heartline:a@127.0.0.1:1/heartline',
  clickhouseNativeUrl: 'clickhouse://heartline:a@127.0.0.1:3/heartline',
  databaseUrl: 'postgres://heartline:b@127.0.0.1:2/postgres',
  secretKey: 'c'.repeat(43),
};

t.test('the stores of a process are found while it runs', async (t) => {
  const folder = await temporaryFolder(t);
  t.equal(await findRunningStack(folder), undefined);
  await writeRunningStack(folder, stack);
  t.strictSame(await findRunningStack(folder), { pid: process.pid, ...stack });
  t.equal((await stat(join(folder, 'stack.json'))).mode & 0o777, 0o600);
  await removeRunningStack(folder);
  t.equal(await findRunningStack(folder), undefined);
});

t.test('files of processes that have ended are ignored', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'stack.json');
  await writeRunningStack(folder, stack);
  const text = await readFile(path, 'utf8');
  const later = { ...JSON.parse(text), startedAt: 'another start with the same pid' };
  for (const stale of [JSON.stringify(later), text.slice(0, 40), '', '[]', 'null', '{"pid":1}']) {
    await writeFile(path, stale);
    t.equal(await findRunningStack(folder), undefined, stale);
  }
  t.equal(await findRunningStack(join(path, 'below a file')), undefined);
});
