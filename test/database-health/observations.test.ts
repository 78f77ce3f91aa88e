import t from 'tap';
import {
  acceptObservation,
  countObservationRequest,
} from '../../database-health/observations/accept-observation.js';
import { forgetObservations, listObservations } from '../../database-health/observations/observations.js';
import { parseObservation } from '../../database-health/observations/parse-observation.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makeObservation, type ObservationFields } from '../support/observations.js';
import { makePage } from '../support/pages.js';
import { openTestPostgres } from '../support/stores.js';

const { sql, databaseUrl } = await openTestPostgres(t);
const begin = Date.parse('2026-06-01T12:00:00.000Z');
let now = begin;
const deps = { sql, clock: { now: () => now } };
const { id: pageId } = await makePage(sql);
const { id: otherPageId } = await makePage(sql, { slug: 'other' });

const accept = (fields: ObservationFields = {}, of = pageId) =>
  acceptObservation(deps, { pageId: of, observation: parseObservation(makeObservation(now, fields), now) });
const ago = (ms: number) => new Date(now - ms).toISOString();
const list = (of = pageId) => listObservations(deps, { pageId: of });
const rowsOf = async (of: string) => (await sql`select 1 from observations where page_id = ${of}`).count;

t.test('a source shows its newest observation, by the time of the check', async (t) => {
  t.strictSame(await list(), []);
  await accept({ sourceId: 'b', latencyMs: 1, checkedAt: ago(minuteMs) });
  await accept({ sourceId: 'b', latencyMs: 2, checkedAt: ago(0) });
  await accept({ sourceId: 'b', latencyMs: 3, checkedAt: ago(2 * minuteMs) });
  await accept({ sourceId: 'a', engine: 'mysql', connections: 0, checkedAt: ago(15 * minuteMs) });
  await accept({ sourceId: 'b', engine: 'mongodb' }, otherPageId);
  const [a, b, ...more] = await list();
  t.strictSame(more, []);
  t.match(a, { sourceId: 'a', engine: 'mysql', connections: 0, blockedSessions: null, fresh: true });
  t.strictSame(b, {
    ...{ sourceId: 'b', engine: 'postgresql', environment: 'production', target: 'eu-west/primary' },
    ...{ connectionId: null, observedAt: new Date(now), outcome: 'connected', latencyMs: 2 },
    ...{ capabilities: ['pg_stat_activity', 'pg_locks'], connections: 17, connectionLimit: 100 },
    ...{ activeSessions: 4, blockedSessions: null, fresh: true },
  });
  t.match(await list(otherPageId), [{ sourceId: 'b', engine: 'mongodb' }]);
});

t.test('an observation is fresh for 15 minutes, and shows for 24 hours', async (t) => {
  now = begin + 15 * minuteMs;
  t.match(await list(), [
    { sourceId: 'a', fresh: false },
    { sourceId: 'b', fresh: true },
  ]);
  now += 1;
  t.match(await list(), [{ fresh: false }, { fresh: false }]);
  now = begin + dayMs;
  t.match(await list(), [{ sourceId: 'b', latencyMs: 2 }], 'although nothing is deleted yet');
  now += 1;
  t.strictSame(await list(), []);
  t.equal(await rowsOf(pageId), 4);
});

t.test('an expired source may observe something else under its name', async (t) => {
  now = begin + dayMs;
  await t.rejects(accept({ sourceId: 'b', engine: 'mysql' }), likeServiceError('conflict'));
  now += 1;
  t.strictSame(await accept({ sourceId: 'b', engine: 'mysql' }), { duplicate: false });
  t.match(await list(), [{ sourceId: 'b', engine: 'mysql' }]);
});

t.test('observations that are a day old are deleted, however many there are', async (t) => {
  now = begin + 2 * dayMs + 2;
  await accept({ sourceId: 'kept' });
  const observedAt = new Date(now - dayMs - 1);
  await sql`
    insert into observations (page_id, id, source_id, content_hash, outcome, checked_at, latency_ms, capabilities,
      received_at)
    select ${pageId}, gen_random_uuid(), 'kept', ${Buffer.alloc(32)}, 'connected', ${observedAt}, 1, '{}',
      ${observedAt}
    from generate_series(1, 2500)`;
  t.equal(await forgetObservations(deps), 2_501, 'with the one of the other page');
  t.equal(await rowsOf(pageId), 1);
  t.equal(await rowsOf(otherPageId), 0);
  const sources = await sql<{ source_id: string }[]>`select source_id from observation_sources`;
  t.strictSame([...sources], [{ source_id: 'kept' }]);
  t.equal(await forgetObservations(deps), 0);
});

t.test('an observation is accepted while a job whose clock is ahead deletes its source', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    now += dayMs + 1;
    const sourceId = `round ${round}`;
    await accept({ sourceId });
    // The job's clock is ahead of the one of the instance that takes the observation.
    const ahead = { sql, clock: { now: () => now + dayMs + 1 } };
    const taken = accept({ sourceId, checkedAt: ago(-1000) });
    await Promise.all([forgetObservations(ahead), taken, forgetObservations(ahead)]);
    t.strictSame(await taken, { duplicate: false });
  }
});

t.test('requests are counted exactly over all instances, by the minute', async (t) => {
  now += dayMs;
  const another = openPostgres(databaseUrl);
  t.teardown(() => another.end());
  const instances = [deps, { ...deps, sql: another }];
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, i) => countObservationRequest(instances[i % 2] ?? deps, { pageId })),
  );
  t.strictSame(
    counted.map(({ requests }) => requests).sort((a, b) => a - b),
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  now += minuteMs - 1;
  t.strictSame(await countObservationRequest(deps, { pageId }), { requests: 21, msLeft: 1 });
  t.match(await countObservationRequest(deps, { pageId: otherPageId }), { requests: 1 });
  now += 1;
  t.strictSame(await countObservationRequest(deps, { pageId }), { requests: 1, msLeft: minuteMs });
});

t.test('a clock that was ahead does not keep a page waiting', async (t) => {
  now += minuteMs;
  const ahead = { sql, clock: { now: () => now + 3_600_000 } };
  t.match(await countObservationRequest(ahead, { pageId }), { requests: 1 });
  t.strictSame(await countObservationRequest(deps, { pageId }), { requests: 1, msLeft: minuteMs });
  const slightlyAhead = { sql, clock: { now: () => now + minuteMs / 2 } };
  t.match(await countObservationRequest(slightlyAhead, { pageId: otherPageId }), { requests: 1 });
  t.match(
    await countObservationRequest(deps, { pageId: otherPageId }),
    { requests: 2 },
    'a little is believed',
  );
});
