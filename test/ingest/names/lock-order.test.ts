import t from 'tap';
import { createNameRegistry } from '../../../ingest/names/name-registry.js';
import { systemClock } from '../../../lib/clock.js';
import { openPostgres, type Transaction } from '../../../sql/open-postgres.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { fillNames } from '../../support/fill-names.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('metadata wait for a transaction that locks their reporters, and are stored', async (t) => {
  const { sql, databaseUrl } = await openTestPostgres(t);
  const other = openPostgres(databaseUrl);
  t.teardown(() => other.end({ timeout: 5 }));
  const { id: pageId } = await makePage(sql);
  await fillNames(sql, pageId, { reporters: 20 });
  const rows = await sql<{ source: string }[]>`select source from sources order by source`;
  const ids = rows.map(({ source }) => source);
  const [lowest = '', ...others] = ids;
  // A scan of the table then meets the lowest one last.
  await sql`update sources set team = 'moved' where source = ${lowest}`;
  const registry = createNameRegistry({ sql: other, clock: systemClock });
  const locks = {
    first: (tx: Transaction) => tx`select 1 from sources where source = ${lowest} for update`,
    next: (tx: Transaction) =>
      tx`select 1 from sources where source = any(${others}::text[]) order by source for update`,
  };
  const sources = await besideTransaction(sql, locks, () =>
    Promise.all(
      ids
        .toReversed()
        .map((reporterId) => registry.reporter(pageId, { reporterId, englishName: 'A new name' })),
    ),
  );
  t.ok(sources.every((source) => source !== undefined));
  t.equal((await sql`select 1 from sources where name = 'A new name'`).count, ids.length);
});
