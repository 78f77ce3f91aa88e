import t from 'tap';
import { dayMs, minuteMs, secondMs } from '../../lib/times.js';
import { clocksDifferMsMax, isDue, isUnclaimed } from '../../sql/claim.js';
import { addToWindow, windowMs } from '../../sql/count-in-window.js';
import { openTestPostgres } from '../support/stores.js';

const { sql } = await openTestPostgres(t);
await sql`create table queue (id text primary key, next_attempt_at timestamptz not null, claimed_until timestamptz)`;
await sql`create table requests (key text primary key, window_ends_at timestamptz not null, requests integer not null)`;

const now = Date.UTC(2026, 0, 31, 12);

t.test('a row is free without a claim, and when its claim is over or impossible', async (t) => {
  const leaseMs = 30 * secondMs;
  const ends: Record<string, number | null> = {
    'never claimed': null,
    over: now,
    held: now + 1,
    'held by a clock that is ahead': now + leaseMs + clocksDifferMsMax,
    'held since before the clock was put back': now + leaseMs + clocksDifferMsMax + 1,
  };
  for (const [id, end] of Object.entries(ends)) {
    const claimedUntil = end === null ? null : new Date(end);
    await sql`insert into queue values (${id}, ${new Date(now)}, ${claimedUntil})`;
  }
  const rows = await sql`
    select id from queue q where ${isUnclaimed(sql, 'q.claimed_until', { now, leaseMs })} order by id`;
  t.strictSame(
    rows.map((row) => row['id']),
    ['held since before the clock was put back', 'never claimed', 'over'],
  );
});

t.test('a row is due at its time, and when its time is impossible', async (t) => {
  await sql`delete from queue`;
  const pauseMsMax = 5 * minuteMs;
  const times = {
    due: now,
    waits: now + 1,
    'waits longest': now + pauseMsMax + clocksDifferMsMax,
    impossible: now + dayMs,
  };
  for (const [id, at] of Object.entries(times)) await sql`insert into queue values (${id}, ${new Date(at)})`;
  const rows = await sql`
    select id from queue where ${isDue(sql, 'next_attempt_at', { now, pauseMsMax })} order by id`;
  t.strictSame(
    rows.map((row) => row['id']),
    ['due', 'impossible'],
  );
});

t.test('requests are counted in windows that begin with the first of them', async (t) => {
  async function count(at: number, requests = 1): Promise<[number, number]> {
    const [row] = await sql<{ requests: number; window_ends_at: Date }[]>`
      insert into requests as held (key, window_ends_at, requests)
      values ('a', ${new Date(at + windowMs)}, ${requests})
      on conflict (key) do update set ${addToWindow(sql, at)}
      returning requests, window_ends_at`;
    if (row === undefined) throw new Error('PostgreSQL returned no row.');
    return [row.requests, row.window_ends_at.getTime()];
  }
  t.strictSame(await count(now), [1, now + windowMs]);
  t.strictSame(await count(now + 10), [2, now + windowMs]);
  t.strictSame(await count(now + windowMs - 1, 5), [7, now + windowMs]);
  t.strictSame(await count(now + windowMs), [1, now + 2 * windowMs], 'the next window');
  t.strictSame(
    await count(now + 1),
    [2, now + 2 * windowMs],
    'from a clock that is behind by less than a minute',
  );
  t.strictSame(await count(now), [1, now + windowMs], 'after the clock was put back by a window');
});
