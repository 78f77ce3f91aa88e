import type { Page } from 'playwright-core';
import t from 'tap';
import { dayMs, hourMs } from '../../lib/times.js';
import { openBrowser } from '../support/browser.js';
import {
  addService,
  makeStatusSite,
  openSiteIncident,
  postSiteUpdate,
  startStatusService,
} from '../support/status-page.js';
import { countPlans, findAxeViolations, measureOverflow, startVisit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

const service = await startStatusService(t);
const { clock } = service;
const browser = await openBrowser(t);
/** A time of the day that was so many days ago: an incident which ends after midnight belongs to two days. */
const timeOf = (daysAgo: number, hour: number) => {
  const midnight = Math.floor(clock.now() / dayMs) * dayMs - daysAgo * dayMs;
  return new Date(midnight + hour * hourMs).toISOString();
};

const site = await makeStatusSite(service, 'days', { name: 'Acme' });
await addService(service, site, {
  slug: 'api',
  name: 'API',
  downMinutes: { 3: 14, 62: 700 },
  failedChecks: { 9: 4 },
});
await addService(service, site, { slug: 'shop', name: 'Shop' });
const id = await openSiteIncident(service, site, {
  ...{ title: 'Slow gateway', monitorSlugs: ['api'], startedAt: timeOf(3, 8), resolvedAt: timeOf(3, 10) },
});
await openSiteIncident(service, site, {
  ...{ title: 'Long ago', monitorSlugs: ['api'], startedAt: timeOf(62, 8), resolvedAt: timeOf(62, 10) },
});
const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };

/** The middle of the column of a day of the API. */
async function placeOf(page: Page, daysAgo: number): Promise<{ x: number; y: number }> {
  const bars = page.locator('#service-api .days');
  await bars.scrollIntoViewIfNeeded();
  const box = await bars.boundingBox();
  if (box === null) throw new Error('The bars are shown.');
  return { x: box.x + (box.width * (89.5 - daysAgo)) / 90, y: box.y + box.height / 2 };
}

const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

t.test('the pointer moves from a day to its incident', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  const tip = page.locator('.tip');
  const { x, y } = await placeOf(page, 3);
  await page.mouse.move(x, y);
  t.match(await tip.textContent(), /14 minutes down · 0\.97% of checks failed Slow gateway$/);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findAxeViolations(page), [], colorScheme);
  }
  const link = await tip.getByRole('link').boundingBox();
  if (link === null) throw new Error('The link is shown.');
  await page.mouse.move(x, link.y + link.height / 2, { steps: 20 });
  t.match(await tip.textContent(), /14 minutes down/, 'the day stays on the way to the tip');
  await page.mouse.click(link.x + 5, link.y + link.height / 2);
  await page.waitForURL(`**/en/incidents/${id}`);

  await page.goto('/');
  const old = await placeOf(page, 62);
  await page.mouse.move(old.x, old.y);
  t.match(
    await tip.textContent(),
    /11 hours, 40 minutes down .* Long ago$/,
    'older than the past incidents shown',
  );
  const good = await placeOf(page, 20);
  await page.mouse.move(good.x, good.y);
  t.match(await tip.textContent(), /No downtime$/);
  t.strictSame(troubles, []);
});

t.test('the keyboard reaches the incident of a day', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  const bars = page.locator('#service-api .days');
  await bars.focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowLeft');
  t.match(await page.locator('[data-announce]').textContent(), /14 minutes down .* Slow gateway$/);
  await page.keyboard.press('Tab');
  t.equal(await focused(page), 'Slow gateway');
  t.ok(await page.locator('.tip').isVisible());
  await page.keyboard.press('Escape');
  t.equal(await page.locator('.tip').isVisible(), false);
  t.equal(await page.evaluate('document.activeElement.dataset.from !== undefined'), true, 'back at the days');
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  t.match(await focused(page), /^Response time/, 'and what follows');
  t.equal(await page.locator('.tip').isVisible(), false);
  await page.keyboard.press('Shift+Tab');
  t.equal(await page.evaluate('document.activeElement.dataset.from !== undefined'), true);
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/en/incidents/${id}`);
  t.strictSame(troubles, []);
});

t.test('a finger finds a day with a problem near it, slides, and follows the link', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin, phone);
  await page.goto('/');
  const tip = page.locator('.tip');
  const { x, y } = await placeOf(page, 3);
  await page.touchscreen.tap(x + 9, y);
  t.match(await tip.textContent(), /14 minutes down .* Slow gateway$/);
  t.equal(await measureOverflow(page), 0);
  t.strictSame(await findAxeViolations(page), []);
  await page.touchscreen.tap((await placeOf(page, 40)).x, y);
  t.match(await tip.textContent(), /No downtime$/, 'none is near');
  await page.touchscreen.tap((await placeOf(page, 9)).x + 4, y);
  t.match(await tip.textContent(), /of checks failed$/);
  const session = await page.context().newCDPSession(page);
  const touch = (type: string, ...touchPoints: object[]) =>
    session.send('Input.dispatchTouchEvent' as 'Network.enable', { type, touchPoints } as object);
  await touch('touchStart', { x: x - 150, y });
  for (let left = 140; left >= 0; left -= 10) await touch('touchMove', { x: x - left, y });
  await touch('touchEnd');
  t.match(await tip.textContent(), /14 minutes down/, 'where the finger ends');
  await page.touchscreen.tap(x, y);
  await tip.getByRole('link', { name: 'Slow gateway' }).tap();
  await page.waitForURL(`**/en/incidents/${id}`);
  t.strictSame(troubles, []);
});

t.test('what a finger touches is 44 pixels high on a phone', async (t) => {
  const open = await openSiteIncident(service, site, { monitorSlugs: ['shop'] });
  await postSiteUpdate(service, site, open, { status: 'identified', body: 'A disk is full.' });
  clock.advance(31_000);
  const { page } = await startVisit(t, browser, site.origin, phone);
  await page.goto('/');
  const { x, y } = await placeOf(page, 3);
  await page.touchscreen.tap(x, y);
  t.ok(await page.locator('#service-api summary').getByText('Response time').isVisible(), 'the label stays');
  const small = await page.evaluate<string[]>(`[...document.querySelectorAll(
      'main :is(a, button, summary, .days), .top :is(a, button), .tip a')].flatMap((element) => {
    const { width, height } = element.getBoundingClientRect();
    const isShown = element.checkVisibility() && element.closest('.visually-hidden') === null;
    return isShown && height < 43.9 && element.closest('h1') === null
      ? [element.textContent + ' ' + width + ' × ' + height] : [];
  })`);
  t.strictSame(small, []);
});

t.test('a new state of the page leaves the tip and its focus alone', async (t) => {
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.clock.install();
  const plans = await countPlans(page);
  await page.goto('/');
  await page.locator('#service-api .days').focus();
  for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  const before = await plans.soFar();
  await openSiteIncident(service, site, { title: 'New', monitorSlugs: ['api'] });
  clock.advance(31_000);
  await page.clock.fastForward(36_000);
  await waitUntil('the page has dealt with the answer', async () => (await plans.soFar()) > before);
  await page.getByRole('heading', { name: 'New' }).waitFor();
  t.equal(await focused(page), 'Slow gateway');
  t.ok(await page.locator('.tip').isVisible());
  t.strictSame(troubles, []);
});
