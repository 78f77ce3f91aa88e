import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { assertEmbeddable } from '../../stack/clickhouse-engine.js';
import { startPostgres } from '../../stack/postgres.js';
import { startStack } from '../../stack/start-stack.js';
import { onLinux } from '../faults/running-service.js';
import { inNamespace, needsSmallDisk } from '../faults/small-disk.js';
import { runHeartline } from '../support/run-heartline.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { isAlive, recordingLog, usedDataFolder } from './support.js';

const log = recordingLog();
const base = { database: 'heartline', readerTables: [], log };

const folder = await temporaryFolder(t);
const holder = createServer().listen(0, '127.0.0.1');
await once(holder, 'listening');
t.teardown(() => holder.close());
const address = holder.address();
const port = address !== null && typeof address === 'object' ? address.port : 0;
const refusal = {
  name: 'StackError',
  message: `Port ${port} of 127.0.0.1 is in use; stop what listens there or choose another port.`,
};

t.test('a folder that cannot be written is refused at once, in one sentence with the reason', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  const cases = [
    { dataDir: file, reason: 'a file is in the way (EEXIST)' },
    { dataDir: join(file, 'data'), reason: 'a file is in the way (ENOTDIR)' },
    { dataDir: `/tmp/${'x'.repeat(300)}`, reason: 'the path is too long (ENAMETOOLONG)' },
  ];
  for (const { dataDir, reason } of cases) {
    await t.rejects(startStack({ ...base, dataDir }), {
      name: 'StackError',
      message: `The folder ${dataDir} cannot be written: ${reason}. Correct that, or choose another folder with HEARTLINE_DATA_DIR.`,
    });
  }
});

t.test('so is one below /proc, where a recursive mkdir tries without end', onLinux, async (t) => {
  for (const dataDir of ['/proc/x', '/proc/x/y/z']) {
    const { code, stderr } = await runHeartline(['serve'], {
      HEARTLINE_DATA_DIR: dataDir,
      HEARTLINE_OTLP_GRPC_PORT: '0',
    });
    t.equal(code, 1);
    t.equal(
      stderr,
      `heartline: The folder ${dataDir} cannot be written: no folder can be created there (ENOENT). Correct that, or choose another folder with HEARTLINE_DATA_DIR.\n`,
    );
  }
});

t.test('a bad list of keys in the data folder is refused without showing it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const path = join(dataDir, 'secret-key');
  await writeFile(path, `${'k'.repeat(43)},hunter2\n`);
  await t.rejects(startStack({ ...base, dataDir }), {
    name: 'StackError',
    message: `The file ${path} must have at least 32 characters in each key, and key 2 of 2 has fewer: a comma separates keys. Create one with: openssl rand -base64 32`,
  });
  for (const end of ['\n', '\r\n']) {
    await writeFile(path, `${'k'.repeat(43)}${end}${'l'.repeat(43)}${end}`);
    await t.rejects(startStack({ ...base, dataDir }), {
      name: 'StackError',
      message: `The file ${path} has several lines without a comma; write the keys in one line, with a comma between them.`,
    });
  }
});

t.test('so is one on a full or a read-only disk', needsSmallDisk(), async (t) => {
  const folder = await temporaryFolder(t);
  const heartline = [process.execPath, fileURLToPath(new URL('../../cli/main.js', import.meta.url)), 'serve'];
  const disks = [
    { options: 'size=16k', reason: /: the disk is full \(ENOSPC\)\. Correct that, or choose/ },
    { options: 'ro', reason: /: the file system is read-only \(EROFS\)\. Correct that, or choose/ },
  ];
  for (const { options, reason } of disks) {
    const script = `mount -t tmpfs -o ${options} none "$0" && exec "$@"`;
    const [program, ...args] = [...inNamespace, script, folder, ...heartline];
    const env = { PATH: process.env['PATH'], HEARTLINE_DATA_DIR: join(folder, 'data') };
    const { status, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    t.equal(status, 1);
    t.match(stderr, reason);
  }
});

t.test('data that ClickHouse cannot open are refused in one sentence with its own words', async (t) => {
  const dir = join(await temporaryFolder(t), 'clickhouse');
  await mkdir(join(dir, 'data'), { recursive: true });
  await writeFile(join(dir, 'data/metadata'), 'not a folder');
  await t.rejects(startClickHouse({ ...base, dir, secretKey: 'k'.repeat(32) }), {
    name: 'StackError',
    message: /^ClickHouse [^\n]+ File exists [^\n]+$/,
  });
});

t.test(
  'data that PostgreSQL cannot open are refused in one sentence, and ClickHouse is stopped',
  async (t) => {
    const dataDir = await usedDataFolder(t);
    await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '9.1\n');
    await t.rejects(startStack({ ...base, dataDir }), {
      name: 'StackError',
      message: /postgres\/data is of PostgreSQL 9\.1, and this version of Heartline runs 18\. [^\n]+$/,
    });
    const { pid } = JSON.parse(await readFile(join(dataDir, 'clickhouse/process.json'), 'utf8'));
    t.notOk(isAlive(pid));
    await t.rejects(startPostgres({ dir: join(dataDir, 'postgres'), log }), { name: 'StackError' });
  },
);

t.test('platforms for which the engine is built are accepted', async (t) => {
  for (const platform of ['linux', 'darwin']) {
    for (const architecture of ['x64', 'arm64'])
      t.doesNotThrow(() => assertEmbeddable(platform, architecture));
  }
});

t.test('other platforms are refused with a hint to use a server', async (t) => {
  const refusal = {
    name: 'StackError',
    message: /does not run on .*; set CLICKHOUSE_URL to use a server\.$/,
  };
  t.throws(() => assertEmbeddable('win32', 'x64'), refusal);
  t.throws(() => assertEmbeddable('linux', 'riscv64'), refusal);
});

t.test('ClickHouse refuses a used port in one sentence', async (t) => {
  const options = { database: 'heartline', readerTables: [], secretKey: 'k'.repeat(32), log };
  await t.rejects(startClickHouse({ ...options, dir: join(folder, 'a'), port }), refusal);
  await t.rejects(startClickHouse({ ...options, dir: join(folder, 'b'), tcpPort: port }), refusal);
});

t.test('PostgreSQL refuses a used port in one sentence', async (t) => {
  await t.rejects(startPostgres({ dir: join(folder, 'c'), port, log }), refusal);
});
