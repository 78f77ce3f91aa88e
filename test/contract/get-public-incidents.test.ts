import t from 'tap';
import { Compile } from 'typebox/compile';
import { Ledger } from '../../contract/incidents.js';
import {
  makeIncidentKey,
  makeMonitors,
  openIncident,
  outage,
  patchIncident,
  postUpdate,
} from '../support/incidents.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { notFound } from '../support/not-found.js';
import { makePage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock, trustedProxies: ['10.0.0.0/8'] });
const path = '/api/public/acme/incidents';
const key = await makeIncidentKey(api);

t.test('200: no incident yet', async (t) => {
  const answer = await requestAt(api.url, 'acme.localhost', path);
  t.equal(answer.status, 200);
  t.strictSame(answer.body, { slug: 'acme', incidents: [] });
  t.equal(answer.headers.get('cache-control'), 'public, max-age=60');
});

t.test('200: an entry has exactly these fields', async (t) => {
  await makeMonitors(api.stores.sql, api.pageId, ['api']);
  const incident = await openIncident(api, key, { monitorSlugs: ['api'] });
  const update = await postUpdate(api, key, incident.id, { body: 'Looking.' });
  await patchIncident(api, key, incident.id, { resolvedAt: '2026-11-20T10:30:00Z' });
  const { body } = await requestAt(api.url, 'acme.localhost', path);
  const { incidents } = body as Ledger;
  const [{ publishedAt = '', updates: [{ createdAt = '' } = {}] = [] } = {}] = incidents;
  for (const time of [publishedAt, createdAt]) t.equal(new Date(time).toISOString(), time);
  t.strictSame(incidents, [
    {
      id: incident.id,
      type: 'incident',
      services: ['api'],
      startedAt: outage.startedAt,
      resolvedAt: '2026-11-20T10:30:00.000Z',
      publishedAt,
      scheduledEndAt: null,
      maintenanceState: null,
      title: { en: outage.title },
      summary: { en: outage.summary },
      updates: [
        {
          id: (update.body as { id: string }).id,
          status: 'investigating',
          body: { en: 'Looking.' },
          createdAt,
        },
      ],
    },
  ]);
  t.ok(Compile(Ledger).Check(body), 'and matches the published description');
});

t.test('200: the latest start first; another page has its own incidents', async (t) => {
  const foreign = await openIncident(api, await makeIncidentKey(api, 'other'));
  await openIncident(api, key, { type: 'maintenance', startedAt: '2199-01-01T00:00:00Z' });
  await openIncident(api, key, { startedAt: '2020-01-01T00:00:00Z' });
  const { incidents } = (await requestAt(api.url, 'acme.localhost', path)).body as Ledger;
  const starts = incidents.map(({ startedAt }) => startedAt);
  t.strictSame(starts, ['2199-01-01T00:00:00.000Z', outage.startedAt, '2020-01-01T00:00:00.000Z']);
  t.notOk(incidents.some(({ id }) => id === foreign.id));
  const other = (await requestAt(api.url, 'other.localhost', '/api/public/other/incidents')).body as Ledger;
  t.strictSame(
    other.incidents.map(({ id }) => id),
    [foreign.id],
  );
});

t.test('200: HEAD has the headers of GET and no body', async (t) => {
  const answer = await requestAt(api.url, 'acme.localhost', path, { method: 'HEAD' });
  t.equal(answer.status, 200);
  t.equal(answer.body, '');
  t.equal(answer.headers.get('cache-control'), 'public, max-age=60');
});

t.test('304: the client has the ledger already, in any encoding', async (t) => {
  const tags = new Set<string>();
  for (const [accepted, encoding] of [
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const headers = { 'accept-encoding': accepted };
    const { status, headers: sent } = await requestAt(api.url, 'acme.localhost', path, { headers });
    t.equal(status, 200);
    t.equal(sent.get('content-encoding'), encoding);
    t.equal(sent.get('content-type'), 'application/json; charset=utf-8');
    t.equal(sent.get('vary'), 'Accept-Encoding, Host, X-Forwarded-Host');
    t.equal(sent.get('access-control-allow-origin'), '*');
    const etag = sent.get('etag') ?? '';
    t.match(etag, /^"[\w-]+"$/, 'a strong tag');
    tags.add(etag);
    const again = await requestAt(api.url, 'acme.localhost', path, {
      headers: { ...headers, 'if-none-match': etag },
    });
    t.strictSame([again.status, again.body], [304, '']);
    t.equal(again.headers.get('etag'), etag);
    t.equal(again.headers.get('cache-control'), 'public, max-age=60');
  }
  t.equal(tags.size, 3, 'each encoding has its own');
});

t.test('200: a change shows in the next read', async (t) => {
  const { id } = await openIncident(api, key, { title: 'First' });
  const read = async () => {
    const { incidents } = (await requestAt(api.url, 'acme.localhost', path)).body as Ledger;
    return incidents.find((entry) => entry.id === id);
  };
  t.match(await read(), { title: { en: 'First' } });
  await patchIncident(api, key, id, { title: 'Second' });
  t.match(await read(), { title: { en: 'Second' } });
  await postUpdate(api, key, id, { body: 'Found it.' });
  t.match(await read(), { updates: [{ body: { en: 'Found it.' } }] });
});

t.test('404: the host and the slug belong to different pages', async (t) => {
  const cases: [host: string, slug: string][] = [
    ['other.localhost', 'acme'],
    ['acme.localhost', 'other'],
    ['acme.localhost', 'nobody'],
    ['acme.localhost', 'ACME'],
    ['acme.localhost.example.com', 'acme'],
    ['127.0.0.1', 'acme'],
  ];
  for (const [host, slug] of cases) {
    const answer = await requestAt(api.url, host, `/api/public/${slug}/incidents`);
    t.equal(answer.status, 404, `${slug} on ${host}`);
    t.strictSame(answer.body, notFound(api.url, slug, ['acme', 'other']));
  }
});

t.test('the host counts in any case, with or without a port and a final dot', async (t) => {
  for (const host of ['ACME.localhost', 'acme.localhost:8080', 'acme.localhost.', 'Acme.LocalHost.:443']) {
    t.equal((await requestAt(api.url, host, path)).status, 200, host);
  }
});

t.test('a forwarded host counts only from a trusted proxy', async (t) => {
  const headers = { 'x-forwarded-host': 'acme.localhost' };
  t.equal((await requestAt(api.url, 'other.localhost', path, { headers })).status, 404);
});

t.test('only languages that the page publishes', async (t) => {
  const { sql } = api.stores;
  const page = await makePage(sql, { slug: 'many', languages: ['de', 'en', 'fr'] });
  const { id } = await openIncident(api, await makeIncidentKey(api, 'many'), { title: 'Ausfall' });
  /** Changes by other instances show after half a minute. */
  const titles = async () => {
    clock.advance(30_000);
    const answer = await requestAt(api.url, 'many.localhost', '/api/public/many/incidents');
    return (answer.body as Ledger).incidents.find((entry) => entry.id === id)?.title;
  };
  t.strictSame(await titles(), { de: 'Ausfall' }, 'the default language before there is a translation');
  await sql`
    update translations set text = 'Outage in ' || language, translated_at = now()
    where page_id = ${page.id} and source_hash = sha256(convert_to('Ausfall', 'UTF8'))`;
  t.strictSame(await titles(), { de: 'Ausfall', en: 'Outage in en', fr: 'Outage in fr' });
  await sql`update pages set languages = '{de,fr}' where id = ${page.id}`;
  t.strictSame(await titles(), { de: 'Ausfall', fr: 'Outage in fr' });
});
