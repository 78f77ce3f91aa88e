import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { identifyProcess } from '../../stack/process-identity.js';
import { findRunningStack } from '../../stack/stack-file.js';
import { startStack } from '../../stack/start-stack.js';
import { waitUntil } from '../support/wait-until.js';
import { startStackProcess } from './stack-process.js';
import { askClickHouse, distribution, recordingLog, usedDataFolder } from './support.js';

t.test('the stores end with a killed service, and the next service has their rows', async (t) => {
  const dataDir = await usedDataFolder(t);
  const options = { dataDir, database: 'heartline', readerTables: [] };
  const service = await startStackProcess(t, fileURLToPath(distribution), options);
  const { clickhouseUrl = '', databaseUrl = '', pids = [] } = service;
  await askClickHouse(clickhouseUrl, 'CREATE TABLE kept (n Int32) ENGINE MergeTree ORDER BY n');
  await askClickHouse(clickhouseUrl, 'INSERT INTO kept VALUES (1)');
  const sql = openPostgres(databaseUrl, { max: 1 });
  await sql`create table kept as select 2 as n`;
  // A statement that runs for half a minute, during which the engine cannot check anything.
  const long = sql`select count(*) from generate_series(1, 100000000) a where a % 7 = 3`.catch(() => {});
  await new Promise(setImmediate);

  const exited = once(service.process, 'exit');
  service.process.kill('SIGKILL');
  await exited;
  await waitUntil('the stores have ended', async () => (await findRunning(pids)).length === 0, 8_000);
  t.equal(pids.length, 2);
  await long;
  await sql.end({ timeout: 0 });
  t.equal(
    await findRunningStack(dataDir),
    undefined,
    'the stores of the killed service are not announced any more',
  );

  const next = await startStack({ ...options, log: recordingLog() });
  t.teardown(() => next.stop());
  t.equal((await askClickHouse(next.clickhouseUrl, 'SELECT n FROM kept')).text, '1');
  const again = openPostgres(next.databaseUrl, { max: 1 });
  t.strictSame([...(await again`select n from kept`)], [{ n: 2 }]);
  await again.end();
});

/** A process that nobody has waited for yet keeps its pid after its end, for as long as the first process is busy. */
async function findRunning(pids: readonly (number | null)[]): Promise<unknown[]> {
  const found = await Promise.all(pids.map((pid) => (pid === null ? undefined : identifyProcess(pid))));
  return found.filter((process) => process !== undefined);
}
