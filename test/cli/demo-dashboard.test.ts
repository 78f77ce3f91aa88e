import t from 'tap';
import { parseTopQuery, parseTotalsQuery } from '../../analytics/figures/parse-figures.js';
import { loadTop } from '../../analytics/figures/top-groups.js';
import { loadTotals } from '../../analytics/figures/totals.js';
import { loadReport } from '../../api/routes/manage/objectives/report.js';
import { type DemoDeps, trafficDays } from '../../cli/demo/extent.js';
import { fillPage, loadTimes } from '../../cli/demo/fill.js';
import { writeDatabases } from '../../cli/demo/live.js';
import { plot, plotTime } from '../../cli/demo/plot.js';
import { writePastTraffic } from '../../cli/demo/traffic/past-traffic.js';
import { writeReleases } from '../../cli/demo/traffic/releases.js';
import { writeAlerting } from '../../cli/demo/write-alerting.js';
import { writeAudience } from '../../cli/demo/write-audience.js';
import { writeSettings } from '../../cli/demo/write-settings.js';
import type { ReportersAnswer } from '../../contract/analytics/reporters.js';
import type { VersionsAnswer } from '../../contract/analytics/versions.js';
import type { DatabaseHealthAnswer } from '../../contract/database-health.js';
import { starterSlugs } from '../../contract/manage/boards.js';
import { findAlertRule, listAlerts } from '../../control/alerts/index.js';
import { listBoards } from '../../control/boards/index.js';
import { listChannels } from '../../control/channels/index.js';
import { listConnections } from '../../control/connections/index.js';
import { listDeployments } from '../../control/deployments/index.js';
import { listKeys } from '../../control/keys/index.js';
import { listSeries } from '../../control/maintenance-series/index.js';
import { loadObjective } from '../../control/objectives/index.js';
import { findPage } from '../../control/pages/index.js';
import { loadDefaultPolicies } from '../../control/policies/index.js';
import { listQueries } from '../../control/queries/index.js';
import { loadOnCall } from '../../control/schedules/index.js';
import { listSubscribers } from '../../control/subscribers/index.js';
import { listTemplates } from '../../control/templates/index.js';
import { listWebhooks } from '../../control/webhooks/index.js';
import { loadAcquisitions, parseAcquisitionsQuery } from '../../database-health/acquisitions.js';
import { systemClock } from '../../lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { testSecretKey as secretKey } from '../support/embedded-stores.js';
import { makeKey, makePage } from '../support/pages.js';
import { select } from '../support/rollups.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { silentLog } from '../support/silent-log.js';

/** Stands at the beginning of a minute, which is where the demo's history ends: a reporter is late soon after its last call. */
const start = Math.floor(systemClock.now() / minuteMs) * minuteMs;
const clock = { now: () => start };
const api = await startTestService(t, { roles: withoutJobs, clock });
const { sql, clickhouse } = api.stores;
const deps: DemoDeps = { sql, clickhouse, clock, secretKey, by: testActor };
const page = await makePage(sql, { slug: 'demo' });
const { key } = await makeKey({ sql, clock }, { slug: 'demo', scope: 'read' });

const filled = await fillPage(deps, 'demo');
const times = await loadTimes(deps, filled);
await writeReleases(deps, filled, times);
const requests = await writePastTraffic(deps, filled, times);
await writeDatabases(deps, filled);
await writeSettings(deps, filled);
await writeAudience(deps, filled);
const alerting = { ...deps, log: silentLog };
await writeAlerting(alerting, filled, times);

async function read<Answer>(path: string): Promise<Answer> {
  const { status, body } = await api.get(`/api/v1/analytics/${path}`, { authorization: `Bearer ${key}` });
  t.equal(status, 200, path);
  return body as Answer; // The contract tests hold the forms of the answers.
}

/** Two minutes of the plot as the parameters of a range. */
function rangeOf(from: number, to: number) {
  const time = (minutes: number) => new Date(plotTime(minutes, times)).toISOString();
  return { from: time(from), to: time(to) };
}

async function loadAudience() {
  const pageId = page.id;
  return {
    subscribers: await listSubscribers({ sql }, { pageId, limit: 100 }),
    webhooks: await listWebhooks({ sql }, { pageId }),
    channels: await listChannels({ sql }, { pageId, limit: 10 }),
    keys: await listKeys({ sql }, pageId),
    connections: await listConnections({ sql }, pageId),
  };
}

async function countRows(): Promise<unknown> {
  return select(
    clickhouse,
    `SELECT (SELECT sum(requests) FROM requests_minute) AS requests, (SELECT sum(calls) FROM reports) AS calls,
       (SELECT sum(intervals) FROM process_pools_minute) AS intervals`,
  );
}

t.test('a week of requests has the shape of days', async (t) => {
  const [week] = await select<{ total: string; minutes: string; endpoints: string; night: number }>(
    clickhouse,
    `SELECT sum(requests) AS total, uniqExact(minute) AS minutes, uniqExact(service, endpoint) AS endpoints,
       sumIf(requests, toHour(minute) = 2) / sumIf(requests, toHour(minute) = 14) AS night
     FROM requests_minute WHERE page_id = '${page.id}'`,
  );
  t.equal(Number(week?.total), requests);
  t.equal(Number(week?.minutes), trafficDays * 24 * 60);
  t.ok(Number(week?.endpoints) >= 45, `${week?.endpoints} endpoints`);
  t.ok((week?.night ?? 1) < 0.6, 'fewer people come by night');
});

t.test('a release made one endpoint slow, and payments fail ever more', async (t) => {
  // Percentiles are read in steps of six hours: the day before ends that long before the release, to be free of it.
  const withRelease = rangeOf(plot.release.from - 6 * 60, plot.release.from + 18 * 60);
  const query = { by: 'endpoint', order: 'p95', service: 'shop', compare: 'previous', ...withRelease };
  const now = clock.now();
  const slowest = await loadTop({ clickhouse }, page.id, parseTopQuery(query, now), now);
  const reviews = slowest.rows.find(({ endpoint }) => endpoint === '/products/:id/reviews');
  t.equal(slowest.rows[0], reviews, 'the slowest of all');
  t.ok((reviews?.now.p95Ms ?? 0) > 8 * (reviews?.previous?.p95Ms ?? Infinity), 'it was not slow before');
  const share = async (from: number, to: number) => {
    const payments = { service: 'shop', endpoint: '/checkout', ...rangeOf(from, to) };
    return (await loadTotals({ clickhouse }, page.id, parseTotalsQuery(payments, now), now)).now.errorShare;
  };
  const [before, after, latest] = [
    await share(plot.release.from - 24 * 60, plot.release.from),
    await share(plot.release.to, plot.release.to + 6 * 60),
    await share(-2 * 60, 0),
  ];
  t.ok((before ?? 1) < 0.01, `${before} before the release`);
  t.ok((after ?? 0) > 2 * (before ?? 1), `${after} after it`);
  t.ok((latest ?? 0) > 2 * (after ?? 1), `${latest} now`);
  const messages = await select<{ pattern: string }>(
    clickhouse,
    `SELECT DISTINCT replaceRegexpAll(m.1, '[0-9a-f]{5,}', '#') AS pattern
     FROM (SELECT tuple(max(latest).message) AS m FROM messages
           WHERE page_id = '${page.id}' AND endpoint = '/checkout' AND minute > now() - INTERVAL 2 HOUR
           GROUP BY minute) ORDER BY pattern`,
  );
  t.ok(messages.length >= 3, 'several causes');
});

t.test(
  'the version that a release brought made the shop slower, and the newest of the accounts changed nothing',
  async (t) => {
    const { versions, comparison } = await read<VersionsAnswer>('versions?service=shop');
    t.strictSame(
      versions.map(({ version }) => version),
      ['3.19.0', '3.18.2'],
    );
    t.equal(versions[0]?.share, 1, 'all requests have it');
    const slower = comparison?.changes.find(({ figure }) => figure === 'p95Ms');
    t.match(slower, { direction: 'up' });
    t.ok((slower?.to ?? 0) > 2 * (slower?.from ?? Infinity));
    t.ok(
      (slower?.minutesAfter ?? 0) >= 5 && (slower?.minutesAfter ?? 99) <= 15,
      `${slower?.minutesAfter} minutes`,
    );
    const accounts = await read<VersionsAnswer>('versions?service=accounts');
    t.match(accounts.comparison, { version: '2.7.1', previous: '2.7.0', isThin: false, changes: [] });
  },
);

t.test('reporters are in every state', async (t) => {
  const { reporters } = await read<ReportersAnswer>('reporters?window=3600');
  const stateOf = (id: string) => reporters.find((one) => one.id === id)?.state;
  t.equal(stateOf('billing-eu-1'), 'clean');
  t.equal(stateOf('search-eu-1'), 'clean');
  t.equal(stateOf('search'), 'failing', 'of which it is an instance');
  t.equal(stateOf('shop'), 'failing');
  t.equal(stateOf('notifications'), 'silent');
  t.equal(stateOf('email-worker-eu-1'), 'silent');
  t.ok(reporters.find(({ id }) => id === 'backoffice-eu-1')?.thin);
  t.ok(new Set(reporters.map(({ region }) => region)).size > 2);
  t.ok(new Set(reporters.map(({ team }) => team)).size > 5);
  const [gaps] = await select<{ missing: number }>(
    clickhouse,
    `SELECT ${24 * 60} - uniqExact(minute) AS missing FROM reports
     WHERE page_id = '${page.id}' AND service = 'media-us-1' AND minute > now() - INTERVAL 1 DAY`,
  );
  t.ok((gaps?.missing ?? 0) > 20, 'one misses calls now and then');
});

t.test('a pool ran out of connections and recovered', async (t) => {
  const { from, to } = plot.poolOut;
  const waits = { service: 'shop', target: 'orders', step: '300', ...rangeOf(from - 60, to + 60) };
  const { boundsMs, points } = await loadAcquisitions(
    { clickhouse },
    page.id,
    parseAcquisitionsQuery(waits, clock.now()),
  );
  const longAt = points.map(({ at, buckets }) => ({
    at: Date.parse(at),
    long: (buckets ?? []).slice(boundsMs.indexOf(500) + 1).reduce((sum, count) => sum + count, 0),
  }));
  const during = longAt.filter(({ at }) => at > plotTime(from + 5, times) && at < plotTime(to - 10, times));
  t.ok(during.length > 8);
  t.ok(during.every(({ long }) => long > 100));
  t.ok((longAt.at(-1)?.long ?? 100) < 5, 'hardly anybody waits any more');
  const { sources, current } = await read<DatabaseHealthAnswer>('database-health?from=now-15m&to=now');
  t.ok(current.pools.length >= 6, `${current.pools.length} pools`);
  const orders = current.pools.find(({ target }) => target === 'orders');
  t.equal(orders?.processes, 2);
  t.ok((orders?.snapshot.busy ?? 99) < (orders?.snapshot.open ?? 0));
  t.strictSame(
    sources.map(({ sourceId, fresh, outcome }) => [sourceId, fresh, outcome]),
    [
      ['accounts-primary', true, 'connected'],
      ['billing-replica', true, 'timeout'],
      ['orders-primary', true, 'connected'],
      ['reports-replica', false, 'connected'],
      ['search-shard-1', true, 'connected'],
    ],
  );
  const primary = sources.find(({ sourceId }) => sourceId === 'orders-primary');
  t.ok((primary?.connections ?? 0) > 0.85 * (primary?.connectionLimit ?? Infinity));
  t.ok((primary?.blockedSessions ?? 0) > 0);
});

t.test(
  'people have saved queries, boards and templates, planned maintenance, set an alert rule and turned database health on',
  async (t) => {
    t.equal((await findPage({ sql }, { slug: 'demo' }))?.databaseHealthEnabled, true);
    t.ok(await findAlertRule({ sql }, page.id));
    const queries = await listQueries({ sql }, { pageId: page.id, userId: null, limit: 50 });
    t.ok(queries.length >= 4);
    for (const { name, sql: statement } of queries) {
      const body = { sql: statement, from: 'now-6h', to: 'now' };
      const answer = await api.post('/api/v1/analytics/sql', body, { key });
      t.equal(answer.status, 200, name);
      t.ok((answer.body as { rows: number }).rows > 0, `${name} has rows`);
    }
    t.equal((await listBoards({ sql }, { pageId: page.id })).length, starterSlugs.length);
    t.equal((await listTemplates({ sql }, { pageId: page.id, limit: 10 })).length, 3);
    t.equal((await listSeries({ sql, clock }, { pageId: page.id, limit: 10 })).length, 1);
    const [day] = await sql<{ count: number }[]>`
    select count(*)::integer as count from audit_log
    where page_id = ${page.id} and at between ${new Date(Date.now() - dayMs)} and ${new Date()}`;
    t.ok((day?.count ?? 0) >= 6, 'the last day has changes');
  },
);

t.test('people have subscribed, and keys, a webhook, a channel and a connection are in use', async (t) => {
  const { subscribers, webhooks, channels, keys, connections } = await loadAudience();
  t.equal(subscribers.length, 13);
  for (const { email, confirmedAt } of subscribers) {
    t.match(email, /@readers\.invalid$/, 'nobody gets an email from a demo');
    t.ok(confirmedAt);
  }
  t.strictSame([...new Set(subscribers.map(({ language }) => language))].sort(), ['de', 'en', 'ja']);
  t.equal(webhooks.length, 1);
  t.equal(channels.length, 1);
  t.ok(keys.some(({ name }) => name === 'Grafana'));
  t.equal(connections.length, 1);
});

const findAlerts = (state: 'open' | 'all') =>
  listAlerts({ sql }, { pageId: page.id, state, limit: 50, after: undefined });

t.test(
  'rules have fired as the story goes: one alert waits, some are acknowledged, one is over',
  async (t) => {
    const alerts = await findAlerts('all');
    t.same(alerts.map(({ ruleSlug, groupName, state }) => [ruleSlug, groupName, state]).sort(), [
      ['checkout-fails', '', 'firing'],
      ['orders-fail', '', 'resolved'],
      ['reviews-slow', '', 'acknowledged'],
      ['service-fails', 'search', 'acknowledged'],
    ]);
    for (const { startedAt, evidence } of alerts) {
      t.ok(startedAt.getTime() < start);
      t.ok((evidence.endpoints ?? []).length > 0, 'with evidence');
    }
  },
);

t.test('an objective has spent its budget, and another is fine', async (t) => {
  const reportOf = async (slug: string) => {
    const objective = await loadObjective({ sql }, { pageId: page.id, slug });
    const pageStores = { clickhouseOf: () => clickhouse, isOwn: () => false, settle: async () => undefined };
    return loadReport({ sql, clickhouse, clock, pageStores }, objective, undefined);
  };
  t.match(await reportOf('checkout'), { isMet: false, endsAt: new Date(start).toISOString() });
  const fine = await reportOf('sign-in');
  t.equal(fine.isMet, true);
  t.ok((fine.budget.leftPercent ?? 0) > 20, `${fine.budget.leftPercent}`);
});

t.test('three people are on call week by week, and a policy tells them', async (t) => {
  const onCallIn = async (weeks: number) => {
    const at = start + weeks * 7 * dayMs;
    const people = await loadOnCall(sql, { pageId: page.id, slug: 'operations' }, at);
    return people.map(({ userId }) => userId);
  };
  const three = [...(await onCallIn(0)), ...(await onCallIn(1)), ...(await onCallIn(2))];
  t.equal(new Set(three).size, 3);
  t.same(await onCallIn(3), await onCallIn(0));
  t.match((await loadDefaultPolicies(sql, { pageId: page.id })).get('page'), { slug: 'on-call' });
});

t.test('a second run adds what has happened since, and nothing twice', async (t) => {
  const now = Math.floor(clock.now() / minuteMs) * minuteMs;
  const frozen = { ...deps, clock: { now: () => now } };
  await writePastTraffic(frozen, filled, times);
  await writeDatabases(frozen, filled);
  const before = await countRows();
  t.equal(await writePastTraffic(frozen, filled, times), 0);
  await writeDatabases(frozen, filled);
  await writeSettings(frozen, filled);
  const audience = await loadAudience();
  await writeReleases(frozen, filled, times);
  t.equal((await listDeployments({ sql }, { pageId: page.id }, { limit: 10 })).length, 4);
  await writeAudience(frozen, filled);
  const alerts = await findAlerts('all');
  await writeAlerting({ ...frozen, log: silentLog }, filled, times);
  t.strictSame(await findAlerts('all'), alerts);
  t.strictSame(await loadAudience(), audience);
  t.strictSame(await countRows(), before);
  const later = { ...deps, clock: { now: () => now + hourMs } };
  const more = await writePastTraffic(later, filled, times);
  t.ok(more > 50_000, `${more} requests in an hour`);
});
