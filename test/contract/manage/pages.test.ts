import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { createKey } from '../../../control/keys/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { pngPixel } from '../../support/images.js';
import { makeManageKeys } from '../../support/pages.js';
import { startAnother, startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const deps = { sql: service.stores.sql, clock: systemClock };
const { write: manageKey, read: readOnlyKey, other: otherKey } = await makeManageKeys(deps);
const { key: adminKey } = await createKey({ ...deps, by: testActor }, { pageId: null, scope: 'admin' });
const acme = '/api/v1/pages/acme';

type Page = { id: string; slug: string; hostname: string };

const send = (method: string, path: string, body?: unknown, key = manageKey, headers = {}) =>
  service.post(path, body, { method, key, headers });
const get = (path: string, key = manageKey) => service.get(path, { authorization: `Bearer ${key}` });
const create = (slug: string, more = {}) =>
  send('POST', '/api/v1/pages', { slug, hostname: `${slug}.localhost`, ...more }, adminKey);

async function actionsOn(id: string): Promise<string[]> {
  const rows = await deps.sql<
    { action: string }[]
  >`select action from audit_log where target_id = ${id} order by id`;
  return rows.map(({ action }) => action);
}

async function slugsOf(t: Test, key: string, path = '/api/v1/pages'): Promise<string[]> {
  const { status, body } = await get(path, key);
  t.equal(status, 200);
  return (body as { items: Page[] }).items.map(({ slug }) => slug);
}

t.test('200: the list has how pages stand for those who ask', async (t) => {
  const { status, body } = await get('/api/v1/pages?include=standing');
  t.equal(status, 200);
  t.match((body as { items: unknown[] }).items, [
    { slug: 'acme', standing: { affected: Number, services: Number, openIncidents: 0 } },
  ]);
  const plain = await get('/api/v1/pages');
  t.notOk('standing' in ((plain.body as { items: object[] }).items[0] ?? {}));
  t.equal((await get('/api/v1/pages?include=everything')).status, 400);
});

t.test('200: a page has every setting', async (t) => {
  const { status, body, headers } = await get(acme, readOnlyKey);
  t.equal(status, 200);
  t.match(body, {
    ...{ id: service.pageId, slug: 'acme', hostname: 'acme.localhost', name: 'acme', languages: ['en'] },
    ...{
      defaultLanguage: 'en',
      timeZone: 'UTC',
      historyDays: 90,
      accent: null,
      footerLinks: [],
      hasLogo: false,
      logo: null,
    },
    ...{
      monitoringPaused: false,
      databaseHealth: false,
      incidentsFromMonitors: false,
      publicMetrics: false,
      private: false,
      allowedAddresses: [],
      hasPassword: false,
      ownerEmails: [],
    },
    capabilities: ['incident-writes', 'internal-analytics', 'database-health'],
    url: /^http:\/\/acme\.localhost:\d+\/$/,
  });
  const tag = headers.get('etag') ?? '';
  const again = await service.get(acme, { authorization: `Bearer ${manageKey}`, 'if-none-match': tag });
  t.equal(again.status, 304);
});

t.test('a list has the pages that the caller may read', async (t) => {
  t.strictSame(await slugsOf(t, manageKey), ['acme']);
  t.strictSame(await slugsOf(t, adminKey), ['other', 'acme']);
  t.strictSame(await slugsOf(t, adminKey, '/api/v1/pages?limit=1'), ['other']);
  const first = await get('/api/v1/pages?limit=1', adminKey);
  const { nextCursor } = first.body as { nextCursor: string };
  t.strictSame(await slugsOf(t, adminKey, `/api/v1/pages?cursor=${nextCursor}`), ['acme']);
});

t.test('201: an admin creates a page', async (t) => {
  const { status, body, headers } = await create('fresh', { languages: ['en', 'de'], databaseHealth: true });
  t.equal(status, 201, JSON.stringify(body));
  t.equal(headers.get('location'), '/api/v1/pages/fresh');
  t.match(body, { slug: 'fresh', name: 'fresh', languages: ['en', 'de'], databaseHealth: true });
  t.strictSame(await actionsOn((body as Page).id), ['page.create']);
});

t.test('403: others create no page', async (t) => {
  t.equal((await send('POST', '/api/v1/pages', { slug: 'mine', hostname: 'mine.localhost' })).status, 403);
  t.equal((await send('PATCH', acme, { name: 'x' }, readOnlyKey)).status, 403);
  t.equal((await send('PATCH', acme, { capabilities: [] })).status, 403);
  t.equal((await send('DELETE', acme, { confirm: 'acme' })).status, 403);
});

t.test('404: another page is not there, and stays as it is', async (t) => {
  const other = await send('PATCH', '/api/v1/pages/other', { name: 'taken over' });
  const none = await send('PATCH', '/api/v1/pages/none', { name: 'taken over' });
  t.same([other.status, other.body], [none.status, none.body]);
  t.equal(other.status, 404);
  t.match((await get('/api/v1/pages/other', otherKey)).body, { name: 'other' });
});

t.test('200: a change touches the fields that are there, and is recorded', async (t) => {
  const changes = {
    name: 'Acme',
    accent: '#3346D3',
    ownerEmails: ['ops@example.com'],
    historyDays: 30,
    timeZone: 'europe/berlin',
  };
  const { status, body } = await send('PATCH', acme, changes);
  t.equal(status, 200, JSON.stringify(body));
  t.match(body, { ...changes, accent: '#3346d3', timeZone: 'Europe/Berlin', languages: ['en'] });
  t.equal((await send('PATCH', acme, changes)).status, 200);
  const kyiv = await send('PATCH', acme, { timeZone: 'Europe/Kyiv' });
  t.match(kyiv.body, { timeZone: 'Europe/Kyiv' }, 'the name that was sent, not another one of the zone');
  t.equal((await send('PATCH', acme, { timeZone: 'Europe/Berlin' })).status, 200);
  t.match((await send('PATCH', acme, { accent: null })).body, { accent: null, name: 'Acme' });
  const rows =
    await deps.sql`select actor_type, before, after from audit_log where target_id = ${service.pageId} and action = 'page.update' order by id`;
  t.same(rows.at(0), {
    actor_type: 'key',
    before: { name: 'acme', accent: null, historyDays: 90, timeZone: 'UTC', ownerEmails: [] },
    after: {
      name: 'Acme',
      accent: '#3346d3',
      historyDays: 30,
      timeZone: 'Europe/Berlin',
      ownerEmails: ['ops@example.com'],
    },
  });
  t.equal(rows.length, 4, 'the same change again is none');
  const capable = await send('PATCH', acme, { capabilities: ['incident-writes'] }, adminKey);
  t.match(capable.body, { capabilities: ['incident-writes'] });
});

t.test('400: what cannot be is refused and named', async (t) => {
  const cases: [body: object, error: RegExp, field: string][] = [
    [{ slug: 'else' }, /\/slug/, '/slug'],
    [{ pageId: service.otherPageId }, /\/pageId/, '/pageId'],
    [{ historyDays: 5 }, /\/historyDays/, '/historyDays'],
    [{ timeZone: 'Mars/Olympus' }, /time zone/, '/timeZone'],
    [{ timeZone: '+02:00' }, /time zone/, '/timeZone'],
    [{ accent: 'red' }, /accent colour/, '/accent'],
    [{ footerLinks: [{ label: 'x', url: 'javascript:alert(1)' }] }, /footer link/i, '/footerLinks'],
    [{ languages: ['xx-not-a-language-tag'] }, /language/, '/languages'],
    [{ capabilities: ['everything'] }, /\/capabilities/, '/capabilities/0'],
    [{ allowedAddresses: ['nowhere'] }, /neither an address/, '/allowedAddresses'],
    [{ hostname: 'http://x' }, /not a host name/, '/hostname'],
  ];
  for (const [body, error, field] of cases) {
    const answer = await send('PATCH', acme, body);
    t.equal(answer.status, 400, JSON.stringify(body));
    t.match(answer.body, { error, field });
  }
  t.equal((await get('/api/v1/pages?page=2')).status, 400);
});

t.test('409: a slug and a host name belong to one page', async (t) => {
  const hostname = { code: 'page.hostname_taken', field: '/hostname' };
  const slug = { code: 'page.slug_taken', field: '/slug' };
  t.match(await create('other'), { status: 409, body: slug });
  t.match(await create('free', { hostname: 'OTHER.localhost' }), { status: 409, body: hostname });
  t.match(await send('PATCH', acme, { hostname: 'other.localhost' }), { status: 409, body: hostname });
});

t.test('409: of two pages with one slug, created at once, one is', async (t) => {
  const answers = await Promise.all([create('twin'), create('twin')]);
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409]);
  t.equal((await slugsOf(t, adminKey)).filter((slug) => slug === 'twin').length, 1);
});

t.test('412: of two changes from one representation, one is made', async (t) => {
  const tag = (await get(acme)).headers.get('etag') ?? '';
  const change = (name: string) => send('PATCH', acme, { name }, manageKey, { 'if-match': tag });
  const answers = await Promise.all([change('one'), change('two')]);
  t.strictSame(answers.map(({ status }) => status).sort(), [200, 412]);
  const made = answers.find(({ status }) => status === 200);
  t.match((await get(acme)).body, { name: (made?.body as { name: string } | undefined)?.name });
});

t.test('a logo is its bytes, which decide on its type', async (t) => {
  const put = (bytes: Uint8Array) =>
    send('PUT', `${acme}/logo`, bytes, manageKey, { 'content-type': 'image/png' });
  const { status, body } = await put(pngPixel);
  t.equal(status, 200, JSON.stringify(body));
  const hash = createHash('sha256').update(pngPixel).digest('hex').slice(0, 32);
  t.match(body, { hasLogo: true, logo: `/logo/${hash}` });
  t.equal((await put(pngPixel)).status, 200);
  t.equal((await put(Buffer.from('no image'))).status, 400);
  t.equal((await put(Buffer.alloc(100 * 1024 + 1))).status, 413);
  t.equal((await send('DELETE', `${acme}/logo`)).status, 204);
  t.equal((await send('DELETE', `${acme}/logo`)).status, 404);
  t.equal((await send('DELETE', '/api/v1/pages/other/logo')).status, 404);
  const rows =
    await deps.sql`select action, before, after from audit_log where target_type = 'logo' order by id`;
  t.same(
    [...rows],
    [
      { action: 'logo.update', before: { hash: null }, after: { hash } },
      { action: 'logo.delete', before: { hash }, after: { hash: null } },
    ],
  );
});

t.test('409: the host of the service is for its admins alone to give', async (t) => {
  const hostname = '127.0.0.1'; // The host of every request here, and BASE_URL is not set.
  const refused = await send('PATCH', acme, { hostname: `${hostname}.` });
  t.match(refused, {
    status: 409,
    body: { code: 'page.hostname_taken', error: /is the address of the service/ },
  });
  for (const other of ['localhost', '127.0.0.9', '192.168.1.10']) {
    const { status } = await send('PATCH', acme, { hostname: other });
    t.equal(status, 409, `the dashboard is open at ${other}`);
  }
  const before = await get(acme);
  t.not((before.body as Page).hostname, hostname);
  t.equal((await send('PATCH', acme, { hostname }, adminKey)).status, 200);
  t.equal((await send('PATCH', acme, { hostname })).status, 200, 'the page has it already');
  t.equal((await send('PATCH', acme, { hostname: 'acme.localhost' })).status, 200);

  const baseUrl = new URL('https://heartline.example.com:8443');
  const another = await startAnother(t, service, { roles: withoutJobs, baseUrl });
  const change = (hostname: string) => another.post(acme, { hostname }, { method: 'PATCH', key: manageKey });
  t.equal((await change('HEARTLINE.example.com')).status, 409);
  t.equal((await change('status.example.com')).status, 200);
  t.equal((await change('acme.localhost')).status, 200);
});
