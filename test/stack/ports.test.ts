import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { postgresTemplate } from '../support/store-template.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { recordingLog } from './support.js';

const log = recordingLog();
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

t.test('an occupied port is one sentence for ClickHouse', async (t) => {
  const options = { database: 'heartline', readerTables: [], secretKey: 'k'.repeat(32), log };
  await t.rejects(startClickHouse({ ...options, dir: join(folder, 'a'), port }), refusal);
  await t.rejects(startClickHouse({ ...options, dir: join(folder, 'b'), tcpPort: port }), refusal);
});

t.test('an occupied port is one sentence for PostgreSQL', async (t) => {
  const templateDir = await postgresTemplate('empty');
  await t.rejects(startPostgres({ dir: join(folder, 'c'), templateDir, port, log }), refusal);
});
