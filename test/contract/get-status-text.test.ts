import t from 'tap';
import { notFound } from '../support/not-found.js';
import { insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startTestService, withoutJobs } from '../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
await api.stores.sql`update pages set languages = '{en,de}', name = 'Acme' where id = ${api.pageId}`;
await insertMonitor(api.stores.sql, api.pageId, { slug: 'api', name: 'API', kind: 'manual' });
const ask = (path: string, headers: Record<string, string> = {}, host = 'acme.localhost') =>
  requestAt(api.url, host, path, { headers });

t.test('200: a table, in the language of the address or of the reader', async (t) => {
  const { status, headers, body } = await ask('/status.txt');
  t.equal(status, 200);
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
  t.equal(headers.get('cache-control'), 'public, max-age=30');
  t.match(body, /^Acme: All services are up\n/);
  t.match(body, /^\+ Up +- {2}API$/m);
  t.match((await ask('/de/status.txt')).body, /^Acme: Alle Dienste laufen\n/);
  t.match((await ask('/status.txt', { 'accept-language': 'de' })).body, /^Acme: Alle Dienste laufen\n/);
});

t.test('200: the page itself answers a client that takes text and no HTML', async (t) => {
  const text = await ask('/', { accept: 'text/plain' });
  t.equal(text.headers.get('content-type'), 'text/plain; charset=utf-8');
  t.equal(text.headers.get('cache-control'), 'private, no-store', 'no cache gives it to a browser');
  t.match(text.body, /^Acme: All services are up\n/);
  for (const accept of ['*/*', 'text/html,text/plain;q=0.5', '']) {
    t.match((await ask('/', { accept })).headers.get('content-type'), /^text\/html/, accept);
  }
});

t.test('304: nothing has changed', async (t) => {
  const { headers } = await ask('/en/status.txt');
  t.equal((await ask('/en/status.txt', { 'if-none-match': headers.get('etag') ?? '' })).status, 304);
});

t.test('308, 404: other forms, and no page', async (t) => {
  t.equal((await ask('/EN/status.txt')).status, 308);
  t.equal((await ask('/fr/status.txt')).status, 404);
  const nobody = await ask('/status.txt', { accept: 'application/json' }, 'nobody.localhost');
  t.equal(nobody.status, 404);
  t.strictSame(nobody.body, notFound(api.url));
});

t.test('405: another method', async (t) => {
  t.equal((await requestAt(api.url, 'acme.localhost', '/status.txt', { method: 'POST' })).status, 405);
});
