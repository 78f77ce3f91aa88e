import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lockFolder } from '../../stack/lock.js';
import { identifyProcess } from '../../stack/process-identity.js';
import { temporaryFolder } from '../support/temporary-folder.js';

t.test('one process at a time has the folder', async (t) => {
  const folder = await temporaryFolder(t);
  const unlock = await lockFolder(folder);
  await t.rejects(lockFolder(folder), {
    name: 'StackError',
    message: / is in use by process \d+; stop it or /,
  });
  await unlock();
  const again = await lockFolder(folder);
  await unlock();
  await t.rejects(lockFolder(folder), { name: 'StackError' }, 'a lock is given back by its owner alone');
  await again();
  t.strictSame(await readdir(folder), []);
});

t.test('a lock whose process is gone does not count', async (t) => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  const self = await identifyProcess(process.pid);
  for (const [what, text] of [
    ['its process has ended', JSON.stringify({ pid: gone, startedAt: 'then' })],
    ['another process has its pid', JSON.stringify({ pid: self?.pid, startedAt: 'before the reboot' })],
    ['it was cut short', '{"pid":'],
    ['it is empty', ''],
  ] as const) {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'lock'), text);
    const unlock = await lockFolder(folder);
    t.strictSame(await readdir(folder), ['lock'], what);
    await unlock();
  }
});

t.test('of many that find a stale lock at once exactly one gets the folder', async (t) => {
  for (let round = 0; round < 8; round++) {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'lock'), '{"pid":1,"startedAt":"never"}');
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => lockFolder(folder)));
    t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    t.strictSame(await readdir(folder), ['lock']);
  }
});
