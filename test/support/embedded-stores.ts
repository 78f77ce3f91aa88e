import { cpSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startClickHouse } from '../../stack/clickhouse.js';
import { startPostgres } from '../../stack/postgres.js';
import { leaseStore } from './shared-stores.js';
import { silentLog } from './silent-log.js';
import {
  clickhouseOptions,
  clickhouseTemplate,
  postgresTemplate,
  type TemplateKind,
} from './store-template.js';
import { temporaryFolder } from './temporary-folder.js';

export { testSecretKey } from './store-template.js';

/** Returns the URL of an embedded ClickHouse: that of the slot where one is free, otherwise one for this test alone. */
export async function startTestClickHouse(t: Test, schema: TemplateKind): Promise<string> {
  const shared = schema === 'migrated' ? await leaseStore(t, 'clickhouse') : undefined;
  if (shared !== undefined) return shared;
  const dir = join(await temporaryFolder(t), 'clickhouse');
  if (schema === 'migrated') cpSync(await clickhouseTemplate(), dir, { recursive: true });
  const server = await startClickHouse(clickhouseOptions(dir));
  t.teardown(() => server.stop());
  return server.url;
}

/** Returns the URL of an embedded PostgreSQL: that of the slot where one is free, otherwise one for this test alone. */
export async function startTestPostgres(t: Test, schema: TemplateKind): Promise<string> {
  const shared = schema === 'migrated' ? await leaseStore(t, 'postgres') : undefined;
  if (shared !== undefined) return shared;
  const templateDir = await postgresTemplate(schema);
  const dir = join(await temporaryFolder(t), 'postgres');
  const server = await startPostgres({ dir, templateDir, shortLived: true, log: silentLog });
  t.teardown(() => server.stop());
  return server.url;
}
