import t from 'tap';
import { everySeconds } from '../../cli/demo/checks.js';
import type { DemoDeps } from '../../cli/demo/extent.js';
import { fillPage } from '../../cli/demo/fill.js';
import { runLive } from '../../cli/demo/live.js';
import { makeTraffic } from '../../cli/demo/traffic/live-traffic.js';
import { writeChecks } from '../../cli/demo/write-checks.js';
import type { Ledger, LedgerEntry } from '../../contract/incidents.js';
import type { Service, Summary } from '../../contract/public/summary.js';
import { changeIncident } from '../../control/incidents/index.js';
import { listKeys } from '../../control/keys/index.js';
import { listMonitors, pauseMonitor } from '../../control/monitors/index.js';
import { loadPageId } from '../../control/pages/index.js';
import { systemClock } from '../../lib/clock.js';
import { type IncidentId, parseId } from '../../lib/ids.js';
import { dayMs, minuteMs, secondMs } from '../../lib/times.js';
import { commandPrefixOf } from '../../service/addresses.js';
import { welcome } from '../../service/demo-page.js';
import { openPostgres } from '../../sql/open-postgres.js';
import { testActor } from '../support/actor.js';
import { environmentFor } from '../support/cli-environment.js';
import { testSecretKey as secretKey } from '../support/embedded-stores.js';
import { makePage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { select } from '../support/rollups.js';
import { runInProcess } from '../support/run-heartline.js';
import { startTestService } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const api = await startTestService(t);
const { sql, clickhouse } = api.stores;
const env = environmentFor(api.stores);
const deps: DemoDeps = { sql, clickhouse, clock: systemClock, secretKey, by: testActor };
const runDemo = (...args: string[]) => runInProcess(['demo', '--url', api.url, ...args], env);

const busyPage = await makePage(sql, { slug: 'busy' });
await sql`
  insert into monitors (id, page_id, slug, name, url, created_at)
  values (gen_random_uuid(), ${busyPage.id}, 'api', 'API', 'https://api.example.com/', now())`;
const filledFrom = systemClock.now();
const firstRun = await runDemo('--once');
const page = { id: await loadPageId(sql, 'showcase') };

async function countMonitors(slug: string): Promise<number> {
  return (await listMonitors({ sql }, await loadPageId(sql, slug))).length;
}

async function readSummary(): Promise<Map<string, Service>> {
  const path = '/api/public/showcase/summary?include=response-time,coverage';
  const { services } = (await requestAt(api.url, 'showcase.localhost', path)).body as Summary;
  return new Map(services.map((service) => [service.slug, service]));
}

async function readIncidents(): Promise<LedgerEntry[]> {
  return ((await requestAt(api.url, 'showcase.localhost', '/api/public/showcase/incidents')).body as Ledger)
    .incidents;
}

/** Counts the checks of the monitors that the demo checks. The service checks the heartbeat at the same time. */
async function countRows(): Promise<{ count: string; times: string }[]> {
  const [heartbeat] = await sql<{ id: string }[]>`select id from monitors where kind = 'heartbeat'`;
  const answer = await clickhouse.query({
    query:
      'SELECT monitor_id, count() AS count, uniqExact(at) AS times FROM checks WHERE monitor_id != {heartbeat:UUID} GROUP BY 1 ORDER BY 1',
    query_params: { heartbeat: heartbeat?.id },
    format: 'JSONEachRow',
  });
  return answer.json<{ count: string; times: string }>();
}

t.test('a page is filled with 90 days of history', async (t) => {
  const { code, stdout, stderr } = firstRun;
  t.equal(stderr, '');
  t.equal(code, 0);
  t.match(
    stdout,
    /The page "showcase" was filled with 90 days of history: 3888\d\d checks and 3\d{7} requests were written in /,
  );
  const port = new URL(api.url).port;
  for (const line of [
    'The page "showcase" has been created for the demo; your own pages stay as they are.\n',
    `\n  status page    http://showcase.localhost:${port}/\n`,
    `\n  dashboard      ${api.url}/manage/pages/showcase\n`,
    '\nThe dashboard needs an account: open the link that the service printed at its start.\n',
  ])
    t.match(stdout, line);
  t.equal(await countMonitors('busy'), 1, 'pages of others stay as they are');

  const services = await readSummary();
  t.strictSame(
    [...services].map(([slug, { name, names, status }]) => [slug, name, names['ja'] ?? '', status]),
    [
      ['website', 'Website', 'ウェブサイト', 'up'],
      ['api', 'API', 'API', 'up'],
      ['dashboard', 'Dashboard', 'ダッシュボード', 'up'],
      ['search', 'Search', '検索', 'down'],
      ['webhooks', 'Webhooks', 'Webhook', 'up'],
      ['background-jobs', 'Background jobs', 'バックグラウンド処理', 'up'],
    ],
  );
  for (const [slug, service] of services) {
    const days = Object.keys(service.dailyHealth).length;
    // Right after midnight the current day has no check yet.
    t.ok(days === 90 || days === 89, slug);
    t.ok((service.coverage?.percent ?? 0) > 99.8, `${slug} was observed`);
    const lastChecked = Date.parse(service.coverage?.lastCheckedAt ?? '');
    // The history ends with the last whole minute before the demo began.
    t.ok(lastChecked > filledFrom - minuteMs - everySeconds * secondMs, `${slug} has a recent check`);
    t.match(service.uptime, /^99\.\d\d%$/, 'nearly perfect');
    // The open outage may be older than the current day, which then has no response time.
    const daysUp = Object.values(service.dailyHealth).filter(({ rate }) => rate < 100).length;
    t.equal(service.responseTime?.points.length, slug === 'background-jobs' ? 0 : daysUp);
  }
});

t.test('incidents and the checks tell the same story', async (t) => {
  const services = await readSummary();
  const incidents = await readIncidents();
  t.strictSame(
    incidents.map(({ type, resolvedAt, maintenanceState }) => [type, resolvedAt !== null, maintenanceState]),
    [
      ['maintenance', false, 'scheduled'],
      ['incident', false, null],
      ['incident', true, null],
      ['maintenance', true, 'completed'],
      ['incident', true, null],
      ['maintenance', true, 'completed'],
      ['incident', true, null],
    ],
  );
  for (const { title, summary, updates } of incidents) {
    for (const text of [title, summary, ...updates.map(({ body }) => body)]) {
      t.strictSame(Object.keys(text).sort(), ['de', 'en', 'ja']);
      t.equal(new Set(Object.values(text)).size, 3);
    }
  }
  const [planned, open, , , late, , errors] = incidents;
  t.ok(Date.parse(planned?.startedAt ?? '') > Date.now() + dayMs);
  t.ok(Date.parse(open?.startedAt ?? '') > Date.now() - dayMs / 24);
  const minutesOn = (slug: string, at = '') => {
    const { dailyMinutesDown = {} } = services.get(slug) ?? {};
    // An outage may span midnight.
    const days = [0, 1].map((more) => new Date(Date.parse(at) + more * dayMs).toISOString().slice(0, 10));
    return days.reduce((sum, day) => sum + (dailyMinutesDown[day] ?? 0), 0);
  };
  t.ok(
    Math.abs(minutesOn('webhooks', late?.startedAt) - 129) <= 4,
    'the first failures do not count as down',
  );
  t.ok(Math.abs(minutesOn('api', errors?.startedAt) - 45) <= 4);
  t.ok(Math.abs(minutesOn('search', open?.startedAt) - 36) <= 4);
  t.ok(late !== undefined && late.updates.length >= 3 && late.updates.at(-1)?.status === 'resolved');
  const [told] = await sql<{ count: number }[]>`
    select count(*)::integer as count from announcements where webhooks_queued_at is null or emails_queued_at is null`;
  t.equal(told?.count, 0, 'no notification for past incidents');
});

t.test('a second run keeps everything and adds new checks', async (t) => {
  const before = await readIncidents();
  await sql`update pages set accent = '#aa0000' where id = ${page.id}`;
  const { code, stdout } = await runDemo('--once');
  t.equal(code, 0);
  t.match(
    stdout,
    /^The page "showcase" was filled before and is up to date: \d{1,2} checks and \d+ requests were written/,
  );
  t.strictSame(await readIncidents(), before);
  for (const { count, times } of await countRows()) t.equal(count, times, 'no check is stored twice');
  t.equal((await listMonitors({ sql }, await loadPageId(sql, 'showcase'))).length, 6);
  t.match(await sql`select accent from pages where id = ${page.id}`, [{ accent: '#aa0000' }]);
});

t.test('an interrupted run is completed with the same checks', async (t) => {
  const before = await readIncidents();
  const rows = await countRows();
  const [gone] = before;
  await sql`delete from incidents where id = ${gone?.id ?? ''}`;
  await sql`update monitors set last_checked_at = last_checked_at - interval '2 days' where slug = 'api'`;
  const frozen = { ...deps, clock: { now: () => lastCheckAt } };
  const lastCheckAt = await newestCheckAt('website');
  const filled = await fillPage(frozen, 'showcase');
  t.ok((await writeChecks(frozen, filled)) > 1_400);
  const times = (list: { times: string }[]) => list.map((row) => row.times);
  t.strictSame(times(await countRows()), times(rows));
  const after = await readIncidents();
  t.strictSame(
    after.map(({ startedAt, title }) => [startedAt, title]),
    before.map(({ startedAt, title }) => [startedAt, title]),
  );
});

async function newestCheckAt(slug: string): Promise<number> {
  const monitors = await listMonitors({ sql }, await loadPageId(sql, 'showcase'));
  return monitors.find((monitor) => monitor.slug === slug)?.lastCheckedAt?.getTime() ?? 0;
}

t.test(
  'a monitor that is down recovers when its incident is resolved; a paused one is not checked',
  async (t) => {
    const clock = { now: () => later };
    let later = Date.now() + 240_000;
    const filled = await fillPage({ ...deps, clock }, 'showcase');
    const stateOf = async (slug: string) =>
      (await listMonitors({ sql }, await loadPageId(sql, 'showcase'))).find(
        (monitor) => monitor.slug === slug,
      )?.state;
    await writeChecks({ ...deps, clock }, filled);
    t.equal(await stateOf('search'), 'down');
    const open = (await readIncidents()).find(
      ({ type, resolvedAt }) => type === 'incident' && resolvedAt === null,
    );
    const incidentId = parseId<IncidentId>(open?.id ?? '');
    if (incidentId === undefined) throw new Error('No incident is open.');
    const change = { resolvedAt: new Date(later), notify: false };
    await changeIncident({ sql, clock, by: testActor }, { pageId: page.id, incidentId, change });
    await pauseMonitor(
      { sql, clock, by: testActor },
      { pageId: await loadPageId(sql, 'showcase'), slug: 'website' },
    );
    const paused = await newestCheckAt('website');
    later += 300_000;
    t.ok((await writeChecks({ ...deps, clock }, filled)) >= 8);
    t.equal(await stateOf('search'), 'up');
    t.equal(await newestCheckAt('website'), paused);
  },
);

type SourceCount = { service: string; kind: string; requests: string };

async function countBySource(): Promise<SourceCount[]> {
  return select<SourceCount>(
    clickhouse,
    `SELECT service, kind, sum(requests) AS requests FROM service_requests_minute
     WHERE page_id = '${page.id}' GROUP BY 1, 2 ORDER BY 1`,
  );
}

function sumOf(counts: SourceCount[]): number {
  return counts.reduce((sum, { requests }) => sum + Number(requests), 0);
}

t.test('live traffic posts events with its own key and pings the heartbeat', async (t) => {
  const filled = await fillPage(deps, 'showcase');
  const before = await countBySource();
  const keysBefore = await listKeys({ sql }, await loadPageId(sql, 'showcase'));
  const ending = new AbortController();
  const running = runLive(deps, filled, {
    ...{ serviceUrl: api.url, signal: ending.signal },
    onProgress: (so) => {
      // Stops between two rounds: an aborted request may or may not be counted.
      if (so.accepted > 20) ending.abort();
    },
  });
  await waitUntil('events are accepted', () => ending.signal.aborted);
  const ended = await running;
  t.equal(ended.failedRequests, 0);
  await api.settle();
  const sources = await countBySource();
  t.strictSame(
    sources.map(({ service, kind }) => `${kind} ${service}`),
    [
      'service accounts',
      'reporter backoffice-eu-1',
      'service billing',
      'reporter email-worker-eu-1',
      'reporter imports-eu-1',
      'service media',
      'service notifications',
      'service search',
      'reporter shipping-eu-1',
      'service shop',
    ],
  );
  t.equal(sumOf(sources) - sumOf(before), ended.accepted, 'each event counts once');
  const keys = await listKeys({ sql }, await loadPageId(sql, 'showcase'));
  const made = keys.filter(({ id }) => !keysBefore.some((before) => before.id === id));
  t.match(made, [{ scope: 'ingest', revokedAt: Date }], 'the key is revoked at the end');
  const heartbeat = (await listMonitors({ sql }, await loadPageId(sql, 'showcase'))).find(
    ({ kind }) => kind === 'heartbeat',
  );
  t.ok((heartbeat?.lastPingAt?.getTime() ?? 0) > Date.now() - 60_000);
  t.not(heartbeat?.nextDueAt, null, 'the service checks the heartbeat');
});

t.test('live traffic ends with the service', async (t) => {
  const filled = await fillPage(deps, 'showcase');
  const gone = 'http://127.0.0.1:1';
  const signal = new AbortController().signal;
  const silent = { serviceUrl: gone, signal, pauseMs: 0, onProgress() {} };
  t.match(await runLive(deps, filled, silent), { accepted: 0, serviceEnded: true }, 'nobody answers');

  const endStores = async (serviceUrl: string) => {
    const lost = openPostgres(api.stores.databaseUrl);
    const live = { ...silent, serviceUrl, onProgress: () => void lost.end() };
    return runLive({ ...deps, sql: lost }, filled, live);
  };
  t.match(await endStores(gone), { serviceEnded: true }, 'the stores ended with the service');
  await t.rejects(endStores(api.url), { code: 'CONNECTION_ENDED' }, 'the service is still there');
});

t.test('traffic is the same each time, and different from round to round', (t) => {
  const now = Date.parse('2026-11-20T14:00:00Z');
  const randomFrom = (start: number) => {
    let state = start;
    return () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
  };
  const open = { filledAt: now, searchOpenUntil: Number.POSITIVE_INFINITY };
  const make = (
    seed: number,
    fields: { seconds?: number; isFirst?: boolean; searchOpenUntil?: number } = {},
  ) => makeTraffic({ ...open, now, seconds: 2, isFirst: true, random: randomFrom(seed), ...fields });
  const batches = make(1);
  t.strictSame(make(1), batches);
  t.notSame(make(2), batches);
  t.strictSame(
    batches.map(({ path, body }) => [path, body.reporter?.reporterId ?? body.version]),
    [
      ['/api/v1/events', '3.19.0'],
      ['/api/v1/events', '2.7.1'],
      ...[
        ...['search-eu-1', 'search-us-1', 'billing-eu-1', 'billing-us-1', 'media-eu-1', 'media-us-1'],
        ...['shipping-eu-1', 'backoffice-eu-1'],
      ].map((id) => ['/api/v2/events', id]),
    ],
    'the worker of emails is silent, and the imports are late',
  );
  t.ok(make(1, { isFirst: false }).length < 5, 'reporters call when it is due');
  const failing = (made: ReturnType<typeof makeTraffic>) => {
    const search = made.find(({ body }) => body.reporter?.reporterId === 'search-eu-1');
    const events = search?.body.events ?? [];
    return events.filter(({ status }) => status >= 500).length / events.length;
  };
  t.notOk(
    make(1, { seconds: 600 }).some(({ body }) =>
      body.events.some(({ service }) => service === 'notifications'),
    ),
    'silent',
  );
  t.ok(failing([...make(1, { seconds: 600 })]) > 0.2, 'search is failing');
  t.ok(failing(make(1, { seconds: 600, searchOpenUntil: now })) < 0.02, 'until its incident is resolved');
  t.end();
});

t.test('the last line says what happens to the page', async (t) => {
  t.match(await runDemo('--minutes', '0'), {
    code: 0,
    stdout: /Sending events to \S+\.\n\d+ events and \d+ checks were sent\. The page soon says/,
  });
});

t.test('a refusal is one sentence', async (t) => {
  const busy = await runDemo('--once', '--page', 'busy');
  t.match(busy, {
    code: 1,
    stderr:
      /^heartline: The page "busy" has monitors of its own; name another page with --page, or leave --page out/,
  });
  t.equal(await countMonitors('busy'), 1);
  const none = await runDemo('--once', '--page', 'none');
  t.match(none, {
    code: 1,
    stderr:
      /There is no page with the slug "none"; create it with: npx heartline page create --slug none --hostname none\.localhost$/m,
  });
  const silent = await runInProcess(['demo', '--url', 'http://127.0.0.1:1'], env);
  t.match(silent, {
    code: 1,
    stderr: /^heartline: Heartline does not answer at http:\/\/127\.0\.0\.1:1; start it/,
  });
  t.match(await runDemo('--once', '--minutes', '1'), { code: 2, stderr: /cannot be used together/ });
  t.match(await runInProcess(['demo', '--url', 'nowhere'], env), { code: 2, stderr: /must be an address/ });
});

t.test('the first start mentions the demo', (t) => {
  const pages = { addresses: ['http://localhost:8080/'], more: 0 };
  const made = { slug: 'demo', hostname: 'localhost', keys: { ingest: 'a', read: 'b', incident: 'c' } };
  const acknowledgedFrom = 'PostgreSQL: data/log cannot be written (EROFS)';
  const prefixOf = (dataDir: string) => commandPrefixOf({ dataDir });
  const demoCommand = (dataDir: string) =>
    /live traffic: (.*)/.exec(
      welcome('http://127.0.0.1:9', { pages, demo: made, acknowledgedFrom, prefix: prefixOf(dataDir) }),
    )?.[1];
  t.equal(demoCommand('./data'), 'npx heartline demo');
  t.equal(demoCommand('data/'), 'npx heartline demo');
  t.equal(demoCommand('./demo'), 'HEARTLINE_DATA_DIR=./demo npx heartline demo');
  t.equal(demoCommand("it's here"), `HEARTLINE_DATA_DIR='it'\\''s here' npx heartline demo`);
  t.match(
    welcome('http://127.0.0.1:8080', { pages, demo: made, acknowledgedFrom, prefix: prefixOf('./data') }),
    /^The page "demo" has been created: http:\/\/localhost:8080\/$/m,
  );
  t.notMatch(
    welcome('http://127.0.0.1:8080', {
      pages,
      demo: undefined,
      acknowledgedFrom,
      prefix: prefixOf('./data'),
    }),
    'heartline demo',
  );
  t.end();
});
