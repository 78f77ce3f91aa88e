import t, { type Test } from 'tap';
import { type PoolReport, poolReportLimits } from '../../contract/pool-reports.js';
import { readPoolReport } from '../../contract/read-pool-report.js';
import { createPoolReports } from '../../ingest/pool-reports/accept.js';
import { pruneReports } from '../../ingest/pool-reports/prune.js';
import { recoverBlocks } from '../../ingest/pool-reports/recover.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { controlClickHouse } from '../support/controlled-clickhouse.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { makePage } from '../support/pages.js';
import { makeReport, makeReports, readMeasured } from '../support/pool-reports.js';
import { silentLog } from '../support/silent-log.js';
import { openStores } from '../support/stores.js';
import { openTcpGate } from '../support/tcp-gate.js';
import { waitUntil } from '../support/wait-until.js';

const { sql, clickhouse, databaseUrl } = await openStores(t);
const clock = makeMovingClock();
const { id: pageId } = await makePage(sql);

const make = () => makeReport(clock.now());
const measured = ({ session }: PoolReport) => readMeasured(clickhouse, session);
const once = { rows: [[9, 1, 1]], intervals: 1 };
const recover = (store = clickhouse) => recoverBlocks({ sql, clickhouse: store, clock, log: silentLog });
/** Whether it is written down and not known to be in ClickHouse. */
const isPending = async ({ session }: PoolReport) => {
  const found = await sql`
    select 1 from pool_reports r join pool_blocks b on b.id = r.block_id where r.session = ${session}`;
  return found.count === 1;
};
const isHeld = async ({ session }: PoolReport) =>
  (await sql`select 1 from pool_reports where session = ${session}`).count === 1;
const storeIsAway = { code: 'storeUnavailable', headers: { 'retry-after': '5' } };

/** An instance on the same stores, of which ClickHouse does what it is told. */
function startInstance(t: Test, postgres = sql) {
  const store = controlClickHouse(clickhouse);
  const outcomes: string[] = [];
  const reports = createPoolReports({
    ...{ sql: postgres, clickhouse: store.clickhouse, clock, log: silentLog },
    metrics: {
      decided: (outcome) => outcomes.push(outcome),
      blockStored() {},
      insertFailed: () => outcomes.push('insert failed'),
    },
  });
  t.teardown(async () => {
    store.behaviour = 'store';
    store.release();
    await reports.close();
  });
  return {
    ...{ store, outcomes, close: reports.close },
    /** Resolves to whether it was a duplicate. */
    send: async (report: PoolReport) =>
      (await reports.accept(pageId, readPoolReport(report, clock.now()))).duplicate,
  };
}

t.test(
  'the instance dies after PostgreSQL has a report: the job brings it to ClickHouse, once',
  async (t) => {
    const [dying, next] = [startInstance(t), startInstance(t)];
    const report = make();
    dying.store.behaviour = 'hang';
    const unanswered = dying.send(report);
    await waitUntil('it is written down', () => isHeld(report));
    await recover();
    t.strictSame(await measured(report), { rows: [], intervals: 0 }, 'a young block is left to its instance');
    clock.advance(16_000);
    await recover();
    t.strictSame(await measured(report), once);
    t.equal(await isPending(report), false);
    t.equal(await next.send(report), true, 'a retry is told that it was here');
    // Had it not died after all:
    dying.store.behaviour = 'store';
    dying.store.release();
    t.equal(await unanswered, false);
    t.strictSame(await measured(report), once);
  },
);

t.test('the instance dies after ClickHouse has a report: the job does not count it again', async (t) => {
  const dying = startInstance(t);
  const report = make();
  dying.store.behaviour = 'storeAndHang';
  const unanswered = dying.send(report);
  await waitUntil('it is in ClickHouse', async () => (await measured(report)).rows.length === 1);
  t.equal(await isPending(report), true);
  clock.advance(16_000);
  await Promise.all([recover(), recover()]);
  t.equal(await isPending(report), false);
  t.strictSame(await measured(report), once);
  dying.store.release();
  await unanswered;
});

t.test('a retry that finds its report half stored stores it, and is acknowledged only then', async (t) => {
  const [dying, next] = [startInstance(t), startInstance(t)];
  const report = make();
  dying.store.behaviour = 'hang';
  const unanswered = dying.send(report);
  await waitUntil('it is written down', () => isHeld(report));
  next.store.behaviour = 'hang';
  let answered = false;
  const retry = next.send(report).then((duplicate) => {
    answered = true;
    return duplicate;
  });
  await waitUntil('it is being inserted', () => next.store.inserts === 1);
  t.equal(answered, false);
  t.strictSame(await measured(report), { rows: [], intervals: 0 });
  next.store.release();
  t.equal(await retry, true);
  t.strictSame(await measured(report), once);
  dying.store.release();
  await unanswered;
  t.strictSame(await measured(report), once);
});

t.test('ClickHouse is away: 503, one block waits, and a retry counts once', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'fail';
  const [report, another] = [make(), make()];
  const sent = t.rejects(instance.send(report), storeIsAway);
  await waitUntil('an insert has failed', () => instance.outcomes.includes('insert failed'));
  clock.advance(10_000);
  await sent;
  await t.rejects(instance.send(report), storeIsAway, 'a retry finds it away');
  await t.rejects(instance.send(another), storeIsAway, 'and so does another');
  t.equal(await isHeld(another), false, 'which is not even written down');
  t.equal(await isPending(report), true);
  instance.store.behaviour = 'store';
  t.equal(await instance.send(another), false);
  t.equal(await instance.send(report), true);
  for (const each of [report, another]) t.strictSame(await measured(each), once);
  for (const each of [report, another]) {
    await waitUntil('nothing is left', async () => !(await isPending(each)));
  }
});

t.test('the answer of ClickHouse is lost, again and again: the report counts once', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'storeAndFail';
  const report = make();
  const sent = instance.send(report);
  await waitUntil('three inserts failed', () => instance.store.inserts >= 3);
  instance.store.behaviour = 'store';
  t.equal(await sent, false);
  t.strictSame(await measured(report), once);
});

t.test('PostgreSQL is away: 503, and nothing in ClickHouse', async (t) => {
  const gate = await openTcpGate(t, databaseUrl);
  const gated = openPostgres(gate.url);
  t.teardown(() => gated.end({ timeout: 1 }));
  const instance = startInstance(t, gated);
  const [first, report] = [make(), make()];
  t.equal(await instance.send(first), false);
  await gate.close();
  await t.rejects(instance.send(report), storeIsAway);
  t.equal(instance.store.inserts, 1);
  await gate.open();
  let duplicate: boolean | undefined;
  await waitUntil('it is taken', async () => {
    duplicate = await instance.send(report).catch(() => undefined);
    return duplicate !== undefined;
  });
  t.equal(duplicate, false);
  t.strictSame(await measured(report), once);
});

t.test('PostgreSQL goes away before it hears that ClickHouse has a report: it is acknowledged', async (t) => {
  const gate = await openTcpGate(t, databaseUrl);
  const gated = openPostgres(gate.url);
  t.teardown(() => gated.end({ timeout: 1 }));
  const instance = startInstance(t, gated);
  const report = make();
  instance.store.behaviour = 'storeAndHang';
  const sent = instance.send(report);
  await waitUntil('it is in ClickHouse', async () => (await measured(report)).rows.length === 1);
  await gate.close();
  instance.store.release();
  t.equal(await sent, false);
  t.equal(await isPending(report), true);
  await gate.open();
  clock.advance(16_000);
  await recover();
  t.equal(await isPending(report), false);
  t.strictSame(await measured(report), once);
});

t.test('a block that ClickHouse may have forgotten is looked up before it is inserted again', async (t) => {
  const dying = startInstance(t);
  const [stored, missing] = [make(), make()];
  dying.store.behaviour = 'storeAndHang';
  const unanswered = [dying.send(stored)];
  await waitUntil('it is in ClickHouse', async () => (await measured(stored)).rows.length === 1);
  const other = startInstance(t);
  other.store.behaviour = 'hang';
  unanswered.push(other.send(missing));
  await waitUntil('the other is written down', () => isHeld(missing));
  await clickhouse.command({
    query: `INSERT INTO pool_reports (page_id, block_id, kind, interval_to, minute, received_at)
      SELECT generateUUIDv4(), generateUUIDv4(), 'report', now(), now(), now() + 60 FROM numbers(6000)`,
  });
  clock.advance(120_000);
  const counting = controlClickHouse(clickhouse);
  await recover(counting.clickhouse);
  t.equal(counting.inserts, 1, 'only the one that it does not have');
  for (const report of [stored, missing]) t.strictSame(await measured(report), once);
  for (const report of [stored, missing]) t.equal(await isPending(report), false);
  dying.store.release();
  other.store.release();
  await Promise.all(unanswered);
});

t.test('a block that ClickHouse refuses does not keep others from being recovered', async (t) => {
  const dying = startInstance(t);
  const report = make();
  const id = '00000000-0000-7000-8000-000000000001';
  await sql`insert into pool_blocks values (${id}, ${new Date(clock.now() - 60_000)}, ${Buffer.from('broken')})`;
  dying.store.behaviour = 'hang';
  const unanswered = dying.send(report);
  await waitUntil('it is written down', () => isHeld(report));
  clock.advance(16_000);
  await t.rejects(recover());
  t.strictSame(await measured(report), once);
  await sql`delete from pool_blocks where id = ${id}`;
  dying.store.release();
  await unanswered;
});

t.test('what waits is bounded, and a store that hangs is not waited for', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'hang';
  const first = instance.send(make());
  await waitUntil('a block is under way', () => instance.store.inserts === 1);
  const stepMs = 1_000;
  const { reportsPerSessionAndHour: count } = poolReportLimits;
  const sessions = Array.from({ length: 17 }, () => makeReports(clock.now(), { count, stepMs, pools: [] }));
  const refusals: string[] = [];
  const sent = sessions.flat().map((report) =>
    instance.send(report).catch((error: { code?: string }) => {
      refusals.push(String(error.code));
    }),
  );
  await waitUntil('some are refused', () => refusals.length > 0);
  t.equal(refusals.length, 17 * 120 - 2_000);
  clock.advance(4_000);
  await t.rejects(instance.send(make()), { code: 'storeBusy', headers: { 'retry-after': '5' } });
  t.strictSame([...new Set(refusals)], ['storeBusy']);
  instance.store.behaviour = 'store';
  instance.store.release();
  t.equal(await first, false);
  await Promise.all(sent);
});

t.test('closing answers what was taken, and refuses the rest', async (t) => {
  const instance = startInstance(t);
  clock.advance(61_000); // The page has sent too many in this minute.
  const sent = [make(), make(), make()].map(instance.send);
  const closed = instance.close();
  await t.rejects(instance.send(make()), { code: 'shuttingDown' });
  t.strictSame(await Promise.all(sent), [false, false, false]);
  await closed;
  t.strictSame(instance.outcomes, ['stored', 'stored', 'stored']);
});

t.test('reports are forgotten an hour after they ended, and sessions two hours after the last', async (t) => {
  clock.advance(61_000); // Of another minute than the reports above.
  const old = make();
  await startInstance(t).send(old);
  clock.advance(50 * 60_000);
  const recent = make();
  await startInstance(t).send(recent);
  clock.advance(11 * 60_000);
  await pruneReports({ sql, clock });
  t.equal(await isHeld(old), false);
  t.equal(await isHeld(recent), true);
  const sessions = async () =>
    (await sql`select 1 from pool_sessions where session in (${old.session}, ${recent.session})`).count;
  t.equal(await sessions(), 2);
  clock.advance(61 * 60_000);
  await pruneReports({ sql, clock });
  t.equal(await sessions(), 1);
  t.equal(await isHeld(recent), false);
});
