import { createServer } from 'node:net';
import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { listen } from '../support/listen.js';
import { openEmptyPostgres } from '../support/stores.js';
import { atLocalPort, connectTo } from '../support/tcp-gate.js';

const { sql, databaseUrl } = await openEmptyPostgres(t);

t.test('arrays survive the way to PostgreSQL and back', async (t) => {
  const texts = ['', 'NULL', 'null', 'a,b', '{a}', '"', '\\', '\\"', ' spaced ', 'línea\nnueva', '🚑', "'"];
  const [row] = await sql`select ${texts}::text[] as texts, cardinality(${texts}::text[]) as count`;
  t.strictSame([...(row?.['texts'] ?? [])], texts);
  t.equal(row?.['count'], texts.length);
  const [empty] = await sql`select ${[]}::text[] as texts, array['a', null]::text[] as holed`;
  t.strictSame([...(empty?.['texts'] ?? [])], []);
  t.strictSame([...(empty?.['holed'] ?? [])], ['a', null]);
  const id = '019aa000-0000-7000-8000-000000000000';
  // The driver takes an array of Dates for one Date.
  const at = '2026-01-31T23:59:59.123Z';
  const [typed] = await sql`
    select ${[id]}::uuid[] as uuids, ${[1, -2]}::integer[] as integers, ${[at]}::timestamptz[] as times`;
  t.strictSame([...(typed?.['uuids'] ?? [])], [id]);
  t.strictSame([...(typed?.['integers'] ?? [])], [1, -2]);
  t.strictSame([...(typed?.['times'] ?? [])], [new Date(at)]);
});

t.test('a text array is stored as an array, and undefined in an array is refused', async (t) => {
  await sql`create table kept (texts text[])`;
  await sql`insert into kept ${sql([{ texts: ['de', 'pt-BR'] }])}`;
  t.strictSame([...((await sql`select texts from kept`)[0]?.['texts'] ?? [])], ['de', 'pt-BR']);
  await t.rejects(async () => sql`select ${[undefined as unknown as string]}::text[]`);
});

t.test('a connection that is lost while it is made fails its query and nothing else', async (t) => {
  // PostgreSQL answers a login and a query with about 700 bytes.
  const lengths = Array.from({ length: 30 }, (_, i) => 1 + 30 * i);
  await Promise.all(lengths.map(loseAfter));
  // An unhandled rejection fails the test by itself.
  t.pass('and no rejection was left over');
});

/** Asks twice over a connection that ends after that many bytes of the server. */
async function loseAfter(bytes: number): Promise<void> {
  const server = createServer((client) => {
    const upstream = connectTo(databaseUrl);
    let passed = 0;
    upstream.on('data', (data) => {
      client.write(data.subarray(0, Math.max(0, bytes - passed)));
      passed += data.length;
      if (passed < bytes) return;
      // Neither this connection nor the next is answered any more.
      server.close();
      client.destroy();
    });
    client.on('data', (data) => upstream.write(data));
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  const port = await listen(server);
  const pool = openPostgres(atLocalPort(databaseUrl, port), { max: 1, limits: { queryTimeoutMs: 2_000 } });
  await pool`select 1`.catch(() => {});
  await pool`select 2`.catch(() => {});
  await pool.end({ timeout: 1 });
  server.close();
}
