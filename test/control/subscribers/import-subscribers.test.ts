import t from 'tap';
import { importSubscribers } from '../../../control/subscribers/index.js';
import { systemClock } from '../../../lib/clock.js';
import { QueryTimeout } from '../../../sql/query-timeout.js';
import { testActor } from '../../support/actor.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const page = await makePage(sql);
const deps = { sql, clock: systemClock, by: testActor };
const rows = Array.from({ length: 10_000 }, (_, i) => ({
  ...{ line: i + 2, email: `n${i}@example.com`, language: '', confirmed: true },
}));

t.test('an import that takes longer than it may stores nothing, and another one can follow', async (t) => {
  await t.rejects(importSubscribers(deps, { page, rows, timeoutMs: 5 }), QueryTimeout);
  t.same([...(await sql`select count(*)::int as stored from subscribers`)], [{ stored: 0 }]);
  t.equal((await importSubscribers(deps, { page, rows, timeoutMs: 30_000 })).added, rows.length);
});
