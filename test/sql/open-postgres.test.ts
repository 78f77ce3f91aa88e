import t from 'tap';
import { openPostgres } from '../../sql/open-postgres.js';
import { openEmptyPostgres } from '../support/stores.js';

t.test('times, bigints and bytes come back in the types that were sent', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const at = new Date('2026-01-31T23:59:59.123Z');
  const [row] = await sql`
    select ${at}::timestamptz as at, ${9_007_199_254_740_993n}::bigint as big, ${Buffer.from([0, 255])}::bytea as bytes`;
  t.same(row?.['at'], at);
  t.equal(row?.['big'], 9_007_199_254_740_993n);
  t.same(row?.['bytes'], Buffer.from([0, 255]));
});

t.test('concurrent queries get their own answers', async (t) => {
  const { sql } = await openEmptyPostgres(t);
  const asked = Array.from({ length: 200 }, (_, number) => number);
  const answers = await Promise.all(
    asked.map(async (number) => {
      const rows = await sql<{ number: number }[]>`
        select ${number}::integer as number from generate_series(1, ${(number % 5) + 1})`;
      return rows.map((row) => row.number);
    }),
  );
  t.same(
    answers,
    asked.map((number) => Array.from({ length: (number % 5) + 1 }, () => number)),
  );
});

t.test('a missing server is an error of the first query', async (t) => {
  const sql = openPostgres('postgres://nobody@127.0.0.1:1/none');
  t.teardown(() => sql.end({ timeout: 1 }));
  await t.rejects(sql`select 1`, { code: 'ECONNREFUSED' });
});
