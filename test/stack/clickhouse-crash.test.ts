import { join } from 'node:path';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { askClickHouse, isAlive, recordingLog } from './support.js';

t.test('a killed ClickHouse runs again at the same URL with its rows', async (t) => {
  const log = recordingLog();
  const server = await startClickHouse({
    dir: join(await temporaryFolder(t), 'clickhouse'),
    database: 'heartline',
    readerTables: [],
    secretKey: 'k'.repeat(32),
    log,
  });
  t.teardown(() => server.stop());
  await askClickHouse(server.url, 'CREATE TABLE kept (n Int32) ENGINE MergeTree ORDER BY n');
  await askClickHouse(server.url, 'INSERT INTO kept SELECT number FROM numbers(1000)');
  // The engine must also cope with the files of its own logs on disk.
  await askClickHouse(server.url, 'SYSTEM FLUSH LOGS');

  for (let crash = 1; crash <= 2; crash++) {
    const killed = server.pid;
    process.kill(killed, 'SIGKILL');
    await waitUntil('ClickHouse runs again', () => server.pid !== killed);
    t.equal((await askClickHouse(server.url, 'SELECT sum(n) FROM kept')).text, '499500');
    await askClickHouse(server.url, 'SYSTEM FLUSH LOGS');
    const logged = await askClickHouse(
      server.url,
      "SELECT count() > 0 FROM system.query_log WHERE query LIKE '%sum(n)%'",
    );
    t.equal(logged.text, '1', 'it logs its queries');
  }
  t.match(log.lines, [
    { level: 'error', fields: { store: 'ClickHouse', how: 'SIGKILL' } },
    { level: 'info', text: 'ClickHouse runs again.' },
    { level: 'error', fields: { store: 'ClickHouse', how: 'SIGKILL' } },
    { level: 'info', text: 'ClickHouse runs again.' },
  ]);

  const last = server.pid;
  await server.stop();
  t.notOk(isAlive(last));
});
