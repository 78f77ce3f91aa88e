import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { lockFolder } from '../../stack/lock.js';
import { identifyProcess } from '../../stack/process-identity.js';
import { temporaryFolder } from '../support/temporary-folder.js';

t.test('one process at a time locks the folder', async (t) => {
  const folder = await temporaryFolder(t);
  const unlock = await lockFolder(folder);
  await t.rejects(lockFolder(folder), {
    name: 'StackError',
    message: / is in use by process \d+; stop it or /,
  });
  await unlock();
  const again = await lockFolder(folder);
  await unlock();
  await t.rejects(lockFolder(folder), { name: 'StackError' }, 'only its owner gives a lock back');
  await again();
  t.strictSame(await readdir(folder), []);
});

t.test('the lock of a process that has ended is taken over', async (t) => {
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

t.test('exactly one of many processes gets the folder of a stale lock', async (t) => {
  for (let round = 0; round < 8; round++) {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'lock'), '{"pid":1,"startedAt":"never"}');
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => lockFolder(folder)));
    t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
    t.strictSame(await readdir(folder), ['lock']);
  }
});
