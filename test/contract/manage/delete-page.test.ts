import t from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { startHeartbeat } from '../../../control/monitors/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeKey, makePage } from '../../support/pages.js';
import { requestAt } from '../../support/request-at.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const another = await startAnother(t, service, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock, by: testActor };
const { key: adminKey } = await createKey(deps, { pageId: null, scope: 'admin' });
const remove = (slug: string, confirm = slug, headers = {}) =>
  service.post(`/api/v1/pages/${slug}`, { confirm }, { method: 'DELETE', key: adminKey, headers });
const page = (at: typeof service, slug: string) => requestAt(at.url, `${slug}.localhost`, '/');
const event = [{ service: 'shop', endpoint: '/', status: 200 }];

t.test('400: the slug confirms the deletion', async (t) => {
  t.equal((await remove('acme', 'other')).status, 400);
  t.equal((await remove('acme', '')).status, 400);
  t.equal((await page(service, 'acme')).status, 200);
});

t.test('412: a page that has changed since stays', async (t) => {
  t.equal((await remove('acme', 'acme', { 'if-match': '"old-old"' })).status, 412);
  t.equal((await service.get('/api/v1/pages/acme', { authorization: `Bearer ${adminKey}` })).status, 200);
});

t.test('204: everything of the page stops on every instance', async (t) => {
  const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
  const authorization = `Bearer ${manageKey}`;
  for (const at of [service, another]) {
    t.equal((await at.post('/api/v1/events', event)).status, 202);
    t.equal((await page(at, 'acme')).status, 200);
    t.equal((await at.get('/api/v1/pages/acme', { authorization })).status, 200);
  }
  const startedAt = performance.now();
  t.equal((await remove('acme')).status, 204);
  t.equal((await page(service, 'acme')).status, 404, 'at once in its own process');
  for (const at of [service, another]) {
    await waitUntil('keys stop', async () => (await at.post('/api/v1/events', event)).status === 401);
    await waitUntil('the page is gone', async () => (await page(at, 'acme')).status === 404);
    t.equal((await at.get('/api/v1/pages/acme', { authorization })).status, 401);
  }
  t.ok(performance.now() - startedAt < 5_000);
  t.equal((await remove('acme')).status, 404);
  const [row] = await deps.sql`
    select target_name, before ->> 'hostname' as hostname, after from audit_log where action = 'page.delete'`;
  t.same(row, { target_name: 'acme', hostname: 'acme.localhost', after: null });
  t.equal((await page(service, 'other')).status, 200, 'other pages stay');
  t.equal((await service.post('/api/v1/events', event, { key: service.otherIngestKey })).status, 202);
});

t.test('the slug and the host name are free at once', async (t) => {
  const body = { slug: 'acme', hostname: 'acme.localhost', name: 'A new page' };
  const made = await service.post('/api/v1/pages', body, { key: adminKey });
  t.equal(made.status, 201, JSON.stringify(made.body));
  for (const at of [service, another]) {
    await waitUntil('the new page shows', async () => {
      const { body } = await page(at, 'acme');
      return String(body).includes('A new page');
    });
  }
  t.equal((await service.post('/api/v1/events', event)).status, 401, 'the old keys stay revoked');
});

t.test('412: a repeated deletion leaves the page that was made since under the same slug', async (t) => {
  const body = { slug: 'again', hostname: 'again.localhost', name: 'Same' };
  const read = () => service.get('/api/v1/pages/again', { authorization: `Bearer ${adminKey}` });
  t.equal((await service.post('/api/v1/pages', body, { key: adminKey })).status, 201);
  const tag = (await read()).headers.get('etag') ?? '';
  t.equal((await remove('again', 'again', { 'if-match': tag })).status, 204);
  t.equal((await remove('again', 'again', { 'if-match': tag })).status, 404);
  t.equal((await service.post('/api/v1/pages', body, { key: adminKey })).status, 201);
  t.equal((await remove('again', 'again', { 'if-match': tag })).status, 412);
  t.equal((await read()).status, 200);
});

t.test('pings and checks of a deleted page stop', async (t) => {
  const { id: pageId } = await makePage(deps.sql, { slug: 'pinged' });
  const monitorId = await insertMonitor(deps.sql, { pageId, kind: 'heartbeat' });
  const token = await startHeartbeat(deps, { monitorId, everySeconds: 60 });
  t.equal((await service.get(`/ping/${token}`)).status, 200);
  t.equal((await remove('pinged')).status, 204);
  t.equal((await service.get(`/ping/${token}`)).status, 404);
  const [monitor] = await deps.sql`
    select next_due_at, heartbeat_token_hash from monitors where page_id = ${pageId}`;
  t.same(monitor, { next_due_at: null, heartbeat_token_hash: null });
});

t.test('a key that is made while its page is deleted does not work', async (t) => {
  const { id: pageId } = await makePage(deps.sql, { slug: 'late' });
  t.equal((await remove('late')).status, 204);
  const { key } = await createKey(deps, { pageId, scope: 'ingest' });
  t.equal((await service.post('/api/v1/events', event, { key })).status, 401);
});

t.test('of two deletions at once, one finds the page', async (t) => {
  await makePage(deps.sql, { slug: 'twice' });
  const answers = await Promise.all([remove('twice'), remove('twice')]);
  t.strictSame(answers.map(({ status }) => status).sort(), [204, 404]);
});
