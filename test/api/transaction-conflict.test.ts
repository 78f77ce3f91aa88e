import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makeKey } from '../support/pages.js';
import { startTestService, withoutJobs } from '../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const headers = { authorization: `Bearer ${key}` };
const create = () =>
  service.post('/api/v1/pages/acme/queries', { name: 'q', sql: 'SELECT 1' }, { key: null, headers });

t.test('a transaction that PostgreSQL ends for another one is a 503 that invites a retry', async (t) => {
  for (const state of ['40P01', '40001']) {
    // A real deadlock needs two transactions that meet at the right moment; the error of one is the same each time.
    await deps.sql.unsafe(`
      create function give_up() returns trigger language plpgsql as
        $$ begin raise exception 'deadlock detected' using errcode = '${state}'; end $$;
      create trigger give_up before insert on queries for each row execute function give_up()`);
    const refused = await create();
    t.match(
      refused,
      { status: 503, body: { error: 'Another change of the same data got in the way. Retry.' } },
      state,
    );
    t.equal(refused.headers.get('retry-after'), '1');
    await deps.sql.unsafe('drop trigger give_up on queries; drop function give_up()');
  }
  t.equal((await create()).status, 201, 'which then succeeds');
});
