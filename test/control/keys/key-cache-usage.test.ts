import t from 'tap';
import { createKeyCache, listKeys } from '../../../control/keys/index.js';
import { makeKey, makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('the last use is written after a minute, and when the cache stops', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { id: pageId, slug } = await makePage(sql);
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
