import { readdir, readFile } from 'node:fs/promises';
import t from 'tap';
import { readSources } from '../support/sources.js';

/** The migrations of both stores say which tables there are. */
async function readTables(): Promise<Set<string>> {
  const tables = new Set<string>();
  for (const store of ['postgres', 'clickhouse']) {
    const folder = new URL(`../../../sql/${store}/`, import.meta.url);
    for (const name of await readdir(folder)) {
      const text = await readFile(new URL(name, folder), 'utf8');
      for (const [, table = ''] of text.matchAll(/create table (?:if not exists )?(\w+)/gi))
        tables.add(table);
    }
  }
  return tables;
}

/** SQL, the client of ClickHouse, and the description of a queue by which control/delivery writes its table. */
const writeForm =
  /\b(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(\w+)|\btable: '(\w+)'/gi;

/** A noun of control/, or a top folder. Tests and benchmarks write what they like. */
function ownerOf(path: string): string {
  return /^control\/[^/]+/.exec(path)?.[0] ?? path.split('/')[0] ?? path;
}

/**
 * Opening and migrating stores, and saving and restoring them, concern whole stores, whatever their tables are.
 */
const ofWholeStores = ['sql', 'stack', 'backup', 'test', 'bench', 'clients'];

const [sources, tables] = await Promise.all([readSources(), readTables()]);

t.test('the tables are found', async (t) => {
  t.ok(tables.size > 40, String(tables.size));
  for (const table of ['webhook_deliveries', 'keys', 'landing', 'checks']) t.ok(tables.has(table), table);
});

t.test('every table is written by one owner', async (t) => {
  const writers = new Map<string, Map<string, string>>();
  for (const { path, text } of sources) {
    if (ofWholeStores.includes(ownerOf(path))) continue;
    for (const [, inSql, ofClient = ''] of text.matchAll(writeForm)) {
      const table = (inSql ?? ofClient).toLowerCase();
      if (!tables.has(table)) continue;
      const owners = writers.get(table) ?? new Map<string, string>();
      writers.set(table, owners.set(ownerOf(path), path));
    }
  }
  t.ok(writers.size > 35, `${writers.size} tables are written`);
  for (const [table, owners] of writers)
    t.equal(owners.size, 1, `${table}: ${[...owners.values()].join(', ')}`);
});
