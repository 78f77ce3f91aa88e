import t, { type Test } from 'tap';
import { type BlockId, newId, type PageId } from '../../contract/ids.js';
import { type PoolReport, poolReportLimits } from '../../contract/pool-reports.js';
import { readPoolReport } from '../../contract/read-pool-report.js';
import { createPoolReports } from '../../ingest/pool-reports/accept.js';
import { beginSession, decide } from '../../ingest/pool-reports/decide.js';
import { toIncoming } from '../../ingest/pool-reports/incoming.js';
import { pruneReports } from '../../ingest/pool-reports/prune.js';
import { recoverBlocks } from '../../ingest/pool-reports/recover.js';
import { openPostgres, type Transaction } from '../../sql/open-postgres.js';
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
const { id: otherPageId } = await makePage(sql, { slug: 'other' });

const make = () => makeReport(clock.now());
const measured = ({ session }: PoolReport) => readMeasured(clickhouse, session);
const once = { rows: [[9, 1, 1]], intervals: 1 };
const recover = (store = clickhouse) => recoverBlocks({ sql, clickhouse: store, clock, log: silentLog });
/** Whether it is written down and not known to be in ClickHouse. */
const isPending = async ({ session }: PoolReport, times = 1) => {
  const found = await sql`
    select 1 from pool_reports r join pool_blocks b on b.id = r.block_id where r.session = ${session}`;
  return found.count === times;
};
const blockOf = async ({ session }: PoolReport) =>
  (await sql<{ id: string }[]>`select block_id as id from pool_reports where session = ${session}`)[0]?.id;
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
    send: async (report: PoolReport, of = pageId) =>
      (await reports.accept(of, readPoolReport(report, clock.now()))).duplicate,
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
    await Promise.all([recover(), recover(), recover()]);
    t.strictSame(await measured(report), once, 'although three instances did so at once');
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

t.test('ClickHouse refuses everything: a bounded number of blocks waits', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'refuse';
  const reports = [make(), make(), make()] as const;
  const isRefused = async (report: PoolReport) => {
    const before = instance.outcomes.length;
    const sent = t.rejects(instance.send(report), storeIsAway);
    await waitUntil('it is refused', () => instance.outcomes.length > before);
    clock.advance(10_000);
    await sent;
  };
  await isRefused(reports[0]);
  await isRefused(reports[1]);
  t.equal(await isPending(reports[1]), true, 'the first may have been refused for what it is');
  await sql`
    insert into pool_blocks select gen_random_uuid(), ${new Date(clock.now() + 60_000)}, '' from generate_series(1, 98)`;
  await isRefused(reports[2]);
  t.equal(await isHeld(reports[2]), false, 'with a hundred it is for what ClickHouse is');
  await sql`delete from pool_blocks where body = ''`;
  instance.store.behaviour = 'store';
  t.equal(await instance.send(reports[2]), false);
  clock.advance(16_000);
  await recover();
  for (const report of reports) t.strictSame(await measured(report), once);
});

t.test('the answer of PostgreSQL to a commit is lost: 503, and a retry finds the report', async (t) => {
  let isLost = true;
  const begin = async (work: (tx: Transaction) => Promise<unknown>) => {
    const result = await sql.begin(work);
    if (isLost) throw new Error('The connection was closed.');
    return result;
  };
  const lossy = new Proxy(sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name, target)),
  });
  const [instance, idle] = [startInstance(t, lossy), startInstance(t, lossy)];
  const [retried, abandoned] = [make(), make()];
  await t.rejects(instance.send(retried), storeIsAway);
  await t.rejects(idle.send(abandoned), storeIsAway);
  isLost = false;
  for (const report of [retried, abandoned]) {
    t.equal(await isPending(report), true);
    t.strictSame(await measured(report), { rows: [], intervals: 0 });
  }
  t.equal(await instance.send(retried), true);
  clock.advance(16_000);
  await recover();
  for (const report of [retried, abandoned]) t.strictSame(await measured(report), once);
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
  const twin = make();
  const twins = startInstance(t);
  twins.store.behaviour = 'hang';
  unanswered.push(twins.send(twin), twins.send(twin, otherPageId));
  await waitUntil('one of two pages is written down', () => isPending(twin, 2));
  await clickhouse.command({
    query: `INSERT INTO pool_reports (page_id, block_id, kind, session, sequence, interval_to, minute, received_at)
      VALUES ({page:UUID}, {block:UUID}, 'report', {session:UUID}, {sequence:UInt64}, now(), now(), now())`,
    query_params: { page: pageId, block: await blockOf(twin), ...twin },
  });
  await clickhouse.command({
    query: `INSERT INTO pool_reports (page_id, block_id, kind, interval_to, minute, received_at)
      SELECT generateUUIDv4(), generateUUIDv4(), 'report', now(), now(), now() + 3600 FROM numbers(6000)`,
  });
  clock.advance(120_000);
  const counting = controlClickHouse(clickhouse);
  await recover(counting.clickhouse);
  t.equal(counting.inserts, 2, 'only what it does not have');
  t.strictSame(await measured(twin), { rows: [[9, 2, 1]], intervals: 1 }, 'of pages with one session, too');
  for (const report of [stored, missing]) t.strictSame(await measured(report), once);
  for (const report of [stored, missing]) t.equal(await isPending(report), false);
  for (const { store } of [dying, other, twins]) store.release();
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
  const sendAll = (reports: readonly PoolReport[], of: PageId) =>
    reports.map((report) =>
      instance.send(report, of).catch((error: { code?: string }) => {
        refusals.push(String(error.code));
      }),
    );
  const [some, others] = [sessions.slice(0, 9).flat(), sessions.slice(9).flat()];
  const sent = sendAll(some, pageId);
  await waitUntil('some are refused', () => refusals.length > 0);
  t.equal(refusals.length, 9 * 120 - 1_024, 'one page may not take all the room');
  sent.push(...sendAll([...others, make(), ...others], otherPageId));
  await waitUntil('all is full', () => refusals.length >= 9 * 120 + 16 * 120 + 1 - 2_000);
  t.equal(refusals.length, 9 * 120 + 16 * 120 + 1 - 2_000);
  clock.advance(4_000);
  await t.rejects(instance.send(make()), { code: 'storeBusy', headers: { 'retry-after': '5' } });
  t.strictSame([...new Set(refusals)], ['storeBusy']);
  instance.store.behaviour = 'store';
  instance.store.release();
  t.equal(await first, false);
  await Promise.all(sent);
  t.equal(await instance.send(make()), undefined, 'the page has sent too many');
  clock.advance(-3_600_000);
  t.equal(await instance.send(make()), false, 'the clock was put back');
  clock.advance(3_600_000);
});

t.test('the hour of a session that a clock ahead of ours began is not waited for', async (t) => {
  const now = clock.now();
  const decideAt = (hourFrom: number) => {
    const incoming = toIncoming(pageId, readPoolReport(makeReport(now), now), now);
    const session = { ...beginSession(incoming.report, hourFrom), hourReports: 120 };
    const verdict = decide(session, incoming, newId<BlockId>(now), now);
    return [verdict.is, session.hourReports];
  };
  t.strictSame(decideAt(now + 3_600_000), ['held', 1]);
  t.strictSame(decideAt(now + 30_000), ['refused', 120], 'a little is believed');
  t.strictSame(decideAt(now - 3_599_999), ['refused', 120]);
  t.strictSame(decideAt(now - 3_600_000), ['held', 1]);
});

t.test('closing answers what was taken, and refuses the rest', async (t) => {
  const instance = startInstance(t);
  clock.advance(61_000); // The page has sent too many in this minute.
  const sent = [make(), make(), make()].map((report) => instance.send(report));
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
