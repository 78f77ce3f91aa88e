import t from 'tap';
import type { OverviewAnswer } from '../../../contract/manage/overview.js';
import { createIncident, parseNewIncident } from '../../../control/incidents/index.js';
import { systemClock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { insertReports, insertRequests } from '../../analytics/support.js';
import { testActor } from '../../support/actor.js';
import { storeAlert } from '../../support/alerts.js';
import { makeChannel } from '../../support/channels.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { openManageClient } from '../../support/manage-client.js';
import { makeKey, makePage, setPage } from '../../support/pages.js';
import { signInAs } from '../../support/people.js';
import { insertHours, insertMonitor } from '../../support/points.js';
import { startTestService } from '../../support/service.js';

const service = await startTestService(t, {
  roles: new Set(['api'] as const),
  baseUrl: new URL('http://status.example.com'),
});
const { sql, clickhouse } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const client = await openManageClient(t, service);
const now = Date.now();
const hour = Math.floor(now / hourMs) * hourMs;
const { pageId } = service;

async function read(slug = 'acme', headers: Record<string, string> = {}): Promise<OverviewAnswer> {
  const key = headers['cookie'] === undefined ? undefined : null;
  const answer = await client.send('GET', `/${slug}/overview`, undefined, {
    headers,
    ...(key === null && { key }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as OverviewAnswer;
}

t.test('each step of setting up a page shows in the checklist', async (t) => {
  const page = await makePage(sql, { slug: 'fresh' });
  const { headers } = await signInAs(deps, { slug: 'fresh', role: 'owner' });
  const done = async () => {
    const { checklist } = await read('fresh', { ...headers });
    return Object.entries(checklist).flatMap(([step, isDone]) => (isDone ? [step] : []));
  };
  t.strictSame(await done(), []);
  await insertMonitor(sql, page.id);
  t.strictSame(await done(), ['monitor']);
  await makeKey(deps, { slug: 'fresh', scope: 'read' });
  await makeKey(deps, { slug: 'fresh', scope: 'ingest', expiresAt: new Date(Date.now() + 50) });
  const { key } = await makeKey(deps, { slug: 'fresh', scope: 'ingest' });
  t.strictSame(await done(), ['monitor', 'ingestKey']);
  await service.post('/api/v1/events', [{ endpoint: '/a' }], { key });
  t.strictSame(await done(), ['monitor', 'ingestKey'], 'a rejected event is none');
  await service.post('/api/v1/events', [{ service: 'shop', endpoint: '/a', status: 200 }], { key });
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event']);
  const channel = await makeChannel(deps, page.id, { settings: { url: 'https://hooks.example.com/' } });
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event', 'told']);
  await sql`update channels set disabled_at = now() where id = ${channel.id}`;
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event'], 'a channel that is off tells nobody');
  await makePolicy(page.id);
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event'], 'nobody has a confirmed way');
  await confirmWay(page.id);
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event', 'told']);
  await addConfirmed({ sql, page }, ['ada@example.com']);
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event', 'told', 'subscriber']);
  for (const hostname of ['fresh.status.example.com', 'fresh.localhost', '10.0.0.1']) {
    await setPage(deps, { slug: 'fresh', hostname });
    t.strictSame(await done(), ['monitor', 'ingestKey', 'event', 'told', 'subscriber'], hostname);
  }
  await setPage(deps, { slug: 'fresh', hostname: 'status.fresh.example' });
  t.strictSame(await done(), ['monitor', 'ingestKey', 'event', 'told', 'subscriber', 'host']);
});

const makePolicy = (pageId: PageId) => sql`
  insert into policies (id, page_id, slug, name, repeat, created_at)
  values (gen_random_uuid(), ${pageId}, 'usual', 'Usual', 0, now())`;

/** Reads as somebody with a role on the page. */
const confirmWay = (pageId: PageId) => sql`
  insert into contact_ways (id, user_id, kind, name, host, open_settings, settings, severities, confirmed_at, created_at)
  select gen_random_uuid(), user_id, 'ntfy', 'Phone', 'ntfy.example.com', '{}', ''::bytea, array['page'], now(), now()
  from page_roles where page_id = ${pageId} limit 1`;

t.test('open alerts: the worst first, those that somebody looks after last, and no quiet ones', async (t) => {
  const page = await makePage(sql, { slug: 'alerting' });
  const { headers } = await signInAs(deps, { slug: 'alerting', role: 'viewer' });
  const at = (minutes: number) => new Date(now - minutes * minuteMs);
  const make = (minutes: number, severity: 'page' | 'ticket', fields: object = {}) =>
    storeAlert(sql, { pageId: page.id, startedAt: at(minutes), severity, ...fields });
  const [ticket, urgent, taken] = [await make(9, 'ticket'), await make(8, 'page'), await make(7, 'page')];
  await make(6, 'page', { heldBy: 'Database' });
  await make(5, 'page', { resolvedAt: at(1) });
  await sql`update alerts set acknowledged_at = now(), acknowledged_name = 'Ann' where id = ${taken}`;
  const { alerts } = await read('alerting', { ...headers });
  t.strictSame(
    alerts.items.map(({ id }) => id),
    [urgent, ticket, taken],
  );
  t.match(alerts, { count: 3, items: [{}, {}, { state: 'acknowledged', acknowledgedBy: 'Ann' }] });
  t.match((await read()).alerts, { count: 0, items: [] }, 'another page has its own');
});

t.test('what was not read of the newest events is said, for a day', async (t) => {
  const page = await makePage(sql, { slug: 'unread' });
  const { headers } = await signInAs(deps, { slug: 'unread', role: 'owner' });
  const { key } = await makeKey(deps, { slug: 'unread', scope: 'ingest' });
  const reader = await makeKey(deps, { slug: 'unread', scope: 'read' });
  const unread = async () => (await read('unread', { ...headers })).unread;
  t.equal(await unread(), null);
  const { body } = await service.post('/api/v1/events', [{ endpoint: '/a', status: 200, latency: 7 }], {
    key,
  });
  // Asking for the counts writes those that wait in memory.
  await service.get('/api/v1/analytics/rejections', { authorization: `Bearer ${reader.key}` });
  t.match(await unread(), { message: (body as { warning: string }).warning });
  t.equal((await read()).unread, null, 'another page has its own');
  await sql`update rejection_messages set at = at - interval '25 hours' where page_id = ${page.id}`;
  t.equal(await unread(), null);
});

t.test('monitors come worst first, with the uptime of the last 24 hours', async (t) => {
  const since = new Date(now - 5 * minuteMs);
  const add = (slug: string, fields: object = {}) => insertMonitor(sql, pageId, { slug, ...fields });
  const good = await add('good', { state: 'up', position: 1 });
  const flaky = await add('flaky', { state: 'up', position: 2 });
  await add('new', { state: null, position: 3 });
  await add('broken', { state: 'down', state_since: since, position: 4 });
  await add('silent', { kind: 'heartbeat', state: null, position: 6 });
  await add('called', { kind: 'heartbeat', state: 'up', last_ping_at: since, position: 7 });
  await add('asleep', { state: 'down', paused_at: since, position: 5 });
  await insertHours(clickhouse, { pageId, monitorId: good }, [
    { at: hour - 24 * hourMs, upMs: 0 },
    { at: hour - 23 * hourMs, measured: 1, sumMs: 100 },
    { at: hour, measured: 3, sumMs: 500 },
  ]);
  await insertHours(clickhouse, { pageId, monitorId: flaky }, [
    { at: hour - hourMs, upMs: hourMs / 2, measured: 0, sumMs: 0 },
    { at: hour },
  ]);
  const { monitors, unfinishedFrom } = await read();
  t.equal(unfinishedFrom, new Date(hour).toISOString(), 'the last bar');
  t.strictSame(
    monitors.map(({ slug, state, paused, uptime24h }) => [slug, state, paused, uptime24h]),
    [
      ['broken', 'down', false, null],
      ['new', null, false, null],
      ['silent', null, false, null],
      ['flaky', 'up', false, 75],
      ['good', 'up', false, 100],
      ['called', 'up', false, null],
      ['asleep', 'down', true, null],
    ],
  );
  t.strictSame(
    monitors.filter(({ type }) => type === 'heartbeat').map(({ lastPingAt }) => lastPingAt),
    [null, since.toISOString()],
    'a heartbeat that was never called can be told from one that was',
  );
  const none = (length: number) => Array.from({ length }, () => null);
  t.match(monitors[0], { stateSince: since.toISOString(), responseMs: null });
  t.strictSame(monitors[0]?.bars, none(24));
  t.strictSame(monitors[3]?.bars, [...none(22), 50, 100]);
  t.strictSame(monitors[4]?.bars, [100, ...none(22), 100]);
  t.equal(monitors[4]?.responseMs, 150);
});

t.test('incidents, maintenance and what changed', async (t) => {
  const create = (fields: object) =>
    createIncident(deps, {
      pageId,
      input: parseNewIncident({ summary: 'Text.', notify: false, ...fields }),
    });
  const iso = (hours: number) => new Date(now + hours * hourMs).toISOString();
  const open = await create({ title: 'Outage', startedAt: iso(-1) });
  await create({ title: 'Over', startedAt: iso(-3), resolvedAt: iso(-2) });
  const planned = { type: 'maintenance' as const };
  const later = await create({ ...planned, title: 'Later', startedAt: iso(20), scheduledEndAt: iso(21) });
  const running = await create({ ...planned, title: 'Running', startedAt: iso(-1), scheduledEndAt: iso(1) });
  await create({ ...planned, title: 'Next week', startedAt: iso(25), scheduledEndAt: iso(26) });
  const update = { status: 'identified', body: 'A cable.' };
  t.equal((await client.send('POST', `/acme/incidents/${open.id}/updates`, update)).status, 201);
  const { headers } = await signInAs(deps, { slug: 'acme', role: 'owner' });
  const answer = await read('acme', { ...headers });
  t.strictSame(answer.incidents, [{ id: open.id, title: 'Outage', state: 'identified', startedAt: iso(-1) }]);
  t.strictSame(answer.maintenance, [
    { id: running.id, title: 'Running', startsAt: iso(-1), endsAt: iso(1) },
    { id: later.id, title: 'Later', startsAt: iso(20), endsAt: iso(21) },
  ]);
  t.match(answer.changes[0], { action: 'incident-update.create', subject: 'Outage' });
  t.ok(
    answer.changes.some(({ action }) => action === 'key.create'),
    'an owner sees the audit log',
  );
  t.ok(answer.changes.length <= 20);

  const viewer = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const { changes, ...rest } = await read('acme', { ...viewer.headers });
  const { changes: _, ...same } = answer;
  t.strictSame(rest, same);
  t.strictSame(
    new Set(changes.map(({ action }) => action)),
    new Set(['incident.create', 'incident-update.create']),
  );
  t.match(changes[0], { action: 'incident-update.create', subject: 'Outage' });
  t.equal(changes.length, 6);
});

t.test('reporters by state, and what waits', async (t) => {
  const ago = (minutes: number) => now - minutes * minuteMs;
  const source = (service: string) => ({ kind: 'service' as const, service });
  for (const name of ['silent', 'late', 'failing', 'clean', 'crashed', 'once']) {
    await sql`
      insert into sources (page_id, kind, source, first_seen_at)
      values (${pageId}, 'service', ${name}, ${new Date(ago(1_000))})`;
  }
  const fiveFrom = (minutes: number) => [0, 1, 2, 3, 4].map((i) => ago(minutes + i));
  await insertReports(clickhouse, pageId, source('silent'), fiveFrom(600));
  await insertReports(clickhouse, pageId, source('late'), fiveFrom(3));
  await insertReports(clickhouse, pageId, source('crashed'), fiveFrom(30));
  await insertReports(clickhouse, pageId, source('once'), [ago(600)]);
  await sql`
    insert into sources (page_id, kind, source, name, service, expected_every_seconds, first_seen_at)
    values (${pageId}, 'reporter', 'crashed-1', 'Crashed', 'crashed', 60, ${new Date(ago(1_000))})`;
  await insertReports(clickhouse, pageId, { kind: 'reporter', service: 'crashed-1' }, [ago(30)]);
  await insertReports(clickhouse, pageId, source('failing'), [ago(0)]);
  await insertReports(clickhouse, pageId, source('clean'), [ago(0)]);
  await insertRequests(clickhouse, pageId, [
    { service: 'failing', status: 500, at: ago(2) },
    { service: 'crashed', status: 500, at: ago(30) },
  ]);
  await addConfirmed({ sql, page: { id: pageId } }, ['bob@example.com']);
  await sql`
    insert into emails (id, page_id, subscriber_id, kind, state, next_attempt_at, created_at)
    select gen_random_uuid(), ${pageId}, id, 'confirmation', 'pending', now(), now() from subscribers where page_id = ${pageId}`;
  t.match(await read(), {
    // One has failed and fallen silent, as its only reporter has. One call by hand is no rhythm.
    ...{ silentReporters: 2, lateReporters: 1, failingReporters: 2 },
    backlog: { emails: 1, webhooks: 0, events: 0 },
  });
  await setPage(deps, { slug: 'acme', capabilities: { 'internal-analytics': false } });
  t.match(await read(), { silentReporters: null, lateReporters: null, failingReporters: null });
});

t.test('304: for who has the answer', async (t) => {
  const tag = (await client.send('GET', '/acme/overview')).headers.get('etag') ?? '';
  const answer = await client.send('GET', '/acme/overview', undefined, { headers: { 'if-none-match': tag } });
  t.equal(answer.status, 304);
  t.equal(answer.headers.get('cache-control'), 'private, no-cache');
});

t.test('401, 403, 404 and 400', async (t) => {
  t.equal((await client.send('GET', '/acme/overview', undefined, { key: null })).status, 401);
  t.equal((await client.send('GET', '/acme/overview', undefined, { key: service.readKey })).status, 403);
  const { other } = client.keys;
  const theirs = await client.send('GET', '/acme/overview', undefined, { key: other });
  const none = await client.send('GET', '/none/overview', undefined, { key: other });
  t.strictSame([theirs.status, theirs.body], [404, none.body]);
  t.equal((await client.send('GET', '/acme/overview?from=now-1h')).status, 400);
});
