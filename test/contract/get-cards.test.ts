import t from 'tap';
import { minuteMs } from '../../lib/times.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { notFound } from '../support/not-found.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
const { sql } = api.stores;
const clock = { now: () => Date.now() };
await sql`update pages set languages = '{en,de}', name = 'Acme' where id = ${api.pageId}`;
await insertMonitor(sql, api.pageId, { slug: 'api', name: 'API', kind: 'manual' });
const ask = (path: string, headers: Record<string, string> = {}, host = 'acme.localhost') =>
  requestAt(api.url, host, path, { headers });
const isPicture = (body: unknown) => String(body).slice(1, 4) === 'PNG';
const pictureOf = (html: unknown) =>
  /<meta property="og:image" content="https?:\/\/[^/]+([^"]*)"/.exec(String(html))?.[1] ?? '';

const before = await ask('/en/');
const { id } = await openIncident(api, await makeIncidentKey(api), {
  ...{ title: 'Slow logins', summary: 'Logging in takes long.', monitorSlugs: ['api'] },
  startedAt: new Date(clock.now() - minuteMs).toISOString(),
});

t.test('200: the picture that the page and the incident name, which any site may show', async (t) => {
  for (const view of ['/en/', '/de/', `/en/incidents/${id}`]) {
    const path = pictureOf((await ask(view)).body);
    t.match(path, /card\.png\?v=/, view);
    const { status, headers, body } = await ask(path);
    t.equal(status, 200, path);
    t.equal(headers.get('content-type'), 'image/png');
    t.equal(headers.get('content-encoding'), null, 'it is compressed already');
    t.equal(headers.get('cache-control'), 'public, max-age=30');
    t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.ok(isPicture(body));
  }
});

t.test('200: in the language of the reader, where the address has none', async (t) => {
  const { headers } = await ask('/card.png', { 'accept-language': 'de' });
  t.match(headers.get('vary'), /Accept-Language/);
  t.equal(headers.get('etag'), (await ask('/de/card.png')).headers.get('etag'));
  t.not(headers.get('etag'), (await ask('/en/card.png')).headers.get('etag'));
});

t.test('an incident gives the page another picture, at another address', async (t) => {
  t.not(pictureOf(before.body), pictureOf((await ask('/en/')).body));
});

t.test('304: nothing has changed', async (t) => {
  for (const path of ['/en/card.png', `/en/incidents/${id}/card.png`]) {
    const { headers } = await ask(path);
    t.equal((await ask(path, { 'if-none-match': headers.get('etag') ?? '' })).status, 304, path);
  }
});

t.test('308: another form of the address', async (t) => {
  const { status, headers } = await ask('/DE/card.png');
  t.equal(status, 308);
  t.equal(headers.get('location'), '/de/card.png');
});

t.test('404: no such language, incident or page, and the incident of another page', async (t) => {
  t.equal((await ask('/fr/card.png')).status, 404);
  t.equal((await ask(`/en/incidents/${api.pageId}/card.png`)).status, 404);
  t.equal((await ask('/en/incidents/none/card.png')).status, 404);
  t.equal((await ask(`/en/incidents/${id}/card.png`, {}, 'other.localhost')).status, 404);
  const nobody = await ask('/card.png', { accept: 'application/json' }, 'nobody.localhost');
  t.equal(nobody.status, 404);
  t.strictSame(nobody.body, notFound(api.url));
});

t.test('405: another method', async (t) => {
  t.equal((await requestAt(api.url, 'acme.localhost', '/card.png', { method: 'POST' })).status, 405);
});
