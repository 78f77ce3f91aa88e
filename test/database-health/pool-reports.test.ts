import t, { type Test } from 'tap';
import { type PoolReport, poolReportLimits } from '../../contract/pool-reports.js';
import { recoverBlocks } from '../../database-health/pool-reports/blocks.js';
import { beginSession, decide } from '../../database-health/pool-reports/decide.js';
import { parsePoolReport } from '../../database-health/pool-reports/parse-pool-report.js';
import { createPoolReports } from '../../database-health/pool-reports/pool-reports.js';
import { pruneReports } from '../../database-health/pool-reports/prune.js';
import { toIncoming } from '../../database-health/pool-reports/stored-reports.js';
import { type Deferred, deferred } from '../../lib/deferred.js';
import { type BlockId, newId, type PageId } from '../../lib/ids.js';
import { openPostgres, type Transaction } from '../../sql/open-postgres.js';
import { controlClickHouse } from '../support/controlled-clickhouse.js';
import { likeServiceError } from '../support/like-service-error.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { makePage } from '../support/pages.js';
import { makeReport, makeReports, readMeasured, untilStored } from '../support/pool-reports.js';
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
const nowhere = { rows: [], intervals: 0 };
const recover = (store = clickhouse) => recoverBlocks({ sql, clickhouse: store, clock, log: silentLog });
const waitingBlocks = async () =>
  (await sql<{ id: string }[]>`select id from pool_blocks order by id`).map(({ id }) => id);
/** Seals open blocks as the job does: the next reports go to another block. */
const sealBlocks = () => sql`update pool_blocks set sealed_at = created_at where sealed_at is null`;
/** Adds more to PostgreSQL than may wait. */
async function addTooMuch() {
  const id = newId<BlockId>(clock.now());
  await sql`insert into pool_blocks (id, created_at) values (${id}, ${new Date(clock.now())})`;
  await sql`
    insert into pool_block_parts (block_id, body)
    select ${id}, decode(repeat('00', 8000000), 'hex') from generate_series(1, 9)`;
  return { remove: () => sql`delete from pool_blocks where id = ${id}` };
}
const untilNothingWaits = () => untilStored(sql);
const isHeld = async ({ session }: PoolReport) =>
  (await sql`select 1 from pool_reports where session = ${session}`).count === 1;
/** Quicker than the service, which waits for most of this time. */
const deliveryPace = { paceMs: 50, fullCheckMs: 100, backOff: { firstMs: 20, maxMs: 100 } };
const storeIsAway = likeServiceError('storeUnavailable', { retryAfterSeconds: 5 });

/** Starts an instance on the same stores, with a ClickHouse that the test controls. */
function startInstance(t: Test, postgres = sql) {
  const store = controlClickHouse(clickhouse);
  const outcomes: string[] = [];
  const reports = createPoolReports({
    ...{ sql: postgres, clickhouse: store.clickhouse, clock, log: silentLog, deliveryPace },
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
    ...{ store, outcomes, close: reports.close, delivered: reports.delivered },
    /** Resolves to whether the report was a duplicate. */
    send: async (report: PoolReport, of = pageId) =>
      (await reports.accept(of, parsePoolReport(report, clock.now()))).duplicate,
  };
}

/** A PostgreSQL that does not commit transactions while they are held. */
function slowPostgres() {
  let released: Deferred<void> | undefined;
  const begin = (work: (tx: Transaction) => Promise<unknown>) =>
    sql.begin(async (tx) => {
      const result = await work(tx);
      if (released !== undefined) slow.held += 1;
      await released?.promise;
      return result;
    });
  const slow = {
    sql: new Proxy(sql, {
      get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name, target)),
    }),
    /** Number of transactions that were held. */
    held: 0,
    hold() {
      released = deferred<void>();
    },
    release() {
      released?.resolve();
      released = undefined;
    },
  };
  return slow;
}

/** Puts the monotonic clock forward until the end of the test. */
function advanceMonotonic(t: Test, ms: number): void {
  const real = performance.now;
  performance.now = () => real.call(performance) + ms;
  t.teardown(() => {
    performance.now = real;
  });
}

t.test(
  'the instance dies after PostgreSQL has a report: the job brings it to ClickHouse, once',
  async (t) => {
    const [dying, next] = [startInstance(t), startInstance(t)];
    const report = make();
    dying.store.behaviour = 'hang';
    t.equal(await dying.send(report), false, 'it is acknowledged when PostgreSQL has it');
    await waitUntil('it is in flight', () => dying.store.inserts === 1);
    await recover();
    t.strictSame(await measured(report), nowhere, 'a young block is left to its instance');
    t.equal(await next.send(report), true, 'a retry is a duplicate');
    clock.advance(16_000);
    await Promise.all([recover(), recover(), recover()]);
    t.strictSame(await measured(report), once, 'although three instances did so at once');
    t.strictSame(await waitingBlocks(), []);
    // If it had not died after all:
    dying.store.behaviour = 'store';
    dying.store.release();
    await dying.delivered(20_000);
    t.strictSame(await measured(report), once);
  },
);

t.test('the instance dies after ClickHouse has a report: the job does not count it again', async (t) => {
  const dying = startInstance(t);
  const report = make();
  dying.store.behaviour = 'storeAndHang';
  await dying.send(report);
  await waitUntil('it is in ClickHouse', async () => (await measured(report)).rows.length === 1);
  t.equal((await waitingBlocks()).length, 1);
  clock.advance(16_000);
  await Promise.all([recover(), recover()]);
  t.strictSame(await waitingBlocks(), []);
  t.strictSame(await measured(report), once);
});

t.test(
  'while ClickHouse is unavailable, reports wait in few blocks; afterwards they are stored once',
  async (t) => {
    const instance = startInstance(t);
    instance.store.behaviour = 'fail';
    const reports = Array.from({ length: 20 }, make);
    for (const report of reports) t.equal(await instance.send(report), false);
    await waitUntil('some attempts have failed', () => instance.store.inserts > 2);
    t.equal(await instance.send(reports[0] ?? make()), true, 'a retry is a duplicate');
    const blocks = await waitingBlocks();
    t.ok(blocks.length > 0 && blocks.length < 4, `${blocks.length} blocks`);
    for (const report of reports) t.strictSame(await measured(report), nowhere);
    instance.store.behaviour = 'store';
    await untilNothingWaits();
    for (const report of reports) t.strictSame(await measured(report), once);
  },
);

t.test('a block that ClickHouse refuses does not hold up the next ones', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'refuse';
  const [refused, next] = [make(), make()];
  await instance.send(refused);
  await waitUntil('it is refused', () => instance.store.inserts >= 1);
  await instance.send(next);
  // A refused block is tried five times.
  await waitUntil('the next one has its turn', () => instance.store.inserts >= 6);
  instance.store.behaviour = 'store';
  await waitUntil('the next one is stored', async () => (await waitingBlocks()).length === 1);
  t.strictSame(await measured(next), once);
  t.strictSame(await measured(refused), nowhere);
  clock.advance(16_000);
  await recover();
  t.strictSame(await measured(refused), once, 'the job tries it again');
});

t.test('when too much waits for ClickHouse, reports are refused until there is room', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'fail';
  const [accepted, refused] = [make(), make()];
  const tooMuch = await addTooMuch();
  t.equal(await instance.send(accepted), false, 'not counted yet');
  await waitUntil('it is counted', () =>
    instance.send(refused).then(
      () => false,
      (error) => t.match(error, likeServiceError('storeBusy', { retryAfterSeconds: 5 })),
    ),
  );
  await tooMuch.remove();
  instance.store.behaviour = 'store';
  await waitUntil('it takes reports again', () =>
    instance.send(refused).then(
      () => true,
      () => false,
    ),
  );
  await untilNothingWaits();
  for (const report of [accepted, refused]) t.strictSame(await measured(report), once);
});

t.test('a slow ClickHouse also bounds what waits', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'hang';
  const reports = [make(), make(), make()];
  for (const report of reports) {
    await instance.send(report);
    await sealBlocks();
  }
  await waitUntil('the first block is in flight', () => instance.store.inserts === 1);
  const tooMuch = await addTooMuch();
  instance.store.behaviour = 'store';
  instance.store.release();
  await waitUntil('it is counted', () =>
    instance.send(make()).then(
      () => false,
      (error) => t.match(error, likeServiceError('storeBusy', { retryAfterSeconds: 5 })),
    ),
  );
  t.notOk(instance.outcomes.includes('insert failed'));
  await tooMuch.remove();
  await waitUntil('it takes reports again', () =>
    instance.send(make()).then(
      () => true,
      () => false,
    ),
  );
  await untilNothingWaits();
  for (const report of reports) t.strictSame(await measured(report), once);
});

t.test('a block that another instance has sealed gets no more reports', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'hang';
  const reports = [make(), make(), make()] as const;
  await instance.send(reports[0]);
  await waitUntil('it is in flight', () => instance.store.inserts === 1);
  await instance.send(reports[1]);
  t.equal((await waitingBlocks()).length, 2, 'the second report is in a block that is still open');
  clock.advance(16_000);
  await recover();
  t.strictSame(await waitingBlocks(), []);
  for (const report of reports.slice(0, 2)) t.strictSame(await measured(report), once);
  t.equal(await instance.send(reports[2]), false);
  instance.store.behaviour = 'store';
  instance.store.release();
  await untilNothingWaits();
  for (const report of reports) t.strictSame(await measured(report), once);
});

t.test('sealing a block waits for the transactions that add to it', async (t) => {
  const slow = slowPostgres();
  const instance = startInstance(t, slow.sql);
  instance.store.behaviour = 'hang';
  const reports = [make(), make(), make()] as const;
  await instance.send(reports[0]);
  await waitUntil('it is in flight', () => instance.store.inserts === 1);
  await instance.send(reports[1]);
  slow.hold();
  const added = instance.send(reports[2]);
  await waitUntil('it is decided and not committed', () => slow.held === 1);
  clock.advance(16_000);
  const recovered = recover();
  slow.release();
  t.equal(await added, false);
  await recovered;
  instance.store.behaviour = 'store';
  instance.store.release();
  await untilNothingWaits();
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
  t.equal((await waitingBlocks()).length, 2);
  for (const report of [retried, abandoned]) t.strictSame(await measured(report), nowhere);
  t.equal(await instance.send(retried), true);
  t.equal(await instance.send(make()), false, 'what comes next goes to another block');
  await instance.delivered(20_000);
  t.equal((await waitingBlocks()).length, 2);
  clock.advance(16_000);
  await recover();
  for (const report of [retried, abandoned]) t.strictSame(await measured(report), once);
  t.strictSame(await waitingBlocks(), []);
});

t.test('the answer of ClickHouse is lost, again and again: the report counts once', async (t) => {
  const instance = startInstance(t);
  instance.store.behaviour = 'storeAndFail';
  const report = make();
  t.equal(await instance.send(report), false);
  await waitUntil('three inserts failed', () => instance.store.inserts >= 3);
  instance.store.behaviour = 'store';
  await untilNothingWaits();
  t.strictSame(await measured(report), once);
});

t.test('PostgreSQL is unavailable: 503, and nothing in ClickHouse', async (t) => {
  const gate = await openTcpGate(t, databaseUrl);
  const gated = openPostgres(gate.url);
  t.teardown(() => gated.end({ timeout: 1 }));
  const instance = startInstance(t, gated);
  const [first, report] = [make(), make()];
  t.equal(await instance.send(first), false);
  await untilNothingWaits();
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
  await untilNothingWaits();
  t.strictSame(await measured(report), once);
});

t.test(
  'PostgreSQL fails before it learns that ClickHouse has a report: the report counts once',
  async (t) => {
    const gate = await openTcpGate(t, databaseUrl);
    const gated = openPostgres(gate.url);
    t.teardown(() => gated.end({ timeout: 1 }));
    const instance = startInstance(t, gated);
    const report = make();
    instance.store.behaviour = 'storeAndHang';
    await instance.send(report);
    await waitUntil('it is in ClickHouse', async () => (await measured(report)).rows.length === 1);
    await gate.close();
    instance.store.behaviour = 'store';
    instance.store.release();
    await instance.delivered(20_000);
    t.equal((await waitingBlocks()).length, 1);
    await gate.open();
    clock.advance(16_000);
    await recover();
    t.strictSame(await waitingBlocks(), []);
    t.strictSame(await measured(report), once);
  },
);

t.test('a block that ClickHouse may have forgotten is looked up before it is inserted again', async (t) => {
  const dying = startInstance(t);
  const [stored, missing] = [make(), make()];
  dying.store.behaviour = 'storeAndHang';
  await dying.send(stored);
  await waitUntil('it is in ClickHouse', async () => (await measured(stored)).rows.length === 1);
  const other = startInstance(t);
  other.store.behaviour = 'hang';
  await other.send(missing);
  await waitUntil('the other is in flight', () => other.store.inserts === 1);
  const before = await waitingBlocks();
  const twin = make();
  const twins = startInstance(t);
  twins.store.behaviour = 'hang';
  await Promise.all([twins.send(twin), twins.send(twin, otherPageId)]);
  await waitUntil('the block of two pages is in flight', () => twins.store.inserts === 1);
  const blocks = (await waitingBlocks()).filter((id) => !before.includes(id));
  t.equal(blocks.length, 1);
  await clickhouse.command({
    query: `INSERT INTO pool_reports (page_id, block_id, kind, session, sequence, interval_to, minute, received_at)
      VALUES ({page:UUID}, {block:UUID}, 'report', {session:UUID}, {sequence:UInt64}, now(), now(), now())`,
    query_params: { page: pageId, block: blocks[0], ...twin },
  });
  await clickhouse.command({
    query: `INSERT INTO pool_reports (page_id, block_id, kind, interval_to, minute, received_at)
      SELECT generateUUIDv4(), generateUUIDv4(), 'report', now(), now(), now() + 3600 FROM numbers(6000)`,
  });
  clock.advance(120_000);
  const counting = controlClickHouse(clickhouse);
  await recover(counting.clickhouse);
  t.equal(counting.inserts, 2, 'only the missing reports');
  t.strictSame(
    await measured(twin),
    { rows: [[9, 2, 1]], intervals: 1 },
    'also when two pages have one session',
  );
  for (const report of [stored, missing]) t.strictSame(await measured(report), once);
  t.strictSame(await waitingBlocks(), []);
});

t.test('a broken block does not hold up the recovery of others', async (t) => {
  const dying = startInstance(t);
  const report = make();
  const id = '00000000-0000-7000-8000-000000000001';
  await sql`insert into pool_blocks (id, created_at) values (${id}, ${new Date(clock.now() - 60_000)})`;
  await sql`insert into pool_block_parts (block_id, body) values (${id}, ${Buffer.from('broken')})`;
  dying.store.behaviour = 'hang';
  await dying.send(report);
  clock.advance(16_000);
  await t.rejects(recover());
  t.strictSame(await measured(report), once);
  t.strictSame(await waitingBlocks(), [id]);
  await sql`delete from pool_blocks where id = ${id}`;
});

t.test('a read waits for acknowledged reports, but not while ClickHouse is unavailable', async (t) => {
  const instance = startInstance(t);
  const [report, waiting] = [make(), make()];
  await instance.delivered(20_000);
  await instance.send(report);
  await instance.delivered(20_000);
  t.strictSame(await measured(report), once);
  instance.store.behaviour = 'fail';
  await instance.send(waiting);
  await instance.delivered(50);
  t.strictSame(await measured(waiting), nowhere);
});

t.test('what waits is bounded, and reports are refused while PostgreSQL hangs', async (t) => {
  const slow = slowPostgres();
  const instance = startInstance(t, slow.sql);
  slow.hold();
  t.teardown(slow.release);
  const first = instance.send(make());
  await waitUntil('a transaction is open', () => slow.held === 1);
  const stepMs = 1_000;
  const { reportsPerSessionAndHour: count } = poolReportLimits;
  const sessions = Array.from({ length: 17 }, () => makeReports(clock.now(), { count, stepMs, pools: [] }));
  const refusals: string[] = [];
  const sendAll = (reports: readonly PoolReport[], of: PageId) =>
    reports.map((report) =>
      instance.send(report, of).catch((error: { kind?: string }) => {
        refusals.push(String(error.kind));
      }),
    );
  const [some, others] = [sessions.slice(0, 9).flat(), sessions.slice(9).flat()];
  const sent = sendAll(some, pageId);
  await waitUntil('some are refused', () => refusals.length > 0);
  t.equal(refusals.length, 9 * 120 - 1_024, 'one page may not take all the room');
  sent.push(...sendAll([...others, make(), ...others], otherPageId));
  await waitUntil('all is full', () => refusals.length >= 9 * 120 + 16 * 120 + 1 - 2_000);
  t.equal(refusals.length, 9 * 120 + 16 * 120 + 1 - 2_000);
  advanceMonotonic(t, 4_000);
  await t.rejects(instance.send(make()), likeServiceError('storeBusy', { retryAfterSeconds: 5 }));
  t.strictSame([...new Set(refusals)], ['storeBusy']);
  slow.release();
  t.equal(await first, false);
  await Promise.all(sent);
  t.equal(await instance.send(make()), undefined, 'the page has sent too many');
  clock.advance(-3_600_000);
  t.equal(await instance.send(make()), false, 'the clock was put back');
  clock.advance(3_600_000);
});

t.test('a clock that is put forward does not make a transaction look stalled', async (t) => {
  const slow = slowPostgres();
  const instance = startInstance(t, slow.sql);
  clock.advance(61_000); // The page has sent too many in this minute.
  slow.hold();
  t.teardown(slow.release);
  const first = instance.send(make());
  await waitUntil('a transaction is open', () => slow.held === 1);
  clock.advance(3_600_000);
  const second = instance.send(make());
  slow.release();
  t.equal(await first, false);
  t.equal(await second, false, 'it was accepted');
  clock.advance(-3_600_000);
});

t.test('a machine that dies in the middle of a transaction does not keep pages locked', async (t) => {
  let timeout: unknown;
  const begin = (work: (tx: Transaction) => Promise<unknown>) =>
    sql.begin(async (tx) => {
      const result = await work(tx);
      [timeout] = await tx`show idle_in_transaction_session_timeout`;
      return result;
    });
  const observed = new Proxy(sql, {
    get: (target, name) => (name === 'begin' ? begin : Reflect.get(target, name, target)),
  });
  clock.advance(61_000); // The page has sent too many in this minute.
  t.equal(await startInstance(t, observed).send(make()), false);
  t.strictSame(timeout, { idle_in_transaction_session_timeout: '3s' });
  const [usual] = await sql`show idle_in_transaction_session_timeout`;
  t.notSame(usual, timeout, 'it applies to this transaction alone');
});

t.test('the hour of a session does not last longer when a clock that was ahead began it', async (t) => {
  const now = clock.now();
  const decideAt = (hourFrom: number) => {
    const incoming = toIncoming(pageId, parsePoolReport(makeReport(now), now), now);
    const session = { ...beginSession(incoming.report, hourFrom), hourReports: 120 };
    const verdict = decide(session, incoming, now);
    return [verdict.is, session.hourReports];
  };
  t.strictSame(decideAt(now + 3_600_000), ['held', 1]);
  t.strictSame(decideAt(now + 30_000), ['refused', 120], 'a little is believed');
  t.strictSame(decideAt(now - 3_599_999), ['refused', 120]);
  t.strictSame(decideAt(now - 3_600_000), ['held', 1]);
});

t.test('closing answers what was accepted, and refuses the rest', async (t) => {
  const instance = startInstance(t);
  clock.advance(61_000); // The page has sent too many in this minute.
  const sent = [make(), make(), make()].map((report) => instance.send(report));
  const closed = instance.close();
  await t.rejects(instance.send(make()), likeServiceError('shuttingDown'));
  t.strictSame(await Promise.all(sent), [false, false, false]);
  await closed;
  t.strictSame(instance.outcomes, ['stored', 'stored', 'stored']);
});

t.test('closing does not wait for ClickHouse with each block', async (t) => {
  // On a slow machine a transaction of the tests above may have timed out and been committed all the same.
  const others = await waitingBlocks();
  const instance = startInstance(t);
  instance.store.behaviour = 'fail';
  const reports = Array.from({ length: 6 }, make);
  for (const report of reports) {
    await instance.send(report);
    await sealBlocks();
  }
  const before = instance.store.inserts;
  await instance.close();
  t.ok(instance.store.inserts - before < 3, `${instance.store.inserts - before} attempts`);
  const waiting = (await waitingBlocks()).filter((id) => !others.includes(id));
  t.equal(waiting.length, 6, 'the job has the rest');
  clock.advance(16_000);
  await recover();
  for (const report of reports) t.strictSame(await measured(report), once);
});

t.test('a session is kept as long as one of its reports, even after the clock was put back', async (t) => {
  const instance = startInstance(t);
  const report = make();
  clock.advance(3 * 3_600_000);
  const { session, startedAt } = report;
  const ahead = makeReport(clock.now(), { session, startedAt, sequence: 10 });
  t.equal(await instance.send(ahead), false);
  clock.advance(-3 * 3_600_000);
  t.equal(await instance.send(report), false);
  clock.advance(3 * 3_600_000);
  await pruneReports({ sql, clock });
  t.equal(await instance.send(ahead), true);
  await untilNothingWaits();
});

t.test(
  'reports are deleted an hour after they ended, and sessions two hours after the last report',
  async (t) => {
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
  },
);
