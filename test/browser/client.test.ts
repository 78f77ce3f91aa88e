import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { openBrowser } from '../support/browser.js';
import { serveUntilEnd } from '../support/listen.js';
import { countPlans, startVisit, type Visit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

/** The smallest document that the scripts work on; the other tests of this folder use real views. */
const draw = (content: string, { lang = 'en', title = 'Fine' } = {}) => `<!doctype html>
<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}"><head><title>${title}</title><link rel="icon" href="/favicon.svg">
<script src="/theme.js"></script><script type="module" src="/live.js"></script>
<script type="module" src="/details.js"></script></head><body>
<button type="button" data-theme-switch data-auto="As set" data-light="Light" data-dark="Dark" hidden></button>
<main data-live>${content}</main>
<div role="status" data-announce data-locale="${lang === 'en' ? 'en-GB' : lang}" data-text-changed="Now: {state}" data-text-good="Fine"
 data-text-down="{duration} down" data-text-failed="{rate} failed" data-text-unmeasured="Not measured"></div>
<div class="tip" data-tip hidden></div></body></html>`;

const bars = `<div id="bars" data-from="2026-11-18" data-days=",-,125/0.83,0/0.5" tabindex="0" style="height:9px"></div>`;

type Site = { origin: string; content: string; asked: string[]; answer?: (res: ServerResponse) => void };

async function serve(t: Test): Promise<Site> {
  const site: Site = { origin: '', content: draw('<h1 data-overall>Fine</h1>'), asked: [] };
  const server = createServer(async ({ url = '', headers }, res) => {
    if (url.endsWith('.js')) {
      res.setHeader('content-type', 'text/javascript');
      return res.end(await readFile(new URL(`../../web/client${url}`, import.meta.url)));
    }
    if (url !== '/') return res.writeHead(url.startsWith('/favicon') ? 204 : 404).end();
    const tag = `"${createHash('sha256').update(site.content).digest('hex')}"`;
    site.asked.push(headers['if-none-match'] === tag ? 'same' : 'whole');
    if (site.answer !== undefined) return site.answer(res);
    res.setHeader('etag', tag).setHeader('content-type', 'text/html; charset=utf-8');
    return headers['if-none-match'] === tag ? res.writeHead(304).end() : res.end(site.content);
  });
  site.origin = await serveUntilEnd(t, server);
  return site;
}

const browser = await openBrowser(t);

type Visited = Pick<Visit, 'page' | 'troubles'> & { plans: Awaited<ReturnType<typeof countPlans>> };

/** A visitor whose clock moves only when the test moves it. */
async function visit(t: Test, site: Site): Promise<Visited> {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  const plans = await countPlans(page);
  await page.goto('/');
  // The clock runs until then; the script asks half a minute after the load at the earliest.
  await page.clock.pauseAt(Date.now() + 10_000);
  return { page, troubles, plans };
}

/** Moves the clock until the script asks again. */
async function ask({ page }: Visited, site: Site, ms: number): Promise<void> {
  const before = site.asked.length;
  await page.clock.fastForward(ms);
  await waitUntil('the page asks', () => site.asked.length > before);
}

/** Does what makes the script ask, or stop asking, and waits until the script has handled the outcome. */
async function untilDealtWith({ plans }: Visited, work: () => Promise<void>): Promise<void> {
  const before = await plans.soFar();
  await work();
  await waitUntil('the page has dealt with it', async () => (await plans.soFar()) > before);
}

/** Moves the clock until the script has asked again and handled the answer. */
async function poll(visited: Visited, site: Site, ms = 36_000): Promise<void> {
  await untilDealtWith(visited, () => ask(visited, site, ms));
}

async function setHidden(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'hidden', { get: () => ${hidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));`);
}

t.test('an unchanged page is requested with its tag, and does not change', async (t) => {
  const site = await serve(t);
  const visited = await visit(t, site);
  const { page, troubles } = visited;
  await page.evaluate(`window.heading = document.querySelector('h1')`);
  await poll(visited, site);
  await poll(visited, site);
  t.strictSame(site.asked, ['whole', 'same', 'same']);
  t.equal(await page.evaluate(`window.heading === document.querySelector('h1')`), true);
  t.equal(await page.locator('[data-announce]').textContent(), '', 'nothing is announced');
  t.strictSame(troubles, []);
});

t.test('a change is shown and announced', async (t) => {
  const site = await serve(t);
  const visited = await visit(t, site);
  const { page } = visited;
  site.content = draw(
    `<section id="now"><article id="i1" data-incident="1" data-incident-text="Disks: Investigating"><p>Disks</p></article></section>
     <h1 data-overall>In trouble</h1>`,
    { title: 'In trouble' },
  );
  await poll(visited, site);
  await page.getByText('Disks', { exact: true }).waitFor();
  t.equal(await page.locator('h1').textContent(), 'In trouble');
  t.equal(await page.title(), 'In trouble');
  t.equal(await page.locator('[data-announce]').textContent(), 'Now: In trouble. Disks: Investigating');
  t.match(await page.locator('link[rel=icon]').getAttribute('href'), /favicon\.svg\?at=\d+$/);

  site.content = site.content.replaceAll('Disks: Investigating', 'Disks: Identified');
  await poll(visited, site);
  await page.locator('[data-incident-text="Disks: Identified"]').waitFor();
  t.equal(await page.locator('[data-announce]').textContent(), 'Disks: Identified', 'only what changed');
});

t.test("an update keeps the visitor's focus, input and position", async (t) => {
  const site = await serve(t);
  const article = (n: number) =>
    `<article id="i${n}"><details><summary>More ${n}</summary><p>Long ago ${n}</p></details></article>`;
  const form = `<form id="form"><input name="email" type="email"></form>`;
  site.content = draw(
    `<h1 data-overall>Fine</h1>${article(1)}${form}<p style="height:3000px"></p><a href="#a">End</a>`,
  );
  const visited = await visit(t, site);
  const { page } = visited;
  await page.locator('summary').click();
  await page.locator('input').fill('a@example.com');
  await page.locator('input').press('ArrowLeft');
  site.content = site.content.replace('Fine', 'Bad').replace('<article', `${article(2)}<article`);
  await poll(visited, site);
  await page.locator('#i2').waitFor();
  t.equal(await page.locator('details[open]').count(), 1);
  t.equal(await page.locator('#i1 details[open]').count(), 1, 'opened details');
  await page.keyboard.type('x');
  t.equal(await page.locator('input').inputValue(), 'a@example.coxm', 'text, focus and caret');

  await page.locator('a').focus();
  const before = await page.locator('a').boundingBox();
  site.content = site.content.replace('<article', `${article(3)}<article`);
  await poll(visited, site);
  await page.locator('#i3').waitFor({ state: 'attached' });
  t.strictSame(await page.locator('a').boundingBox(), before, 'the scroll position');
  t.equal(await page.evaluate('document.activeElement.textContent'), 'End');
});

t.test('a hidden page does not ask, and asks at once when it is visible again', async (t) => {
  const site = await serve(t);
  const visited = await visit(t, site);
  const { page } = visited;
  await setHidden(page, true);
  await page.clock.fastForward(600_000);
  t.strictSame(site.asked, ['whole']);
  await setHidden(page, false);
  await untilDealtWith(visited, () => page.clock.runFor(1));
  t.equal(site.asked.length, 2);

  await setHidden(page, true);
  await page.clock.fastForward(10_000);
  await setHidden(page, false);
  await page.clock.fastForward(19_000);
  t.equal(site.asked.length, 2, 'not while the view is younger');
});

t.test('a page asks less often while requests fail', async (t) => {
  const site = await serve(t);
  const visited = await visit(t, site);
  const { page } = visited;
  site.answer = (res) => res.writeHead(500).end();
  await poll(visited, site);
  await page.clock.fastForward(59_000);
  t.equal(site.asked.length, 2, 'not within a minute');
  await poll(visited, site, 14_000);
  site.answer = (res) => res.setHeader('content-type', 'text/html').end('<h1>Sign in to the hotel</h1>');
  await poll(visited, site, 145_000);
  t.equal(await page.locator('h1').textContent(), 'Fine', 'another document is not shown');
  site.answer = () => {};
  await ask(visited, site, 300_000);
  await untilDealtWith(visited, () => page.clock.fastForward(10_000));
  site.content = draw('<h1 data-overall>Back</h1>');
  delete site.answer;
  await poll(visited, site, 360_000);
  await page.getByText('Back', { exact: true }).waitFor();
});

t.test('a page of another version is loaded again as a whole', async (t) => {
  const site = await serve(t);
  const { page } = await visit(t, site);
  await page.evaluate('window.isOld = true');
  site.content = draw('<h1>New</h1>').replace('/live.js', '/live.js?2');
  await page.clock.fastForward(36_000);
  await page.getByText('New', { exact: true }).waitFor();
  t.equal(await page.evaluate('window.isOld === undefined'), true);
});

t.test('pointer and keys show the details of a day', async (t) => {
  const site = await serve(t);
  site.content = draw(bars);
  const { page, troubles } = await visit(t, site);
  const tip = page.locator('[data-tip]');
  const box = await page.locator('#bars').boundingBox();
  if (box === null) throw new Error('The bars are shown.');
  const pointAt = (column: number) => page.mouse.move(box.x + (box.width * (column + 0.5)) / 4, box.y + 4);
  await pointAt(2);
  t.equal(await tip.textContent(), 'Friday, 20 November 2026 2 hours, 5 minutes down · 0.83% failed');
  await pointAt(0);
  t.equal(await tip.textContent(), 'Wednesday, 18 November 2026 Fine');
  await tip.hover();
  t.match(await tip.textContent(), /^Wednesday, 18/, 'it stays while the pointer is on it');
  await page.mouse.move(box.x, box.y + 300);
  t.equal(await tip.isVisible(), false);

  await page.locator('[data-theme-switch]').focus();
  await page.keyboard.press('Tab');
  t.equal(await tip.textContent(), 'Saturday, 21 November 2026 0.5% failed', 'the last one first');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  t.equal(await tip.textContent(), 'Thursday, 19 November 2026 Not measured');
  t.equal(await page.locator('[data-announce]').textContent(), await tip.textContent(), 'announced as well');
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  t.match(await tip.textContent(), /^Wednesday, 18/, 'it stops at the first day');
  await page.keyboard.press('End');
  t.match(await tip.textContent(), /^Saturday, 21/);
  await page.keyboard.press('Escape');
  t.equal(await tip.isVisible(), false);
  t.strictSame(troubles, []);
});

t.test('a touch shows a day, and a touch elsewhere hides it', async (t) => {
  const site = await serve(t);
  site.content = draw(bars);
  const { page } = await startVisit(t, browser, site.origin, { hasTouch: true });
  await page.goto('/');
  const tip = page.locator('[data-tip]');
  const box = await page.locator('#bars').boundingBox();
  if (box === null) throw new Error('The bars are shown.');
  await page.touchscreen.tap(box.x + 4, box.y + 4);
  t.equal(await tip.textContent(), 'Wednesday, 18 November 2026 Fine');
  const tipBox = await tip.boundingBox();
  t.ok(tipBox !== null && tipBox.x >= 0, 'within the window');
  await page.touchscreen.tap(box.x + 4, box.y + 300);
  t.equal(await tip.isVisible(), false);
});

t.test('a right-to-left language has its first day on the right', async (t) => {
  const site = await serve(t);
  site.content = draw(bars, { lang: 'ar' });
  const { page } = await visit(t, site);
  const box = await page.locator('#bars').boundingBox();
  if (box === null) throw new Error('The bars are shown.');
  await page.mouse.move(box.x + box.width - 4, box.y + 4);
  t.match(await page.locator('[data-tip]').textContent(), /Fine/);
  await page.mouse.move(box.x, box.y + 300);
  await page.locator('#bars').focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  t.match(await page.locator('[data-tip]').textContent(), /Not measured/, 'left is forwards');
});

t.test('a theme is chosen, remembered, and set before the browser draws anything', async (t) => {
  const site = await serve(t);
  const { page, context } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  const button = page.locator('[data-theme-switch]');
  const themeOf = (visited: Page) => visited.evaluate('document.documentElement.dataset.theme ?? null');
  const seen = [];
  for (let i = 0; i < 3; i += 1) {
    await button.click();
    seen.push([await themeOf(page), await button.getAttribute('aria-label')]);
  }
  t.strictSame(seen, [
    ['light', 'Light'],
    ['dark', 'Dark'],
    [null, 'As set'],
  ]);
  await button.click();
  await button.click();
  const other = await context.newPage();
  await other.addInitScript(`addEventListener('DOMContentLoaded', () => {}); new MutationObserver(() => {
    if (document.body && !window.early) window.early = document.documentElement.dataset.theme ?? 'none';
  }).observe(document, { childList: true, subtree: true });`);
  await other.goto('/');
  t.equal(await other.evaluate('window.early'), 'dark');
  t.equal(await other.locator('[data-theme-switch]').getAttribute('aria-label'), 'Dark');
});

t.test('the theme changes without storage', async (t) => {
  const site = await serve(t);
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.addInitScript(
    `Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } });`,
  );
  await page.goto('/');
  await page.locator('[data-theme-switch]').click();
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'light');
  t.strictSame(troubles, []);
});

t.test('times are written in the zone of the viewer', async (t) => {
  const site = await serve(t);
  site.content =
    draw(`<time datetime="2026-11-21T23:30:00.000Z" data-local="datetime">21 Nov 2026, 23:30 UTC</time>
    <time datetime="2026-11-21T23:30:00.000Z" data-local="time">23:30 UTC</time>
    <time datetime="2026-11-21">21 November</time><time datetime="never" data-local="time">never</time>
    <time datetime="2026-11-21T23:30:00.000Z" data-local="time" data-since="2026-11-21T22:59:00.000Z">23:30 UTC</time>
    <time datetime="2026-11-21T22:30:00.000Z" data-local="time" data-since="2026-11-21T10:00:00.000Z">22:30 UTC</time>`);
  const { page } = await visit(t, site);
  t.strictSame(await page.locator('time').allTextContents(), [
    '22 Nov 2026, 00:30 CET',
    '00:30 CET',
    '21 November',
    'never',
    '22 Nov 2026, 00:30 CET',
    '23:30 CET',
  ]);
  t.equal(await page.locator('time').first().getAttribute('title'), '21 Nov 2026, 23:30 UTC');
});

t.test('times that are not long ago are written as their age, which grows', async (t) => {
  const site = await serve(t);
  const now = Date.parse('2026-11-21T12:00:00.000Z');
  const ago = (seconds: number) =>
    `<time datetime="${new Date(now - seconds * 1000).toISOString()}" data-local="ago">in UTC</time>`;
  site.content = draw([3, 25, 59, 60, 7_199, 86_399, 86_400, -3_600].map(ago).join(' '));
  const { page, troubles } = await startVisit(t, browser, site.origin);
  // The clock runs while the page loads, and cannot go back.
  await page.clock.install({ time: now - 20_000 });
  await page.goto('/');
  await page.clock.pauseAt(now + 1_000);
  await page.clock.setFixedTime(now);
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
  t.strictSame(await page.locator('time').allTextContents(), [
    '10 seconds ago',
    '20 seconds ago',
    '50 seconds ago',
    '1 minute ago',
    '1 hour ago',
    '23 hours ago',
    '20 Nov 2026, 13:00 CET',
    '21 Nov 2026, 14:00 CET',
  ]);
  t.equal(await page.locator('time').first().getAttribute('title'), '21 Nov 2026, 12:59 CET');
  await page.clock.setSystemTime(now);
  await page.clock.runFor(70_000);
  t.strictSame((await page.locator('time').allTextContents()).slice(0, 2), ['1 minute ago', '1 minute ago']);

  await setHidden(page, true);
  await page.clock.runFor(120_000);
  t.equal(await page.locator('time').first().textContent(), '1 minute ago', 'not while it is hidden');
  await setHidden(page, false);
  t.equal(await page.locator('time').first().textContent(), '3 minutes ago');
  t.strictSame(troubles, []);
});

t.test('a moment of today is a time of day, and another one has its day', async (t) => {
  const site = await serve(t);
  const now = Date.parse('2026-11-21T23:30:00.000Z');
  site.content = draw(
    ['2026-11-21T22:10:00.000Z', '2026-11-21T23:10:00.000Z']
      .map((at) => `<time datetime="${at}" data-local="moment">in UTC</time>`)
      .join(' '),
  );
  const { page } = await startVisit(t, browser, site.origin);
  await page.clock.install({ time: now });
  await page.goto('/');
  t.strictSame(await page.locator('time').allTextContents(), ['21 Nov, 23:10', '00:10']);
});

t.test('a connection that comes back while a request hangs is used at once', async (t) => {
  const site = await serve(t);
  const visited = await visit(t, site);
  let hanging: ServerResponse | undefined;
  site.answer = (res) => {
    hanging = res;
  };
  await ask(visited, site, 36_000);
  await visited.page.evaluate(`dispatchEvent(new Event('online'))`);
  delete site.answer;
  hanging?.writeHead(503).end();
  await waitUntil('the page asks again', async () => {
    await visited.page.clock.runFor(1);
    return site.asked.length === 3;
  });
});

t.test('a visitor who asks for less traffic causes less', async (t) => {
  const site = await serve(t);
  const { page } = await startVisit(t, browser, site.origin);
  await page.addInitScript(
    `Object.defineProperty(navigator, 'connection', { value: { saveData: true }, configurable: true })`,
  );
  await page.clock.install();
  const plans = await countPlans(page);
  await page.goto('/');
  await page.clock.pauseAt(Date.now() + 10_000);
  await page.clock.fastForward(280_000);
  t.strictSame(site.asked, ['whole']);
  await poll({ page, troubles: [], plans }, site, 80_000);
  t.strictSame(site.asked, ['whole', 'same']);
});
