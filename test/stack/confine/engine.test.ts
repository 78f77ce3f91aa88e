import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { startClickHouse } from '../../../stack/clickhouse.js';
import { portOf } from '../../../stack/ports.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { askClickHouse, recordingLog } from '../support.js';
import { hasLandlock } from './support.js';

const folder = await temporaryFolder(t);
const dir = join(folder, 'clickhouse');
const outside = join(folder, 'postgres');
await mkdir(outside);
await writeFile(join(outside, 'password'), 'the password of the other store');
const log = recordingLog();
const server = await startClickHouse({
  dir,
  database: 'heartline',
  readerTables: [],
  secretKey: 'k'.repeat(32),
  log,
});
t.teardown(() => server.stop());
const ask = (sql: string) => askClickHouse(server.url, sql);
const skip = !hasLandlock() && 'this machine cannot confine a thread';

// The user of the service has every right in the engine, as somebody would who has found a way around the checks of SQL.

t.test('the engine reads no file outside its folder', { skip }, async (t) => {
  await symlink('/etc/passwd', join(dir, 'data/link'));
  await chmod(outside, 0o777);
  for (const file of [
    '/etc/passwd',
    '/proc/self/environ',
    `/proc/${process.pid}/environ`,
    `/proc/${process.pid}/cmdline`,
    '/proc/self/root/etc/passwd',
    '/proc/self/cwd/package.json',
    process.execPath,
    join(dir, 'data/link'),
    join(dir, 'password'),
    join(dir, 'data/../password'),
    join(outside, 'password'),
  ]) {
    t.match((await ask(`SELECT file('${file}')`)).text, /Permission denied|EACCES/, file);
    t.match(
      (await ask(`SELECT * FROM file('${file}', 'LineAsString')`)).text,
      /Permission denied/,
      `table ${file}`,
    );
  }
});

t.test('the engine writes no file outside its folder', { skip }, async (t) => {
  const target = join(outside, 'written.csv');
  const answer = await ask(`INSERT INTO FUNCTION file('${target}', 'CSV', 'n Int32') SELECT 1`);
  t.match(answer.text, /Permission denied/);
  t.throws(() => readFileSync(target), { code: 'ENOENT' });
});

t.test('the engine opens no TCP connection', { skip: skip || !hasLandlock(4) }, async (t) => {
  const { port, connections } = await listen(t);
  for (const sql of [
    `SELECT * FROM url('http://127.0.0.1:${port}/', 'LineAsString') SETTINGS http_max_tries = 1`,
    `SELECT * FROM remote('127.0.0.1:${port}', 'system', 'one') SETTINGS connections_with_failover_max_tries = 1`,
  ]) {
    t.match((await ask(sql)).text, /Permission denied/, sql);
  }
  t.equal(connections(), 0);
});

t.test('the engine does its work in its folder', async (t) => {
  await ask('CREATE TABLE kept (n Int32) ENGINE MergeTree ORDER BY n');
  await ask('INSERT INTO kept SELECT number FROM numbers(1000)');
  await ask('INSERT INTO kept SELECT number FROM numbers(1000)');
  for (const sql of [
    'OPTIMIZE TABLE kept FINAL',
    "ALTER TABLE kept FREEZE WITH NAME 'a'",
    'ALTER TABLE kept DETACH PARTITION tuple()',
    'ALTER TABLE kept ATTACH PARTITION tuple()',
    'ALTER TABLE kept DELETE WHERE n = 0 SETTINGS mutations_sync = 1',
    'RENAME TABLE kept TO moved',
    'SELECT n FROM moved ORDER BY n SETTINGS max_bytes_before_external_sort = 1 FORMAT Null',
    'SYSTEM FLUSH LOGS',
  ]) {
    t.strictSame(await ask(sql), { status: 200, text: '' }, sql);
  }
  t.equal((await ask('SELECT count() FROM moved')).text, '1998');
  t.strictSame(log.lines, skip ? [{}] : [], 'a confined start logs nothing');
});

/** Starts a server that counts its connections. */
async function listen(t: Test): Promise<{ port: number; connections(): number }> {
  let count = 0;
  const listener = createServer((socket) => {
    count++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  t.teardown(() => listener.close());
  await once(listener, 'listening');
  return { port: portOf(listener), connections: () => count };
}
