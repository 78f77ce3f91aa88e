import t, { type Test } from 'tap';
import { createIncident, parseNewIncident } from '../../../control/incidents/index.js';
import {
  createPings,
  loadOrder,
  noteImportedChecks,
  putOrder,
  startHeartbeat,
  watchMonitors,
} from '../../../control/monitors/index.js';
import type { MonitorId } from '../../../lib/ids.js';
import { openPostgres, type Transaction } from '../../../sql/open-postgres.js';
import { testActor } from '../../support/actor.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { outage } from '../../support/incidents.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeMovingClock } from '../../support/moving-clock.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openTestPostgres } from '../../support/stores.js';

const clock = makeMovingClock();

/** A page with 20 heartbeats, and a transaction that locks and changes them in the order of ids. */
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
    tokens.push(await startHeartbeat({ sql, clock, by: testActor }, { monitorId, everySeconds: 60 }));
  const [lowest = '', ...others] = ids;
  // A scan of the table then meets the lowest id last.
  await sql`update monitors set position = 1 where id = ${lowest}`;
  const locks = {
    first: (tx: Transaction) => tx`select 1 from monitors where id = ${lowest} for update`,
    async next(tx: Transaction) {
      await tx`select 1 from monitors where id = any(${others}::uuid[]) order by id for update`;
      await tx`update monitors set failures = 7`;
    },
  };
  return { sql, other, pageId, ids, tokens, locks };
}

t.test('pings wait for a transaction that locks their monitors, and are stored', async (t) => {
  const { sql, other, tokens, locks } = await setUp(t);
  clock.advance(10_000);
  const from = new Date(clock.now());
  const ping = createPings({ sql: other, clock });
  // The first ping, of the highest id, is a batch of its own. The second batch has all others.
  const pinged = await besideTransaction(sql, locks, () =>
    Promise.all(tokens.toReversed().map((token) => ping(token))),
  );
  t.ok(pinged.every(Boolean));
  const rows = await sql`select 1 from monitors where last_ping_at >= ${from} and failures = 7`;
  t.equal(rows.count, tokens.length);
});

t.test('imported checks wait for such a transaction, and are noted', async (t) => {
  const { sql, other, ids, locks } = await setUp(t);
  const at = new Date(clock.now());
  const checks = ids.map((monitorId) => ({
    ...{ monitorId, at, ok: true },
    ...{ state: 'up' as const, stateSince: at },
  }));
  await besideTransaction(sql, locks, () => noteImportedChecks({ sql: other }, checks.toReversed()));
  const rows = await sql`select 1 from monitors where last_checked_at = ${at} and failures = 7`;
  t.equal(rows.count, ids.length);
});

t.test('a new order waits for such a transaction, and holds', async (t) => {
  const { sql, other, pageId, locks } = await setUp(t);
  const { items } = await loadOrder({ sql }, pageId);
  const wanted = items.map((item) => ({ ...item, monitors: item.monitors.toReversed() }));
  await besideTransaction(sql, locks, () =>
    putOrder({ sql: other, clock, by: testActor }, { pageId, items: wanted }),
  );
  t.strictSame((await loadOrder({ sql }, pageId)).items, wanted);
  const rows = await sql`select 1 from monitors where failures = 7`;
  t.equal(rows.count, 20);
});

t.test('the incident of a monitor waits for a transaction that pauses its page', async (t) => {
  const { sql, other, pageId, ids } = await setUp(t);
  const [down = ''] = ids;
  await sql`update pages set incidents_from_monitors = true where id = ${pageId}`;
  await sql`update monitors set state = 'down', state_since = now() where id = ${down}`;
  const locks = {
    first: (tx: Transaction) => tx`select 1 from pages where id = ${pageId} for update`,
    next: (tx: Transaction) => tx`select 1 from monitors where page_id = ${pageId} order by id for update`,
  };
  await besideTransaction(sql, locks, () => watchMonitors({ sql: other, clock, log: silentLog }));
  const [monitor] = await sql`select incident_id from monitors where id = ${down}`;
  t.match(monitor, { incident_id: /./ });
});

t.test('the end of an incident waits for somebody who changes its monitors', async (t) => {
  const { sql, other, pageId, ids } = await setUp(t);
  const [back = ''] = ids;
  const watch = (pool: typeof sql) => watchMonitors({ sql: pool, clock, log: silentLog });
  await sql`update pages set incidents_from_monitors = true where id = ${pageId}`;
  await sql`update monitors set state = 'down', state_since = now() where id = ${back}`;
  await watch(sql);
  await sql`update monitors set state = 'up' where id = ${back}`;
  const locks = {
    async first(tx: Transaction) {
      await tx`select 1 from pages where id = ${pageId} for no key update`;
      await tx`select 1 from incidents where page_id = ${pageId} for update`;
    },
    next: (tx: Transaction) => tx`select 1 from monitors where id = ${back} for key share`,
  };
  await besideTransaction(sql, locks, () => watch(other));
  const [monitor] = await sql`select incident_id from monitors where id = ${back}`;
  t.same(monitor, { incident_id: null });
});

t.test('an incident waits for a transaction that locks its monitors, and has them', async (t) => {
  const { sql, other, pageId, locks } = await setUp(t);
  const slugs = (await sql<{ slug: string }[]>`select slug from monitors where page_id = ${pageId}`).map(
    ({ slug }) => slug,
  );
  const input = parseNewIncident({ ...outage, monitorSlugs: slugs });
  await besideTransaction(sql, locks, () =>
    createIncident({ sql: other, clock, by: testActor }, { pageId, input }),
  );
  const rows = await sql`select 1 from incident_monitors join monitors on id = monitor_id where failures = 7`;
  t.equal(rows.count, slugs.length);
});
