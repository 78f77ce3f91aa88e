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
import { notFound } from '../support/not-found.js';
import { makePage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t, { trustedProxies: ['10.0.0.0/8'] });
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
    t.strictSame(
      answer.body,
      notFound(
        api.url,
        ['acme', 'other'].find((known) => known === slug),
      ),
    );
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
  const titles = async () => {
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
