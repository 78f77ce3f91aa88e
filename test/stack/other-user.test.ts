import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { folderForOthers } from '../support/temporary-folder.js';
import { recordingLog } from './support.js';

const run = promisify(execFile);
/** `nobody` on Linux. */
const otherUser = 65_534;
const skip = process.getuid?.() !== 0 && 'only root can run a program as another user';

t.test('another user of the machine reads nothing of a store', { skip }, async (t) => {
  const folder = await folderForOthers(t);
  await chmod(folder, 0o755);
  const dir = join(folder, 'clickhouse');
  await mkdir(dir);
  await chmod(dir, 0o777);
  const options = { database: 'heartline', readerTables: [], secretKey: 'k'.repeat(32), log: recordingLog() };
  const server = await startClickHouse({ dir, ...options });
  t.teardown(() => server.stop());
  const refused = { message: /Permission denied/ };
  for (const path of [dir, ...(await readdir(dir)).map((name) => join(dir, name))]) {
    await t.rejects(asOtherUser('ls', '-R', path), refused, path);
  }
  await t.rejects(asOtherUser('touch', join(dir, 'new')), refused);
  await t.rejects(asOtherUser('cat', `/proc/${server.pid}/environ`), refused);
  await t.resolves(asOtherUser('ls', folder), 'the folder above lets it in');
});

function asOtherUser(program: string, ...args: string[]): Promise<unknown> {
  return run(program, args, { uid: otherUser, gid: otherUser });
}
