import t from 'tap';
import { createKeyCache, newKey, revokeKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { makeKey, makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { openTcpGate } from '../../support/tcp-gate.js';
import { waitUntil } from '../../support/wait-until.js';

const { sql, databaseUrl } = await openTestPostgres(t);
/** Short, so that an outage is noticed, and is over, soon. */
const often = { pollEveryMs: 20, queryTimeoutMs: 1_000 };
const direct = { sql, clock: systemClock, by: testActor };

for (const outage of ['close', 'stall'] as const) {
  t.test(
    `PostgreSQL unavailable (${outage}): cached keys work, others fail, and no change is missed`,
    async (t) => {
      const slug = `outage-${outage}`;
      await makePage(sql, { slug });
      const kept = await makeKey(direct, { slug, scope: 'ingest' });
      const revoked = await makeKey(direct, { slug, scope: 'ingest' });
      const gate = await openTcpGate(t, databaseUrl);
      const gated = openPostgres(gate.url);
      t.teardown(() => gated.end({ timeout: 0 }));
      const warnings: string[] = [];
      const log = { ...silentLog, warn: (_: object, text: string) => warnings.push(text) };
      const cache = createKeyCache({ sql: gated, clock: systemClock, log, ...often });
      await cache.start();
      t.ok(await cache.find(kept.key));
      t.ok(await cache.find(revoked.key));

      await gate[outage]();
      await waitUntil('the outage is noticed', () => warnings.length > 0);
      await revokeKey(direct, { id: revoked.id });
      t.equal((await cache.find(kept.key))?.keyId, kept.id);
      const lookup = Promise.resolve(cache.find(newKey('ingest')));
      await t.rejects(lookup, { name: 'ServiceError', kind: 'storeUnavailable' });

      if (outage === 'stall') await gate.close();
      await gate.open();
      // A lookup fails while the pool has no connection yet.
      const find = async (key: string) => Promise.resolve(cache.find(key)).catch(() => null);
      await waitUntil('the revoked key is refused', async () => (await find(revoked.key)) === undefined);
      await waitUntil('the other one works', async () => (await find(kept.key))?.keyId === kept.id);
      const polls = warnings.filter((text) => text.startsWith('Changes of keys'));
      t.equal(polls.length, 1, 'an outage is logged once');
      await cache.stop();
    },
  );
}

t.test('an instance that starts without PostgreSQL recovers once PostgreSQL is available', async (t) => {
  await makePage(sql, { slug: 'start' });
  const { id, key } = await makeKey(direct, { slug: 'start', scope: 'read' });
  const gate = await openTcpGate(t, databaseUrl);
  await gate.close();
  const gated = openPostgres(gate.url);
  t.teardown(() => gated.end({ timeout: 0 }));
  const cache = createKeyCache({ sql: gated, clock: systemClock, log: silentLog, ...often });
  t.teardown(cache.stop);
  await cache.start();
  await t.rejects(Promise.resolve(cache.find(key)), { name: 'ServiceError', kind: 'storeUnavailable' });
  await gate.open();
  await waitUntil('the key works', async () => {
    const grant = await Promise.resolve(cache.find(key)).catch(() => undefined);
    return grant?.keyId === id;
  });
});
