import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../support/temporary-folder.js';
import { startStackProcess } from './stack-process.js';
import { copyWithoutPackages } from './support.js';

const code = await temporaryFolder(t);
await copyWithoutPackages(code);
const base = { database: 'heartline', readerTables: [] };

t.test('each store names the remedy in one sentence when its optional packages are missing', async (t) => {
  const dataDir = await temporaryFolder(t);
  const databaseUrl = 'postgres://user@127.0.0.1:1/none';
  const clickhouseUrl = 'http://user@127.0.0.1:1/none';
  const clickhouse = await startStackProcess(t, code, { ...base, dataDir, databaseUrl });
  t.match(
    clickhouse.error,
    /^StackError: The embedded ClickHouse is not installed; run npm ci .*CLICKHOUSE_URL\.$/,
  );
  const postgres = await startStackProcess(t, code, { ...base, dataDir, clickhouseUrl });
  t.match(
    postgres.error,
    /^StackError: The embedded PostgreSQL is not installed; run npm ci .*DATABASE_URL\.$/,
  );
});

t.test('nothing is started, loaded or written with both URLs', async (t) => {
  const dataDir = join(await temporaryFolder(t), 'data');
  const urls = {
    clickhouseUrl: 'http://someone:secret@127.0.0.1:1/elsewhere',
    databaseUrl: 'postgres://someone:secret@127.0.0.1:1/elsewhere',
    secretKey: 's'.repeat(40),
  };
  // This copy of the code finds no package, so it fails when it loads one.
  const service = await startStackProcess(t, code, { ...base, dataDir, ...urls });
  t.match(service, { ...urls, pids: [null, null] });
  t.notOk(existsSync(dataDir));
});
