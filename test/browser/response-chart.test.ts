import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { hourMs } from '../../lib/times.js';
import { openBrowser } from '../support/browser.js';
import { addService, makeStatusSite, type StatusSite, startStatusService } from '../support/status-page.js';
import { findAxeViolations, startVisit } from '../support/visit.js';

const fiveMinutesMs = 300_000;
const service = await startStatusService(t);
const browser = await openBrowser(t);
// No hour begins between the points and the look at their chart.
if (service.clock.now() % hourMs > hourMs - fiveMinutesMs) service.clock.advance(fiveMinutesMs);

async function makeSite(slug: string): Promise<StatusSite> {
  const site = await makeStatusSite(service, slug, { name: 'Acme', languages: ['en', 'de'] });
  await addService(service, site, { slug: 'api', name: 'API', hourGaps: [3, 4, 7] });
  await addService(service, site, { slug: 'web', name: 'Web' });
  return site;
}

const chartOf = (page: Page, slug = 'api') => page.locator(`#chart-${slug}`);
const readout = (page: Page) => page.locator('.readout');
const shownRange = (page: Page, slug?: string) =>
  chartOf(page, slug).locator('[aria-current]').getAttribute('data-range');
const choose = async (page: Page, range: string, slug?: string) => {
  await chartOf(page, slug).locator(`[data-range="${range}"]`).click();
  await page.locator(`#chart-${slug ?? 'api'}[data-chart="${range}"]`).waitFor();
};

async function openChart(
  page: Page,
  slug = 'api',
): Promise<{ x: number; y: number; width: number; height: number }> {
  await page.locator(`#response-${slug} summary`).click();
  await chartOf(page, slug).locator('.lines').scrollIntoViewIfNeeded();
  const box = await chartOf(page, slug).locator('.lines').boundingBox();
  if (box === null) throw new Error('The chart is shown.');
  return box;
}

const pointAt = (page: Page, box: { x: number; y: number; width: number }, step: number, steps = 24) =>
  page.mouse.move(box.x + (box.width * (step + 0.5)) / steps, box.y + 20);

t.test('a crosshair follows the pointer, with the time, the average and the percentile', async (t) => {
  const site = await makeSite('crosshair');
  const { page, troubles } = await startVisit(t, browser, site.origin, { timezoneId: 'UTC' });
  await page.goto('/');
  const box = await openChart(page);
  await pointAt(page, box, 0);
  const begin = new Date(Math.floor(service.clock.now() / hourMs) * hourMs - 23 * hourMs);
  const hour = String(begin.getUTCHours()).padStart(2, '0');
  t.match(
    await readout(page).textContent(),
    new RegExp(` ${hour}:00.*Average \\d+ ms95th percentile \\d+ ms$`),
  );
  const cross = await page.locator('.cross').boundingBox();
  t.ok(Math.abs((cross?.x ?? 0) - (box.x + box.width / 48)) <= 1, 'on the middle of the hour');
  t.equal(Math.round(cross?.height ?? 0), Math.round(box.height));
  const dots = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.cross i')].map((dot) => Number.parseFloat(dot.style.top))`,
  );
  t.ok((dots[0] ?? 0) < (dots[1] ?? 0), 'the percentile is above the average');

  await pointAt(page, box, 20);
  t.match(await readout(page).textContent(), /Not measured$/, 'a gap');
  t.equal(await page.locator('.cross i:visible').count(), 0);
  await readout(page).hover();
  t.match(await readout(page).textContent(), /Not measured$/, 'the pointer can move onto it');
  await page.mouse.move(2, 2);
  t.equal(await readout(page).isVisible(), false);
  t.equal(await page.locator('.cross').isVisible(), false);
  t.strictSame(troubles, []);
});

t.test('lines end where the data ends, and gaps are gaps', async (t) => {
  const site = await makeSite('gaps');
  const { page } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  await openChart(page);
  const line = (await chartOf(page).locator('path.average:not(.dots)').getAttribute('d')) ?? '';
  t.equal((line.match(/M/g) ?? []).length, 3, 'until 7 hours ago, then two hours, then the last three');
  t.notMatch(line, /[VvHhz]/, 'nothing goes down to the base');
});

t.test('keys move the crosshair, and screen readers hear where it is', async (t) => {
  const site = await makeSite('keys');
  const { page, troubles } = await startVisit(t, browser, site.origin, { timezoneId: 'UTC' });
  await page.goto('/');
  await page.locator('#response-api summary').focus();
  await page.keyboard.press('Enter');
  for (let i = 0; i < 5; i += 1) await page.keyboard.press('Tab');
  const last = await readout(page).textContent();
  t.match(last, /Average \d+ ms/, 'the last hour first');
  await page.keyboard.press('ArrowLeft');
  t.not(await readout(page).textContent(), last);
  t.match(await page.locator('[data-announce]').textContent(), /: Average \d+ ms, 95th percentile \d+ ms$/);
  await page.keyboard.press('End');
  t.equal(await readout(page).textContent(), last);
  await page.keyboard.press('Escape');
  t.equal(await readout(page).isVisible(), false);
  t.strictSame(troubles, []);
});

t.test('another range comes without loading the page, for all charts, and stays for the visit', async (t) => {
  const site = await makeSite('ranges');
  const { page, troubles } = await startVisit(t, browser, site.origin);
  await page.goto('/en/');
  await page.evaluate('window.isSame = true');
  await openChart(page);
  t.equal(await shownRange(page), '24h');
  for (const [range, steps] of [
    ['7d', 168],
    ['30d', 30],
    ['90d', 90],
  ] as const) {
    await choose(page, range);
    t.equal(await shownRange(page, 'web'), range, 'in the other chart as well');
    const values = (await chartOf(page).locator('.plot').getAttribute('data-average')) ?? '';
    t.equal(values.split(',').length, steps);
    t.equal(await chartOf(page).getAttribute('aria-busy'), null);
  }
  t.equal(await page.evaluate('window.isSame'), true);
  t.equal(await page.locator('#response-api').getAttribute('open'), '', 'still unfolded');
  t.match(page.url(), /\/en\/\?range=90d$/);
  const focused = () => page.evaluate(`document.activeElement.dataset.range`);
  t.equal(await focused(), '90d', 'the focus stays');

  const { y, ...box } = await openBox(page);
  await pointAt(page, { y, ...box }, 0, 90);
  t.match(await readout(page).textContent(), /^\w+day.* \d{4}Average/, 'a day');

  await page.goto('/de/');
  t.equal(await shownRange(page), '24h', 'nothing more is loaded before it is wanted');
  await openChart(page, 'web');
  await page.locator('#chart-web[data-chart="90d"]').waitFor();
  t.strictSame(troubles, []);
});

async function openBox(page: Page) {
  const box = await chartOf(page).locator('.lines').boundingBox();
  if (box === null) throw new Error('The chart is shown.');
  return box;
}

t.test('a range that does not come leaves the chart as it is, and comes later', async (t) => {
  const site = await makeSite('offline');
  const { page, context } = await startVisit(t, browser, site.origin);
  await page.goto('/');
  await openChart(page);
  await context.setOffline(true);
  await chartOf(page).locator('[data-range="7d"]').click();
  t.equal(await chartOf(page).getAttribute('aria-busy'), 'true');
  t.equal(await shownRange(page), '24h');
  await context.setOffline(false);
  await page.locator('#chart-api[data-chart="7d"]').waitFor();
});

t.test('a range whose first requests fail comes before the next request that is due', async (t) => {
  const site = await makeSite('shaky');
  const { page } = await startVisit(t, browser, site.origin);
  const asked: boolean[] = [];
  await page.route('**/?range=7d', (route) => {
    const fails = asked.length < 2;
    asked.push(fails);
    return fails ? route.abort() : route.continue();
  });
  await page.goto('/');
  await openChart(page);
  await chartOf(page).locator('[data-range="7d"]').click();
  await page.locator('#chart-api[data-chart="7d"]').waitFor();
  t.strictSame(asked, [true, true, false]);
});

t.test('times below the chart are round in the zone of the visitor', async (t) => {
  const site = await makeSite('zones');
  for (const timezoneId of ['Asia/Kathmandu', 'America/New_York']) {
    const { page } = await startVisit(t, browser, site.origin, { timezoneId });
    await page.goto('/');
    await openChart(page);
    const ticks = await chartOf(page).locator('.ticks text').allTextContents();
    t.ok(ticks.length >= 3, `${timezoneId}: ${ticks}`);
    for (const tick of ticks) t.match(tick, /^(?:(?:06|12|18):00|Mon|Tue|Wed|Thu|Fri|Sat|Sun)$/);
  }
});

t.test('without scripts a range is a link, which unfolds the chart again', async (t) => {
  const site = await makeSite('plain');
  const { page } = await startVisit(t, browser, site.origin, { javaScriptEnabled: false });
  await page.goto('/');
  await page.locator('#response-api summary').click();
  await chartOf(page).locator('[data-range="30d"]').click();
  await page.waitForURL('**/?range=30d#chart-api');
  t.equal(await shownRange(page), '30d');
  t.equal(await chartOf(page).locator('.plot').isVisible(), true);
  await page.goto('/?range=1y');
  t.equal(await shownRange(page), '24h', 'a range that does not exist');
});

async function checkPhone(t: Test, colorScheme: 'light' | 'dark'): Promise<void> {
  const site = await makeSite(`phone-${colorScheme}`);
  const { page, troubles } = await startVisit(t, browser, site.origin, {
    ...{ colorScheme, viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  });
  await page.goto('/');
  const summary = page.locator('#response-api summary');
  t.match(await summary.textContent(), /^Response time \d+ ms$/);
  t.ok(((await summary.locator('span').boundingBox())?.width ?? 0) > 100, 'the label stays');
  await summary.tap();
  for (const target of [summary, ...(await chartOf(page).locator('.ranges a').all())]) {
    const box = await target.boundingBox();
    t.ok((box?.height ?? 0) >= 44 && (box?.width ?? 0) >= 44, `${box?.width} × ${box?.height}`);
  }
  await chartOf(page).locator('.lines').scrollIntoViewIfNeeded();
  const box = await openBox(page);
  await page.touchscreen.tap(box.x + 3, box.y + 20);
  t.match(await readout(page).textContent(), /Average \d+ ms/);
  const tip = await readout(page).boundingBox();
  t.ok((tip?.x ?? -1) >= 0, 'within the window');
  t.strictSame(await findAxeViolations(page), []);
  t.strictSame(troubles, []);
}

t.test('on a phone everything to touch is large enough', async (t) => {
  await checkPhone(t, 'light');
  await checkPhone(t, 'dark');
});

t.test('times below the chart are round on the day that the clocks go back', async (t) => {
  service.clock.advance(nextEndOfSummerTime() - service.clock.now());
  const site = await makeSite('summer-time');
  const { page } = await startVisit(t, browser, site.origin, { timezoneId: 'America/New_York' });
  await page.goto('/');
  await openChart(page);
  const ticks = await chartOf(page).locator('.ticks text').allTextContents();
  t.ok(ticks.length >= 3, `${ticks}`);
  for (const tick of ticks) t.match(tick, /^(?:(?:06|12|18):00|Sun)$/);
});

/** Noon in UTC of a day on which summer time ends in New York: the first Sunday of November, next year. */
function nextEndOfSummerTime(): number {
  const year = new Date(service.clock.now()).getUTCFullYear() + 1;
  const weekday = new Date(Date.UTC(year, 10, 1)).getUTCDay();
  return Date.UTC(year, 10, 1 + ((7 - weekday) % 7), 12);
}
