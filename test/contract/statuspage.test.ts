import t from 'tap';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  StatuspageComponents,
  StatuspageIncidents,
  StatuspageMaintenances,
  StatuspageStatus,
  StatuspageSummary,
} from '../../contract/public/statuspage.js';
import { type MonitorGroupId, newId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { makeIncidentKey, openIncident, patchIncident, postUpdate } from '../support/incidents.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { notFound } from '../support/not-found.js';
import { makePage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, roles: withoutJobs });
const { sql } = api.stores;
const key = await makeIncidentKey(api);
const schemas: Record<string, TSchema> = {
  'summary.json': StatuspageSummary,
  'status.json': StatuspageStatus,
  'components.json': StatuspageComponents,
  'incidents.json': StatuspageIncidents,
  'incidents/unresolved.json': StatuspageIncidents,
  'scheduled-maintenances.json': StatuspageMaintenances,
  'scheduled-maintenances/upcoming.json': StatuspageMaintenances,
  'scheduled-maintenances/active.json': StatuspageMaintenances,
};
const checks = new Map(Object.entries(schemas).map(([name, schema]) => [name, Compile(schema)]));

/** Fails unless the answer matches its schema. */
async function read<T = StatuspageSummary>(name = 'summary.json', host = 'acme.localhost'): Promise<T> {
  const { status, body } = await requestAt(api.url, host, `/api/v2/${name}`);
  if (status !== 200 || checks.get(name)?.Check(body) !== true) {
    throw new Error(`${name}: ${status} ${JSON.stringify(body)}`);
  }
  return body as T;
}

/** The moving clock, in whole seconds. */
const iso = (minutes: number, from = clock.now()) =>
  new Date(Math.floor((from + minutes * minuteMs) / 1_000) * 1_000).toISOString();
const names = <T extends { name: string }>(items: readonly T[]) => items.map(({ name }) => name);

await sql`update pages set name = 'Acme', time_zone = 'Europe/Berlin' where id = ${api.pageId}`;
const groupId = newId<MonitorGroupId>(clock.now());
await sql`
  insert into monitor_groups (id, page_id, slug, name, names, position, created_at)
  values (${groupId}, ${api.pageId}, 'shop', 'Shop', '{}', 0, ${new Date(clock.now())})`;
const checked = {
  state: 'up',
  state_since: new Date(clock.now()),
  last_checked_at: new Date(clock.now()),
} as const;
const ids = {
  api: await insertMonitor(sql, api.pageId, {
    slug: 'api',
    name: 'API',
    description: 'For apps',
    ...checked,
  }),
  cart: await insertMonitor(sql, api.pageId, {
    slug: 'cart',
    name: 'Cart',
    group_id: groupId,
    ...checked,
    position: 1,
  }),
  pay: await insertMonitor(sql, api.pageId, {
    slug: 'pay',
    name: 'Pay',
    group_id: groupId,
    kind: 'manual',
    position: 2,
  }),
};

t.test('200: a page on which all is well', async (t) => {
  const { page, components, status, ...rest } = await read();
  t.match(page, { id: api.pageId, name: 'Acme', time_zone: 'Europe/Berlin' });
  t.match(page.url, /^http:\/\/acme\.localhost:\d+$/);
  t.strictSame(status, { indicator: 'none', description: 'All Systems Operational' });
  t.strictSame(rest, { incidents: [], scheduled_maintenances: [] });
  t.match(components, [
    {
      id: ids.api,
      name: 'API',
      position: 1,
      group: false,
      group_id: null,
      description: 'For apps',
      showcase: true,
    },
    {
      id: groupId,
      name: 'Shop',
      position: 2,
      group: true,
      components: [ids.cart, ids.pay],
      status: 'operational',
    },
    { id: ids.cart, name: 'Cart', position: 1, group_id: groupId, page_id: api.pageId, description: null },
    { id: ids.pay, name: 'Pay', position: 2, group_id: groupId, showcase: false },
  ]);
  t.strictSame(Object.keys(components[0] ?? {}).sort(), [
    ...['created_at', 'description', 'group', 'group_id', 'id', 'name', 'only_show_if_degraded', 'page_id'],
    ...['position', 'showcase', 'start_date', 'status', 'updated_at'],
  ]);
});

t.test('200: an incident, from its beginning to its end', async (t) => {
  const startedAt = iso(-10);
  const { id } = await openIncident(api, key, {
    ...{ title: 'Cards fail', summary: 'Some cards.', startedAt, monitorSlugs: ['pay', 'api'] },
    ...{ impact: 'major', serviceStates: { api: 'degraded' } },
  });
  clock.advance(minuteMs);
  await postUpdate(api, key, id, { body: 'We watch it.', status: 'monitoring' });
  const summary = await read();
  t.strictSame(summary.status, { indicator: 'major', description: 'Partial System Outage' });
  t.strictSame(
    summary.components.map(({ name, status }) => `${name}: ${status}`),
    ['API: degraded_performance', 'Shop: partial_outage', 'Cart: operational', 'Pay: partial_outage'],
  );
  const [incident] = summary.incidents;
  t.match(incident, {
    ...{
      id,
      name: 'Cards fail',
      status: 'monitoring',
      impact: 'major',
      started_at: startedAt,
      resolved_at: null,
    },
    ...{ page_id: api.pageId, shortlink: `${summary.page.url}/en/incidents/${id}`, reminder_intervals: null },
    monitoring_at: incident?.updated_at,
    incident_updates: [
      { status: 'monitoring', body: 'We watch it.', incident_id: id, custom_tweet: null },
      {
        ...{ id, status: 'investigating', body: 'Some cards.' },
        affected_components: [
          { code: ids.pay, name: 'Pay', old_status: 'operational', new_status: 'partial_outage' },
          { code: ids.api, name: 'API', old_status: 'operational', new_status: 'degraded_performance' },
        ],
      },
    ],
  });
  t.strictSame(names(incident?.components ?? []), ['Pay', 'API']);
  t.strictSame((await read<StatuspageIncidents>('incidents/unresolved.json')).incidents, summary.incidents);
  await postUpdate(api, key, id, { body: 'All is well.', status: 'resolved' });
  t.strictSame((await read()).incidents, []);
  const { incidents } = await read<StatuspageIncidents>('incidents.json');
  t.match(incidents, [{ id, status: 'resolved', incident_updates: [{ status: 'resolved' }, {}, {}] }]);
  await patchIncident(api, key, id, { resolvedAt: null });
  t.match((await read()).incidents, [{ status: 'monitoring' }], 'opened again');
  await patchIncident(api, key, id, { resolvedAt: iso(0) });
});

t.test('200: maintenance that is planned, under way and over', async (t) => {
  const now = clock.now();
  const plan = async (title: string, from: number, to: number | null) =>
    openIncident(api, key, {
      ...{
        type: 'maintenance',
        title,
        summary: 'A new disk.',
        monitorSlugs: ['cart'],
        startedAt: iso(from, now),
      },
      scheduledEndAt: to === null ? null : iso(to, now),
    });
  await plan('Over', -60, -30);
  await plan('Under way', -10, null);
  await plan('Planned', 60, 90);
  const list = async (part: string) =>
    (await read<StatuspageMaintenances>(`scheduled-maintenances${part}.json`)).scheduled_maintenances;
  t.strictSame(names(await list('')), ['Planned', 'Under way', 'Over']);
  t.strictSame(names(await list('/upcoming')), ['Planned']);
  t.strictSame(names(await list('/active')), ['Under way']);
  t.match(await list(''), [
    {
      status: 'scheduled',
      impact: 'maintenance',
      scheduled_for: iso(60, now),
      scheduled_until: iso(90, now),
    },
    { status: 'in_progress', scheduled_until: iso(-10, now), incident_updates: [{ body: 'A new disk.' }] },
    { status: 'completed' },
  ]);
  const summary = await read();
  t.strictSame(names(summary.scheduled_maintenances), ['Planned', 'Under way']);
  t.strictSame(summary.status, { indicator: 'maintenance', description: 'Service Under Maintenance' });
  t.match(summary.components[2], { name: 'Cart', status: 'under_maintenance' });
});

t.test('200: ids stay the same, and what changed says when', async (t) => {
  const before = await read();
  clock.advance(minuteMs);
  const at = new Date(clock.now());
  await sql`
    update monitors set name = 'The API', state = 'down', state_since = ${at}, last_checked_at = ${at}
    where id = ${ids.api}`;
  clock.advance(minuteMs);
  const after = await read();
  t.match(after.components[0], {
    id: ids.api,
    name: 'The API',
    status: 'major_outage',
    updated_at: at.toISOString(),
  });
  t.match(after.status, { indicator: 'critical' });
  t.equal(after.page.id, before.page.id);
  t.ok(after.page.updated_at > before.page.updated_at);
});

t.test('304, 404, 405: as of everything public', async (t) => {
  for (const name of Object.keys(schemas)) {
    const path = `/api/v2/${name}`;
    const { headers } = await requestAt(api.url, 'acme.localhost', path);
    t.equal(headers.get('access-control-allow-origin'), '*', name);
    t.equal(headers.get('cache-control'), 'public, max-age=60', name);
    const again = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    t.equal((await requestAt(api.url, 'acme.localhost', path, again)).status, 304, name);
    const nobody = await requestAt(api.url, 'nobody.localhost', path);
    t.equal(nobody.status, 404, name);
    t.strictSame(nobody.body, notFound(api.url), name);
    t.equal((await requestAt(api.url, 'acme.localhost', path, { method: 'POST' })).status, 405, name);
  }
});

t.test('another page has nothing of it', async (t) => {
  await makePage(sql, { slug: 'quiet' });
  const summary = await read('summary.json', 'quiet.localhost');
  t.match(summary, { components: [], incidents: [], scheduled_maintenances: [] });
  t.strictSame(summary.status, { indicator: 'none', description: 'Status Not Known' });
});
