import t from 'tap';
import { listKeys, revokeKey } from '../../../control/keys/index.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

t.test('revoking a key is permanent, keeps its first time, and affects no other key', async (t) => {
  const { sql } = await openTestPostgres(t);
  const { id: pageId, slug } = await makePage(sql);
  let now = Date.UTC(2026, 0, 1);
  const deps = { sql, clock: { now: () => now } };
  const kept = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1_000;
  const revoked = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1_000;
  const first = new Date(now);
  t.same((await revokeKey(deps, { id: revoked.id })).revokedAt, first);
  now += 1_000;
  t.same((await revokeKey(deps, { id: revoked.id.toUpperCase() })).revokedAt, first, 'the first time stays');
  const keys = await listKeys({ sql }, pageId);
  t.strictSame(
    keys.map(({ id, revokedAt }) => ({ id, revokedAt })),
    [
      { id: kept.id, revokedAt: null },
      { id: revoked.id, revokedAt: first },
    ],
  );
  for (const id of ['01a1fdad-e0d8-7951-8f7f-e8ec021a6e37', 'no-uuid', '']) {
    await t.rejects(revokeKey(deps, { id }), {
      kind: 'notFound',
      message: `There is no key with the id "${id}".`,
    });
  }
});
