import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { askClickHouse, recordingLog } from './support.js';

t.test('a token whose part is missing does not refuse its block', async (t) => {
  const dir = join(await temporaryFolder(t), 'clickhouse');
  const options = { dir, database: 'heartline', readerTables: [], secretKey: 'k'.repeat(32) };
  const first = await startClickHouse({ ...options, log: recordingLog() });
  t.teardown(() => first.stop());
  await askClickHouse(
    first.url,
    'CREATE TABLE counted (n Int32) ENGINE MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 100',
  );
  const insert = (url: string, token: string, n: number) =>
    askClickHouse(url, `INSERT INTO counted SETTINGS insert_deduplication_token = '${token}' VALUES (${n})`);
  await insert(first.url, 'a', 1);
  await insert(first.url, 'b', 2);
  await first.stop();

  // The state after a kill -9 between the note of the engine and the move of the part.
  const parts = (await readdir(join(dir, 'data/store'), { recursive: true })).filter((path) =>
    path.endsWith('/all_2_2_0'),
  );
  t.equal(parts.length, 1);
  for (const path of parts) await rm(join(dir, 'data/store', path), { recursive: true });

  const second = await startClickHouse({ ...options, log: recordingLog() });
  t.teardown(() => second.stop());
  await insert(second.url, 'a', 1);
  await insert(second.url, 'b', 2);
  await insert(second.url, 'b', 2);
  t.equal(
    (await askClickHouse(second.url, 'SELECT n, count() FROM counted GROUP BY n ORDER BY n')).text,
    '1\t1\n2\t1',
  );
});
