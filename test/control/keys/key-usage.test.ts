import t from 'tap';
import { createKeyCache, listKeys } from '../../../control/keys/index.js';
import { touchKeys } from '../../../control/keys/key-usage.js';
import { systemClock } from '../../../lib/clock.js';
import { tickingClock } from '../../support/clocks.js';
import { makeKey, makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql } = await openTestPostgres(t);

t.test('the last use moves forward only, at most once a minute', async (t) => {
  const { id: pageId, slug } = await makePage(sql, { slug: 'touched' });
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
  const { slug } = await makePage(sql, { slug: 'quiet' });
  const key = await makeKey({ sql, clock: systemClock }, { slug, scope: 'ingest' });
  const [before] = await sql`select changed_in::text from keys where id = ${key.id}`;
  await touchKeys({ sql }, new Map([[key.id, Date.now()]]));
  const [after] =
    await sql`select changed_in::text, last_used_at is not null as touched from keys where id = ${key.id}`;
  t.same(after, { ...before, touched: true });
});

t.test('the last use is written after a minute, and when the cache stops', async (t) => {
  const { id: pageId, slug } = await makePage(sql, { slug: 'used' });
  const begin = Date.UTC(2026, 0, 1);
  let now = begin;
  const deps = { sql, clock: { now: () => now }, log: silentLog };
  const one = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1;
  const two = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1;
  await makeKey(deps, { slug, scope: 'ingest' });
  const lastUses = async () =>
    (await listKeys({ sql }, pageId)).map((key) => key.lastUsedAt?.getTime() ?? null);

  now = begin;
  const cache = createKeyCache(deps);
  await cache.start();
  await cache.find(one.key);
  now = begin + 59_999;
  await cache.find(one.key);
  t.same(await lastUses(), [null, null, null], 'the use stays in memory within the minute');
  now = begin + 60_000;
  await waitUntil('the last use is written', async () => (await lastUses())[0] !== null);
  t.same(await lastUses(), [begin + 59_999, null, null]);

  now = begin + 70_000;
  await cache.find(two.key);
  await cache.stop();
  t.same(await lastUses(), [begin + 59_999, begin + 70_000, null]);
});
