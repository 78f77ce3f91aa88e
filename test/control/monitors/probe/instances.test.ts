import t from 'tap';
import { claimChecks } from '../../../../control/monitors/probe/due-checks.js';
import { type ProbesDeps, startProbes } from '../../../../control/monitors/probe/probes.js';
import type { MonitorId } from '../../../../lib/ids.js';
import { openClickHouse } from '../../../../sql/open-clickhouse.js';
import { openPostgres } from '../../../../sql/open-postgres.js';
import { testSecretKey as secretKey } from '../../../support/embedded-stores.js';
import { insertMonitor, readChecks, type StoredCheck, waitForChecks } from '../../../support/monitors.js';
import { makeMovingClock } from '../../../support/moving-clock.js';
import { makePage } from '../../../support/pages.js';
import { startProbeTarget } from '../../../support/probe-target.js';
import { silentLog } from '../../../support/silent-log.js';
import { openStores } from '../../../support/stores.js';
import { openTcpGate } from '../../../support/tcp-gate.js';
import { waitUntil } from '../../../support/wait-until.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;
const clock = makeMovingClock();
const target = await startProbeTarget(t);
const page = await makePage(sql);
const url = `${target.url}/ok`;
const now = () => new Date(clock.now());
const readRow = async (id: MonitorId) => (await sql`select * from monitors where id = ${id}`)[0];

/** Starts an instance that stops when the test ends. */
function start(t: Tap, options: Partial<ProbesDeps> = {}) {
  const deps = { ...stores, clock, log: silentLog, secretKey, allowPrivateAddresses: true };
  const probes = startProbes({ ...deps, everyMs: 50, stopGraceMs: 300, ...options });
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= probes.stop();
    return stopping;
  };
  t.teardown(stop);
  return { stop };
}
type Tap = { teardown(handler: () => Promise<unknown>): void };

/** Counts the checks that instances begin and store. */
function counting() {
  const counts = { began: 0, ended: 0, stored: 0, insertFailed: 0, dropped: 0 };
  const counter = (name: keyof typeof counts, by: (value: unknown) => number) => (value?: unknown) => {
    counts[name] += by(value);
  };
  const [one, many] = [() => 1, Number];
  return {
    counts,
    metrics: {
      began: counter('began', one),
      ended: counter('ended', one),
      stored: counter('stored', many),
      insertFailed: counter('insertFailed', one),
      dropped: counter('dropped', many),
    },
  };
}

t.test('one of two instances makes each check', async (t) => {
  const ids: MonitorId[] = [];
  const dueAt = now();
  for (let i = 0; i < 60; i += 1) ids.push(await insertMonitor(sql, { pageId: page.id, url, dueAt }));
  const { counts, metrics } = counting();
  const instances = [start(t, { metrics }), start(t, { metrics })];
  await waitUntil('each is checked', () => counts.stored === ids.length);
  // A schedule that moves on after the clock advances would skip the next check.
  await waitUntil(
    'the schedule moved on',
    async () => (await sql`select 1 from monitors where last_checked_at is null`).length === 0,
  );
  clock.advance(60_000);
  await waitUntil('each is checked again', () => counts.stored === 2 * ids.length);
  await Promise.all(instances.map(({ stop }) => stop()));
  const checked = await Promise.all(ids.map((id) => readChecks(clickhouse, id)));
  const isApart = ([first, second]: StoredCheck[]) => (second?.at ?? 0) - (first?.at ?? 0) >= 59_000;
  t.strictSame(
    checked.filter((checks) => checks.length !== 2 || !isApart(checks)),
    [],
    'each has two checks, a minute apart',
  );
  const next = await sql`select distinct next_due_at from monitors where id in ${sql(ids)}`;
  t.same([...next], [{ next_due_at: new Date(dueAt.getTime() + 120_000) }], 'the grid does not drift');
  t.match(counts, { began: 120, ended: 120, stored: 120, dropped: 0 });
});

t.test('a check starts when it is due, not before', async (t) => {
  start(t);
  let claimed: { id: MonitorId; dueAt: Date } | undefined;
  // A busy machine may be too late to claim a check ahead.
  await waitUntil('one is claimed ahead', async () => {
    const dueAt = new Date(clock.now() + 1_400);
    const id = await insertMonitor(sql, { pageId: page.id, url, dueAt, timeoutMs: 10_000 });
    let row = await readRow(id);
    await waitUntil('it is claimed, or checked', async () => {
      row = await readRow(id);
      return row?.['claimed_until'] !== null || row?.['last_checked_at'] !== null;
    });
    // The claim lasts for the timeout and 30 s, from when the check is due or, once it is, from now.
    if (row?.['claimed_until']?.getTime() === dueAt.getTime() + 40_000) claimed = { id, dueAt };
    return claimed !== undefined;
  });
  if (claimed === undefined) throw new Error('None was claimed ahead.');
  const [check] = await waitForChecks(clickhouse, claimed.id, 1);
  // A timer may fire up to a millisecond early.
  t.ok((check?.at ?? 0) >= claimed.dueAt.getTime() - 1);
});

t.test(
  'another instance makes the checks of an instance that died, once the claims have lapsed',
  async (t) => {
    // The clock stands still, so that a busy machine does not let the claim lapse early.
    let time = clock.now();
    const still = { now: () => time };
    const dueAt = new Date(time);
    const id = await insertMonitor(sql, {
      pageId: page.id,
      url,
      dueAt,
      timeoutMs: 10_000,
      everySeconds: 600,
    });
    t.equal((await claimChecks({ sql, clock: still }, { room: 10, fullPages: [] })).length, 1);
    start(t, { clock: still });
    // The claim lasts for 40 s.
    time += 39_999;
    const witness = await insertMonitor(sql, { pageId: page.id, url, dueAt: new Date(time) });
    await waitForChecks(clickhouse, witness, 1);
    t.same(await readChecks(clickhouse, id), [], 'the claim has not lapsed yet');
    time += 1;
    await waitForChecks(clickhouse, id, 1);
    await waitUntil('it moved on', async () => (await readRow(id))?.['claimed_until'] === null);
    t.same((await readRow(id))?.['next_due_at'], new Date(dueAt.getTime() + 600_000));
  },
);

t.test('an instance that stops gives back its unfinished checks', async (t) => {
  const { stop } = start(t);
  // On a busy machine the waiting check may begin too, and hang as well.
  const slow = { pageId: page.id, url: `${target.url}/slow` };
  const waiting = await insertMonitor(sql, { ...slow, dueAt: new Date(clock.now() + 1_400) });
  const hanging = await insertMonitor(sql, { ...slow, dueAt: now() });
  for (const id of [waiting, hanging]) {
    await waitUntil('it is claimed', async () => (await readRow(id))?.['claimed_until'] !== null);
  }
  await stop();
  for (const id of [waiting, hanging]) {
    t.match(await readRow(id), { claimed_until: null, last_checked_at: null });
    t.same(await readChecks(clickhouse, id), []);
  }
  await sql`delete from monitors where id in (${waiting}, ${hanging})`;
});

t.test('checks continue while ClickHouse is unavailable, and all are stored when it is back', async (t) => {
  const gate = await openTcpGate(t, stores.clickhouseUrl);
  const behind = openClickHouse(gate.url, { max: 2 });
  t.teardown(() => behind.close());
  const { counts, metrics } = counting();
  start(t, { clickhouse: behind, metrics });
  const id = await insertMonitor(sql, { pageId: page.id, url, dueAt: now() });
  await waitForChecks(clickhouse, id, 1);
  await waitUntil('the schedule moved on', async () => (await readRow(id))?.['last_checked_at'] !== null);
  await gate.close();
  for (let missing = 1; missing <= 3; missing += 1) {
    const before = (await readRow(id))?.['last_checked_at'].getTime();
    clock.advance(60_000);
    await waitUntil('it is checked', async () => (await readRow(id))?.['last_checked_at'].getTime() > before);
  }
  t.ok(counts.insertFailed > 0);
  t.equal((await readChecks(clickhouse, id)).length, 1);
  await gate.open();
  const checks = await waitForChecks(clickhouse, id, 4);
  t.equal(checks.length, 4);
  t.equal(counts.dropped, 0);
  const gaps = checks.slice(1).map(({ at }, index) => at - (checks[index]?.at ?? 0));
  t.ok(gaps.every((gap) => gap > 50_000 && gap < 80_000));
});

t.test(
  'while PostgreSQL is unavailable finished checks are stored, and the schedule moves on afterwards',
  async (t) => {
    const gate = await openTcpGate(t, stores.databaseUrl);
    const behind = openPostgres(gate.url, { max: 2 });
    t.teardown(() => behind.end({ timeout: 1 }));
    start(t, { sql: behind });
    const late = `${target.url}/chunked`;
    const id = await insertMonitor(sql, { pageId: page.id, url: late, dueAt: now() });
    // Other monitors may become due meanwhile.
    await waitUntil('the check has begun', () => target.received.some(({ path }) => path === '/chunked'));
    await gate.close();
    await waitForChecks(clickhouse, id, 1);
    t.match(await readRow(id), { last_checked_at: null });
    await gate.open();
    await waitUntil('the schedule moved on', async () => (await readRow(id))?.['last_checked_at'] !== null);
    t.equal((await readChecks(clickhouse, id)).length, 1, 'the check is not made again');
  },
);

t.test('private addresses are refused unless they are allowed', async (t) => {
  start(t, { allowPrivateAddresses: false });
  const before = target.received.length;
  const http = await insertMonitor(sql, { pageId: page.id, url, dueAt: now() });
  const tcpUrl = `tcp://127.0.0.1:${target.port}`;
  const tcp = await insertMonitor(sql, { pageId: page.id, kind: 'tcp', url: tcpUrl, dueAt: now() });
  for (const id of [http, tcp]) {
    await waitUntil('it is refused', async () => (await readRow(id))?.['unobserved_since'] !== null);
    t.match(await readRow(id), { state: null, last_checked_at: null, last_error: /^blocked: / });
    t.same(await readChecks(clickhouse, id), []);
  }
  t.equal(target.received.length, before);
});
