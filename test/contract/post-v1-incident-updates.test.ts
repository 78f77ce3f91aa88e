import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { testIncidentRefusals } from '../support/incident-route-refusals.js';
import {
  fillUpdates,
  loadEntry,
  loadKinds,
  makeIncidentKey,
  openIncident,
  patchIncident,
  postUpdate,
} from '../support/incidents.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const key = await makeIncidentKey(api);

t.test('201: with only the body', async (t) => {
  const incident = await openIncident(api, key);
  const answer = await postUpdate(api, key, incident.id, { body: ' We are looking into it. ' });
  t.equal(answer.status, 201);
  const { id, ...rest } = answer.body as { id: string };
  t.strictSame(rest, {
    incidentId: incident.id,
    status: 'investigating',
    body: 'We are looking into it.',
    notify: true,
    resolvedIncident: false,
  });
  const entry = await loadEntry(api, incident.id);
  t.match(entry.updates, [{ id, status: 'investigating', body: { en: 'We are looking into it.' } }]);
  t.ok(Math.abs(Date.parse(entry.updates[0]?.createdAt ?? '') - systemClock.now()) < 60_000);
  t.strictSame(await loadKinds(api, incident.id), ['incident.created', 'incident.update_posted']);
});

t.test('201: every status; the timeline is oldest first', async (t) => {
  const { id } = await openIncident(api, key);
  const statuses = ['investigating', 'identified', 'monitoring', 'resolved', 'monitoring'];
  for (const status of statuses) {
    t.equal((await postUpdate(api, key, id, { status, body: `Now ${status}.` })).status, 201);
  }
  t.strictSame(
    (await loadEntry(api, id)).updates.map(({ status }) => status),
    statuses,
  );
});

t.test('201: resolved closes an open incident', async (t) => {
  const { id } = await openIncident(api, key);
  const answer = await postUpdate(api, key, id, { status: 'resolved', body: 'Fixed.' });
  t.match(answer.body, { status: 'resolved', resolvedIncident: true });
  const { resolvedAt, updates } = await loadEntry(api, id);
  t.equal(resolvedAt, updates[0]?.createdAt);
  t.strictSame(
    await loadKinds(api, id),
    ['incident.created', 'incident.resolved'],
    'one announcement for both',
  );
});

t.test('201: a set end does not move, and the incident is not reopened', async (t) => {
  const resolvedAt = '2026-11-20T11:00:00.000Z';
  const { id } = await openIncident(api, key, { resolvedAt });
  for (const status of ['resolved', 'investigating']) {
    const answer = await postUpdate(api, key, id, { status, body: 'An afterthought.' });
    t.match(answer.body, { status, resolvedIncident: false });
    t.equal((await loadEntry(api, id)).resolvedAt, resolvedAt);
  }
  t.strictSame((await loadKinds(api, id)).slice(1), Array(2).fill('incident.update_posted'));
});

t.test('201: resolved closes a reopened incident again', async (t) => {
  const { id } = await openIncident(api, key, { resolvedAt: '2026-11-20T11:00:00Z' });
  await patchIncident(api, key, id, { resolvedAt: null });
  t.match((await postUpdate(api, key, id, { status: 'resolved', body: 'x' })).body, {
    resolvedIncident: true,
  });
});

t.test('201: maintenance that is called off before its start is over', async (t) => {
  const startedAt = '2199-01-01T00:00:00.000Z';
  const { id } = await openIncident(api, key, { type: 'maintenance', startedAt });
  t.match((await postUpdate(api, key, id, { status: 'resolved', body: 'Not needed.' })).body, {
    resolvedIncident: true,
  });
  t.match(await loadEntry(api, id), { resolvedAt: startedAt, maintenanceState: 'completed' });
  t.strictSame(await loadKinds(api, id), ['maintenance.created', 'maintenance.resolved']);
});

t.test('201: with notify false nothing is announced', async (t) => {
  const { id } = await openIncident(api, key);
  const answer = await postUpdate(api, key, id, { status: 'resolved', body: 'Fixed.', notify: false });
  t.match(answer.body, { notify: false, resolvedIncident: true });
  t.strictSame(await loadKinds(api, id), ['incident.created']);
});

t.test('400: an invalid field', async (t) => {
  const badKey = await makeIncidentKey(api);
  const { id } = await openIncident(api, badKey);
  const bad = [
    ...[{}, { body: '' }, { body: ' ' }, { body: 5 }, { body: null }, { body: 'a\u0007b' }],
    ...[{ status: 'fixed' }, { status: '' }, { status: null }, { status: 'Resolved' }],
    ...[{ notify: 'true' }, { notify: null }, { notify: 1 }],
  ];
  for (const fields of bad) {
    const body = Object.hasOwn(fields, 'body') || Object.keys(fields).length === 0 ? {} : { body: 'Text.' };
    const answer = await postUpdate(api, badKey, id, { ...body, ...fields });
    t.equal(answer.status, 400, JSON.stringify(fields));
    t.type((answer.body as { error: string }).error, 'string');
  }
  t.strictSame((await loadEntry(api, id)).updates, []);
});

t.test('400: the incident has 199 updates, and another one does not resolve it', async (t) => {
  const { id } = await openIncident(api, key);
  await fillUpdates(api.stores.sql, id, 199);
  const answer = await postUpdate(api, key, id, { body: 'One more.' });
  t.equal(answer.status, 400);
  t.match(answer.body, { error: /the last one is kept for an update that resolves it\. Resolve it/ });
  t.equal((await postUpdate(api, key, id, { body: 'Over.', status: 'resolved' })).status, 201);
});

t.test('404: a missing incident, and one of another page', async (t) => {
  const foreign = await openIncident(api, await makeIncidentKey(api, 'other'));
  const mine = await makeIncidentKey(api);
  for (const id of [foreign.id, '019aa000-0000-7000-8000-000000000000', 'x']) {
    const answer = await postUpdate(api, mine, id, { status: 'resolved', body: 'Not mine.' });
    t.equal(answer.status, 404, id);
    t.match(answer.body, { error: /^Not found$/, hint: 'has no incident with this id' });
  }
  t.match(await loadEntry(api, foreign.id, 'other'), { resolvedAt: null, updates: [] });
});

const { id } = await openIncident(api, await makeIncidentKey(api));
await testIncidentRefusals(t, api, {
  send: (body, options) => postOrOther(body, options),
  good: { body: 'Text.' },
  allow: 'POST',
  others: ['GET', 'PUT', 'PATCH', 'DELETE'],
});

function postOrOther(body: unknown, options: Parameters<typeof api.post>[2]) {
  return api.post(`/api/v1/incidents/${id}/updates`, body, options);
}
