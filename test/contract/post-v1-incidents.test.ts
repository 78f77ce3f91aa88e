import t from 'tap';
import type { Incident } from '../../contract/incidents.js';
import { testIncidentRefusals } from '../support/incident-route-refusals.js';
import {
  fillOpenIncidents,
  loadEntry,
  loadKinds,
  makeIncidentKey,
  makeMonitors,
  openIncident,
  outage,
} from '../support/incidents.js';
import { startTestService } from '../support/service.js';

const path = '/api/v1/incidents';
const api = await startTestService(t);
await makeMonitors(api.stores.sql, api.pageId, ['api', 'web']);
await makeMonitors(api.stores.sql, api.otherPageId, ['foreign']);

t.test('201: an incident with only the required fields', async (t) => {
  const answer = await api.post(path, outage, { key: await makeIncidentKey(api) });
  t.equal(answer.status, 201);
  const { id, ...rest } = answer.body as Incident;
  t.match(id, /^[0-9a-f-]{36}$/);
  t.strictSame(rest, { type: 'incident', ...outage, monitorSlugs: [], resolvedAt: null });
  t.strictSame(await loadKinds(api, id), ['incident.created']);
});

t.test('201: monitors in the given order; unknown ones are ignored', async (t) => {
  const key = await makeIncidentKey(api);
  const monitorSlugs = ['web', 'nothing', 'api', 'web', 'foreign'];
  const { id, ...incident } = await openIncident(api, key, { monitorSlugs });
  t.match(incident, { monitorSlugs: ['web', 'api'] });
  t.strictSame((await loadEntry(api, id)).services, ['web', 'api']);
});

t.test('201: an incident that is already over', async (t) => {
  const key = await makeIncidentKey(api);
  const incident = await openIncident(api, key, { resolvedAt: '2026-11-20T12:30:00+01:00' });
  t.match(incident, { resolvedAt: '2026-11-20T11:30:00.000Z' });
  t.strictSame(await loadKinds(api, incident.id), ['incident.created']);
});

t.test('201: maintenance in the future, with its planned end', async (t) => {
  const times = { startedAt: '2199-01-01T00:00:00.000Z', scheduledEndAt: '2199-01-01T02:00:00.000Z' };
  const { id, ...incident } = await openIncident(api, await makeIncidentKey(api), {
    type: 'maintenance',
    ...times,
  });
  t.strictSame(Object.keys(incident).sort(), [
    'monitorSlugs',
    'resolvedAt',
    'startedAt',
    'summary',
    'title',
    'type',
  ]);
  t.match(await loadEntry(api, id), { type: 'maintenance', maintenanceState: 'scheduled', ...times });
  t.strictSame(await loadKinds(api, id), ['maintenance.created']);
});

t.test('201: times in any ISO 8601 form, trimmed texts, ignored unknown fields', async (t) => {
  const key = await makeIncidentKey(api);
  const incident = await openIncident(api, key, {
    title: '  Ünïcödé 🚑 <b> ',
    summary: 'First line\nsecond\tline\n',
    startedAt: '2026-11-20T11:00+01:00',
    notify: 'no boolean, and no field of this route',
    id: 'mine',
    scheduledEndAt: '2026-11-21T00:00:00Z',
  });
  t.match(incident, {
    title: 'Ünïcödé 🚑 <b>',
    summary: 'First line\nsecond\tline',
    startedAt: outage.startedAt,
  });
  t.not(incident.id, 'mine');
  t.equal((await loadEntry(api, incident.id)).scheduledEndAt, null, 'an incident has no planned end');
});

t.test('201: an Idempotency-Key is ignored', async (t) => {
  const key = await makeIncidentKey(api);
  const post = () => api.post(path, outage, { key, headers: { 'idempotency-key': 'same' } });
  const [first, second] = [(await post()).body as Incident, (await post()).body as Incident];
  t.not(first.id, second.id);
});

t.test('201: a title with marks that turn text, which end with it', async (t) => {
  const key = await makeIncidentKey(api);
  const titles = ['\u2068Checkout\u2069 is slow', 'a \u202eb', 'a\u2028b'];
  const stored = [];
  for (const title of titles) {
    const { status, body } = await api.post(path, { ...outage, title }, { key });
    stored.push([status, (await loadEntry(api, (body as Incident).id)).title.en]);
  }
  t.strictSame(stored, [
    [201, '\u2068Checkout\u2069 is slow'],
    [201, 'a \u202eb\u202c'],
    [201, 'a b'],
  ]);
});

t.test('400: an invalid field, named by its path', async (t) => {
  const cases: [object, RegExp][] = [
    [{ title: undefined }, /title/],
    [{ summary: undefined }, /summary/],
    [{ startedAt: undefined }, /startedAt/],
    [{ title: '' }, /^\/title /],
    [{ title: ' \n ' }, /^\/title must be one line of text, not blank,/],
    [{ title: 7 }, /^\/title /],
    [{ title: 'x'.repeat(301) }, /^\/title /],
    [{ title: 'two\nlines' }, /^\/title must be one line of text/],
    [{ summary: '' }, /^\/summary /],
    [{ summary: null }, /^\/summary /],
    [{ summary: 'a\u0000b' }, /^\/summary must not hold control characters\.$/],
    [{ summary: 'x'.repeat(20_001) }, /^\/summary /],
    [{ type: 'outage' }, /^\/type /],
    [{ type: null }, /^\/type /],
    [{ monitorSlugs: 'api' }, /^\/monitorSlugs /],
    [{ monitorSlugs: [7] }, /^\/monitorSlugs\/0 /],
    [{ startedAt: 'yesterday' }, /^\/startedAt must be an ISO-8601 time/],
    [{ startedAt: 1_700_000_000_000 }, /^\/startedAt /],
    [{ startedAt: '2026-02-30T00:00:00Z' }, /^\/startedAt /],
    [{ startedAt: '2026-11-20T23:59:60Z' }, /^\/startedAt /],
    [{ startedAt: '0000-01-01T00:00:00Z' }, /^\/startedAt /],
    [{ resolvedAt: 'soon' }, /^\/resolvedAt /],
    [{ resolvedAt: true }, /^\/resolvedAt /],
    [
      { resolvedAt: '2026-11-20T09:59:59.999Z' },
      /^\/resolvedAt must not be before \/startedAt, which is 2026-11-20T10:00:00\.000Z\.$/,
    ],
    [
      { type: 'maintenance', scheduledEndAt: outage.startedAt },
      /^\/scheduledEndAt must be after \/startedAt, which is \S+Z\.$/,
    ],
    [{ type: 'maintenance', scheduledEndAt: 'later' }, /^\/scheduledEndAt /],
  ];
  const key = await makeIncidentKey(api);
  const stored = async () => (await api.stores.sql`select id from incidents`).count;
  const before = await stored();
  for (const [fields, expected] of cases) {
    const answer = await api.post(path, { ...outage, ...fields }, { key });
    t.equal(answer.status, 400, JSON.stringify(fields).slice(0, 80));
    t.match((answer.body as { error: string }).error, expected);
  }
  t.equal(await stored(), before, 'nothing is stored');
});

t.test('400: the page has 100 open incidents', async (t) => {
  await fillOpenIncidents(api.stores.sql, api.otherPageId, 100);
  const answer = await api.post(path, outage, { key: await makeIncidentKey(api, 'other') });
  t.equal(answer.status, 400);
  t.match(answer.body, {
    error: /^The page has 100 open incidents and maintenance, which is the most\. Resolve one/,
  });
});

await testIncidentRefusals(t, api, {
  send: (body, options) => api.post(path, body, options),
  good: outage,
  allow: 'POST',
  others: ['GET', 'PUT', 'PATCH', 'DELETE'],
});
