import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { startStackProcess } from './stack-process.js';
import { askClickHouse, distribution, isAlive, usedDataFolder } from './support.js';

t.test('signals to the process group of the service do not stop the stores', async (t) => {
  const dataDir = await usedDataFolder(t);
  const options = { dataDir, database: 'heartline', readerTables: [] };
  const service = await startStackProcess(t, fileURLToPath(distribution), options);
  const { clickhouseUrl = '', databaseUrl = '' } = service;
  const pids = (service.pids ?? []).filter((pid) => pid !== null);
  t.equal(pids.length, 2);

  for (const pid of pids) {
    t.equal(groupOf(pid), pid, 'each store leads a group of its own, which Ctrl-C does not reach');
  }
  // A service manager may signal every process of the service; the embedded ClickHouse outlives that.
  const [clickhouse = 0] = pids;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(clickhouse, signal);
  const sql = openPostgres(databaseUrl, { max: 1 });
  t.strictSame([...(await sql`select 1 as one`)], [{ one: 1 }]);
  await sql.end();
  t.equal((await askClickHouse(clickhouseUrl, 'SELECT 1')).text, '1');
  t.ok(pids.every(isAlive));
});

function groupOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }));
}
