import t from 'tap';
import type { KeyGrant } from '../../../control/keys/index.js';
import { createKeyCache, type KeyCache, revokeKey } from '../../../control/keys/index.js';
import { pollEveryMsUsual } from '../../../control/keys/key-cache.js';
import { systemClock } from '../../../lib/clock.js';
import { queryTimeoutMsUsual } from '../../../sql/query-timeout.js';
import { testActor } from '../../support/actor.js';
import { makeKey, makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, log: silentLog, by: testActor, pollEveryMs: 20 };

/** Two instances, each with its own memory. */
async function startTwo(t: Tap): Promise<KeyCache[]> {
  const caches = [createKeyCache(deps), createKeyCache(deps)];
  t.teardown(() => Promise.all(caches.map((cache) => cache.stop())));
  await Promise.all(caches.map((cache) => cache.start()));
  return caches;
}
type Tap = { teardown(handler: () => Promise<unknown>): void };

/**
 * The grant in memory, without a query; `absent` when memory does not know the key, such as after a query for changes
 * that took too long, and is asked to load it.
 */
function inMemory(cache: KeyCache, key: string): KeyGrant | 'absent' | undefined {
  const grant = cache.find(key);
  if (grant instanceof Promise) {
    grant.catch(() => {});
    return 'absent';
  }
  return grant?.scope === 'admin' ? undefined : grant;
}

/** The id of the key in memory. */
function idInMemory(cache: KeyCache, key: string): string | undefined {
  const grant = inMemory(cache, key);
  return grant === 'absent' ? undefined : grant?.keyId;
}

t.test('a revoked key stops on every instance, within 5 seconds, and other keys keep working', async (t) => {
  t.ok(pollEveryMsUsual + queryTimeoutMsUsual < 5_000, 'also when the query for changes hangs');

  await makePage(sql, { slug: 'revoke' });
  const revoked = await makeKey(deps, { slug: 'revoke', scope: 'ingest' });
  const kept = await makeKey(deps, { slug: 'revoke', scope: 'ingest' });
  const caches = await startTwo(t);
  for (const cache of caches) {
    t.ok(await cache.find(revoked.key));
    t.ok(await cache.find(kept.key));
  }
  await revokeKey(deps, { id: revoked.id });
  for (const cache of caches) {
    await waitUntil('the revoked key is refused', () => inMemory(cache, revoked.key) === undefined);
    await waitUntil('the other one works', () => idInMemory(cache, kept.key) === kept.id);
  }
});

t.test(
  'changes of a capability and of a page setting reach every instance, in both directions',
  async (t) => {
    await makePage(sql, { slug: 'change' });
    const { key } = await makeKey(deps, { slug: 'change', scope: 'ingest' });
    const caches = await startTwo(t);
    for (const cache of caches) t.ok(await cache.find(key));
    for (const on of [true, false, true]) {
      await setPage(deps, { slug: 'change', databaseHealthEnabled: on });
      await setPage(deps, { slug: 'change', capabilities: { 'internal-analytics': on } });
      for (const cache of caches) {
        await waitUntil(`both are ${on}`, () => {
          const grant = inMemory(cache, key);
          if (grant === undefined || grant === 'absent') return false;
          return grant.databaseHealthEnabled === on && grant.capabilities.has('internal-analytics') === on;
        });
      }
    }
    t.pass();
  },
);

t.test('an unknown key works soon after it is created', async (t) => {
  await makePage(sql, { slug: 'later' });
  const { id, key } = await makeKey(deps, { slug: 'later', scope: 'ingest' });
  // The test removes and restores the row, because it cannot choose the text of a key.
  await sql`alter table keys disable trigger keys_refuse_delete`;
  const [row] =
    await sql`delete from keys where id = ${id} returning id, page_id, scope, secret_hash, display_prefix, created_at`;
  await sql`alter table keys enable trigger keys_refuse_delete`;
  const caches = await startTwo(t);
  for (const cache of caches) t.equal(await cache.find(key), undefined);
  for (const cache of caches) t.equal(inMemory(cache, key), undefined, 'the key is cached as unknown');
  await sql`insert into keys ${sql({ ...row })}`;
  for (const cache of caches) {
    await waitUntil('the new key works', () => idInMemory(cache, key) === id);
  }
  t.pass();
});

t.test('more changes at once than the limit empty the cache', async (t) => {
  const page = await makePage(sql, { slug: 'many' });
  const watched = await makeKey(deps, { slug: 'many', scope: 'ingest' });
  await sql`
    insert into keys (id, page_id, scope, secret_hash, display_prefix, created_at)
    select gen_random_uuid(), ${page.id}, 'ingest', sha256(n::text::bytea), 'key_ingest_0000', now()
    from generate_series(1, 2500) n`;
  const caches = await startTwo(t);
  for (const cache of caches) t.ok(await cache.find(watched.key));
  await setPage(deps, { slug: 'many', capabilities: { 'internal-analytics': false } });
  for (const cache of caches) {
    await waitUntil('the change is seen', async () => {
      const grant = await cache.find(watched.key);
      return grant !== undefined && 'capabilities' in grant && !grant.capabilities.has('internal-analytics');
    });
  }
  t.pass();
});
