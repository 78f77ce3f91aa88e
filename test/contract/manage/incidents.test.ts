import t from 'tap';
import { incidentLimits } from '../../../contract/incidents.js';
import { systemClock } from '../../../lib/clock.js';
import {
  fillOpenIncidents,
  fillUpdates,
  loadEntry,
  loadKinds,
  loadLedger,
  makeMonitors,
  outage,
} from '../../support/incidents.js';
import { makeKey, makeManageKeys } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { type Answer, startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const deps = { sql, clock: systemClock };
const { key: manageKey, id: keyId } = await makeKey(deps, { slug: 'acme', scope: 'manage', name: 'ci' });
const { read: readKey, other: otherKey } = await makeManageKeys(deps);
await makeMonitors(sql, service.pageId, ['api', 'web']);
const incidents = '/api/v1/pages/acme/incidents';

type Sent = { key?: string; ifMatch?: string };
const send = (method: string, path: string, body?: unknown, { key = manageKey, ifMatch }: Sent = {}) =>
  service.post(path, body, {
    ...{ method, key },
    ...(ifMatch !== undefined && { headers: { 'if-match': ifMatch } }),
  });

const open = async (fields: object = {}) => {
  const answer = await send('POST', incidents, { ...outage, ...fields });
  t.equal(answer.status, 201, JSON.stringify(answer.body));
  return (answer.body as { id: string }).id;
};

const actionsOf = async (id: string) => {
  const rows = await sql<
    { action: string }[]
  >`select action from audit_log where target_id = ${id} order by id`;
  return rows.map(({ action }) => action);
};

const tagOf = ({ headers }: Answer) => headers.get('etag') ?? '';

t.test(
  '201: an incident is opened with its author and place, and begins now unless it says otherwise',
  async (t) => {
    const before = Date.now();
    const { status, body, headers } = await send('POST', incidents, {
      ...{ title: 'Slow', summary: 'Slow *answers*.', monitorSlugs: ['api'] },
    });
    t.equal(status, 201, JSON.stringify(body));
    const { id, startedAt } = body as { id: string; startedAt: string };
    t.ok(Date.parse(startedAt) >= before && Date.parse(startedAt) <= Date.now());
    t.equal(headers.get('location'), `${incidents}/${id}`);
    t.match(body, {
      ...{
        type: 'incident',
        state: 'open',
        title: 'Slow',
        summary: 'Slow *answers*.',
        monitorSlugs: ['api'],
      },
      ...{ resolvedAt: null, scheduledEndAt: null, maintenanceState: null, updates: [] },
      author: { type: 'key', id: keyId, name: 'ci' },
      notifications: { emails: { pending: 0 }, webhookDeliveries: { pending: 0 } },
    });
    const got = await send('GET', `${incidents}/${id}`);
    t.same(got.body, body);
    t.same(await actionsOf(id), ['incident.create']);
    t.same(await loadKinds(service, id), ['incident.created']);
    const same = await service.get(`${incidents}/${id}`, {
      authorization: `Bearer ${manageKey}`,
      'if-none-match': tagOf(got),
    });
    t.equal(same.status, 304);
  },
);

t.test('201: a first update is there from the beginning, and only the incident is announced', async (t) => {
  const update = { status: 'identified', body: 'A **full** disk.' };
  const id = await open({ update });
  const { body } = await send('GET', `${incidents}/${id}`);
  t.match(body, { state: 'open', updates: [{ ...update, author: { name: 'ci' }, correctedAt: null }] });
  t.same(await loadKinds(service, id), ['incident.created']);
  t.match((await loadEntry(service, id)).updates, [{ status: 'identified' }]);
  const ended = await send('POST', incidents, { ...outage, update: { status: 'resolved', body: 'Over.' } });
  t.equal(ended.status, 400, 'an incident that is over has an end');
  const empty = await send('POST', incidents, { ...outage, update: { status: 'identified', body: '' } });
  t.equal(empty.status, 400);
});

t.test('201: with notify false nothing is announced, and the page and its feeds show it', async (t) => {
  const id = await open({ title: 'In silence', notify: false });
  t.same(await loadKinds(service, id), []);
  t.match((await loadEntry(service, id)).title, { en: 'In silence' });
  const feed = await requestAt(service.url, 'acme.localhost', '/feed.json');
  t.match(String(feed.body), /In silence/);
  const [row] = await sql<{ after: object }[]>`select after from audit_log where target_id = ${id}`;
  t.match(row?.after, { notify: false });
  t.equal((await send('POST', `${incidents}/${id}/updates`, { body: 'Known by now.' })).status, 201);
  t.same(await loadKinds(service, id), ['incident.update_posted'], 'an update is announced as usual');
  t.same(await loadKinds(service, await open({ notify: true })), ['incident.created']);
  for (const notify of ['false', 0, null]) {
    t.equal((await send('POST', incidents, { ...outage, notify })).status, 400);
  }
});

t.test('201: maintenance is scheduled, and shows its planned end', async (t) => {
  const [startedAt, scheduledEndAt] = ['2099-01-01T00:00:00.000Z', '2099-01-01T01:00:00.000Z'];
  const { body } = await send('POST', incidents, {
    ...outage,
    type: 'maintenance',
    startedAt,
    scheduledEndAt,
  });
  t.match(body, { state: 'scheduled', startedAt, scheduledEndAt, maintenanceState: 'scheduled' });
});

t.test('400: unknown monitors are named, as are unknown fields, and nothing is written', async (t) => {
  const before = (await loadLedger(service)).length;
  const unknown = await send('POST', incidents, { ...outage, monitorSlugs: ['api', 'nope', 'none'] });
  t.equal(unknown.status, 400);
  t.match(unknown.body, { error: /"nope".*"none"/ });
  const field = await send('POST', incidents, { ...outage, pageId: service.otherPageId });
  t.equal(field.status, 400);
  t.match(field.body, { error: 'There is no field /pageId here.' });
  t.equal((await send('POST', incidents, { title: 'Only' })).status, 400);
  t.equal((await loadLedger(service)).length, before);
  const id = await open();
  const changed = await send('PATCH', `${incidents}/${id}`, { monitorSlugs: ['gone'] });
  t.match(changed, { status: 400, body: { error: /"gone"/ } });
  for (const [method, path, body] of [
    ['PATCH', `${incidents}/${id}`, { slug: 'x' }],
    ['POST', `${incidents}/${id}/updates`, { body: 'Text.', author: 'me' }],
    ['PUT', `${incidents}/${id}/texts/en`, { body: 'Text.' }],
  ] as const) {
    t.equal((await send(method, path, body)).status, 400, `${method} ${path}`);
  }
});

t.test('403: a key that reads does not write', async (t) => {
  const id = await open();
  t.equal((await send('GET', `${incidents}/${id}`, undefined, { key: readKey })).status, 200);
  t.equal((await send('GET', incidents, undefined, { key: readKey })).status, 200);
  for (const [method, path, body] of [
    ['POST', incidents, outage],
    ['PATCH', `${incidents}/${id}`, { title: 'No' }],
    ['DELETE', `${incidents}/${id}`, undefined],
    ['POST', `${incidents}/${id}/updates`, { body: 'No' }],
    ['PUT', `${incidents}/${id}/texts/en`, { title: 'No' }],
  ] as const) {
    t.equal((await send(method, path, body, { key: readKey })).status, 403, `${method} ${path}`);
  }
});

t.test('404: another page reaches nothing and changes nothing', async (t) => {
  const id = await open();
  const { body: update } = await send('POST', `${incidents}/${id}/updates`, { body: 'A text.' });
  const { id: updateId } = update as { id: string };
  const others = '/api/v1/pages/other/incidents';
  const before = (await send('GET', `${incidents}/${id}`)).body;
  for (const at of [incidents, others]) {
    for (const [method, path, body] of [
      ['GET', `${at}/${id}`, undefined],
      ['PATCH', `${at}/${id}`, { title: 'Theirs' }],
      ['DELETE', `${at}/${id}`, undefined],
      ['POST', `${at}/${id}/updates`, { body: 'Theirs' }],
      ['PATCH', `${at}/${id}/updates/${updateId}`, { body: 'Theirs' }],
      ['DELETE', `${at}/${id}/updates/${updateId}`, undefined],
      ['PUT', `${at}/${id}/texts/en`, { title: 'Theirs' }],
    ] as const) {
      t.equal((await send(method, path, body, { key: otherKey })).status, 404, `${method} ${path}`);
    }
  }
  t.same((await send('GET', `${incidents}/${id}`)).body, before);
  for (const id of ['nonsense', '019c1ac7-0000-7000-8000-000000000000']) {
    t.equal((await send('GET', `${incidents}/${id}`)).status, 404, id);
  }
});

t.test('a change, an end and a reopening are announced, audited and public at once', async (t) => {
  const id = await open();
  const path = `${incidents}/${id}`;
  t.match(await send('PATCH', path, { title: 'Worse', monitorSlugs: ['web'] }), {
    status: 200,
    body: { title: 'Worse', monitorSlugs: ['web'] },
  });
  t.match((await loadEntry(service, id)).title, { en: 'Worse' });
  t.match((await send('PATCH', path, { resolvedAt: '2026-11-21T10:00:00Z' })).body, { state: 'resolved' });
  t.match((await send('PATCH', path, { resolvedAt: null, notify: false })).body, { state: 'open' });
  const same = await send('PATCH', path, { title: 'Worse' });
  t.equal(same.status, 200);
  t.same(await actionsOf(id), ['incident.create', 'incident.update', 'incident.resolve', 'incident.reopen']);
  t.same(await loadKinds(service, id), ['incident.created', 'incident.updated', 'incident.resolved']);
  const [row] = await sql`
    select before, after, actor_id, address from audit_log
    where target_id = ${id} and action = 'incident.update'`;
  t.match(row, {
    before: { title: outage.title, monitorSlugs: [] },
    after: { title: 'Worse', monitorSlugs: ['web'] },
    ...{ actor_id: keyId, address: /./ },
  });
});

t.test('an update has an author, and resolves', async (t) => {
  const id = await open();
  const { status, body, headers } = await send('POST', `${incidents}/${id}/updates`, {
    ...{ body: 'All good.', status: 'resolved' },
  });
  t.equal(status, 201, JSON.stringify(body));
  t.match(body, {
    ...{ incidentId: id, status: 'resolved', resolvedIncident: true, correctedAt: null, notify: true },
    author: { type: 'key', id: keyId, name: 'ci' },
  });
  const { id: updateId, createdAt } = body as { id: string; createdAt: string };
  t.equal(headers.get('location'), `${incidents}/${id}/updates/${updateId}`);
  t.match((await send('GET', `${incidents}/${id}`)).body, {
    state: 'resolved',
    updates: [{ id: updateId, body: 'All good.', createdAt }],
  });
  t.same(await actionsOf(id), ['incident.create', 'incident.resolve']);
  t.same(await actionsOf(updateId), ['incident-update.create']);
});

t.test('412: of two changes with the same If-Match, one wins', async (t) => {
  const id = await open();
  const path = `${incidents}/${id}`;
  const ifMatch = tagOf(await send('GET', path));
  const answers = await Promise.all(
    ['One', 'Two'].map((title) => send('PATCH', path, { title }, { ifMatch })),
  );
  t.same(answers.map(({ status }) => status).toSorted(), [200, 412]);
  const won = answers.find(({ status }) => status === 200);
  if (won === undefined) throw new Error('One of them wins.');
  const { title } = won.body as { title: string };
  t.match((await send('GET', path)).body, { title });
  t.equal((await actionsOf(id)).length, 2);
  t.equal((await send('PATCH', path, { title: 'Three' }, { ifMatch: tagOf(won) })).status, 200);
  t.equal((await send('PUT', `${path}/texts/en`, { title: 'Late' }, { ifMatch })).status, 412);
  const update = await send('POST', `${path}/updates`, { body: 'A text.' });
  const updatePath = `${path}/updates/${(update.body as { id: string }).id}`;
  t.equal((await send('PATCH', updatePath, { body: 'Late' }, { ifMatch })).status, 412);
});

t.test('204: a deleted incident is gone from everywhere, and cannot be deleted again', async (t) => {
  const id = await open({ title: 'Opened by mistake' });
  await send('POST', `${incidents}/${id}/updates`, { body: 'A text.' });
  const publicPath = `/incidents/${id}`;
  t.equal((await requestAt(service.url, 'acme.localhost', publicPath)).status, 200);
  t.equal((await send('DELETE', `${incidents}/${id}`)).status, 204);
  t.equal((await send('DELETE', `${incidents}/${id}`)).status, 404);
  t.equal((await send('GET', `${incidents}/${id}`)).status, 404);
  t.equal((await requestAt(service.url, 'acme.localhost', publicPath)).status, 404);
  t.notOk((await loadLedger(service)).some((entry) => entry.id === id));
  const feed = await requestAt(service.url, 'acme.localhost', '/feed.xml');
  t.notOk(JSON.stringify(feed.body).includes(id));
  t.same(await loadKinds(service, id), [], 'nothing waits to be announced');
  t.same(await actionsOf(id), ['incident.create', 'incident.delete']);
});

t.test('the deleted incident of a monitor stays deleted while the outage lasts', async (t) => {
  const id = await open();
  await sql`update monitors set incident_id = ${id} where page_id = ${service.pageId} and slug = 'web'`;
  t.equal((await send('DELETE', `${incidents}/${id}`)).status, 204);
  const [monitor] = await sql`
    select incident_id from monitors where page_id = ${service.pageId} and slug = 'web'`;
  t.same(monitor, { incident_id: id });
});

t.test('the Incident API is audited with its key', async (t) => {
  const { body } = await service.post('/api/v1/incidents', outage, { key: service.incidentKey });
  const { id } = body as { id: string };
  t.same(Object.keys(body as object), [
    ...['id', 'type', 'title', 'summary', 'monitorSlugs', 'startedAt', 'resolvedAt'],
  ]);
  const [row] = await sql`select actor_type, actor_name, address from audit_log where target_id = ${id}`;
  t.match(row, { actor_type: 'key', actor_name: /./, address: /./ });
  t.match((await send('GET', `${incidents}/${id}`)).body, { author: { type: 'key' } });
});

t.test('an incident from before authors were kept has none', async (t) => {
  const id = await open();
  await sql`update incidents set author_type = null, author_id = null, author_name = null where id = ${id}`;
  t.match((await send('GET', `${incidents}/${id}`)).body, { author: null });
});

t.test('a long text is cut in the audit log, and a change behind the cut is there', async (t) => {
  const long = 'x'.repeat(15_000);
  const id = await open({ summary: long });
  await send('PATCH', `${incidents}/${id}`, { summary: `${long}y` });
  const rows = await sql<{ action: string; bytes: number; after: { summary: string } }[]>`
    select action, octet_length(coalesce(before::text, '') || after::text) as bytes, after
    from audit_log where target_id = ${id} order by id`;
  t.same(
    rows.map(({ action }) => action),
    ['incident.create', 'incident.update'],
  );
  for (const { bytes } of rows) t.ok(bytes < 6_000, String(bytes));
  t.match(rows[1]?.after.summary, /13001 more characters/);
});

t.test('409: an incident and a page have no more room, and the sentence names the limit', async (t) => {
  const id = await open();
  await fillUpdates(sql, id, incidentLimits.updates);
  const full = { status: 409, body: { error: /has 200 updates, which is the most/ } };
  t.match(await send('POST', `${incidents}/${id}/updates`, { body: 'One more.' }), full);
  const resolved = await open();
  await sql`update incidents set resolved_at = now() where page_id = ${service.pageId} and resolved_at is null and started_at <= now()`;
  await fillOpenIncidents(sql, service.pageId, incidentLimits.openPerPage);
  const closed = {
    status: 409,
    body: { error: /has 100 open incidents and maintenance, which is the most/ },
  };
  t.match(await send('POST', incidents, outage), closed);
  t.match(await send('PATCH', `${incidents}/${resolved}`, { resolvedAt: null }), closed);
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'incident' });
  t.equal((await send('POST', '/api/v1/incidents', outage, { key })).status, 400, 'the Incident API');
});
