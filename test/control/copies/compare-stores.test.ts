import t, { type Test } from 'tap';
import { compareStores, copyRows, noteRows } from '../../../control/copies/index.js';
import { inTransaction } from '../../../sql/in-transaction.js';
import { openPostgres, type Transaction } from '../../../sql/open-postgres.js';
import { removePageFigures } from '../../../sql/remove-page-figures.js';
import { besideTransaction } from '../../support/beside-transaction.js';
import { controlClickHouse } from '../../support/controlled-clickhouse.js';
import { copyAll, countDue, insertCopied, readBoth } from '../../support/copies.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const stores = await openStores(t);
const { sql, clickhouse, databaseUrl } = stores;
const deps = { ...stores, log: silentLog };
const { id: pageId } = await makePage(sql);
await insertCopied(sql, pageId);

/** Whether all rows are to be noted. */
async function isNoting(): Promise<boolean> {
  return (await sql`select from copies_state where noted_to is not null`).length > 0;
}

/** Notes all rows, and returns how many calls had more to do. */
async function noteAll(): Promise<number> {
  for (let calls = 0; ; calls += 1) {
    if (!(await noteRows(deps))) return calls;
  }
}

async function assertEqual(t: Test): Promise<void> {
  await noteAll();
  await copyAll(stores);
  const { rows, copies } = await readBoth(stores);
  t.strictSame(copies, rows);
}

/** Does something to PostgreSQL as a restore does, which takes no notes. */
async function restoring(work: (tx: Transaction) => Promise<unknown>): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`set local session_replication_role = replica`;
    await work(tx);
  });
}

type State = { taken: bigint; version: bigint };

async function loadState(from: Transaction): Promise<State> {
  const [state] = await from<State[]>`select taken, version from copies_state`;
  if (state === undefined) throw new Error('There is a state.');
  return state;
}

const storeState = (tx: Transaction, { taken, version }: State) =>
  tx`update copies_state set taken = ${taken}, version = ${version}, noted_to = null`;

t.test('rows from before the copies are noted by the loop', async (t) => {
  const due = await countDue(sql);
  t.ok(due > 5);
  await sql`delete from copies_due`;
  await compareStores(deps);
  await noteAll();
  t.equal(await countDue(sql), due);
  await assertEqual(t);
});

t.test('a PostgreSQL without its state gets one, and all rows are copied again', async (t) => {
  await sql`delete from copies_state`;
  await sql`delete from copies_due`;
  await compareStores(deps);
  t.ok(await isNoting());
  await assertEqual(t);
  t.notOk(await isNoting());
});

t.test('stores that fit together are left as they are', async (t) => {
  await compareStores(deps);
  t.notOk(await isNoting());
  t.equal(await countDue(sql), 0);
});

t.test('a copy that was cut off when ClickHouse had it is no difference', async (t) => {
  const controlled = controlClickHouse(clickhouse);
  controlled.behaviour = 'storeAndFail';
  await insertMonitor(sql, { pageId });
  await t.rejects(copyRows({ ...deps, clickhouse: controlled.clickhouse }));
  await compareStores(deps);
  t.notOk(await isNoting());
  await assertEqual(t);
});

t.test('after the deletion of the page that was copied last, they fit together', async (t) => {
  const { id: gone } = await makePage(sql, { slug: 'gone' });
  await insertMonitor(sql, { pageId: gone });
  await copyAll(stores);
  await sql`delete from monitors where page_id = ${gone}`;
  await sql`delete from copies_due`;
  await removePageFigures({ clickhouse }, gone);
  await compareStores(deps);
  t.notOk(await isNoting());
});

t.test('after a restore of an older PostgreSQL, ClickHouse has no row of later', async (t) => {
  const before = await inTransaction(sql, loadState);
  const later = await insertMonitor(sql, { pageId, slug: 'later' });
  await copyAll(stores);
  await restoring(async (tx) => {
    await tx`delete from monitors where page_id = ${pageId} and id = ${later}`;
    await tx`update incidents set title = 'As it was' where page_id = ${pageId}`;
    await storeState(tx, before);
  });
  const apart = await readBoth(stores);
  t.notSame(apart.copies, apart.rows);
  await compareStores(deps);
  t.ok(await isNoting());
  await assertEqual(t);
  await compareStores(deps);
  t.notOk(await isNoting(), 'they fit together again');
});

t.test('a change that is copied before the stores are compared hides nothing', async (t) => {
  const before = await inTransaction(sql, loadState);
  const later = await insertMonitor(sql, { pageId, slug: 'hidden' });
  await copyAll(stores);
  await restoring(async (tx) => {
    await tx`delete from monitors where page_id = ${pageId} and id = ${later}`;
    await storeState(tx, before);
  });
  await insertMonitor(sql, { pageId });
  await copyAll(stores);
  t.ok(await isNoting());
  await assertEqual(t);
});

t.test('a backup that is read while rows are copied has the version of its rows', async (t) => {
  const other = openPostgres(databaseUrl, { max: 2 });
  t.teardown(() => other.end({ timeout: 5 }));
  const { id, saved, sequences } = await inTransaction(other, async (tx) => {
    await tx`set transaction isolation level repeatable read`;
    await tx`select from copies_due`;
    const id = await insertMonitor(sql, { pageId });
    await copyAll(stores);
    const sequences = await tx<{ name: string; value: bigint }[]>`
      select sequencename as name, last_value as value from pg_sequences
      where schemaname = 'public' and last_value is not null`;
    return { id, saved: await loadState(tx), sequences };
  });
  await restoring(async (tx) => {
    await tx`delete from monitors where page_id = ${pageId} and id = ${id}`;
    await storeState(tx, saved);
    for (const { name, value } of sequences) await tx`select setval(${name}::regclass, ${value})`;
  });
  await compareStores(deps);
  t.ok(await isNoting());
  await assertEqual(t);
});

t.test('a ClickHouse that has lost its copies gets all of them', async (t) => {
  await clickhouse.command({ query: 'TRUNCATE TABLE copies' });
  await compareStores(deps);
  t.ok(await isNoting());
  await assertEqual(t);
  t.ok((await readBoth(stores)).rows.length > 5);
});

t.test('all rows are noted a thousand at a time, and each once', async (t) => {
  await sql`
    insert into deployments (id, page_id, service, version, environment, at, announced_at)
    select gen_random_uuid(), ${pageId}, 'shop', n::text, '', now(), now() from generate_series(1, 2500) n`;
  await copyAll(stores);
  await sql`update copies_state set noted_to = '{}', doubted = taken`;
  for (let due = 0, more = true; more; ) {
    more = await noteRows(deps);
    const noted = await countDue(sql);
    t.ok(noted - due <= 1_000, `${noted - due} in one transaction`);
    due = noted;
  }
  const { rows } = await readBoth(stores);
  t.equal(await countDue(sql), rows.length);
  await assertEqual(t);
});

t.test('the noting gives way to a transaction that changes some of its rows', async (t) => {
  const ids = [await insertMonitor(sql, { pageId }), await insertMonitor(sql, { pageId })].sort();
  await copyAll(stores);
  await sql`update copies_state set noted_to = '{}'`;
  const other = openPostgres(databaseUrl, { max: 2 });
  t.teardown(() => other.end({ timeout: 5 }));
  const change = (tx: Transaction, id: string | undefined) =>
    tx`update monitors set name = 'Changed' where page_id = ${pageId} and id = ${id ?? ''}`;
  const more = await besideTransaction(
    sql,
    { first: (tx) => change(tx, ids[1]), next: (tx) => change(tx, ids[0]) },
    () => noteRows({ ...deps, sql: other }),
  );
  t.notOk(more);
  t.equal(await countDue(sql), 2, 'the notes of the transaction');
  t.ok(await isNoting());
  await assertEqual(t);
});
