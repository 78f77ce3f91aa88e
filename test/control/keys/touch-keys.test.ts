import t from 'tap';
import { listKeys } from '../../../control/keys/index.js';
import { touchKeys } from '../../../control/keys/key-usage.js';
import { systemClock } from '../../../lib/clock.js';
import { tickingClock } from '../../support/clocks.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('the last use moves forward only, at most once a minute', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { id: pageId, slug } = await makePage(sql);
  const deps = { sql, clock: tickingClock(Date.UTC(2025, 0, 1)) };
  const one = await makeKey(deps, { slug, scope: 'ingest' });
  const two = await makeKey(deps, { slug, scope: 'ingest' });
  const lastUses = async () =>
    (await listKeys({ sql }, pageId)).map((key) => key.lastUsedAt?.getTime() ?? null);
  const at = Date.UTC(2026, 0, 1);

  await touchKeys({ sql }, new Map());
  t.same(await lastUses(), [null, null]);
  await touchKeys({ sql }, new Map([[one.id, at]]));
  t.same(await lastUses(), [at, null]);
  const usedAgain = at + 59_999;
  await touchKeys(
    { sql },
    new Map([
      [one.id, usedAgain],
      [two.id, usedAgain],
    ]),
  );
  t.same(await lastUses(), [at, usedAgain], 'nothing is written within the minute');
  await touchKeys({ sql }, new Map([[one.id, at + 60_000]]));
  t.same(await lastUses(), [at + 60_000, usedAgain]);
  await touchKeys({ sql }, new Map([[one.id, at]]));
  t.same(await lastUses(), [at + 60_000, usedAgain], 'an older use changes nothing');
});

t.test('a write of the last use is not a change for other instances', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { slug } = await makePage(sql);
  const key = await makeKey({ sql, clock: systemClock }, { slug, scope: 'ingest' });
  const [before] = await sql`select changed_in::text from keys`;
  await touchKeys({ sql }, new Map([[key.id, Date.now()]]));
  const [after] = await sql`select changed_in::text, last_used_at is not null as touched from keys`;
  t.same(after, { ...before, touched: true });
});
