import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { startStack } from '../../stack/start-stack.js';
import { askClickHouse, greetNative, isAlive, recordingLog, usedDataFolder } from './support.js';

const dataDir = await usedDataFolder(t);
const log = recordingLog();
const options = { dataDir, database: 'heartline', readerTables: [], log };

t.test('both stores keep their rows, secrets and passwords across starts', async (t) => {
  const first = await startStack(options);
  t.teardown(() => first.stop());
  t.match(first.clickhouseUrl, /^http:\/\/heartline:[\w-]{43}@127\.0\.0\.1:\d+\/heartline$/);
  const nativeUrl = first.clickhouseNativeUrl ?? '';
  t.match(nativeUrl, /^clickhouse:\/\/heartline:[\w-]{43}@127\.0\.0\.1:\d+\/heartline$/);
  t.match(await greetNative(nativeUrl), '\nClickHouse', 'its native port takes the same login');
  t.match(first.databaseUrl, /^postgres:\/\/heartline:[\w-]{43}@%2F[^/:]+%2Fpostgres:5432\/postgres$/);
  t.match(first.secretKey, /^[\w-]{43}$/);
  await askClickHouse(first.clickhouseUrl, 'CREATE TABLE kept (n Int32) ENGINE MergeTree ORDER BY n');
  await askClickHouse(first.clickhouseUrl, 'INSERT INTO kept VALUES (1) (2)');
  const sql = openPostgres(first.databaseUrl, { max: 1 });
  await sql`create table kept (n int)`;
  await sql`insert into kept values (1), (2), (3)`;
  await sql.end();

  await t.test('stack.json announces them while they run', async (t) => {
    const { stop, publish, restartClickHouse: _, ...urls } = first;
    t.strictSame(await findRunningStack(dataDir), { pid: process.pid, ...urls });
    await publish('http://127.0.0.1:8080');
    const serviceUrl = 'http://127.0.0.1:8080';
    t.strictSame(await findRunningStack(dataDir), { pid: process.pid, ...urls, serviceUrl });
    for (const [file, mode] of [
      ['.', 0o700],
      ['stack.json', 0o600],
      ['secret-key', 0o600],
      ['clickhouse', 0o700],
      ['clickhouse/password', 0o600],
      ['clickhouse/users.xml', 0o600],
      ['postgres', 0o700],
      ['postgres/password', 0o600],
    ] as const) {
      t.equal((await stat(join(dataDir, file))).mode & 0o777, mode, file);
    }
  });

  await t.test('a second instance on the folder is refused', async (t) => {
    await t.rejects(startStack(options), {
      name: 'StackError',
      message: `${dataDir} is in use by process ${process.pid}; stop it or choose another folder with HEARTLINE_DATA_DIR.`,
    });
    t.equal(
      (await askClickHouse(first.clickhouseUrl, 'SELECT 1')).text,
      '1',
      'the first instance still works',
    );
  });

  const pids = await Promise.all(['clickhouse', 'postgres'].map(pidOf));
  t.ok(pids.every(isAlive));
  await first.stop();
  t.notOk(pids.some(isAlive), 'no process is left');
  t.equal(await findRunningStack(dataDir), undefined);

  const second = await startStack(options);
  t.teardown(() => second.stop());
  t.equal(second.secretKey, first.secretKey);
  t.equal(new URL(second.clickhouseUrl).password, new URL(first.clickhouseUrl).password);
  t.equal((await askClickHouse(second.clickhouseUrl, 'SELECT sum(n) FROM kept')).text, '3');
  const again = openPostgres(second.databaseUrl, { max: 1 });
  t.strictSame([...(await again`select sum(n)::int as sum from kept`)], [{ sum: 6 }]);
  await again.end();
  await second.stop();
  t.strictSame(log.lines, [], 'a store that is stopped is not restarted');
});

async function pidOf(store: string): Promise<number> {
  const { pid } = JSON.parse(await readFile(join(dataDir, store, 'process.json'), 'utf8'));
  return pid;
}
