import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { makePage } from '../support/pages.js';
import { makeUser } from '../support/people.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, startTestService } from '../support/service.js';

const api = await startTestService(t, { trustedProxies: ['127.0.0.9'] });
const { port } = new URL(api.url);
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const json = { accept: 'application/json' };
const ask = (host: string, headers: Record<string, string> = {}, path = '/') =>
  requestAt(api.url, host, path, { headers });

t.test('200: what the service is, and its pages for someone at the machine', async (t) => {
  const { status, headers, body } = await ask(`127.0.0.1:${port}`);
  t.equal(status, 200);
  t.match(body, {
    name: 'Heartline',
    status: 'ok',
    checks: { postgres: 'ok', clickhouse: 'ok', migrations: 'ok' },
    links: {
      signIn: '/manage',
      docs: '/docs',
      readiness: '/readyz',
      description: '/openapi.json',
      metrics: '/metrics',
    },
    pages: [
      { slug: 'acme', address: `http://acme.localhost:${port}/` },
      { slug: 'other', address: `http://other.localhost:${port}/` },
    ],
    more: 0,
  });
  t.equal(headers.get('cache-control'), 'no-store');
  t.equal(headers.get('vary'), 'Accept, Host, X-Forwarded-Host');
  t.equal(headers.get('access-control-allow-origin'), null);
});

t.test('200: in HTML for browsers, without scripts, in the language of the reader', async (t) => {
  for (const [language, title] of [
    ['en', 'Heartline is running'],
    ['de-AT', 'Heartline läuft'],
    ['fr', 'Heartline fonctionne'],
    ['es', 'Heartline está en marcha'],
    ['ja', 'Heartline は稼働しています'],
  ] as const) {
    const { status, headers, body } = await ask(`localhost:${port}`, {
      ...browser,
      'accept-language': language,
    });
    t.equal(status, 200);
    t.match(body, `<h1>${title}</h1>`);
    t.match(body, `<a href="http://acme.localhost:${port}/">`);
    for (const path of ['/readyz', '/openapi.json', '/metrics']) t.match(body, `<a href="${path}">`);
    t.notMatch(body, '<script');
    t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    t.match(headers.get('content-security-policy'), "default-src 'none'");
    t.match(headers.get('vary'), /^Accept, Accept-Language, Host, X-Forwarded-Host$/);
  }
});

t.test('200: where to sign in, and before the set-up where its link is', async (t) => {
  const unset =
    /Nobody has set up this installation yet\. The service prints the link for that on its console/;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '192.0.2.7']) {
    const { body } = await ask(host, browser);
    t.match(body, '<a href="/manage">Sign in</a>', host);
    t.match(body, unset, host);
  }
  await makeUser({ sql: api.stores.sql, clock: systemClock }, { isAdmin: true });
  t.notMatch((await ask('localhost', browser)).body, unset);
  const baseUrl = new URL('https://heartline.example.com');
  const published = await startAnother(t, api, { roles: new Set(['api'] as const), baseUrl });
  const { body } = await requestAt(published.url, '127.0.0.1', '/', { headers: browser });
  t.match(body, '<a href="https://heartline.example.com/manage">Sign in</a>');
});

t.test('nobody else sees the pages', async (t) => {
  const local = `127.0.0.1:${port}`;
  const others: [host: string, headers: Record<string, string>][] = [
    ['192.0.2.7', {}],
    ['[2001:db8::1]', {}],
    [local, { 'x-forwarded-for': '203.0.113.9' }],
    [local, { 'x-forwarded-host': 'evil.example' }],
    [local, { 'x-forwarded-proto': 'https' }],
    [local, { forwarded: 'for=203.0.113.9' }],
    [local, { 'x-real-ip': '203.0.113.9' }],
    [local, { via: '1.1 proxy' }],
  ];
  for (const [host, headers] of others) {
    const answer = await ask(host, headers);
    t.match(answer, { status: 200, body: { name: 'Heartline' } }, `${host} ${JSON.stringify(headers)}`);
    t.notMatch(JSON.stringify(answer.body), 'acme', host);
    const view = await ask(host, { ...headers, ...browser });
    t.match(view.body, 'Each status page is served on its own host name.');
    t.notMatch(view.body, 'acme');
  }
});

t.test(
  '404: a host that is neither the machine nor a page, with the address of the page that is meant',
  async (t) => {
    const acme = `http://acme.localhost:${port}/`;
    const meant: [host: string, path: string][] = [
      ['acme.example.com', '/'],
      ['acme.example.com', '/de/history'],
      [`127.0.0.1:${port}`, '/acme'],
      [`localhost:${port}`, '/acme/'],
      [`127.0.0.1:${port}`, '/api/public/acme/summary'],
      ['other.localhost', '/api/public/acme/incidents'],
    ];
    for (const [host, path] of meant) {
      const answer = await ask(host, {}, path);
      t.same(
        answer.body,
        { error: 'Not found', code: 'not_found', hint: `This page is served at ${acme}` },
        `${host} ${path}`,
      );
      const view = await ask(host, browser, path);
      t.equal(view.status, 404);
      if (path.startsWith('/api/')) t.match(view.body, { error: 'Not found', code: 'not_found' });
      else t.match(view.body, `This page is served at <a href="${acme}">${acme}</a>`);
    }
    const unknown: [host: string, path: string][] = [
      ['example.com', '/'],
      ['nobody.example.com', '/'],
      ['other.localhost', '/acme'],
      ['acme.localhost', '/api/public/acme/nothing'],
      [`127.0.0.1:${port}`, '/api/v1/acme'],
      [`127.0.0.1:${port}`, '/assets/acme'],
      [`127.0.0.1:${port}`, "/' or 1=1"],
    ];
    for (const [host, path] of unknown) {
      t.same(
        (await ask(host, json, encodeURI(path))).body,
        { error: 'Not found', code: 'not_found' },
        `${host} ${path}`,
      );
    }
  },
);

t.test('a page on an address of the machine has it for itself', async (t) => {
  await makePage(api.stores.sql, { slug: 'own', hostname: '127.0.0.5' });
  const shown = await ask(`127.0.0.5:${port}`, browser);
  t.equal(shown.status, 200);
  t.notMatch(shown.body, 'Heartline is running');
  t.match(await ask(`127.0.0.1:${port}`), { status: 200, body: { name: 'Heartline' } });
});
