import t from 'tap';
import { createKey } from '../../../control/keys/create-key.js';
import { createKeyCache } from '../../../control/keys/key-cache.js';
import { listKeys } from '../../../control/keys/list-keys.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('the last use is written when a minute has passed, and at the stop', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { slug } = await makePage(sql);
  const begin = Date.UTC(2026, 0, 1);
  let now = begin;
  const deps = { sql, clock: { now: () => now }, log: silentLog };
  const one = await createKey(deps, { slug, scope: 'ingest' });
  now += 1;
  const two = await createKey(deps, { slug, scope: 'ingest' });
  now += 1;
  await createKey(deps, { slug, scope: 'ingest' });
  const lastUses = async () =>
    (await listKeys({ sql }, { slug })).map((key) => key.lastUsedAt?.getTime() ?? null);

  now = begin;
  const cache = createKeyCache(deps);
  await cache.start();
  await cache.find(one.key);
  now = begin + 59_999;
  await cache.find(one.key);
  t.same(await lastUses(), [null, null, null], 'within the minute it stays in memory');
  now = begin + 60_000;
  await waitUntil('the last use is written', async () => (await lastUses())[0] !== null);
  t.same(await lastUses(), [begin + 59_999, null, null]);

  now = begin + 70_000;
  await cache.find(two.key);
  await cache.stop();
  t.same(await lastUses(), [begin + 59_999, begin + 70_000, null]);
});
