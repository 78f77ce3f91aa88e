import t from 'tap';
import { createKeyCache, revokeKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import type { Sql } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { makeKey, makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

/** The same pool, in which lookups by hash resolve only after `released`. */
function holdLookups(sql: Sql, released: Promise<void>, onAnswer: () => void): Sql {
  return new Proxy(sql, {
    apply(target, self, args) {
      const query = Reflect.apply(target, self, args);
      if (!String(args[0]).includes('k.secret_hash = any')) return query;
      return query.then(async (rows: unknown) => {
        onAnswer();
        await released;
        return rows;
      });
    },
  });
}

t.test('a lookup that PostgreSQL answered before the key was revoked is not cached', async (t) => {
  const { sql } = await openTestPostgres(t);
  const deps = { sql, clock: systemClock, log: silentLog, by: testActor };
  await makePage(sql, { slug: 'race' });
  const slow = await makeKey(deps, { slug: 'race', scope: 'ingest' });

  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let answered = false;
  const held = holdLookups(sql, released, () => {
    answered = true;
  });
  let polls = 0;
  const counting = new Proxy(held, {
    apply(target, self, args) {
      if (String(args[0]).includes('with changed as')) polls += 1;
      return Reflect.apply(target, self, args);
    },
  });
  const cache = createKeyCache({ ...deps, sql: counting });
  t.teardown(cache.stop);
  await cache.start();

  const answer = Promise.resolve(cache.find(slow.key));
  await waitUntil('PostgreSQL has answered', () => answered);
  await revokeKey(deps, { id: slow.id });
  // Once the second poll from here begins, the first one, which saw the revocation, has been applied.
  const begun = polls;
  await waitUntil('the change was read', () => polls >= begun + 2);
  release();
  t.equal((await answer)?.keyId, slow.id, 'the request before the revocation has the grant');
  t.equal(await cache.find(slow.key), undefined, 'the next request has none');
});
