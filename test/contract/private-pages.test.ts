import t from 'tap';
import { hourMs, minuteMs } from '../../lib/times.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { makeKey, makePage, setPage } from '../support/pages.js';
import { cheapPasswords } from '../support/passwords.js';
import { signInAs } from '../support/people.js';
import { insertMonitor } from '../support/points.js';
import { type RequestOptions, requestAt } from '../support/request-at.js';
import { startTestService, unansweredSmtp, withoutJobs } from '../support/service.js';

const clock = makeMovingClock();
const api = await startTestService(t, {
  ...{ clock, roles: withoutJobs, trustedProxies: ['127.0.0.1'] },
  smtpUrl: unansweredSmtp,
});
const { sql } = api.stores;
const deps = { sql, clock };
const secrets = /Vault|Treasure|Flooded/;
const right = 'correct horse';
const readerPassword = await cheapPasswords().hash(right, 'test');
await setPage(deps, { slug: 'acme', name: 'Vault', isPrivate: true, publicMetrics: true, readerPassword });
await insertMonitor(sql, api.pageId, { slug: 'treasure', name: 'Treasure' });
const { id: incidentId } = await openIncident(api, await makeIncidentKey(api), {
  ...{ title: 'Flooded', summary: 'Flooded cellar.', monitorSlugs: ['treasure'] },
  startedAt: new Date(clock.now() - minuteMs).toISOString(),
});
const { key: manageKey } = await makeKey(deps, { slug: 'acme', scope: 'manage' });

const ask = (path: string, options: RequestOptions = {}, host = 'acme.localhost') =>
  requestAt(api.url, host, path, options);
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`any:${password}`).toString('base64')}`,
});
const from = (address: string) => ({ 'x-forwarded-for': address });
const browser = { accept: 'text/html' };

/** Everything that is published on the host of a page. */
const { paths } = (await api.get('/openapi.json')).body as { paths: Record<string, Record<string, object>> };
const filled: Record<string, string> = {
  ...{
    slug: 'acme',
    service: 'treasure',
    language: 'en',
    month: new Date(clock.now()).toISOString().slice(0, 7),
  },
  id: incidentId,
};
const isPublished = (path: string) =>
  /^\/(?:api\/public|api\/v2\/.*json|badge|card|embed|feed|history|incidents|subscribe$|\{language\}|$)/.test(
    path,
  );
const published = Object.keys(paths)
  .filter((path) => isPublished(path) && paths[path]?.['get'] !== undefined && !/token|confirm/.test(path))
  .map((path) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? 'none'));

t.test('nobody reads anything of a private page, in any form, and no cache keeps an answer', async (t) => {
  t.ok(published.length > 34, `${published.length}`);
  for (const path of [...published, '/nowhere', '/en/incidents/none']) {
    for (const accept of ['*/*', 'text/html']) {
      const { status, headers, body } = await ask(path, { headers: { accept } });
      t.ok(status === 401 || status === 403 || (path === '/nowhere' && status === 404), `${path}: ${status}`);
      t.notMatch(`${JSON.stringify(body)} ${JSON.stringify([...headers])}`, secrets, path);
      if (status === 404) continue;
      t.equal(headers.get('cache-control'), 'private, no-store', path);
      t.equal(headers.get('access-control-allow-origin'), null, path);
      t.equal(headers.get('cross-origin-resource-policy'), 'same-origin', path);
      if (status === 401) t.match(headers.get('www-authenticate'), /^Basic /, path);
    }
  }
});

/** Paths that need a key or are the same on every host, which the description says of no route. */
const ofService = /^\/(?:api\/v1\/|metrics|openapi\.json|apply\.schema\.json|healthz|readyz|assets\/)/;

t.test('no byte of an answer on the host of a private page depends on the page', async (t) => {
  // A slug as long as the first: the form repeats the path that was asked for.
  await makePage(sql, { slug: 'apex', name: 'Second', languages: ['en', 'de'] });
  await setPage(deps, { slug: 'apex', isPrivate: true, readerPassword });
  const found: string[] = [];
  const tried: string[] = [];
  const onHosts = Object.entries(paths).filter(([path]) => !ofService.test(path));
  for (const [path, operations] of onHosts) {
    for (const method of ['GET', 'HEAD', 'POST'].filter(
      (one) => (one === 'HEAD' ? 'get' : one.toLowerCase()) in operations,
    )) {
      for (const headers of [{ accept: '*/*', 'if-none-match': '*' }, browser]) {
        const answers = [];
        for (const slug of ['acme', 'apex']) {
          const filledPath = path.replaceAll(
            /\{(\w+)\}/g,
            (_, name) => ({ ...filled, slug })[name as string] ?? 'none',
          );
          const {
            status,
            headers: sent,
            body,
          } = await ask(`${filledPath}?token=x`, { method, headers }, `${slug}.localhost`);
          const kept = [...sent].filter(([name]) => !/^(?:date|x-request-id)$/.test(name));
          answers.push(JSON.stringify([status, kept, body]).replaceAll(slug, 'SLUG'));
        }
        tried.push(`${method} ${path}`);
        if (answers[0] !== answers[1])
          found.push(`${method} ${path}: ${answers.map((one) => one.slice(0, 300)).join(' and ')}`);
      }
    }
  }
  t.same(found, []);
  t.ok(tried.includes('GET /subscribers/confirm') && tried.length > 200, `${tried.length}`);
});

t.test('the icon is that of the product, which says nothing of the page', async (t) => {
  const icon = await ask('/favicon.svg');
  t.equal(icon.status, 200);
  t.same(icon.body, (await ask('/favicon.svg', {}, 'nobody.localhost')).body);
});

t.test('which addresses the page has is nobody’s business', async (t) => {
  const there = await ask(`/incidents/${incidentId}`, { method: 'DELETE' });
  const missing = await ask(`/incidents/${api.pageId}`, { method: 'DELETE' });
  t.same([there.status, there.body], [missing.status, missing.body]);
  t.equal(there.status, 405);
});

t.test('with the password everything is there, and still in no shared cache', async (t) => {
  for (const path of published) {
    const { status, headers } = await ask(path, { headers: basic(right) });
    t.ok(status === 200 || (path === '/en' && status === 308), `${path}: ${status}`);
    t.equal(headers.get('cache-control'), 'private, no-store', path);
    t.equal(headers.get('access-control-allow-origin'), null, path);
  }
  t.equal((await ask('/en/')).status, 401, 'what was built for one reader is not for the next');
  const wrong = await ask('/api/v2/summary.json', { headers: basic('wrong password') });
  t.equal(wrong.status, 401);
  t.match(wrong.body, { error: /^The page is private\./ });
});

t.test('a browser opens it with the form, and stays in', async (t) => {
  const { status, body } = await ask('/en/history', { headers: browser });
  t.equal(status, 403);
  t.match(body, /<form[^>]*action="\/reader\/password"/);
  t.match(body, 'value="/en/history"');
  const send = (password: string, to = '/en/history', headers: Record<string, string> = {}) =>
    ask('/reader/password', {
      method: 'POST',
      headers: { ...browser, 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ password, to }).toString(),
    });
  const refused = await send('not the password');
  t.equal(refused.status, 403);
  t.match(refused.body, 'That is not the password.');
  t.equal(refused.headers.get('set-cookie'), null);
  t.equal((await send(right, '/', { 'sec-fetch-site': 'cross-site' })).headers.get('set-cookie'), null);
  const opened = await send(right);
  t.equal(opened.status, 303);
  t.equal(opened.headers.get('location'), '/en/history');
  const cookie = String(opened.headers.get('set-cookie'));
  t.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/);
  t.equal((await send(right, 'https://evil.example/')).headers.get('location'), '/', 'only to this host');
  const [pair = ''] = cookie.split(';');
  t.equal((await ask('/en/', { headers: { ...browser, cookie: pair } })).status, 200);
  const forged = pair.replace(/\d{13}/, (at) => String(Number(at) + hourMs));
  t.equal((await ask('/en/', { headers: { ...browser, cookie: forged } })).status, 403, 'another end');
  await makePage(sql, { slug: 'second', isPrivate: true, readerPassword });
  t.equal((await ask('/en/', { headers: { ...browser, cookie: pair } }, 'second.localhost')).status, 403);
  await setPage(deps, { slug: 'second', readerPassword: null });
});

t.test('allowed addresses read it, as trusted proxies say', async (t) => {
  await requestAt(api.url, '127.0.0.1', '/api/v1/pages/acme', {
    method: 'PATCH',
    headers: { authorization: `Bearer ${manageKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ allowedAddresses: ['10.0.0.0/8', '2001:db8::/32'] }),
  });
  t.equal((await ask('/en/', { headers: from('10.1.2.3') })).status, 200);
  t.equal((await ask('/en/', { headers: from('2001:db8::7') })).status, 200);
  t.equal((await ask('/en/', { headers: from('192.0.2.1') })).status, 401);
  t.equal(
    (await ask('/en/', { headers: from('10.1.2.3, 192.0.2.1') })).status,
    401,
    'a client may write anything left of it',
  );
});

t.test('people who run the page read it, through the dashboard where that is on another host', async (t) => {
  const { headers: member } = await signInAs(deps, { slug: 'acme', role: 'viewer' });
  const { headers: stranger } = await signInAs(deps, { slug: 'other', role: 'owner' });
  t.equal((await ask('/en/', { headers: { ...browser, ...member } })).status, 200);
  t.equal((await ask('/en/', { headers: { ...browser, ...stranger } })).status, 403);
  const visit = (headers: Record<string, string>) =>
    requestAt(api.url, '127.0.0.1', '/manage/visit?host=acme.localhost&to=/en/history', {
      headers: { ...browser, ...headers },
    });
  t.match((await visit({})).headers.get('location'), /^\/manage\/sign-in\?.*to=%2Fmanage%2Fvisit/);
  t.match((await visit(stranger)).headers.get('location'), /^\/manage$/);
  const led = await visit(member);
  t.equal(led.status, 303);
  const { host, pathname, search, searchParams } = new URL(String(led.headers.get('location')));
  t.match(host, /^acme\.localhost:/);
  const taken = await ask(`${pathname}${search}`, { headers: browser });
  t.equal(taken.status, 303);
  t.equal(taken.headers.get('location'), '/en/history');
  const [cookie = ''] = String(taken.headers.get('set-cookie')).split(';');
  t.equal((await ask('/en/', { headers: { ...browser, cookie } })).status, 200);
  const pass = searchParams.get('pass') ?? '';
  const elsewhere = await ask(`/reader/pass?pass=${pass}`, { headers: browser }, 'second.localhost');
  t.equal(elsewhere.status, 403, 'a pass is for one page');
  clock.advance(2 * minuteMs);
  t.equal(
    (await ask(`${pathname}${search}`, { headers: browser })).status,
    403,
    'a pass is good for a minute',
  );
  clock.advance(hourMs);
  t.equal((await ask('/en/', { headers: { ...browser, cookie } })).status, 403, 'an hour later');
});

t.test('a new password ends what the old one opened, and a public page asks nobody', async (t) => {
  const change = (body: object) =>
    requestAt(api.url, '127.0.0.1', '/api/v1/pages/acme', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${manageKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  t.equal((await ask('/feed.json', { headers: basic(right) })).status, 200);
  const changed = await change({ password: 'another password' });
  t.match(changed.body, { private: true, hasPassword: true });
  t.notMatch(JSON.stringify(changed.body), /another password|scrypt|hash/i);
  t.equal((await ask('/feed.json', { headers: basic(right) })).status, 401);
  t.equal((await ask('/feed.json', { headers: basic('another password') })).status, 200);
  const [row] =
    await sql`select before, after from audit_log where action = 'page.update' order by id desc limit 1`;
  t.match(row, { before: { password: /^set [0-9a-f]{16}$/ }, after: { password: /^set / } });
  t.equal((await change({ password: 'short' })).status, 400);
  t.equal((await change({ allowedAddresses: ['10.0.0.0/33'] })).status, 400);
  await change({ private: false });
  const open = await ask('/en/');
  t.equal(open.status, 200);
  t.match(open.headers.get('cache-control'), /^public/);
  await change({ private: true });
  t.equal((await ask('/en/')).status, 401, 'at once');
});

t.test('who guesses waits, and keeps nobody else out', async (t) => {
  const guess = (address: string, n: number) =>
    ask('/feed.json', { headers: { ...from(address), ...basic(`a guess ${n}`) } });
  const statuses = [];
  for (let n = 0; n < 21; n += 1) statuses.push((await guess('198.51.100.7', n)).status);
  t.strictSame(
    statuses.slice(0, 20),
    Array.from({ length: 20 }, () => 401),
  );
  t.equal(statuses[20], 429);
  const late = await guess('198.51.100.7', 99);
  t.ok(Number(late.headers.get('retry-after')) > 0);
  t.equal((await guess('203.0.113.9', 0)).status, 401, 'another network');
});

t.test('the address of a private page is nobody’s business', async (t) => {
  await setPage(deps, { slug: 'other', isPrivate: false });
  const hinted = await ask('/api/public/other/summary', {}, 'nobody.localhost');
  t.match(hinted.body, { hint: /other\.localhost/ });
  const silent = await ask('/api/public/second/summary', {}, 'nobody.localhost');
  t.notMatch(JSON.stringify(silent.body), /second\.localhost/);
});

t.test('who may not read a private page cannot sign up there', async (t) => {
  const body = JSON.stringify({ email: 'me@example.com' });
  const headers = { 'content-type': 'application/json' };
  const path = '/api/public/acme/subscribers';
  t.equal((await ask(path, { method: 'POST', headers, body })).status, 401);
  t.equal(
    (await ask(path, { method: 'POST', headers: { ...headers, ...basic('another password') }, body })).status,
    202,
  );
  const [row] = await sql`select count(*)::int as count from subscribers where page_id = ${api.pageId}`;
  t.equal(row?.['count'], 1);
});
