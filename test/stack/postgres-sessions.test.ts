import { join } from 'node:path';
import postgres from 'postgres';
import t from 'tap';
import { startPostgres } from '../../stack/postgres.js';
import { postgresTemplate } from '../support/store-template.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { waitUntil } from '../support/wait-until.js';
import { recordingLog } from './support.js';

const server = await startPostgres({
  dir: join(await temporaryFolder(t), 'postgres'),
  templateDir: await postgresTemplate('empty'),
  idleInTransactionMsMax: 4_000,
  log: recordingLog(),
});
t.teardown(() => server.stop());
const clients = [1, 2].map(() => postgres(server.url, { max: 15 }));
t.teardown(() => Promise.all(clients.map((sql) => sql.end({ timeout: 1 }))));
const [sql = postgres(), other = postgres()] = clients;
await sql`create table counters (id int primary key, n int not null)`;
await sql`insert into counters select id, 0 from generate_series(1, 10) id`;

async function read(id: number): Promise<unknown> {
  return (await sql`select n from counters where id = ${id}`)[0]?.['n'];
}

t.test('parallel transactions of thirty connections lose no update', async (t) => {
  const add = (client: postgres.Sql): Promise<unknown> =>
    client.begin(async (tx) => {
      const [row] = await tx`select n from counters where id = 1`;
      await tx`update counters set n = ${Number(row?.['n']) + 1} where id = 1`;
    });
  await Promise.all(Array.from({ length: 120 }, (_, i) => add(i % 2 === 0 ? sql : other)));
  t.equal(await read(1), 120);
});

t.test('unnamed statements stay within their connection', async (t) => {
  const ask = async (client: postgres.Sql, i: number): Promise<boolean> => {
    const [row] =
      i % 3 === 0
        ? await client.unsafe('select $1::int as n, $2::text as name', [i, `n${i}`])
        : await client.unsafe('select $2::text as name, $1::int as n', [i, `n${i}`]);
    return row?.['n'] === i && row['name'] === `n${i}`;
  };
  const answers = await Promise.all(Array.from({ length: 600 }, (_, i) => ask(i % 2 === 0 ? sql : other, i)));
  t.ok(answers.every(Boolean));
});

t.test('an error closes neither its connection nor others', async (t) => {
  const outcomes = await Promise.allSettled([
    sql`select 1 / ${0}::int as n`,
    other`select nothing`,
    sql`select 2 as n`,
    other.begin((tx) => tx`select 1 / 0`),
    other`select 3 as n`,
  ]);
  t.match(outcomes, [
    { reason: { code: '22012' } },
    { reason: { code: '42703' } },
    { value: [{ n: 2 }] },
    { reason: { code: '22012' } },
    { value: [{ n: 3 }] },
  ]);
});

t.test('the transaction of a client that dies is rolled back', async (t) => {
  // A pool of one connection, so that a transaction can be begun by hand and left open.
  const dying = postgres(server.url, { max: 1 });
  await dying`begin`;
  await dying`update counters set n = -1 where id = 2`;
  const waiting = read(2);
  await dying.end({ timeout: 0 });
  t.equal(await waiting, 0);
});

t.test(
  'a client that leaves its transaction idle is disconnected, because the others wait for it',
  async (t) => {
    const idle = postgres(server.url, { max: 1 });
    await idle`begin`;
    await idle`update counters set n = -1 where id = 3`;
    t.equal(await read(3), 0);
    await idle.end({ timeout: 0 });
  },
);

t.test('a failed transaction stays open until its client rolls it back', async (t) => {
  const failing = postgres(server.url, { max: 1 });
  await failing`begin`;
  await failing`update counters set n = -1 where id = 4`;
  await t.rejects(failing`select nothing`, { code: '42703' });
  await t.rejects(failing`select 1`, { code: '25P02' });
  await failing`rollback`;
  t.equal(await read(4), 0);
  await failing.end();
});

t.test('long answers and long parameters arrive complete', async (t) => {
  const [row] = await sql`select length(${'x'.repeat(3_000_000)}) as given, repeat('y', 3000000) as taken`;
  t.equal(row?.['given'], 3_000_000);
  t.equal(row?.['taken'].length, 3_000_000);
});

t.test('prepared statements end with their connection', async (t) => {
  const prepared = async (): Promise<number> => {
    const rows = await sql.unsafe('select statement from pg_prepared_statements');
    return rows.filter((row) => String(row['statement']).includes('as passing')).length;
  };
  const passing = postgres(server.url, { max: 1 });
  for (let i = 0; i < 5; i++) await passing.unsafe(`select $1::int as passing${i}`, [i], { prepare: true });
  t.equal(await prepared(), 5);
  await passing.end();
  await waitUntil('the server has noticed the closed connection', async () => (await prepared()) === 0);
});
