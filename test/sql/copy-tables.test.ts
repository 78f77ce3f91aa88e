import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { copyTablesIn, copyTablesOut } from '../../sql/copy-tables.js';
import { migratePostgres } from '../../sql/migrate.js';
import type { Sql } from '../../sql/open-postgres.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyPostgres } from '../support/stores.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const { signal } = new AbortController();

async function makeAccounts(sql: Sql): Promise<void> {
  await sql`create table accounts (
    id int generated always as identity primary key, amount int not null, twice int generated always as (amount * 2) stored,
    name text not null, bytes bytea)`;
  await sql`create table transfers (number int primary key, of int not null references accounts)`;
}

/** Moves amounts between accounts, each with its record, until it is asked to stop. */
function moveAmounts(sql: Sql): { stop(): Promise<number> } {
  let stopped = false;
  let made = 0;
  const run = async (): Promise<void> => {
    for (let number = 1; !stopped; number++) {
      await sql.begin(async (tx) => {
        await tx`update accounts set amount = amount - 1 where id = 1`;
        await tx`update accounts set amount = amount + 1 where id = 2`;
        await tx`insert into transfers values (${number}, 2)`;
      });
      made = number;
    }
  };
  const running = run();
  return {
    async stop() {
      stopped = true;
      await running;
      return made;
    },
  };
}

async function copyWhole(t: Test, from: string, to: string): Promise<{ folder: string; bytes: number }> {
  const folder = await temporaryFolder(t);
  let bytes = 0;
  const onCopied = (count: number): void => {
    bytes += count;
  };
  const copied = await copyTablesOut(from, { folder, signal, onCopied });
  await copyTablesIn(to, copied, { folder, signal, onCopied() {} });
  return { folder, bytes };
}

t.test('a copy has every table as it was at one moment, while others write', async (t) => {
  const source = await openEmptyPostgres(t);
  const target = await openEmptyPostgres(t);
  await makeAccounts(source.sql);
  await makeAccounts(target.sql);
  await source.sql`
    insert into accounts (amount, name, bytes) select 1000, ${'tab\there, \\N and ünïcode\nlines'}, '\\x00ff'
    from generate_series(1, 20000)`;
  const moving = moveAmounts(source.sql);
  const { bytes } = await copyWhole(t, source.databaseUrl, target.databaseUrl);
  t.ok((await moving.stop()) > 0, 'others wrote');
  t.ok(bytes > 20_000 * 30, 'the progress counts the bytes');
  const [copied] = await target.sql<Record<string, number>[]>`
    select (select count(*)::int from accounts) as accounts, (select sum(amount)::int from accounts) as sum,
      (select sum(twice)::int from accounts) as twice, (select amount from accounts where id = 2) - 1000 as moved,
      (select count(*)::int from transfers) as transfers`;
  t.match(copied, { accounts: 20_000, sum: 20_000_000, twice: 40_000_000 });
  t.equal(copied?.['moved'], copied?.['transfers'], 'tables belong to the same moment');
  const [row] = await target.sql`select name, encode(bytes, 'hex') as bytes from accounts where id = 3`;
  t.strictSame(row, { name: 'tab\there, \\N and ünïcode\nlines', bytes: '00ff' });
  const [next] = await target.sql`insert into accounts (amount, name) values (1, 'new') returning id`;
  t.strictSame(next, { id: 20_001 }, 'and the numbers go on');
});

t.test(
  'the rows of an older schema are taken by a database of that schema, which is then migrated',
  async (t) => {
    const source = await openEmptyPostgres(t);
    const target = await openEmptyPostgres(t);
    for (const { sql } of [source, target]) await migratePostgres({ sql, log: silentLog, upTo: 20 });
    // As on a server that has counted many more transactions than the next one.
    await source.sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`
    with account as (insert into accounts (id, name, created_at, changed_in)
      values (gen_random_uuid(), 'Acme', now(), '900000000'::xid8) returning id)
    insert into pages (id, account_id, slug, hostname, name, languages, default_language, created_at, changed_in)
    select gen_random_uuid(), id, 'acme', 'acme.example', 'Acme', '{en}', 'en', now(), '900000000'::xid8 from account`;
    });
    const { folder } = await copyWhole(t, source.databaseUrl, target.databaseUrl);
    t.match(await readFile(join(folder, 'pages.copy'), 'utf8'), /\tacme\t/);
    await migratePostgres({ sql: target.sql, log: silentLog });
    const pages = await target.sql`
    select slug, changed_in < pg_snapshot_xmax(pg_current_snapshot()) as "isPast" from pages`;
    t.strictSame([...pages], [{ slug: 'acme', isPast: true }], 'no row has changed in the future');
  },
);

t.test('a file that cannot be written ends the copy with the reason', async (t) => {
  const { sql, databaseUrl } = await openEmptyPostgres(t);
  await makeAccounts(sql);
  await sql`insert into accounts (amount, name) select 1, 'x' from generate_series(1, 100000)`;
  const folder = join(await temporaryFolder(t), 'missing');
  await t.rejects(copyTablesOut(databaseUrl, { folder, signal, onCopied() {} }), { code: 'ENOENT' });
});

t.test('an abort ends the copy with its reason', async (t) => {
  const { sql, databaseUrl } = await openEmptyPostgres(t);
  await makeAccounts(sql);
  await sql`insert into accounts (amount, name) select 1, 'x' from generate_series(1, 1000)`;
  const ending = new AbortController();
  const folder = await temporaryFolder(t);
  const copying = copyTablesOut(databaseUrl, {
    ...{ folder, signal: ending.signal },
    onCopied: () => ending.abort(new Error('Interrupted.')),
  });
  await t.rejects(copying, { message: 'Interrupted.' });
});
