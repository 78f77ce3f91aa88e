import { createHash } from 'node:crypto';
import t, { type Test } from 'tap';
import { putGroup, putOrder } from '../../control/monitors/index.js';
import { testActor } from '../support/actor.js';
import { makeMovingClock } from '../support/moving-clock.js';
import { notFound } from '../support/not-found.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';
import { addService, makeStatusSite, openSiteIncident } from '../support/status-page.js';

const clock = makeMovingClock();
const api = await startTestService(t, { clock });
const deps = { api, clock };
const site = await makeStatusSite(
  deps,
  'shop',
  { name: 'Shop', languages: ['en', 'de', 'pt-BR'], historyDays: 30 },
  { accent: '#3346d3' },
);
await addService(deps, site, { slug: 'checkout', name: 'Checkout', names: { de: 'Kasse' } });
const plain = await makeStatusSite(deps, 'plain', { name: 'Plain', languages: ['fr'] });

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', host = site.page.hostname) =>
  requestAt(api.url, host, path, { headers, method });
type Answer = Awaited<ReturnType<typeof ask>>;
const langOf = ({ body }: Answer) => /<html lang="([^"]*)"/.exec(String(body))?.[1];
const cacheControl = 'public, max-age=0, s-maxage=30, stale-while-revalidate=30, stale-if-error=600';

function policyOf({ headers }: Answer): Map<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split('; ');
  return new Map(directives.map((directive) => [/^\S+/.exec(directive)?.[0] ?? '', directive]));
}

/** Headers of every HTML answer. */
function checkHeaders(t: Test, answer: Answer, language: string, vary: string): void {
  const { headers } = answer;
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8');
  t.equal(headers.get('content-language'), language);
  t.equal(headers.get('vary'), vary);
  t.equal(headers.get('cache-control'), cacheControl);
  t.equal(headers.get('x-content-type-options'), 'nosniff');
  t.equal(headers.get('referrer-policy'), 'same-origin');
  t.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
  t.match(headers.get('permissions-policy'), 'camera=()');
  t.equal(headers.get('access-control-allow-origin'), null);
  const policy = policyOf(answer);
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]) {
    t.equal(policy.get(directive.split(' ')[0] ?? ''), directive);
  }
  t.notMatch(headers.get('content-security-policy'), 'unsafe');
}

t.test('200: the page, in the language of the reader', async (t) => {
  for (const [accepted, language] of [
    [undefined, 'en'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['pt', 'pt-BR'],
    ['ja', 'en'],
  ] as const) {
    // First from the stores, then from memory.
    for (let i = 0; i < 2; i += 1) {
      const answer = await ask('/', { ...(accepted && { 'accept-language': accepted }) });
      t.equal(answer.status, 200);
      t.equal(langOf(answer), language, `${accepted}`);
      checkHeaders(t, answer, language, 'Accept-Encoding, Accept-Language, Host');
    }
  }
});

t.test('200: the page in the language of the address', async (t) => {
  for (const language of ['en', 'de', 'pt-BR']) {
    for (let i = 0; i < 2; i += 1) {
      const answer = await ask(`/${language}/`, { 'accept-language': 'fr' });
      t.equal(answer.status, 200);
      t.equal(langOf(answer), language);
      checkHeaders(t, answer, language, 'Accept-Encoding, Host');
    }
  }
  t.match((await ask('/de/')).body, 'Kasse');
  t.match((await ask('/en/')).body, 'Checkout');
  const negotiated = await ask('/', { 'accept-language': 'de' });
  t.equal(negotiated.headers.get('etag'), (await ask('/de/')).headers.get('etag'), 'the same text');
  t.equal((await ask('/en/?utm_source=mail&x[]=1')).status, 200);
});

t.test('200: nothing of another page', async (t) => {
  const answer = await ask('/', {}, 'GET', plain.page.hostname);
  t.equal(langOf(answer), 'fr');
  t.notMatch(answer.body, /Shop|Checkout/);
  t.equal(
    (await ask('/de/', {}, 'GET', plain.page.hostname)).status,
    404,
    'a language that only other pages have',
  );
});

t.test('200: the policy allows exactly the inline style', async (t) => {
  const answer = await ask('/en/');
  const html = String(answer.body);
  const styles = [...html.matchAll(/<style[^>]*>([^<]*)<\/style>/g)].map(([, text = '']) => text);
  t.equal(styles.length, 1);
  const hashes = styles.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  t.equal(policyOf(answer).get('style-src'), `style-src 'self' ${hashes.join(' ')}`);
  t.notMatch(html, /<script(?![^>]* src=)/);
  t.notMatch(html, /\s(style|on[a-z]+)="/);
  const unstyled = await ask('/', {}, 'GET', plain.page.hostname);
  t.equal(policyOf(unstyled).get('style-src'), "style-src 'self'", 'a page without its own colour');
});

t.test('200 and 304: each encoding has its own tag', async (t) => {
  const tags = new Set<string>();
  for (const encoding of ['br', 'gzip', 'identity']) {
    const accepted = { 'accept-encoding': encoding, 'accept-language': 'de' };
    const whole = await ask('/', accepted);
    t.equal(whole.headers.get('content-encoding'), encoding === 'identity' ? null : encoding);
    const etag = whole.headers.get('etag') ?? '';
    t.match(etag, /^"[\w-]+"$/);
    tags.add(etag);
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask('/', { ...accepted, 'if-none-match': etag }, method);
      t.equal(answer.status, 304);
      t.equal(answer.body, '');
      t.equal(answer.headers.get('etag'), etag);
      t.equal(answer.headers.get('cache-control'), cacheControl);
      t.equal(answer.headers.get('vary'), 'Accept-Encoding, Accept-Language, Host');
      t.match(answer.headers.get('content-security-policy'), "default-src 'none'");
    }
    const head = await ask('/', accepted, 'HEAD');
    t.strictSame([head.status, head.body], [200, '']);
    t.equal(head.headers.get('content-length'), whole.headers.get('content-length'));
    const inEnglish = { ...accepted, 'accept-language': 'en', 'if-none-match': etag };
    t.equal((await ask('/', inEnglish)).status, 200, 'another language is another text');
  }
  t.equal(tags.size, 3);
});

t.test('308: every address has one form, whatever else is sent', async (t) => {
  for (const [path, location] of [
    ['/de', '/de/'],
    ['/DE', '/de/'],
    ['/DE/', '/de/'],
    ['/pt-br/', '/pt-BR/'],
    ['/d%65/', '/de/'],
    ['/de?next=//evil.example', '/de/'],
    ['/De/history/', '/de/history'],
    ['/history/', '/history'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await ask(path, { 'x-forwarded-host': 'evil.example' }, method);
      t.strictSame([answer.status, answer.headers.get('location'), answer.body], [308, location, ''], path);
    }
  }
});

t.test('404: a view for a language that the page does not have', async (t) => {
  for (const path of ['/fr', '/fr/', '/nowhere', '/favicon.ico', '/xx/history', '/%E0%A4%A', '/__proto__/']) {
    const answer = await ask(path, { 'accept-language': 'de' });
    t.equal(answer.status, 404, path);
    t.equal(langOf(answer), 'de', path);
    checkHeaders(t, answer, 'de', 'Accept-Encoding, Accept-Language, Accept, Host');
    const etag = answer.headers.get('etag') ?? '';
    t.equal((await ask(path, { 'accept-language': 'de', 'if-none-match': etag })).status, 404);
  }
  t.strictSame([(await ask('/fr/', {}, 'HEAD')).status, (await ask('/fr/', {}, 'HEAD')).body], [404, '']);
});

/** As browsers send it for a document. */
const fromBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const deepPaths = ['/foo/bar/baz', '/xx/nothing/here', '/foo/bar/', '/%E0%A4%A/x/y', '/wp-admin/x.php?y=1'];

t.test('404: the same view for an address of an unknown form', async (t) => {
  const usual = await ask('/nowhere', { 'accept-language': 'de' });
  for (const path of deepPaths) {
    for (const accepted of [fromBrowser, { accept: '*/*' }, {}]) {
      const answer = await ask(path, { ...accepted, 'accept-language': 'de' });
      t.equal(answer.status, 404, path);
      checkHeaders(t, answer, 'de', 'Accept-Encoding, Accept-Language, Accept, Host');
      t.equal(answer.body, usual.body);
      t.equal(answer.headers.get('content-security-policy'), usual.headers.get('content-security-policy'));
    }
    const head = await ask(path, { ...fromBrowser, 'accept-language': 'de' }, 'HEAD');
    t.strictSame([head.status, head.body], [404, '']);
    t.equal(head.headers.get('content-type'), 'text/html; charset=utf-8');
  }
  for (const path of ['/de/nothing/here', '/DE/incidents/x/y', '/de/nowhere']) {
    const answer = await ask(path, { ...fromBrowser, 'accept-language': 'en' });
    t.equal(answer.status, 404, path);
    checkHeaders(t, answer, 'de', 'Accept-Encoding, Accept, Host');
    t.equal(answer.body, usual.body);
  }
  const elsewhere = await ask('/de/nothing/here', fromBrowser, 'GET', plain.page.hostname);
  t.equal(langOf(elsewhere), 'fr', 'a language that only other pages have');
  t.notMatch(elsewhere.body, 'Shop');
});

t.test('404: JSON for clients that do not want HTML', async (t) => {
  for (const path of [...deepPaths, '/nowhere', '/fr/', '/de/nowhere', '/history/x']) {
    for (const accept of ['application/json', 'application/json, text/html;q=0.5', 'image/*']) {
      const answer = await ask(path, { accept });
      t.strictSame(
        [answer.status, answer.body],
        [404, { error: 'Not found', code: 'not_found' }],
        `${path} ${accept}`,
      );
      t.equal(answer.headers.get('vary'), 'Accept, Host', 'caches keep the two apart');
    }
    t.equal((await ask(path, fromBrowser)).headers.get('content-type'), 'text/html; charset=utf-8');
  }
});

t.test('404: JSON for everyone below the addresses of programs', async (t) => {
  for (const path of [
    '/api/nothing',
    '/api/v3/events',
    '/API/v1/x/y',
    '/api/public/shop',
    '/api/public/plain/summary',
    '/healthz/x',
    '/readyz/x',
    '/metrics/x',
    '/openapi.json/x',
    '/assets/x/y',
    '/ping/x/y/z',
    '/badge/checkout.png',
    '/logo/x',
    '/fr/feed.rss',
  ]) {
    const answer = await ask(path, fromBrowser);
    const other = path.includes('plain') ? 'plain' : undefined;
    const hint = path === '/api/nothing' && { hint: 'Addresses of the API have a version: /api/v1/nothing' };
    t.strictSame([answer.status, answer.body], [404, { ...notFound(api.url, other), ...hint }], path);
  }
});

t.test('404: a host without a page', async (t) => {
  const paths = ['/', '/en/', '/en', '/history', '/en/history/2026-01', '/subscribe', ...deepPaths];
  for (const path of paths) {
    const answer = await ask(path, {}, 'GET', 'nobody.example');
    t.strictSame([answer.status, answer.body], [404, { error: 'Not found', code: 'not_found' }], path);
    const view = await ask(path, { ...fromBrowser, 'accept-language': 'de' }, 'GET', 'nobody.example');
    t.equal(view.status, 404, path);
    t.match(view.body, /<html lang="de">.*<h1>Hier gibt es keine Statusseite<\/h1>/);
    t.notMatch(view.body, /href="http|<script/);
  }
});

const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

t.test('405: another method, where something exists', async (t) => {
  for (const path of ['/', '/en/', '/en', '/DE/', '/en/history', '/history', '/de/subscribe']) {
    for (const method of otherMethods) {
      const answer = await ask(path, fromBrowser, method);
      t.strictSame(
        [answer.status, answer.body],
        [405, { error: 'Method not allowed.', code: 'method.not_allowed', hint: 'This address takes GET.' }],
        `${method} ${path}`,
      );
      t.equal(answer.headers.get('allow'), 'HEAD, GET');
    }
  }
  const form = await ask('/subscribe', {}, 'PUT');
  t.equal(form.status, 405);
  t.equal(form.headers.get('allow'), 'POST, HEAD, GET');
});

t.test('404: another method, where nothing exists', async (t) => {
  for (const path of [
    '/nowhere',
    '/fr',
    '/fr/',
    '/fr/history',
    '/de/history/1970-01',
    '/incidents/x',
    '/a/b/c',
  ]) {
    for (const method of otherMethods) {
      const answer = await ask(path, fromBrowser, method);
      t.strictSame(
        [answer.status, answer.body],
        [404, { error: 'Not found', code: 'not_found' }],
        `${method} ${path}`,
      );
      t.equal(answer.headers.get('allow'), null);
    }
  }
  const elsewhere = await ask('/de/', {}, 'POST', plain.page.hostname);
  t.equal(elsewhere.status, 404, 'a language that only other pages have');
  for (const path of ['/', '/en/', '/nowhere']) {
    t.equal((await ask(path, {}, 'POST', 'nobody.example')).status, 404, path);
  }
});

t.test('what is posted to this process shows at once, everything else within 30 s', async (t) => {
  const open = () => ask('/en/');
  const before = (await open()).headers.get('etag');
  t.equal((await open()).headers.get('etag'), before);
  await openSiteIncident(deps, site, { title: 'Payments fail' });
  clock.advance(1);
  t.match((await open()).body, 'Payments fail');
  await api.stores.sql`update pages set name = 'New name' where id = ${site.page.id}`;
  t.notMatch((await open()).body, 'New name');
  clock.advance(31_000);
  t.match((await open()).body, 'New name');
});

t.test('styles and scripts', async (t) => {
  const html = String((await ask('/en/')).body);
  const paths = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  t.equal(new Set(paths).size, 5);
  for (const path of paths) {
    t.match(path, /^\/assets\/[a-z]+\.[\w-]{12}\.(css|js)$/);
    const mediaType = path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8';
    for (const host of [site.page.hostname, 'nobody.example']) {
      const answer = await ask(path, {}, 'GET', host);
      t.equal(answer.status, 200, path);
      t.equal(answer.headers.get('content-type'), mediaType);
      t.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
      t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      t.equal(answer.headers.get('access-control-allow-origin'), null);
      t.equal(answer.headers.get('vary'), 'Accept-Encoding');
      const etag = answer.headers.get('etag') ?? '';
      t.equal((await ask(path, { 'if-none-match': etag }, 'GET', host)).status, 304);
      t.strictSame((await ask(path, {}, 'HEAD', host)).body, '');
    }
    for (const encoding of ['br', 'gzip']) {
      const packed = await ask(path, { 'accept-encoding': encoding });
      t.equal(packed.headers.get('content-encoding'), encoding);
    }
    const other = path.replace(/\.[\w-]{12}\./, '.AAAAAAAAAAAA.');
    const gone = await ask(other);
    t.strictSame(
      [gone.status, gone.body],
      [404, { error: 'Not found', code: 'not_found' }],
      'no other version',
    );
  }
  const url = new URL(/<meta property="og:image" content="([^"]*)"/.exec(html)?.[1] ?? '');
  t.equal(url.hostname, site.page.hostname);
  const picture = await ask(url.pathname, { 'accept-encoding': 'br' });
  t.equal(picture.status, 200);
  t.equal(picture.headers.get('content-type'), 'image/png');
  t.equal(picture.headers.get('content-encoding'), null, 'it is compressed already');
  t.equal(picture.headers.get('cross-origin-resource-policy'), 'cross-origin', 'other sites may show it');
  t.match(picture.body, /PNG/);
  for (const path of ['/assets/page.css', '/assets/', '/assets/..%2f..%2fpackage.json']) {
    t.equal((await ask(path)).status, 404, path);
  }
});

t.test('200: monitors stand under the names of their groups, in the language of the view', async (t) => {
  const grouped = await makeStatusSite(deps, 'grouped', { name: 'Grouped', languages: ['en', 'de'] });
  const { id: pageId } = grouped.page;
  const by = testActor;
  await addService(deps, grouped, { slug: 'till', name: 'Till' });
  await addService(deps, grouped, { slug: 'mail', name: 'Mail' });
  const { sql } = api.stores;
  await putGroup({ sql, clock, by }, { pageId, slug: 'shop', name: 'Shop <1>', names: { de: 'Laden' } });
  await putGroup({ sql, clock, by }, { pageId, slug: 'empty', name: 'Nobody sees this' });
  const items = [
    { group: null, monitors: ['mail'] },
    { group: 'shop', monitors: ['till'] },
    { group: 'empty', monitors: [] },
  ];
  await putOrder({ sql, clock, by }, { pageId, items });
  clock.advance(60_000);
  for (const [path, name] of [
    ['/', 'Shop &lt;1>'],
    ['/de/', 'Laden'],
  ] as const) {
    const { body } = await ask(path, {}, 'GET', grouped.page.hostname);
    const places = ['>Mail</h3>', `>${name}</h3>`, '>Till</h4>'].map((text) => String(body).indexOf(text));
    t.ok(places[0] && places[0] > 0, path);
    t.strictSame(
      [...places].sort((a, b) => a - b),
      places,
      path,
    );
    t.notMatch(body, 'Nobody sees this');
  }
});
