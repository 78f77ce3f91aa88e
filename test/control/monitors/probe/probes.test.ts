import t from 'tap';
import { loadLedger } from '../../../../control/incidents/index.js';
import {
  changeMonitor,
  createMonitor,
  createPings,
  pauseMonitor,
  resumeMonitor,
  startProbes,
  watchMonitors,
} from '../../../../control/monitors/index.js';
import type { MonitorId } from '../../../../lib/ids.js';
import { testActor } from '../../../support/actor.js';
import { captureLog } from '../../../support/capture-log.js';
import { testSecretKey as secretKey } from '../../../support/embedded-stores.js';
import { insertMonitor, readChecks, waitForChecks } from '../../../support/monitors.js';
import { makeMovingClock } from '../../../support/moving-clock.js';
import { makePage, setPage } from '../../../support/pages.js';
import { findClosedPort, startProbeTarget } from '../../../support/probe-target.js';
import { openStores } from '../../../support/stores.js';
import { waitUntil } from '../../../support/wait-until.js';

const stores = await openStores(t);
const { sql, clickhouse } = stores;
const clock = makeMovingClock();
const { log, text: logged } = captureLog();
const target = await startProbeTarget(t);
const page = await makePage(sql);
const probes = startProbes({ ...stores, clock, log, secretKey, allowPrivateAddresses: true, everyMs: 50 });
t.teardown(() => probes.stop());
const deps = { sql, clock, secretKey, by: testActor };

const now = () => new Date(clock.now());
const readRow = async (id: MonitorId) => (await sql`select * from monitors where id = ${id}`)[0];

/** Makes the next check of the monitor due, and returns when. */
async function makeDue(id: MonitorId): Promise<Date> {
  let dueAt = now();
  await waitUntil('it is due', async () => {
    dueAt = now();
    const due = await sql`
      update monitors set next_due_at = ${dueAt} where id = ${id} and claimed_until is null`;
    return due.count === 1;
  });
  return dueAt;
}

/** Makes the next check of the monitor due, and waits until the schedule has moved on. Returns when it was due. */
async function nextTurn(id: MonitorId): Promise<Date> {
  const dueAt = await makeDue(id);
  await waitUntil('it moved on', async () => (await readRow(id))?.['next_due_at'] > dueAt);
  return dueAt;
}

/**
 * Makes the next check of the monitor due, and waits until the check is stored and the schedule has moved on. A check
 * that is already running since the clock was put forward comes first: it would overwrite the time when it ends.
 */
async function nextCheck(id: MonitorId): Promise<void> {
  const dueAt = await makeDue(id);
  await waitUntil('it is stored', async () =>
    (await readChecks(clickhouse, id)).some(({ at }) => at >= dueAt.getTime()),
  );
  await waitUntil('it moved on', async () => (await readRow(id))?.['last_checked_at'] >= dueAt);
}

t.test('every check is stored with its result', async (t) => {
  const closed = await findClosedPort();
  const cases: [string, string, number, 'http' | 'tcp'][] = [
    [`${target.url}/ok`, '', 200, 'http'],
    [`${target.url}/503`, 'status', 503, 'http'],
    [`${target.url}/slow`, 'timeout', 0, 'http'],
    [`${target.url}/drop`, 'reset', 0, 'http'],
    [`${target.url}/loop`, 'redirect-loop', 0, 'http'],
    [`http://127.0.0.1:${closed}/`, 'refused', 0, 'http'],
    [`tcp://127.0.0.1:${target.port}`, '', 0, 'tcp'],
    [`tcp://127.0.0.1:${closed}`, 'refused', 0, 'tcp'],
  ];
  for (const [url, error, status, kind] of cases) {
    const dueAt = now();
    const id = await insertMonitor(sql, {
      pageId: page.id,
      kind,
      url,
      timeoutMs: error === 'timeout' ? 300 : 10_000,
      dueAt,
      everySeconds: 90,
    });
    const [check] = await waitForChecks(clickhouse, id, 1);
    const passed = Number(error === '');
    t.match(check, { ok: passed, up: passed, error, status, interval_seconds: 90 }, url);
    t.equal((check?.total_ms ?? null) !== null, passed === 1 || status > 0);
    t.ok((check?.at ?? 0) >= dueAt.getTime());
    await waitUntil('the schedule moved on', async () => (await readRow(id))?.['last_checked_at'] !== null);
    const row = await readRow(id);
    t.same(row?.['next_due_at'], new Date(dueAt.getTime() + 90_000));
    t.equal(row?.['last_checked_at'].getTime(), check?.at);
    t.match(row?.['last_error'] ?? '', error === '' ? /^$/ : new RegExp(`^${error}: .*\\.$`));
  }
});

t.test('a monitor is degraded after as many slow checks as must fail for down, and no less up', async (t) => {
  const [late, fast] = [`${target.url}/late`, `${target.url}/ok`];
  const id = await insertMonitor(sql, { pageId: page.id, url: late, failuresToDown: 2, degradedOverMs: 40 });
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', slow_checks: 1, degraded_since: null });
  await changeMonitor(deps, { id }, { url: `${target.url}/503` });
  await nextCheck(id);
  t.match(await readRow(id), { slow_checks: 1, failures: 1 }, 'a failure says nothing about the speed');
  await changeMonitor(deps, { id }, { url: late });
  await nextCheck(id);
  const degraded = await readRow(id);
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', slow_checks: 3, failures: 0 });
  t.same((await readRow(id))?.['degraded_since'], degraded?.['degraded_since'], 'since the second one');
  await changeMonitor(deps, { id }, { url: fast, degradedOverMs: 10_000 });
  await nextCheck(id);
  t.match(await readRow(id), { slow_checks: 0, degraded_since: null });
  const checks = await readChecks(clickhouse, id);
  t.same(
    checks.map(({ up, degraded }) => [up, degraded]),
    [
      [1, 0],
      [1, 0],
      [1, 1],
      [1, 1],
      [1, 0],
    ],
  );
  t.equal(degraded?.['degraded_since'].getTime(), checks[2]?.at);
});

t.test('a monitor is down after the set number of failures, and up after one success', async (t) => {
  const good = `${target.url}/ok`;
  const id = await insertMonitor(sql, { pageId: page.id, url: good, failuresToDown: 2 });
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', failures: 0 });
  const since = (await readRow(id))?.['state_since'];
  await changeMonitor(deps, { id }, { url: `${target.url}/503` });
  await nextCheck(id);
  t.match(await readRow(id), {
    state: 'up',
    failures: 1,
    last_error: 'status: The answer has the status 503.',
  });
  t.same((await readRow(id))?.['state_since'], since);
  await nextCheck(id);
  await nextCheck(id);
  const down = await readRow(id);
  t.match(down, { state: 'down', failures: 3 });
  await changeMonitor(deps, { id }, { url: good });
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', failures: 0, last_error: null });
  const checks = await readChecks(clickhouse, id);
  t.same(
    checks.map(({ ok, up }) => [ok, up]),
    [
      [1, 1],
      [0, 1],
      [0, 0],
      [0, 0],
      [1, 1],
    ],
  );
  t.equal(
    down?.['state_since'].getTime(),
    checks[2]?.at,
    'the state begins with the failure that changed it',
  );

  const fresh = await insertMonitor(sql, { pageId: page.id, url: `${target.url}/503`, failuresToDown: 2 });
  await nextCheck(fresh);
  t.match(
    await readRow(fresh),
    { state: null, failures: 1 },
    'a monitor that was never up is neither up nor down',
  );
  t.match(await readChecks(clickhouse, fresh), [{ up: 0 }]);
  const firstAt = (await readChecks(clickhouse, fresh))[0]?.at;
  t.equal((await readRow(fresh))?.['failing_since'].getTime(), firstAt);
  await nextCheck(fresh);
  const failed = await readRow(fresh);
  t.match(failed, { state: 'down', failures: 2 });
  t.equal(failed?.['state_since'].getTime(), firstAt, 'it is down since the first failure');
  await changeMonitor(deps, { id: fresh }, { url: good });
  await nextCheck(fresh);
  t.match(await readRow(fresh), { state: 'up', failing_since: null });
});

t.test(
  'a check that observes nothing is not stored and changes no state, and the schedule moves on',
  async (t) => {
    const id = await insertMonitor(sql, { pageId: page.id, url: `${target.url}/503`, failuresToDown: 2 });
    await nextCheck(id);
    const before = await readRow(id);
    await sql`update monitors set secrets = '\\x00'::bytea where id = ${id}`;
    const firstDueAt = await nextTurn(id);
    const missed = await readRow(id);
    t.match(missed, { state: null, failures: 1, last_error: /^internal: The headers and body/ });
    t.ok(missed?.['unobserved_since'] >= firstDueAt);
    t.same(missed?.['last_checked_at'], before?.['last_checked_at']);
    await nextTurn(id);
    t.same(
      (await readRow(id))?.['unobserved_since'],
      missed?.['unobserved_since'],
      'it lasts since the first',
    );
    t.equal((await readChecks(clickhouse, id)).length, 1);
    await sql`update monitors set secrets = null where id = ${id}`;
    await nextCheck(id);
    t.match(
      await readRow(id),
      { state: 'down', failures: 2, unobserved_since: null, last_error: /^status: / },
      'failures before and after it are in a row',
    );
    const sentences = logged()
      .split('\n')
      .filter((line) => line.includes(id));
    t.equal(sentences.length, 1, 'the log names the monitor once');
  },
);

t.test('paused monitors are not checked', async (t) => {
  const id = await insertMonitor(sql, { pageId: page.id, url: `${target.url}/ok` });
  const other = await makePage(sql, { slug: 'other' });
  const ofOther = await insertMonitor(sql, { pageId: other.id, url: `${target.url}/ok` });
  const asleep = await insertMonitor(sql, { pageId: other.id, url: `${target.url}/ok` });
  for (const one of [id, ofOther, asleep]) await nextCheck(one);
  await pauseMonitor(deps, { id });
  await pauseMonitor(deps, { id: asleep });
  await setPage(deps, { slug: 'other', monitoringPaused: true });
  clock.advance(3_600_000);
  const witness = await insertMonitor(sql, { pageId: page.id, url: `${target.url}/ok` });
  await nextCheck(witness);
  for (const one of [id, ofOther, asleep]) t.equal((await readChecks(clickhouse, one)).length, 1);

  await resumeMonitor(deps, { id });
  await setPage(deps, { slug: 'other', monitoringPaused: false });
  clock.advance(60_000);
  for (const one of [id, ofOther]) await waitForChecks(clickhouse, one, 2);
  t.match(await readRow(asleep), { next_due_at: null }, 'resuming the page does not resume a paused monitor');
});

t.test('a heartbeat is late when its ping is late', async (t) => {
  const input = { pageId: page.id, slug: 'job', name: 'Job', kind: 'heartbeat' } as const;
  const settings = { periodSeconds: 600, graceSeconds: 60, failuresToDown: 1 };
  const { id, token = '' } = await createMonitor(deps, { ...input, ...settings });
  clock.advance(86_400_000);
  await nextTurn(id);
  t.match(
    await readRow(id),
    { state: null, last_checked_at: null, last_error: null, unobserved_since: null },
    'before its first call, nothing is known of a heartbeat',
  );
  t.same(await readChecks(clickhouse, id), []);
  t.ok(await createPings(deps)(token));
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', last_error: null });
  clock.advance(655_000);
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up' });
  clock.advance(60_000);
  await nextCheck(id);
  t.match(await readRow(id), { state: 'down', last_error: /^late: No ping for 7\d\d s\.$/ });
  t.ok(await createPings(deps)(token));
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up', last_error: null });
  await pauseMonitor(deps, { id });
  clock.advance(86_400_000);
  await resumeMonitor(deps, { id });
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up' }, 'a pause does not make a heartbeat late');
  const checks = await readChecks(clickhouse, id);
  t.ok(checks.every(({ total_ms, status }) => total_ms === null && status === 0));
});

t.test('a job that reports a failure is down at once, until it reports success', async (t) => {
  const own = await makePage(sql, { slug: 'jobs', languages: ['en'] });
  await setPage(deps, { slug: own.slug, incidentsFromMonitors: true });
  const input = { pageId: own.id, slug: 'reporting', name: 'Job', kind: 'heartbeat' } as const;
  const settings = { periodSeconds: 86_400, failuresToDown: 20, everySeconds: 3_600 };
  const { id, token = '' } = await createMonitor(deps, { ...input, ...settings });
  const ping = createPings(deps);
  const becomes = (state: string) =>
    waitUntil(`it is ${state}`, async () => (await readRow(id))?.['state'] === state);
  const openIncidents = async () => {
    await watchMonitors({ ...deps, log });
    return (await loadLedger(deps, own.id)).filter(({ resolvedAt }) => resolvedAt === null).length;
  };
  await ping(token);
  await nextCheck(id);
  await becomes('up');
  for (const failure of ['The job reported a failure.', 'The job reported a failure: exit code 3.']) {
    await ping(token, failure);
    await becomes('down');
    t.match(await readRow(id), { last_error: `reported: ${failure}`, failures: 1 });
    t.equal(await openIncidents(), 1);
    await nextCheck(id);
    t.match(await readRow(id), { state: 'down', failures: 2 }, 'it stays down until the next success');
    await ping(token);
    await becomes('up');
    t.match(await readRow(id), { last_error: null, failures: 0 });
    t.equal(await openIncidents(), 0);
  }
  t.strictSame(
    (await readChecks(clickhouse, id)).map(({ ok, up, error }) => [ok, up, error].join()),
    ['1,1,', '0,0,reported', '0,0,reported', '1,1,', '0,0,reported', '0,0,reported', '1,1,'],
  );
  await ping(token, 'The job reported a failure.');
  await becomes('down');
  await pauseMonitor(deps, { id });
  clock.advance(60_000);
  await resumeMonitor(deps, { id });
  await nextCheck(id);
  t.match(await readRow(id), { state: 'up' }, 'a failure from before a pause does not count after it');
  await ping(token, 'The job reported a failure.');
  await becomes('down');
});

t.test('headers and body are sent and appear nowhere else', async (t) => {
  const input = {
    pageId: page.id,
    slug: 'secret',
    name: 'Secret',
    kind: 'http',
    url: `${target.url}/ok`,
  } as const;
  const headers = [['X-Token', 'hush-hush']] as const;
  const { id } = await createMonitor(deps, { ...input, headers, method: 'POST', body: 'hush-body' });
  await nextCheck(id);
  // The monitors above became due when the clock advanced, so their GETs may arrive at any moment.
  const posts = target.received.filter(({ method }) => method === 'POST');
  t.match(posts, [{ method: 'POST', headers: { 'x-token': 'hush-hush' }, body: 'hush-body' }]);
  t.notMatch(JSON.stringify(await readRow(id)), /hush/);

  const broken = await insertMonitor(sql, { pageId: page.id, url: `${target.url}/ok` });
  await sql`update monitors set next_due_at = ${now()}, secrets = '\\x00'::bytea where id = ${broken}`;
  await waitUntil('it is logged', () => logged().includes(broken));
  t.match(logged(), 'sealed with another HEARTLINE_SECRET_KEY');
  t.same(await readChecks(clickhouse, broken), [], 'a check that cannot be made is not stored');
  t.notMatch(logged(), /hush/);
});
