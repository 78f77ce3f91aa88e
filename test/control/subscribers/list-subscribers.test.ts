import t from 'tap';
import { type AddressListInput, listAddresses } from '../../../control/subscribers/index.js';
import { selectAddresses } from '../../../control/subscribers/list-subscribers.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql);
const other = await makePage(sql, { slug: 'other' });

for (const { id } of [page, other]) {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at, confirmed_at)
    select gen_random_uuid(), ${id}, 'n' || i || '@example.com', 'en', now(), now(),
      case when i % 10 > 0 then now() end
    from generate_series(1, 10000) i`;
  await sql`
    insert into suppressions (page_id, email, reason, created_at)
    select ${id}, 'n' || i || '@example.com', 'bounced', now() - i * interval '1 second'
    from generate_series(1, 12000) i where i % 4 = 0`;
}
await sql`analyze subscribers, suppressions`;

async function planOf(input: Omit<AddressListInput, 'pageId' | 'limit'>): Promise<string> {
  const rows = await sql<{ 'QUERY PLAN': string }[]>`
    explain ${selectAddresses(sql, { pageId: page.id, limit: 51, ...input })}`;
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

t.test('a part of 10,000 addresses is read from an index, without sorting or scanning a table', async (t) => {
  const [after] = await listAddresses({ sql }, { pageId: page.id, limit: 1 });
  const [suppressed] = await listAddresses({ sql }, { pageId: page.id, state: 'suppressed', limit: 1 });
  const inputs = [
    {},
    { after },
    { state: 'confirmed' },
    { state: 'confirmed', after },
    { state: 'suppressed' },
    { state: 'suppressed', after: suppressed },
  ] as const;
  for (const input of inputs) {
    const plan = await planOf(input);
    t.notMatch(plan, /Sort|Seq Scan/, `${JSON.stringify(input)}\n${plan}`);
    t.match(plan, /subscribers_page_id|subscribers_confirmed|suppressions_page_id/);
  }
});

t.test('the parts are the list, each address once', async (t) => {
  const counts = { confirmed: 7_000, unconfirmed: 500, suppressed: 3_000 };
  for (const [state, count] of Object.entries(counts)) {
    const ids = new Set<string>();
    const input = { pageId: page.id, state: state as keyof typeof counts, limit: 999 };
    for (let after: AddressListInput['after'], isLast = false; !isLast; ) {
      const rows = await listAddresses({ sql }, { ...input, after });
      for (const { id } of rows) ids.add(id);
      isLast = rows.length < 999;
      after = rows.at(-1);
    }
    t.equal(ids.size, count, state);
  }
});

t.test('every suppressed address has an id of its own, by which an index finds it', async (t) => {
  const [counted] = await sql<{ rows: number; ids: number }[]>`
    select count(*)::int as rows, count(distinct id)::int as ids from suppressions`;
  t.equal(counted?.ids, counted?.rows);
  const [index] = await sql`select indexdef from pg_indexes where indexname = 'suppressions_id'`;
  t.match(index, { indexdef: /unique index/i });
});
