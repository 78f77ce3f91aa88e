import t from 'tap';
import { pageScopes } from '../../../contract/scopes.js';
import { listKeys, revokeKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { hashSecret } from '../../../lib/secrets/secrets.js';
import { testActor } from '../../support/actor.js';
import { tickingClock } from '../../support/clocks.js';
import { makeKey, makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, by: testActor };

for (const scope of pageScopes) {
  t.test(`only the hash and the first digits of a ${scope} key are stored`, async (t) => {
    const page = await makePage(sql, { slug: `page-${scope}` });
    const created = await makeKey(deps, { slug: page.slug, scope });
    t.equal(created.scope, scope);
    const [row] = await sql`select *, keys::text as whole_row from keys where id = ${created.id}`;
    t.match(row, { page_id: page.id, scope, last_used_at: null, revoked_at: null });
    t.equal(row?.['secret_hash'].toString('hex'), hashSecret(created.key));
    t.equal(row?.['display_prefix'], created.key.slice(0, -39));
    t.notMatch(row?.['whole_row'], created.key.slice(-39), 'the key itself is nowhere in the row');
  });
}

t.test('a key cannot be deleted', async (t) => {
  await t.rejects(sql`delete from keys`, { message: /^a key is revoked, not deleted/ });
});

t.test('a list has the keys of one page, oldest first, without their secrets', async (t) => {
  const acme = await makePage(sql, { slug: 'listed' });
  await makePage(sql, { slug: 'other' });
  const deps = { sql, clock: tickingClock(Date.UTC(2026, 0, 1)) };
  const first = await makeKey(deps, { slug: 'listed', scope: 'read' });
  await makeKey(deps, { slug: 'other', scope: 'read' });
  const second = await makeKey(deps, { slug: 'listed', scope: 'incident' });
  t.strictSame(await listKeys({ sql }, acme.id), [
    {
      id: first.id,
      pageId: acme.id,
      scope: 'read',
      access: null,
      name: null,
      displayPrefix: first.key.slice(0, 'key_read_'.length + 4),
      createdAt: new Date('2026-01-01T00:00:01.000Z'),
      createdBy: { type: 'cli', id: 'cli', name: 'test' },
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    },
    {
      id: second.id,
      pageId: acme.id,
      scope: 'incident',
      access: null,
      name: null,
      displayPrefix: second.key.slice(0, 'key_live_'.length + 4),
      createdAt: new Date('2026-01-01T00:00:03.000Z'),
      createdBy: { type: 'cli', id: 'cli', name: 'test' },
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    },
  ]);
});

t.test('revoking a key is permanent, keeps its first time, and affects no other key', async (t) => {
  const { id: pageId, slug } = await makePage(sql, { slug: 'revoked' });
  let now = Date.UTC(2026, 0, 1);
  const deps = { sql, clock: { now: () => now } };
  const kept = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1_000;
  const revoked = await makeKey(deps, { slug, scope: 'ingest' });
  now += 1_000;
  const first = new Date(now);
  t.same((await revokeKey({ ...deps, by: testActor }, { id: revoked.id })).revokedAt, first);
  now += 1_000;
  t.same(
    (await revokeKey({ ...deps, by: testActor }, { id: revoked.id.toUpperCase() })).revokedAt,
    first,
    'the first time stays',
  );
  const keys = await listKeys({ sql }, pageId);
  t.strictSame(
    keys.map(({ id, revokedAt }) => ({ id, revokedAt })),
    [
      { id: kept.id, revokedAt: null },
      { id: revoked.id, revokedAt: first },
    ],
  );
  for (const id of ['01a1fdad-e0d8-7951-8f7f-e8ec021a6e37', 'no-uuid', '']) {
    await t.rejects(revokeKey({ ...deps, by: testActor }, { id }), {
      kind: 'notFound',
      message: `There is no key with the id "${id}".`,
    });
  }
});
