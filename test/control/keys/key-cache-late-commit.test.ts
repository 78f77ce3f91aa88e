import t from 'tap';
import { createKeyCache } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { makeKey, makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

t.test('a revocation that commits after a later change was seen is not missed', async (t) => {
  const { sql } = await openTestPostgres(t);
  const deps = { sql, clock: systemClock, log: silentLog };
  await makePage(sql, { slug: 'slow' });
  await makePage(sql, { slug: 'quick' });
  const slow = await makeKey(deps, { slug: 'slow', scope: 'ingest' });
  const quick = await makeKey(deps, { slug: 'quick', scope: 'ingest' });
  const cache = createKeyCache({ ...deps, pollEveryMs: 20 });
  t.teardown(cache.stop);
  await cache.start();
  t.ok(await cache.find(slow.key));
  t.ok(await cache.find(quick.key));

  for (const on of [true, false]) {
    await sql.begin(async (tx) => {
      // This transaction takes its number before the change of the other page, and commits after it.
      await tx`update keys set revoked_at = ${on ? null : new Date()} where id = ${slow.id}`;
      await setPage(deps, { slug: 'quick', databaseHealthEnabled: on });
      await waitUntil('the later change is seen', async () => {
        const grant = await cache.find(quick.key);
        return grant !== undefined && 'databaseHealthEnabled' in grant && grant.databaseHealthEnabled === on;
      });
      t.ok(cache.find(slow.key), 'an uncommitted change does not count');
    });
  }
  await waitUntil('the revocation is seen', () => cache.find(slow.key) === undefined);
});
