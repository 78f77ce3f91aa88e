import t from 'tap';
import { Compile } from 'typebox/compile';
import { Postmortem } from '../../../contract/manage/incidents/postmortems.js';
import { makeIncidentKey, openIncident, patchIncident } from '../../support/incidents.js';
import { makeManageKeys, setPage } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
const { sql } = api.stores;
const deps = { sql, clock: { now: () => Date.now() } };
await setPage(deps, { slug: 'acme', languages: ['en', 'de'] });
const { write: manageKey, other: otherKey } = await makeManageKeys(deps);
const key = await makeIncidentKey(api);
const isPostmortem = Compile(Postmortem);
const body = '## What happened\n\nA disk was **full**.';

const pathOf = (id: string) => `/api/v1/pages/acme/incidents/${id}/postmortem`;

async function ask(
  method: string,
  id: string,
  {
    json,
    headers = {},
    by = manageKey,
  }: { json?: unknown; headers?: Record<string, string>; by?: string } = {},
) {
  return requestAt(api.url, '127.0.0.1', pathOf(id), {
    method,
    headers: {
      authorization: `Bearer ${by}`,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
}

async function makeResolved(title = 'Outage'): Promise<string> {
  const startedAt = new Date(Date.now() - 60_000).toISOString();
  const { id } = await openIncident(api, key, { title, summary: 'Down.', startedAt });
  await patchIncident(api, key, id, { resolvedAt: new Date().toISOString() });
  return id;
}

const read = async (path: string): Promise<string> =>
  String((await requestAt(api.url, 'acme.localhost', path, { headers: { accept: 'text/html' } })).body);

t.test('201: a postmortem is on the page, in its feeds and for what reads Statuspage', async (t) => {
  const id = await makeResolved('Disk full');
  const {
    status,
    headers,
    body: made,
  } = await ask('PUT', id, { json: { body, texts: { de: '## Ursache' } } });
  t.equal(status, 201);
  t.ok(isPostmortem.Check(made), JSON.stringify(made));
  t.match(made, { body, correctedAt: null, texts: { de: { text: '## Ursache', translated: 'person' } } });
  t.equal(headers.get('location'), pathOf(id));
  const html = await read(`/en/incidents/${id}`);
  t.match(html, /<h2 id="postmortem">Postmortem<\/h2>/);
  t.match(html, '<strong>full</strong>');
  const german = await read(`/de/incidents/${id}`);
  t.match(german, /Nachbetrachtung/);
  t.match(german, /Ursache/);
  const feed = await requestAt(api.url, 'acme.localhost', '/feed.json');
  t.match(String(feed.body), 'A disk was <strong>full');
  t.match((await requestAt(api.url, 'acme.localhost', '/api/v2/incidents.json')).body, {
    incidents: [{ id, status: 'postmortem', incident_updates: [{ status: 'postmortem', body }, { id }] }],
  });
  const audited =
    await sql`select action, after from audit_log where target_id = ${id} and action like 'postmortem%'`;
  t.match([...audited], [{ action: 'postmortem.create', after: { body } }]);
});

t.test('200: a correction, and the same again', async (t) => {
  const id = await makeResolved();
  await ask('PUT', id, { json: { body } });
  const { status, body: changed, headers } = await ask('PUT', id, { json: { body: `${body} And slow.` } });
  t.equal(status, 200);
  t.match(changed, { body: /And slow/, correctedAt: /^20/ });
  const again = await ask('PUT', id, { json: { body: `${body} And slow.` } });
  t.equal(again.headers.get('etag'), headers.get('etag'), 'nothing changed');
  t.equal((await ask('GET', id)).status, 200);
  t.equal((await ask('GET', id, { headers: { 'if-none-match': headers.get('etag') ?? '' } })).status, 304);
});

t.test('204: it is taken back', async (t) => {
  const id = await makeResolved();
  await ask('PUT', id, { json: { body } });
  t.equal((await ask('DELETE', id)).status, 204);
  t.equal((await ask('GET', id)).status, 404);
  t.notMatch(await read(`/en/incidents/${id}`), /Postmortem/);
  t.equal((await ask('DELETE', id)).status, 404);
});

t.test('an incident that is opened again hides its postmortem until it is over', async (t) => {
  const id = await makeResolved();
  await ask('PUT', id, { json: { body } });
  await patchIncident(api, key, id, { resolvedAt: null });
  t.notMatch(await read(`/en/incidents/${id}`), /Postmortem/);
  await patchIncident(api, key, id, { resolvedAt: new Date().toISOString() });
  t.match(await read(`/en/incidents/${id}`), /Postmortem/);
});

t.test('400: what is not fit', async (t) => {
  const id = await makeResolved();
  for (const [json, sentence] of [
    [{}, /body/],
    [{ body: ' ' }, /must not be blank/],
    [{ body: 'x'.repeat(40_001) }, /40000|40,000/],
    [{ body, texts: { fr: 'Bonjour' } }, /those are de/],
    [{ body, texts: { de: 'a\u0000b' } }, /control characters/],
    [{ body, more: 1 }, /more/],
  ] as const) {
    const answer = await ask('PUT', id, { json });
    t.equal(answer.status, 400);
    t.match(answer.body, { error: sentence });
  }
  t.equal((await ask('GET', id)).status, 404, 'nothing was stored');
});

t.test('403, 404: another page, and an incident that is none', async (t) => {
  const id = await makeResolved();
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const json = method === 'PUT' ? { json: { body } } : {};
    const answer = await ask(method, id, { ...json, by: otherKey });
    t.ok(answer.status === 403 || answer.status === 404, `${method}: ${answer.status}`);
    t.equal((await ask(method, '01a21cb4-8baf-7131-b03e-1fc6767286d3', json)).status, 404, method);
    t.equal((await ask(method, 'none', json)).status, 404, method);
  }
  const [row] = await sql`select count(*)::int as count from postmortems where incident_id = ${id}`;
  t.equal(row?.['count'], 0);
});

t.test('409: an open incident has none', async (t) => {
  const { id } = await openIncident(api, key, {
    title: 'Open',
    summary: 'Down.',
    startedAt: new Date().toISOString(),
  });
  const answer = await ask('PUT', id, { json: { body } });
  t.equal(answer.status, 409);
  t.match(answer.body, { error: 'The incident is not over; resolve it first.' });
});

t.test('412: somebody else was faster', async (t) => {
  const id = await makeResolved();
  const { headers } = await ask('PUT', id, { json: { body } });
  await ask('PUT', id, { json: { body: 'Another.' } });
  const stale = { headers: { 'if-match': headers.get('etag') ?? '' } };
  t.equal((await ask('PUT', id, { json: { body: 'Mine.' }, ...stale })).status, 412);
  t.equal((await ask('DELETE', id, stale)).status, 412);
  t.equal((await ask('PUT', id, { json: { body }, headers: { 'if-none-match': '*' } })).status, 412);
  t.match((await ask('GET', id)).body, { body: 'Another.' });
});
