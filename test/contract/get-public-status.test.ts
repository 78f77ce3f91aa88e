import t from 'tap';
import { Compile } from 'typebox/compile';
import { PublicStatus } from '../../contract/public/status.js';
import { type MonitorGroupId, newId, type PageId } from '../../lib/ids.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { makeIncidentKey, openIncident, patchIncident } from '../support/incidents.js';
import { notFound } from '../support/not-found.js';
import { makePage } from '../support/pages.js';
import { insertDays, insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const now = Math.floor(Date.now() / dayMs) * dayMs + 12 * 60 * minuteMs;
const api = await startTestService(t, { clock: { now: () => now }, roles: withoutJobs });
const { sql, clickhouse } = api.stores;
const isStatus = Compile(PublicStatus);
const checked = { state: 'up', state_since: new Date(now), last_checked_at: new Date(now) } as const;

const ask = (slug: string, options?: Parameters<typeof requestAt>[3]) =>
  requestAt(api.url, `${slug}.localhost`, `/api/public/${slug}/status`, options);

async function read(slug: string): Promise<PublicStatus> {
  const { status, body } = await ask(slug);
  if (status !== 200 || !isStatus.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function makeGroup(pageId: PageId, slug: string, collapsed = false): Promise<MonitorGroupId> {
  const id = newId<MonitorGroupId>(now);
  const names = sql.json({ de: `${slug}-de` });
  await sql`
    insert into monitor_groups (id, page_id, slug, name, names, collapsed, position, created_at)
    values (${id}, ${pageId}, ${slug}, ${slug.toUpperCase()}, ${names}, ${collapsed}, 0, ${new Date(now)})`;
  return id;
}

t.test('200: a page without services', async (t) => {
  await makePage(sql, { slug: 'bare', name: 'Bare' });
  const { headers, body } = await ask('bare');
  t.equal(headers.get('cache-control'), 'public, max-age=60');
  t.equal(headers.get('access-control-allow-origin'), '*');
  const nothing = { lastChecked: null, groups: [], services: [], incidents: [], objectives: [], figures: [] };
  t.strictSame(body, { slug: 'bare', name: 'Bare', state: 'unknown', ...nothing });
});

t.test('200: every field of a service, and the uptime of its group', async (t) => {
  const page = await makePage(sql, { slug: 'whole', name: 'Whole', languages: ['en', 'de'] });
  const group_id = await makeGroup(page.id, 'shop', true);
  const since = new Date(now - 5 * minuteMs);
  const own = { name: 'API', names: { de: 'Schnittstelle' }, description: 'For apps', group_id };
  const api1 = await insertMonitor(sql, page.id, {
    ...{ slug: 'api', ...own, ...checked, link: 'https://api.example.com/', degraded_since: since },
  });
  const web = await insertMonitor(sql, page.id, { slug: 'web', position: 1, group_id, ...checked });
  await insertMonitor(sql, page.id, { slug: 'phone', kind: 'manual', position: 2 });
  await insertMonitor(sql, page.id, { slug: 'secret', position: 3, state: 'down', hidden: true, group_id });
  const at = now - dayMs;
  await insertDays(clickhouse, { pageId: page.id, monitorId: api1 }, [{ at, upMs: dayMs / 2 }]);
  await insertDays(clickhouse, { pageId: page.id, monitorId: web }, [{ at }]);
  const status = await read('whole');
  t.equal(status.state, 'degraded');
  t.strictSame(status.groups, [
    {
      ...{ slug: 'shop', name: 'SHOP', names: { de: 'shop-de' }, collapsed: true },
      ...{ state: 'degraded', uptime: '75.00%', services: ['api', 'web'] },
    },
  ]);
  const reason = { type: 'monitor', id: null, title: null };
  t.strictSame(status.services, [
    {
      ...{ slug: 'phone', name: 'phone', names: { en: 'phone', de: 'phone' }, descriptions: {}, link: null },
      ...{ group: null, state: 'operational', reason, degradedSince: null, uptime: 'N/A' },
    },
    {
      ...{ slug: 'api', name: 'API', names: { en: 'API', de: 'Schnittstelle' } },
      ...{ descriptions: { en: 'For apps', de: 'For apps' }, link: 'https://api.example.com/' },
      ...{ group: 'shop', state: 'degraded', reason, degradedSince: since.toISOString(), uptime: '50.00%' },
    },
    {
      ...{ slug: 'web', name: 'web', names: { en: 'web', de: 'web' }, descriptions: {}, link: null },
      ...{ group: 'shop', state: 'operational', reason, degradedSince: null, uptime: '100.00%' },
    },
  ]);
});

t.test('200: what incidents say, until they are resolved', async (t) => {
  const key = await makeIncidentKey(api);
  for (const slug of ['shop', 'blog']) await insertMonitor(sql, api.pageId, { slug, ...checked });
  await insertMonitor(sql, api.pageId, { slug: 'hidden', ...checked, hidden: true });
  t.equal((await read('acme')).state, 'operational');
  const incident = await openIncident(api, key, {
    ...{ title: 'Slow', monitorSlugs: ['shop', 'blog', 'hidden'], startedAt: new Date(now).toISOString() },
    ...{ impact: 'critical', serviceStates: { blog: 'degraded', hidden: 'operational' } },
  });
  const status = await read('acme');
  t.equal(status.state, 'major_outage');
  const reason = { type: 'incident', id: incident.id, title: { en: 'Slow' } };
  t.match(status.services, [
    { slug: 'shop', state: 'major_outage', reason },
    { slug: 'blog', state: 'degraded', reason },
  ]);
  t.strictSame(status.incidents, [
    {
      ...{ id: incident.id, type: 'incident', title: { en: 'Slow' }, impact: 'critical' },
      ...{ services: ['shop', 'blog'], serviceStates: { blog: 'degraded' } },
      ...{ startedAt: new Date(now).toISOString(), maintenanceState: null },
    },
  ]);
  const { body } = await requestAt(api.url, 'acme.localhost', '/api/public/acme/summary');
  t.match(body, { services: [{ status: 'up' }, { status: 'up' }] }, 'the summary has what monitors see');
  await patchIncident(api, key, incident.id, { impact: null, serviceStates: {} });
  t.match(await read('acme'), { state: 'degraded', services: [{ state: 'operational' }] });
  await patchIncident(api, key, incident.id, { resolvedAt: new Date(now).toISOString() });
  t.match(await read('acme'), { state: 'operational', incidents: [] });
});

t.test('304: nothing has changed', async (t) => {
  const { headers } = await ask('bare');
  const answer = await ask('bare', { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  t.equal(answer.status, 304);
});

t.test('404: the host and the slug belong to different pages', async (t) => {
  const answer = await requestAt(api.url, 'acme.localhost', '/api/public/bare/status');
  t.equal(answer.status, 404);
  t.strictSame(answer.body, notFound(api.url, 'bare'));
});

t.test('405: another method', async (t) => {
  t.equal((await ask('acme', { method: 'POST' })).status, 405);
});
