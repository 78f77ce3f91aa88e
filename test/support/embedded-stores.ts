import { join } from 'node:path';
import type { Test } from 'tap';
import { readableTables } from '../../contract/sql-tables.js';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { postgresTemplate, type TemplateKind } from './postgres-template.js';
import { silentLog } from './silent-log.js';
import { temporaryFolder } from './temporary-folder.js';

/** The secret key of every embedded store of the tests. */
export const testSecretKey = 'a secret of forty characters for the tests';

/** A ClickHouse server of the test's own, with an empty database; its URL. */
export async function startTestClickHouse(t: Test): Promise<string> {
  const dir = await temporaryFolder(t);
  const server = await startClickHouse({
    dir: join(dir, 'clickhouse'),
    database: 'heartline',
    readerTables: readableTables,
    secretKey: testSecretKey,
    log: silentLog,
  });
  t.teardown(() => server.stop());
  return server.url;
}

/** A PostgreSQL server of the test's own; its URL. */
export async function startTestPostgres(t: Test, schema: TemplateKind): Promise<string> {
  const templateDir = await postgresTemplate(schema);
  const dir = join(await temporaryFolder(t), 'postgres');
  const server = await startPostgres({ dir, templateDir, shortLived: true, log: silentLog });
  t.teardown(() => server.stop());
  return server.url;
}
