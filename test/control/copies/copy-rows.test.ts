import t, { type Test } from 'tap';
import { copyRows, loadWaitingCopies, noteRows } from '../../../control/copies/index.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import type { ClickHouseClient } from '../../../sql/open-clickhouse.js';
import { openPostgres } from '../../../sql/open-postgres.js';
import { controlClickHouse } from '../../support/controlled-clickhouse.js';
import { copyAll, countDue, insertCopied, readBoth } from '../../support/copies.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { select } from '../../support/rollups.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const stores = await openStores(t);
const { sql, clickhouse, databaseUrl } = stores;
const deps = { sql, clickhouse, log: silentLog };

let made = 0;
async function newPage() {
  made += 1;
  return (await makePage(sql, { slug: `page-${made}` })).id;
}

async function assertEqual(t: Test): Promise<void> {
  const { rows, copies } = await readBoth(stores);
  t.strictSame(copies, rows);
}

t.test('changes and deletions arrive, and so do the services of an incident', async (t) => {
  const pageId = await newPage();
  const { monitorId, incidentId, updateId, deploymentId, alertId } = await insertCopied(sql, pageId);
  await copyAll(stores);
  await assertEqual(t);
  const other = await insertMonitor(sql, { pageId, slug: 'web' });
  await sql`update monitors set name = 'The API', state = 'down' where page_id = ${pageId} and id = ${monitorId}`;
  await sql`insert into incident_monitors (incident_id, monitor_id, place) values (${incidentId}, ${other}, 1)`;
  await sql`update incident_updates set body = 'Corrected.' where page_id = ${pageId} and id = ${updateId}`;
  await sql`update alerts set title = 'Another title' where page_id = ${pageId} and id = ${alertId}`;
  await sql`update sources set name = 'Paris' where page_id = ${pageId} and kind = 'reporter'`;
  await sql`delete from deployments where page_id = ${pageId} and id = ${deploymentId}`;
  await copyAll(stores);
  await assertEqual(t);
  await sql`delete from monitors where page_id = ${pageId} and id = ${other}`;
  await sql`delete from incident_updates where page_id = ${pageId}`;
  await sql`delete from sources where page_id = ${pageId} and kind = 'service'`;
  await copyAll(stores);
  await assertEqual(t);
  await sql`delete from incidents where page_id = ${pageId}`;
  await sql`delete from alerts where page_id = ${pageId}`;
  await copyAll(stores);
  await assertEqual(t);
});

t.test('a change that no copy shows is not noted, such as each check', async (t) => {
  const pageId = await newPage();
  await insertCopied(sql, pageId);
  await copyAll(stores);
  await sql`
    update monitors set next_due_at = now(), claimed_until = null, last_checked_at = now(), last_ping_at = now(),
      last_error = 'status: 503', failures = 1, failing_since = now(), slow_checks = 1, unobserved_since = now(),
      state = state, state_since = state_since, position = position + 1
    where page_id = ${pageId}`;
  await sql`update incidents set revision = revision + 1 where page_id = ${pageId}`;
  await sql`update deployments set url = null where page_id = ${pageId}`;
  await sql`update alerts set told_at = now(), note = 'Secret' where page_id = ${pageId}`;
  await sql`update sources set name = name, stopped_at = stopped_at where page_id = ${pageId}`;
  t.equal(await countDue(sql), 0);
});

t.test('an older copy that arrives late brings nothing back', async (t) => {
  const pageId = await newPage();
  const id = await insertMonitor(sql, { pageId });
  await copyAll(stores);
  const [copy] = await select(clickhouse, `SELECT * FROM copies FINAL WHERE id = '${id}'`);
  await sql`delete from monitors where page_id = ${pageId} and id = ${id}`;
  await copyAll(stores);
  await clickhouse.insert({ table: 'copies', values: [copy], format: 'JSONEachRow' });
  await assertEqual(t);
});

t.test('what ClickHouse does not store is copied again', async (t) => {
  const pageId = await newPage();
  const controlled = controlClickHouse(clickhouse);
  for (const behaviour of ['fail', 'refuse', 'storeAndFail'] as const) {
    await insertMonitor(sql, { pageId });
    const due = await countDue(sql);
    controlled.behaviour = behaviour;
    await t.rejects(copyRows({ ...deps, clickhouse: controlled.clickhouse }));
    t.equal(await countDue(sql), due);
  }
  controlled.behaviour = 'store';
  t.equal(await copyRows({ ...deps, clickhouse: controlled.clickhouse }), false);
  t.equal(await countDue(sql), 0);
  await assertEqual(t);
});

t.test('a change while its row is being copied is copied as well', async (t) => {
  const pageId = await newPage();
  const id = await insertMonitor(sql, { pageId });
  const changing: ClickHouseClient = new Proxy(clickhouse, {
    get(target, name) {
      if (name !== 'insert') return Reflect.get(target, name, target);
      return async (...args: Parameters<ClickHouseClient['insert']>) => {
        await sql`update monitors set name = 'Changed' where page_id = ${pageId} and id = ${id}`;
        return target.insert(...args);
      };
    },
  });
  t.equal(await copyRows({ ...deps, clickhouse: changing }), false);
  t.equal(await countDue(sql), 1);
  await copyAll(stores);
  await assertEqual(t);
});

t.test('a copy waits for no transaction, and comes back for what it changes', async (t) => {
  const pageId = await newPage();
  const id = await insertMonitor(sql, { pageId });
  await insertMonitor(sql, { pageId });
  const other = openPostgres(databaseUrl, { max: 2 });
  t.teardown(() => other.end({ timeout: 5 }));
  await inTransaction(sql, async (tx) => {
    await tx`update monitors set name = 'Changed' where page_id = ${pageId} and id = ${id}`;
    t.equal(await copyRows({ ...deps, sql: other }), false);
    t.equal(await countDue(other), 1, 'the note that the transaction changes stays');
  });
  await copyAll(stores);
  await assertEqual(t);
});

t.test('several instances that copy at once end with the rows as they are', async (t) => {
  const pageId = await newPage();
  const instances = [1, 2, 3].map(() => openPostgres(databaseUrl, { max: 2 }));
  t.teardown(() => Promise.all(instances.map((instance) => instance.end({ timeout: 5 }))));
  const ids = await Promise.all(Array.from({ length: 10 }, () => insertMonitor(sql, { pageId })));
  for (let round = 0; round < 20; round += 1) {
    const changes = ids.map(
      (id, i) =>
        sql`update monitors set name = ${`${i} in round ${round}`} where page_id = ${pageId} and id = ${id}`,
    );
    await Promise.all([...changes, ...instances.map((one) => copyRows({ ...deps, sql: one }))]);
  }
  await copyAll(stores);
  await assertEqual(t);
});

t.test('more rows than one insert has are copied in several', async (t) => {
  const pageId = await newPage();
  await sql`
    insert into deployments (id, page_id, service, version, environment, at, announced_at)
    select gen_random_uuid(), ${pageId}, 'cart', n::text, '', now(), now() from generate_series(1, 2100) n`;
  t.equal(await copyRows(deps), true);
  await copyAll(stores);
  await assertEqual(t);
});

t.test('a change is copied before rows that are copied again', async (t) => {
  const pageId = await newPage();
  const id = await insertMonitor(sql, { pageId });
  await copyAll(stores);
  await sql`update copies_state set noted_to = '{}'`;
  while (await noteRows(deps));
  const repeated = await countDue(sql);
  t.ok(repeated > 2_000, 'several inserts');
  await sql`update monitors set name = 'Changed' where page_id = ${pageId} and id = ${id}`;
  const added = await insertMonitor(sql, { pageId });
  t.match(await loadWaitingCopies(sql), [
    { reason: 'change', waiting: 2, oldest: Date },
    { reason: 'repeat', waiting: repeated - 1, oldest: Date },
  ]);
  t.equal(await copyRows(deps), true);
  t.strictSame(await select(clickhouse, `SELECT name FROM sql_monitors WHERE monitor_id = '${id}'`), [
    { name: 'Changed' },
  ]);
  const found = await select(clickhouse, `SELECT slug FROM sql_monitors WHERE monitor_id = '${added}'`);
  t.equal(found.length, 1);
  t.match(await loadWaitingCopies(sql), [
    { reason: 'change', waiting: 0, oldest: null },
    { reason: 'repeat', waiting: repeated + 1 - 1_000 },
  ]);
  await copyAll(stores);
  await assertEqual(t);
});

t.test('an instance that another one has overtaken copies nothing', async (t) => {
  const pageId = await newPage();
  await insertMonitor(sql, { pageId });
  const controlled = controlClickHouse(clickhouse);
  // The trigger stands for the instance that takes a version between the two transactions of this one.
  await sql.unsafe(`
    create function overtake() returns trigger language plpgsql as
      'begin update copies_state set taken = taken + 1; return null; end';
    create trigger overtake after update of taken on copies_state for each row when (pg_trigger_depth() = 0)
      execute function overtake()`);
  t.equal(await copyRows({ ...deps, clickhouse: controlled.clickhouse }), false);
  await sql`drop function overtake cascade`;
  t.equal(controlled.inserts, 0);
  t.equal(await countDue(sql), 1);
  await copyAll(stores);
  await assertEqual(t);
});
