import t from 'tap';
import { testIncidentRefusals } from '../support/incident-route-refusals.js';
import {
  fillOpenIncidents,
  loadEntry,
  loadKinds,
  makeIncidentKey,
  makeMonitors,
  openIncident,
  outage,
  patchIncident,
} from '../support/incidents.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
await makeMonitors(api.stores.sql, api.pageId, ['api', 'web']);
const key = await makeIncidentKey(api);

async function patched(id: string, change: unknown): Promise<Record<string, unknown>> {
  const answer = await patchIncident(api, key, id, change);
  t.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Record<string, unknown>;
}

t.test('200: only the fields that are sent change', async (t) => {
  const incident = await openIncident(api, key, { monitorSlugs: ['api'] });
  const after = await patched(incident.id, { title: 'Network outage' });
  t.strictSame(after, { ...incident, title: 'Network outage', notify: true });
  const again = await patched(incident.id, { monitorSlugs: ['web', 'api'], summary: 'Packets are lost.' });
  t.strictSame(again, { ...after, monitorSlugs: ['web', 'api'], summary: 'Packets are lost.' });
  t.strictSame(await patched(incident.id, { monitorSlugs: [] }), { ...again, monitorSlugs: [] });
  t.strictSame(await loadKinds(api, incident.id), ['incident.created', ...Array(3).fill('incident.updated')]);
});

t.test('200: resolved, and reopened', async (t) => {
  const { id } = await openIncident(api, key);
  t.match(await patched(id, { resolvedAt: '2026-11-20T11:00:00Z' }), {
    resolvedAt: '2026-11-20T11:00:00.000Z',
  });
  t.equal((await loadEntry(api, id)).resolvedAt, '2026-11-20T11:00:00.000Z');
  t.match(await patched(id, { resolvedAt: null }), { resolvedAt: null });
  t.equal((await loadEntry(api, id)).resolvedAt, null);
  t.strictSame(await loadKinds(api, id), ['incident.created', 'incident.resolved', 'incident.reopened']);
});

t.test(
  '200: a corrected end is an update, and a request that changes nothing is not announced',
  async (t) => {
    const { id } = await openIncident(api, key, { resolvedAt: '2026-11-20T11:00:00Z' });
    await patched(id, { resolvedAt: '2026-11-20T11:05:00Z' });
    await patched(id, { resolvedAt: '2026-11-20T11:05:00Z', title: outage.title });
    t.match(await patched(id, {}), { notify: true });
    t.strictSame(await loadKinds(api, id), ['incident.created', 'incident.updated']);
  },
);

t.test('200: with notify false nothing is announced', async (t) => {
  const { id } = await openIncident(api, key);
  t.match(await patched(id, { title: 'Quiet', notify: false }), { title: 'Quiet', notify: false });
  t.match(await patched(id, { title: 'Loud', notify: true }), { title: 'Loud', notify: true });
  t.strictSame(await loadKinds(api, id), ['incident.created', 'incident.updated']);
});

t.test('200: an incident becomes maintenance, with its planned end, and back', async (t) => {
  const { id } = await openIncident(api, key);
  const scheduledEndAt = '2199-01-01T00:00:00.000Z';
  await patched(id, { type: 'maintenance', scheduledEndAt });
  t.match(await loadEntry(api, id), { maintenanceState: 'in_progress', scheduledEndAt });
  await patched(id, { startedAt: '2198-12-31T23:00:00Z' });
  t.match(await loadEntry(api, id), { maintenanceState: 'scheduled', scheduledEndAt });
  await patched(id, { type: 'incident' });
  t.match(await loadEntry(api, id), { maintenanceState: null, scheduledEndAt: null });
});

t.test('400: an invalid field', async (t) => {
  const badKey = await makeIncidentKey(api);
  const incident = await openIncident(api, badKey, { resolvedAt: '2026-11-20T11:00:00Z' });
  const before = await loadEntry(api, incident.id);
  const cases: object[] = [
    ...[{ title: '' }, { title: '  ' }, { title: null }, { summary: '' }, { summary: 5 }, { type: 'other' }],
    ...[
      { monitorSlugs: null },
      { startedAt: null },
      { startedAt: 'x' },
      { resolvedAt: '' },
      { resolvedAt: false },
    ],
    ...[{ notify: 'false' }, { notify: 0 }, { notify: null }, { notify: {} }],
    { resolvedAt: '2026-11-20T09:00:00Z' },
    { startedAt: '2026-11-20T11:00:00.001Z' },
  ];
  for (const change of cases) {
    const answer = await patchIncident(api, badKey, incident.id, { summary: 'Must not be kept.', ...change });
    t.equal(answer.status, 400, JSON.stringify(change));
    t.match((answer.body as { error: string }).error, /^\/\w+ /);
  }
  t.strictSame(await loadEntry(api, incident.id), before);
});

t.test('400: the page has 100 open incidents, and this one would be another', async (t) => {
  const otherKey = await makeIncidentKey(api, 'other');
  const { id } = await openIncident(api, otherKey, { resolvedAt: '2026-11-20T12:00:00Z' });
  await fillOpenIncidents(api.stores.sql, api.otherPageId, 100);
  const answer = await patchIncident(api, otherKey, id, { resolvedAt: null });
  t.equal(answer.status, 400);
  t.match(answer.body, { error: /^The page has 100 open incidents/ });
  await api.stores.sql`delete from incidents where page_id = ${api.otherPageId}`;
});

t.test('404: a missing incident, and one of another page', async (t) => {
  const foreign = await openIncident(api, await makeIncidentKey(api, 'other'));
  const before = await loadEntry(api, foreign.id, 'other');
  for (const id of [
    foreign.id,
    '019aa000-0000-7000-8000-000000000000',
    'x',
    `${foreign.id}0`,
    '%00',
    '1 or 1=1',
  ]) {
    const answer = await patchIncident(api, await makeIncidentKey(api), encodeURI(id), {
      title: 'Taken over',
    });
    t.equal(answer.status, 404, id);
    t.match(answer.body, { error: /^Not found$/, hint: 'has no incident with this id' });
  }
  t.strictSame(await loadEntry(api, foreign.id, 'other'), before);
});

const { id } = await openIncident(api, await makeIncidentKey(api));
await testIncidentRefusals(t, api, {
  send: (body, options) => api.post(`/api/v1/incidents/${id}`, body, { method: 'PATCH', ...options }),
  good: { title: 'Changed' },
  allow: 'PATCH',
  others: ['GET', 'PUT', 'POST', 'DELETE'],
});
