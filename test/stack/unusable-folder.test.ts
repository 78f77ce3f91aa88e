import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { startStack } from '../../stack/start-stack.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { isAlive, recordingLog, usedDataFolder } from './support.js';

const log = recordingLog();
const base = { database: 'heartline', readerTables: [], log };

t.test('a folder that cannot be written is one sentence', async (t) => {
  const file = join(await temporaryFolder(t), 'file');
  await writeFile(file, '');
  const dataDir = join(file, 'data');
  await t.rejects(startStack({ ...base, dataDir }), {
    name: 'StackError',
    message: `The folder ${dataDir} cannot be written (ENOTDIR); make it writable for this user or choose another with HEARTLINE_DATA_DIR.`,
  });
});

t.test('data that ClickHouse cannot open is one sentence, in its own words', async (t) => {
  const dir = join(await temporaryFolder(t), 'clickhouse');
  await mkdir(join(dir, 'data'), { recursive: true });
  await writeFile(join(dir, 'data/metadata'), 'not a folder');
  await t.rejects(startClickHouse({ ...base, dir, secretKey: 'k'.repeat(32) }), {
    name: 'StackError',
    message: /^ClickHouse [^\n]+ File exists [^\n]+$/,
  });
});

t.test('data that PostgreSQL cannot open is a sentence, and ClickHouse is stopped again', async (t) => {
  const dataDir = await usedDataFolder(t);
  await writeFile(join(dataDir, 'postgres/data/PG_VERSION'), '9.1\n');
  await t.rejects(startStack({ ...base, dataDir }), {
    name: 'StackError',
    message: /^PostgreSQL did not start on .*: [^\n]+$/,
  });
  const { pid } = JSON.parse(await readFile(join(dataDir, 'clickhouse/process.json'), 'utf8'));
  t.notOk(isAlive(pid));
  await t.rejects(startPostgres({ dir: join(dataDir, 'postgres'), log }), { name: 'StackError' });
});
