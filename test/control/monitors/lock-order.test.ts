import t, { type Test } from 'tap';
import { createPings, noteImportedChecks, startHeartbeat } from '../../../control/monitors/index.js';
import type { MonitorId } from '../../../lib/ids.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { openTestPostgres } from '../../support/stores.js';
import { waitUntil } from '../../support/wait-until.js';

const skip = !process.env['DATABASE_URL'] && 'the embedded server runs transactions one after the other';
const clock = makeMovingClock();

/** A page with 20 heartbeats. A scan of the table meets the one with the lowest id last. */
async function setUp(t: Test) {
  const { sql, databaseUrl } = await openTestPostgres(t);
  const other = openPostgres(databaseUrl);
  t.teardown(() => other.end({ timeout: 5 }));
  const { id: pageId } = await makePage(sql);
  const ids: MonitorId[] = [];
  for (let i = 0; i < 20; i += 1) ids.push(await insertMonitor(sql, { pageId, kind: 'heartbeat' }));
  ids.sort();
  const tokens: string[] = [];
  for (const monitorId of ids)
    tokens.push(await startHeartbeat({ sql, clock }, { monitorId, everySeconds: 60 }));
  const [lowest = '', ...others] = ids;
  await sql`update monitors set position = 1 where id = ${lowest}`;

  /** Starts the work while a transaction has one monitor. The transaction takes and changes the others as well. */
  async function besideTransaction<T>(work: () => Promise<T>): Promise<T> {
    const { working } = await sql.begin(async (tx) => {
      await tx`select 1 from monitors where id = ${lowest} for update`;
      const working = work();
      // It is awaited after the transaction, which may be the one that fails.
      working.catch(() => {});
      await waitUntil('the work waits for the lock', async () => {
        const { count } = await sql`
          select 1 from pg_locks join pg_stat_activity using (pid)
          where not granted and datname = current_database()`;
        return count > 0;
      });
      await tx`select 1 from monitors where id = any(${others}::uuid[]) order by id for update`;
      await tx`update monitors set failures = 7`;
      return { working };
    });
    return working;
  }
  return { sql, other, ids, tokens, besideTransaction };
}

t.test('pings wait for a transaction that locks their monitors, and are stored', { skip }, async (t) => {
  const { sql, other, tokens, besideTransaction } = await setUp(t);
  clock.advance(10_000);
  const from = new Date(clock.now());
  const ping = createPings({ sql: other, clock });
  // The first ping, of the highest id, is a batch of its own. The second batch has all others.
  const pinged = await besideTransaction(() => Promise.all(tokens.toReversed().map((token) => ping(token))));
  t.ok(pinged.every(Boolean));
  const rows = await sql`select 1 from monitors where last_ping_at >= ${from} and failures = 7`;
  t.equal(rows.count, tokens.length);
});

t.test('imported checks wait for such a transaction, and are noted', { skip }, async (t) => {
  const { sql, other, ids, besideTransaction } = await setUp(t);
  const at = new Date(clock.now());
  const checks = ids.map((monitorId) => ({
    ...{ monitorId, at, ok: true },
    ...{ state: 'up' as const, stateSince: at },
  }));
  await besideTransaction(() => noteImportedChecks({ sql: other }, checks.toReversed()));
  const rows = await sql`select 1 from monitors where last_checked_at = ${at} and failures = 7`;
  t.equal(rows.count, ids.length);
});
