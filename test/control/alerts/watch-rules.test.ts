import t from 'tap';
import {
  acknowledgeAlert,
  changeAlertsOfRule,
  createSilence,
  endAlertsOfRule,
  endSilence,
  listAlerts,
  resolveAlert,
} from '../../../control/alerts/index.js';
import { putObjective } from '../../../control/objectives/index.js';
import {
  changeRule,
  deleteRule,
  loadRule,
  type PutRuleFields,
  putRule,
  type RuleDeps,
} from '../../../control/rules/index.js';
import type { PageId } from '../../../lib/ids.js';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/times.js';
import type { JobDeps } from '../../../service/jobs/job.js';
import { lookAtRules } from '../../../service/jobs/watch-rules.js';
import { openClickHouse } from '../../../sql/open-clickhouse.js';
import { insertRequests, type LandingRow } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { loadMessages, makeChannel } from '../../support/channels.js';
import { likeServiceError } from '../../support/like-service-error.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { silentLog } from '../../support/silent-log.js';
import { openStores } from '../../support/stores.js';

const { sql, clickhouse } = await openStores(t);
const begin = Math.floor(Date.now() / hourMs) * hourMs - 10 * hourMs;
let now = begin;
const clock = { now: () => now };
const jobDeps: JobDeps = { sql, clickhouse, clickhouseOf: () => clickhouse, clock, log: silentLog };
const deps: RuleDeps = {
  ...{ sql, clock, by: testActor, endAlerts: endAlertsOfRule, changeAlerts: changeAlertsOfRule },
};
let pages = 0;

const tenPercent: PutRuleFields = {
  ...{ slug: 'failing', name: 'Checkout fails', kind: 'failure-rate' },
  condition: { percent: 10, windowMinutes: 1, requestsMin: 10 },
};

/** A page with rules and a channel that hears of everything. */
async function makeWatched(...rules: PutRuleFields[]) {
  const { id: pageId } = await makePage(sql, { slug: `page-${++pages}` });
  // Without the rules that a page begins with, and those of the tests before.
  await sql`delete from rules where page_id = ${pageId}`;
  await sql`update rules set enabled = false`;
  for (const rule of rules) await putRule(deps, { ...rule, pageId });
  const { id } = await makeChannel({ sql, clock }, pageId, {
    settings: { url: 'https://hooks.example.com/' },
  });
  return {
    pageId,
    told: async () => (await loadMessages(sql, id)).map(({ event, title }) => `${event}: ${title}`),
    /** Requests of the minute with this number. */
    send: (minute: number, statuses: Record<number, number>, row: Partial<LandingRow> = {}) =>
      insertRequests(clickhouse, pageId, rowsOf(minute, statuses, row)),
    /** Requests of each of so many minutes. */
    sendEach: (first: number, minutes: number, statuses: Record<number, number>) =>
      insertRequests(
        clickhouse,
        pageId,
        [...Array(minutes).keys()].flatMap((i) => rowsOf(first + i, statuses)),
      ),
    stateOf: async (slug = 'failing') => (await loadRule({ sql }, { pageId, slug })).state,
    alerts: () => alertsOf(pageId),
  };
}

const rowsOf = (minute: number, statuses: Record<number, number>, row: Partial<LandingRow> = {}) =>
  Object.entries(statuses).map(([status, requests]) => ({
    ...{ at: begin + minute * minuteMs, status: Number(status), requests, ...row },
  }));

const alertsOf = (pageId: PageId) =>
  listAlerts({ sql }, { pageId, state: 'all', limit: 100, after: undefined });

/** Looks when the minute before this one is over by so many seconds. */
async function lookAt(minute: number, seconds = 20, run = jobDeps): Promise<void> {
  now = begin + minute * minuteMs + seconds * 1_000;
  await lookAtRules(run);
}

t.test('a rule fires and is over, and each is told once', async (t) => {
  const { send, told, alerts, stateOf } = await makeWatched(tenPercent);
  await send(0, { 200: 80, 503: 20 });
  await lookAt(1);
  await lookAt(1, 50);
  t.equal(await stateOf(), 'firing');
  t.strictSame(await told(), ['failure-rate.high: 20 % of the requests fail']);
  t.match(await alerts(), [
    {
      ...{ ruleSlug: 'failing', state: 'firing', value: 20, threshold: 10, groupName: '', resolvedAt: null },
      evidence: {
        ...{ requests: 100, errors: 20, endpoints: [{ service: 'api', requests: 100, errors: 20 }] },
        ...{ from: new Date(begin).toISOString(), to: new Date(begin + minuteMs).toISOString() },
      },
    },
  ]);
  await send(1, { 200: 100 });
  await Promise.all([lookAt(2), lookAt(2)]);
  t.equal(await stateOf(), 'ok');
  await lookAt(3);
  t.strictSame(await told(), [
    'failure-rate.high: 20 % of the requests fail',
    'failure-rate.normal: The failure rate is normal again',
  ]);
  t.match(await alerts(), [{ state: 'resolved', endedBy: 'rule' }]);
});

t.test('a minute is quiet once it is over for 15 s', async (t) => {
  const condition = { belowRequests: 10, windowMinutes: 1 };
  const { send, stateOf } = await makeWatched({ slug: 'failing', name: 'Quiet', kind: 'traffic', condition });
  await send(9, { 200: 10 });
  await lookAt(11, 14);
  t.equal(await stateOf(), 'ok');
  await lookAt(11, 15);
  t.equal(await stateOf(), 'firing');
});

t.test(
  'what fails in the minute that runs is told within it, and what is good decides nothing',
  async (t) => {
    const { send, told, alerts, stateOf } = await makeWatched(tenPercent);
    await send(12, { 503: 20 });
    await lookAt(12, 45);
    t.strictSame(await told(), ['failure-rate.high: 100 % of the requests fail']);
    t.match(await alerts(), [{ evidence: { to: new Date(begin + 13 * minuteMs).toISOString() } }]);
    await lookAt(13, 20);
    await send(13, { 200: 5 });
    await lookAt(13, 45);
    t.equal(await stateOf(), 'firing', 'the minute is not over');
    await lookAt(14, 20);
    t.equal(await stateOf(), 'ok');
  },
);

t.test('a first look that was missed is made beside the second one of its minute', async (t) => {
  const { send, told } = await makeWatched(tenPercent);
  const finish = (at: number) => sql`
    insert into job_leases (job, holder, expires_at, started_at, finished_at)
    select 'watch-rules', gen_random_uuid(), time, time, time from (values (${new Date(at)}::timestamptz)) as v (time)
    on conflict (job) do update set finished_at = excluded.finished_at`;
  await send(16, { 503: 20 });
  await finish(begin + 17 * minuteMs + 15 * secondMs);
  await lookAt(17, 45);
  t.strictSame(await told(), [], 'the first look was made, and the minute that runs is quiet');
  await finish(begin + 16 * minuteMs + 50 * secondMs);
  await lookAt(17, 45);
  t.strictSame(await told(), ['failure-rate.high: 100 % of the requests fail']);
});

t.test('a page that cannot be settled keeps no other from its second look', async (t) => {
  const broken = await makeWatched(tenPercent);
  const other = await makeWatched(tenPercent);
  await sql`update rules set enabled = true where page_id = ${broken.pageId}`;
  await broken.send(18, { 503: 20 });
  await other.send(19, { 503: 20 });
  await sql.unsafe(`alter table alerts add constraint broken check (page_id <> '${broken.pageId}')`);
  t.teardown(() => sql`alter table alerts drop constraint broken`);
  await t.rejects(lookAt(19, 50), /^The rules of 1 pages could not be settled/);
  t.equal(await broken.stateOf(), 'ok');
  t.equal(await other.stateOf(), 'firing', 'of the minute that runs');
});

t.test('a rule with groups makes an alert of each', async (t) => {
  const rule = { ...tenPercent, target: { by: 'endpoint' as const } };
  const { send, told, alerts } = await makeWatched(rule);
  await send(20, { 503: 30 }, { service: 'shop', endpoint: '/cart' });
  await send(20, { 200: 80, 503: 20 }, { service: 'shop', endpoint: '/pay' });
  await send(20, { 200: 100 }, { service: 'shop', endpoint: '/' });
  await lookAt(21);
  t.strictSame((await alerts()).map(({ groupName }) => groupName).sort(), ['/cart of shop', '/pay of shop']);
  t.strictSame((await told()).sort(), [
    'failure-rate.high: 100 % of the requests of /cart of shop fail',
    'failure-rate.high: 20 % of the requests of /pay of shop fail',
  ]);
});

t.test('many that begin together are one message, and so is their end', async (t) => {
  const { send, told } = await makeWatched({ ...tenPercent, target: { by: 'service' } });
  for (const i of Array(8).keys()) await send(30, { 503: 20 }, { service: `s${i}` });
  await lookAt(31);
  t.strictSame(await told(), ['failure-rate.high: 8 alerts began']);
  for (const i of Array(7).keys()) await send(31, { 200: 20 }, { service: `s${i}` });
  await lookAt(32, 40);
  t.equal((await told()).length, 1, 'one still fails');
  await send(33, { 200: 20 }, { service: 's7' });
  await lookAt(34, 40);
  t.strictSame((await told()).slice(1), ['failure-rate.normal: All 8 alerts are over']);
});

t.test('what begins within a minute of a message waits for the next', async (t) => {
  const { send, told } = await makeWatched({ ...tenPercent, target: { by: 'service' } });
  await send(40, { 503: 20 }, { service: 'a' });
  await lookAt(41, 20);
  await send(41, { 503: 20 }, { service: 'b' });
  await send(41, { 503: 20 }, { service: 'c' });
  await lookAt(41, 50);
  t.equal((await told()).length, 1);
  await lookAt(42, 20);
  t.equal((await told()).length, 3);
});

t.test('latency and traffic are looked at as well', async (t) => {
  const { send, told } = await makeWatched(
    {
      ...{ slug: 'slow', name: 'Slow', kind: 'latency', severity: 'ticket' },
      condition: { percentile: 'p95', overMs: 500, windowMinutes: 5 },
    },
    {
      ...{ slug: 'quiet', name: 'Quiet', kind: 'traffic', target: { service: 'shop' } },
      condition: { belowRequests: 5, windowMinutes: 5 },
    },
  );
  await send(50, { 200: 20 }, { latencyMs: Array.from({ length: 20 }, () => 1_000) });
  await lookAt(51);
  t.strictSame((await told()).sort(), [
    'rule.firing: 0 requests of shop, fewer than 5',
    'rule.firing: p95 of the page is 998 ms',
  ]);
});

t.test('an alert is acknowledged once, and resolved by hand until its condition is over', async (t) => {
  const { pageId, send, alerts, told } = await makeWatched(tenPercent);
  await send(80, { 503: 20 });
  await lookAt(81);
  const id = (await alerts())[0]?.id ?? '';
  const by = { ...testActor, name: 'Ada' };
  await acknowledgeAlert({ sql, clock, by }, { pageId, id, note: 'Rolling back.' });
  t.match(await alerts(), [{ state: 'acknowledged', acknowledgedName: 'Ada', note: 'Rolling back.' }]);
  await changeRule(deps, { pageId, slug: 'failing', severity: 'ticket' });
  t.match(await alerts(), [{ state: 'acknowledged', severity: 'ticket' }], 'better is no news');
  await changeRule(deps, { pageId, slug: 'failing', severity: 'page' });
  t.match(await alerts(), [{ state: 'firing', severity: 'page', acknowledgedName: null }], 'worse is');
  await resolveAlert({ sql, clock, by }, { pageId, id });
  await t.rejects(resolveAlert({ sql, clock, by }, { pageId, id }), likeServiceError('conflict'));
  await send(81, { 503: 20 });
  await lookAt(82, 40);
  t.equal((await alerts()).length, 1, 'it still fails');
  t.equal((await told()).length, 2);
  await send(82, { 200: 20 });
  await lookAt(83);
  await send(83, { 503: 20 });
  await lookAt(84);
  t.equal((await alerts()).length, 2);
});

t.test('a silence holds messages back, and its end lets those through that still matter', async (t) => {
  const { pageId, send, told, alerts } = await makeWatched(tenPercent, {
    ...tenPercent,
    ...{ slug: 'service', target: { by: 'service' } },
  });
  now = begin + 90 * minuteMs;
  const silence = await createSilence(deps, {
    ...{ pageId, rule: 'failing', service: null, endpoint: null, severity: null, note: 'Known.' },
    endsAt: begin + 200 * minuteMs,
  });
  await send(90, { 503: 20 });
  await lookAt(91);
  t.strictSame((await alerts()).map(({ ruleSlug, state }) => `${ruleSlug} ${state}`).sort(), [
    'failing silenced',
    'service firing',
  ]);
  t.equal((await told()).length, 1);
  await endSilence(deps, { pageId, id: silence.id });
  await lookAt(92, 40);
  t.equal((await told()).length, 2);
});

t.test('alerts behind something in trouble are held back and say so', async (t) => {
  const parent = { ...tenPercent, slug: 'database', name: 'Database', target: { service: 'db' } };
  const child: PutRuleFields = {
    ...{ ...tenPercent, slug: 'shop', target: { service: 'shop' } },
    dependsOn: [{ rule: 'database' }],
  };
  const { pageId, send, told, alerts } = await makeWatched(parent, child);
  await t.rejects(
    putRule(deps, { ...parent, pageId, dependsOn: [{ rule: 'shop' }] }),
    likeServiceError('invalidBody', { message: /depends on this rule/ }),
    'no circles',
  );
  await t.rejects(deleteRule(deps, { pageId, slug: 'database' }), likeServiceError('conflict'));
  await send(100, { 503: 20 }, { service: 'db' });
  await send(100, { 503: 20 }, { service: 'shop' });
  await lookAt(101);
  t.strictSame((await alerts()).map(({ ruleSlug, state, heldBy }) => [ruleSlug, state, heldBy]).sort(), [
    ['database', 'firing', null],
    ['shop', 'held', 'Database'],
  ]);
  t.equal((await told()).length, 1);
  await send(101, { 200: 20 }, { service: 'db' });
  await send(101, { 503: 20 }, { service: 'shop' });
  await lookAt(102, 40);
  t.equal((await told()).length, 3, 'the database is back, and the shop still fails');
});

t.test(
  'a rule that looks elsewhere ends its alerts, and so does one that is turned off or deleted',
  async (t) => {
    const { pageId, send, told, alerts } = await makeWatched(tenPercent);
    await send(110, { 503: 20 });
    await lookAt(111);
    const condition = { ...tenPercent.condition, percent: 20 };
    await changeRule(deps, { pageId, slug: 'failing', condition });
    t.match(await alerts(), [{ state: 'firing' }], 'with another threshold an alert lasts');
    await changeRule(deps, { pageId, slug: 'failing', target: { service: 'api' } });
    t.match(await alerts(), [{ state: 'resolved', endedBy: 'change' }]);
    await lookAt(112, 40);
    t.match(await told(), ['failure-rate.high: 100 % of the requests fail', /^failure-rate.normal: Over/]);
    await send(113, { 503: 20 });
    await lookAt(114);
    await changeRule(deps, { pageId, slug: 'failing', enabled: false });
    t.match(await alerts(), [{ endedBy: 'change' }, { endedBy: 'change' }]);
    await deleteRule(deps, { pageId, slug: 'failing' });
    t.equal((await alerts()).length, 2, 'alerts outlive their rule');
  },
);

t.test('figures that cannot be read change nothing, and say since when', async (t) => {
  const { pageId, send, alerts, stateOf } = await makeWatched(tenPercent);
  await send(120, { 503: 20 });
  await lookAt(121);
  const gone = openClickHouse('http://default:@127.0.0.1:1/none');
  t.teardown(() => gone.close());
  await lookAt(122, 20, { ...jobDeps, clickhouse: gone });
  t.equal(await stateOf(), 'firing');
  t.match(await loadRule({ sql }, { pageId, slug: 'failing' }), { error: /cannot be reached/ });
  t.match(await alerts(), [{ state: 'firing' }]);
  await send(122, { 200: 20 });
  await lookAt(123);
  t.match(await loadRule({ sql }, { pageId, slug: 'failing' }), { state: 'ok', error: null });
});

t.test('what is usual is the median of four weeks', async (t) => {
  const rule: PutRuleFields = {
    ...{ slug: 'quiet', name: 'Quiet', kind: 'traffic' },
    condition: { belowPercentOfUsual: 50, windowMinutes: 30 },
  };
  const { send, stateOf } = await makeWatched(rule);
  const week = 7 * 24 * 60;
  // 600 requests an hour are 300 in the window; one week was closed.
  for (const [weeks, requests] of [600, 600, 0, 600].entries())
    if (requests > 0) await send(190 - (weeks + 1) * week, { 200: requests });
  await send(200, { 200: 149 });
  await lookAt(225);
  t.equal(await stateOf('quiet'), 'firing');
  await send(200, { 200: 1 });
  await lookAt(225, 40);
  t.equal(await stateOf('quiet'), 'ok');
});

t.test('a budget that burns too fast over both windows fires, and ends with the short one', async (t) => {
  const { pageId, send, sendEach, told, stateOf } = await makeWatched();
  const objective = { name: 'Checkout works', target: 99, window: { days: 28 }, sli: { requests: {} } };
  await putObjective(deps, { pageId, slug: 'checkout', ...objective });
  const condition = { factor: 14.4, longMinutes: 60, shortMinutes: 5 };
  await putRule(deps, {
    ...{ pageId, slug: 'burning', name: 'Budget burns', kind: 'burn-rate' },
    ...{ target: { objective: 'checkout' }, condition },
  });
  await sendEach(300, 50, { 200: 100 });
  await send(351, { 200: 50, 503: 50 });
  await lookAt(352);
  t.equal(await stateOf('burning'), 'ok', '1 % over an hour burns at 1');
  await sendEach(352, 20, { 200: 10, 503: 90 });
  await lookAt(372);
  t.equal(await stateOf('burning'), 'firing');
  t.match(await told(), [/^rule.firing: The budget of checkout is spent \d+(.\d+)? times too fast/]);
  await sendEach(372, 6, { 200: 100 });
  await lookAt(378);
  t.equal(await stateOf('burning'), 'ok', 'the long window still burns');
});

t.test('monitors that are down or slow alert by name, and end when nobody watches them', async (t) => {
  const { pageId, told, alerts } = await makeWatched(
    { slug: 'down', name: 'Down', kind: 'monitor', condition: { is: 'down' } },
    {
      slug: 'ending',
      name: 'Ending',
      kind: 'monitor',
      condition: { certificateDays: 14 },
      severity: 'ticket',
    },
  );
  for (const slug of ['api', 'web'])
    await insertMonitor(sql, { pageId, slug, url: `https://${slug}.example.com/` });
  now = begin + 400 * minuteMs;
  await sql`
    update monitors set state = 'down', state_since = now(), name = 'The API'
    where page_id = ${pageId} and slug = 'api'`;
  await sql`
    update monitors set state = 'up', certificate_ends_at = ${new Date(now + 3 * dayMs)}
    where page_id = ${pageId} and slug = 'web'`;
  await lookAt(400);
  t.strictSame((await told()).sort(), [
    'certificate.ending: The certificate of web ends in 2 days',
    'monitor.down: The API is down',
  ]);
  await sql`update monitors set paused_at = now() where page_id = ${pageId} and slug = 'api'`;
  await lookAt(402);
  t.strictSame((await alerts()).map(({ groupName, state }) => `${groupName} ${state}`).sort(), [
    'The API resolved',
    'web firing',
  ]);
});
