import t from 'tap';
import { systemClock } from '../../lib/clock.js';
import { openBrowser } from '../support/browser.js';
import { hostileSvg, pngPixel } from '../support/images.js';
import { setPage } from '../support/pages.js';
import { requestAt } from '../support/request-at.js';
import { startTestService } from '../support/service.js';

const api = await startTestService(t);
const deps = { sql: api.stores.sql, clock: systemClock };

/** Gives the page with this slug a logo, and returns the path of the logo. */
async function giveLogo(slug: string, logo: Buffer): Promise<string> {
  return `/logo/${(await setPage(deps, { slug, logo })).logoHash}`;
}

t.test('200: the bytes, at an address that never has others', async (t) => {
  const path = await giveLogo('acme', pngPixel);
  const { status, headers } = await requestAt(api.url, 'ACME.localhost:8080', path);
  t.equal(status, 200);
  t.match(Object.fromEntries(headers), {
    'content-type': 'image/png',
    'content-length': String(pngPixel.length),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  });
  t.equal(headers.get('etag'), `"${path.slice('/logo/'.length)}"`);
  const head = await requestAt(api.url, 'acme.localhost', path, { method: 'HEAD' });
  t.match([head.status, head.body, head.headers.get('content-length')], [200, '', String(pngPixel.length)]);
});

t.test('304: the client has it already', async (t) => {
  const path = await giveLogo('acme', pngPixel);
  const etag = `"${path.slice('/logo/'.length)}"`;
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await requestAt(api.url, 'acme.localhost', path, { headers: { 'if-none-match': known } });
    t.equal(answer.status, 304, known);
    t.equal(answer.body, '');
    t.equal(answer.headers.get('etag'), etag);
  }
  const answer = await requestAt(api.url, 'acme.localhost', path, {
    headers: { 'if-none-match': '"other"' },
  });
  t.equal(answer.status, 200);
});

t.test('404: the logo of another page, an earlier logo, no logo', async (t) => {
  const before = await giveLogo('acme', pngPixel);
  const cases: [host: string, path: string][] = [
    ['other.localhost', before],
    ['127.0.0.1', before],
    ['acme.localhost', `/logo/${'0'.repeat(32)}`],
    ['acme.localhost', `${before}0`],
    ['acme.localhost', `/logo/${before.slice('/logo/'.length).toUpperCase()}`],
    ['acme.localhost', '/logo/%00'],
  ];
  for (const [host, path] of cases) {
    const answer = await requestAt(api.url, host, path);
    t.equal(answer.status, 404, `${host} ${path}`);
    t.strictSame(answer.body, { error: 'Not found', code: 'not_found' });
    const headers = { 'if-none-match': '*' };
    t.equal((await requestAt(api.url, host, path, { headers })).status, 404, 'even with a condition');
  }
  const after = await giveLogo('acme', Buffer.from(hostileSvg));
  t.equal((await requestAt(api.url, 'acme.localhost', before)).status, 404, 'the earlier logo');
  await setPage(deps, { slug: 'acme', logo: null });
  t.equal((await requestAt(api.url, 'acme.localhost', after)).status, 404, 'the removed logo');
});

t.test('405: another method', async (t) => {
  const answer = await requestAt(api.url, 'acme.localhost', `/logo/${'0'.repeat(32)}`, { method: 'POST' });
  t.equal(answer.status, 405);
  t.equal(answer.headers.get('allow'), 'HEAD, GET');
});

t.test('an SVG that is opened by itself is displayed, and runs and loads nothing', async (t) => {
  const path = await giveLogo('acme', Buffer.from(hostileSvg));
  const answer = await requestAt(api.url, 'acme.localhost', path);
  t.equal(answer.headers.get('content-type'), 'image/svg+xml');
  t.equal(answer.body, hostileSvg);
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  const refused: string[] = [];
  page.on('requestfailed', (request) => refused.push(`${request.url()} ${request.failure()?.errorText}`));
  const errors: string[] = [];
  page.on('console', (message) => errors.push(message.text()));
  await page.goto(`${api.url.replace('127.0.0.1', 'acme.localhost')}${path}`);
  t.equal(await page.locator('rect').count(), 1, 'it is displayed');
  t.not(await page.title(), 'run');
  t.ok(
    errors.some((text) => /sandbox|Content Security Policy/i.test(text)),
    'the script is refused',
  );
  t.strictSame(refused, ['https://elsewhere.example/pixel.png csp'], 'and the image is refused as well');
});
