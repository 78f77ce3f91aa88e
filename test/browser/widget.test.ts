import { createServer } from 'node:http';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { dayMs } from '../../lib/times.js';
import { openBrowser } from '../support/browser.js';
import { pngPixel } from '../support/images.js';
import { makeIncidentKey, openIncident } from '../support/incidents.js';
import { serveUntilEnd } from '../support/listen.js';
import { makePage, setPage } from '../support/pages.js';
import { insertMonitor } from '../support/points.js';
import { startTestService } from '../support/service.js';
import { findAxeViolations, startVisit } from '../support/visit.js';

const api = await startTestService(t);
const { sql } = api.stores;
const browser = await openBrowser(t);
const evil = `<img src=x onerror=alert(1)>]]>"'&amp;`;

/** Styles of a site for everything in it, short of hiding its body. */
const hostile = `
  :root { --card: red; --ink: red; --edge: red; --soft: red }
  body { font: italic 60px cursive; color: #fff; background: #fff; letter-spacing: 20px; line-height: 5; text-transform: uppercase; visibility: hidden; cursor: wait }
  body * { all: unset !important; display: none !important; visibility: hidden !important; opacity: 0 !important;
    transform: scale(0) !important; position: absolute !important; width: 0 !important; filter: blur(9px) !important }
  a, svg, span, small { color: red !important; font-size: 1px !important }`;

/** A status page with one service that is up, on its own host. */
async function makeStatusPage(slug: string, name = 'Acme'): Promise<string> {
  const page = await makePage(sql, { slug, name, languages: ['en', 'de'] });
  await insertMonitor(sql, page.id, { state: 'up', last_checked_at: new Date(Date.now() + dayMs) });
  return api.url.replace('127.0.0.1', `${slug}.localhost`);
}

/** Gives the page with this slug a logo, and returns its path. */
async function giveLogo(slug: string): Promise<string> {
  const { logoHash } = await setPage({ sql, clock: systemClock }, { slug, logo: pngPixel });
  return `/logo/${logoHash}`;
}

/** Another site, with one document and a style sheet. */
async function serveSite(
  t: Test,
  html: string,
  { policy = '', styles = '', isIsolated = false } = {},
): Promise<string> {
  const server = createServer(({ url }, res) => {
    const isPage = url === '/';
    if (isIsolated) res.setHeader('cross-origin-opener-policy', 'same-origin');
    if (isIsolated) res.setHeader('cross-origin-embedder-policy', 'require-corp');
    res.setHeader('content-type', isPage ? 'text/html; charset=utf-8' : 'text/css');
    if (policy !== '') res.setHeader('content-security-policy', policy);
    res.end(isPage ? `<!doctype html>${html}` : styles);
  });
  return await serveUntilEnd(t, server);
}

const siteWith = (tag: string, lang = 'en') =>
  `<html lang="${lang}"><head><title>Site</title><link rel="stylesheet" href="/site.css"></head>
  <body><main><h1>A site</h1><p id="before">Before ${tag} after</p></main></body></html>`;

type Widget = { page: Page; link: Locator; troubles: () => string[] };

/** Opens a site. `troubles` has everything that goes wrong in it, except requests to the status page. */
async function visit(
  t: Test,
  site: string,
  status: string,
  scheme: 'light' | 'dark' = 'light',
): Promise<Widget> {
  const { page, troubles } = await startVisit(t, browser, site, { colorScheme: scheme });
  await page.clock.install();
  await page.goto('/');
  const own = () => troubles.filter((trouble) => !trouble.startsWith(`request: ${status}/`));
  return { page, link: page.locator('heartline-status a'), troubles: own };
}

const styleOf = (target: Locator, property: string) =>
  target.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

t.test('in a hostile site with a strict policy the widget is readable, and changes nothing', async (t) => {
  const status = await makeStatusPage('hostile', evil);
  const policy = `default-src 'none'; style-src 'self'; script-src ${status}; connect-src ${status}; require-trusted-types-for 'script'`;
  const html = `<html lang="en"><head><title>Site</title><link rel="stylesheet" href="/site.css"></head>
    <body><script src="${status}/embed.js" async></script></body></html>`;
  const site = await serveSite(t, html, { policy, styles: hostile });
  await openIncident(api, await makeIncidentKey(api, 'hostile'), { title: evil });
  const { page, link, troubles } = await visit(t, site, status);
  await link.waitFor();
  t.equal(await link.textContent(), `We are working on an incident${evil}`);
  t.equal(await link.getAttribute('href'), `${status}/en/`);
  const box = await link.boundingBox();
  t.ok(box !== null && box.width > 180 && box.height > 30 && box.height < 80, JSON.stringify(box));
  for (const [property, value] of Object.entries({
    ...{ 'font-size': '14px', 'font-style': 'normal', 'letter-spacing': 'normal', 'text-transform': 'none' },
    ...{
      color: 'rgb(23, 27, 38)',
      'background-color': 'rgb(255, 255, 255)',
      visibility: 'visible',
      opacity: '1',
    },
  })) {
    t.equal(await styleOf(link, property), value, property);
  }
  t.equal(await page.locator('heartline-status img, heartline-status script').count(), 0);
  t.equal(
    await page.evaluate('document.querySelectorAll("style").length'),
    0,
    'the widget adds no styles to the site',
  );
  t.strictSame(troubles(), [], 'and breaks no policy');
});

t.test('the widget is at its tag, in the language of the site, and stays up to date', async (t) => {
  const status = await makeStatusPage('plain');
  const site = await serveSite(t, siteWith(`<script src="${status}/embed.js" async></script>`, 'de-AT'));
  const { page, link, troubles } = await visit(t, site, status);
  await link.waitFor();
  t.match(await link.getAttribute('lang'), 'de');
  t.equal(await link.getAttribute('href'), `${status}/de/`);
  t.equal(
    await page.evaluate(`document.querySelector('#before heartline-status').previousSibling.tagName`),
    'SCRIPT',
  );
  t.strictSame(await findAxeViolations(page), []);
  await page.keyboard.press('Tab');
  t.equal(await page.evaluate('document.activeElement.localName'), 'heartline-status');
  t.equal(await styleOf(link, 'outline-style'), 'solid', 'focus can be seen');
  const before = await link.textContent();
  await openIncident(api, await makeIncidentKey(api, 'plain'), { title: 'Ein Ausfall' });
  await page.clock.fastForward(61_000);
  await link.getByText('Ein Ausfall').waitFor();
  t.not(await link.textContent(), before);
  t.equal(await page.evaluate('document.activeElement.localName'), 'heartline-status', 'focus stays');
  t.strictSame(troubles(), []);
});

t.test(
  'the widget shows nothing while the page is unavailable, and asks for nothing while hidden',
  async (t) => {
    const status = await makeStatusPage('away');
    const site = await serveSite(t, siteWith(`<script src="${status}/embed.js" async></script>`));
    const { page, link } = await visit(t, site, status);
    const thrown: string[] = [];
    page.on('pageerror', ({ message }) => thrown.push(message));
    await link.waitFor();
    let asked = 0;
    let answer: { status?: number; body: string } | undefined = { status: 500, body: '{}' };
    await page.route(`${status}/embed.json**`, async (route) => {
      asked += 1;
      if (answer === undefined) return route.abort();
      await route.fulfill({ ...answer, headers: { 'access-control-allow-origin': '*' } });
    });
    const refresh = async () => {
      await page.clock.fastForward(61_000);
      // Any answer has arrived by then.
      await page.evaluate(`fetch('/').then((answer) => answer.text())`);
    };
    await refresh();
    await link.waitFor({ state: 'hidden' });
    const failures = [
      undefined,
      { body: 'no JSON' },
      { body: '{"url":"javascript:alert(1)"}' },
      { body: 'null' },
    ];
    for (const failure of failures) {
      answer = failure;
      await refresh();
      t.equal(await link.isVisible(), false, JSON.stringify(failure));
    }
    t.equal(asked, 5);
    await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })`);
    await refresh();
    t.equal(asked, 5, 'hidden');
    await page.unroute(`${status}/embed.json**`);
    await page.evaluate(`delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))`);
    await link.waitFor();
    t.strictSame(thrown, []);
  },
);

t.test('theme and position come from the tag, or from the visitor', async (t) => {
  const status = await makeStatusPage('looks');
  const background = async (attributes: string, scheme: 'light' | 'dark') => {
    const site = await serveSite(t, siteWith(`<script src="${status}/embed.js" ${attributes}></script>`));
    const { link } = await visit(t, site, status, scheme);
    await link.waitFor();
    return styleOf(link, 'background-color');
  };
  const [light, dark] = ['rgb(255, 255, 255)', 'rgb(24, 28, 37)'];
  t.equal(await background('', 'light'), light);
  t.equal(await background('', 'dark'), dark);
  t.equal(await background('data-theme="dark"', 'light'), dark);
  t.equal(await background('data-theme="light"', 'dark'), light);

  const head = `<html lang="en"><head><title>x</title><script src="${status}/embed.js" data-position="bottom-right"></script></head><body></body></html>`;
  const { page, link, troubles } = await visit(t, await serveSite(t, head), status);
  await link.waitFor();
  const { x = 0, y = 0, width = 0, height = 0 } = (await link.boundingBox()) ?? {};
  t.strictSame(
    [x + width, y + height],
    [1_200 - 16, 900 - 16],
    'in the corner, even from the head of the site',
  );
  await page.setViewportSize({ width: 200, height: 400 });
  t.ok(((await link.boundingBox())?.x ?? 0) >= 16, 'and within a narrow window');
  t.strictSame(troubles(), []);
});

t.test('the frame for sites without scripts shows the same', async (t) => {
  const status = await makeStatusPage('framed', 'Framed');
  const html = `<html lang="en"><head><title>Site</title></head><body><iframe src="${status}/embed" title="Status" width="320" height="60"></iframe></body></html>`;
  const site = await serveSite(t, html, { policy: `default-src 'none'; frame-src ${status}` });
  const { page, troubles } = await visit(t, site, status);
  const link = page.frameLocator('iframe').locator('a');
  await link.waitFor();
  t.equal(await link.textContent(), 'All services are upFramed');
  t.equal(await link.getAttribute('target'), '_blank');
  t.strictSame(troubles(), []);
  const { page: frame } = await startVisit(t, browser, status);
  await frame.goto('/embed?theme=dark');
  t.strictSame(await findAxeViolations(frame), []);
  t.equal(await styleOf(frame.locator('a'), 'background-color'), 'rgb(24, 28, 37)');
});

t.test('a site that is isolated from others shows the widget, the frame and the pictures', async (t) => {
  const status = await makeStatusPage('isolated', 'Isolated');
  const logoPath = await giveLogo('isolated');
  const pictures = [logoPath, '/badge.svg', '/badge/api.svg', '/favicon.svg'];
  const html = `<html lang="en"><head><title>Site</title></head><body>
    <iframe src="${status}/embed" title="Status" width="320" height="60"></iframe>
    ${pictures.map((path) => `<img src="${status}${path}" alt="">`).join('')}
    <script src="${status}/embed.js" async></script></body></html>`;
  const site = await serveSite(t, html, { isIsolated: true });
  const { page, link, troubles } = await visit(t, site, status);
  t.equal(await page.evaluate('crossOriginIsolated'), true, 'the policy of the site holds');
  await link.waitFor();
  const framed = page.frameLocator('iframe').locator('a');
  await framed.waitFor();
  t.equal(await framed.textContent(), 'All services are upIsolated');
  const widths = await page.evaluate<number[]>(
    '[...document.images].map(({ naturalWidth }) => naturalWidth)',
  );
  t.equal(widths.length, pictures.length);
  t.ok(
    widths.every((width) => width > 0),
    `${widths}`,
  );
  t.strictSame(troubles(), []);
});
