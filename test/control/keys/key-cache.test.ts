import t from 'tap';
import { createKeyCache, newKey, revokeKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { countingSql } from '../../support/counting-sql.js';
import { makeKey, makePage, setPage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const { sql } = await openTestPostgres(t);
const deps = { sql, clock: systemClock, log: silentLog, by: testActor };

t.test('a key returns its grant, the second time without a promise', async (t) => {
  const page = await makePage(sql, { slug: 'grant' });
  await setPage(deps, {
    slug: 'grant',
    databaseHealthEnabled: true,
    capabilities: { 'incident-writes': false },
  });
  const expiresAt = new Date(Date.now() + 60_000);
  const { id, key } = await makeKey(deps, { slug: 'grant', scope: 'read', name: 'grafana', expiresAt });
  const cache = createKeyCache(deps);
  t.teardown(cache.stop);
  await cache.start();
  const grant = {
    ...{ keyId: id, keyName: 'grafana', expiresAt: expiresAt.getTime(), access: null },
    pageId: page.id,
    slug: 'grant',
    scope: 'read',
    capabilities: new Set(['internal-analytics', 'database-health']),
    databaseHealthEnabled: true,
  };
  t.strictSame(await cache.find(key), grant);
  t.strictSame(cache.find(key), grant);
});

t.test('concurrent requests for a key, known or unknown, share one query', async (t) => {
  await makePage(sql, { slug: 'once' });
  const { key, id } = await makeKey(deps, { slug: 'once', scope: 'ingest' });
  const counting = countingSql(sql);
  const cache = createKeyCache({ ...deps, sql: counting.sql });
  t.teardown(cache.stop);
  const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(key)));
  t.same(new Set(found.map((grant) => grant?.keyId)), new Set([id]));
  const queriesOfOneLookup = counting.count();
  t.not(queriesOfOneLookup, 0);
  await cache.start();
  await Promise.all([cache.find(key), cache.find(key)]);
  const unknown = newKey('ingest');
  await cache.find(unknown);
  const before = counting.count();
  for (let i = 0; i < 100; i += 1) {
    t.equal(cache.find(unknown), undefined);
    const grant = cache.find(key);
    t.ok(grant !== undefined && !(grant instanceof Promise));
  }
  t.equal(counting.count(), before, 'no query was sent');
});

t.test('a malformed key is refused without a query', async (t) => {
  const counting = countingSql(sql);
  const cache = createKeyCache({ ...deps, sql: counting.sql });
  const key = newKey('read');
  for (const malformed of ['', 'Bearer', key.slice(0, -1), `${key}x`, "' or 1=1 --", '\0', '😀'.repeat(30)]) {
    t.equal(cache.find(malformed), undefined);
  }
  t.equal(counting.count(), 0);
});

t.test('a revoked key is refused on its first lookup', async (t) => {
  await makePage(sql, { slug: 'gone' });
  const { id, key } = await makeKey(deps, { slug: 'gone', scope: 'read' });
  await revokeKey(deps, { id });
  const cache = createKeyCache(deps);
  t.teardown(cache.stop);
  await cache.start();
  t.equal(await cache.find(key), undefined);
});
