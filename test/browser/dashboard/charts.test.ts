import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, visitDashboard } from '../../support/dashboard-visit.js';
import { setPage } from '../../support/pages.js';
import { answerDatabaseHealth, makeDatabaseHealth } from '../../support/pool-answers.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { measureOverflow } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
await setPage({ sql: service.stores.sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });
const browser = await openBrowser(t);
const now = Date.now();
const { from, step } = makeDatabaseHealth(now);
const stepMs = step * 1_000;
const stepsDrawn = 72;

/** The screen of the databases, which has charts of all kinds. */
async function openCharts(t: Test, options: Parameters<typeof visitDashboard>[2] = {}) {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'viewer' } }, options);
  await answerDatabaseHealth(visit.page, now);
  await visit.page.goto('/manage/pages/acme/databases');
  await surfaceOf(visit.page, heatMap).waitFor();
  return visit;
}

const [utilisation, percentiles, heatMap] = [
  'Utilisation',
  'Time to get a connection',
  'How long callers waited for a connection',
];
const surfaceOf = (page: Page, title: string) => page.getByRole('application', { name: `${title}, chart` });
const rangeOf = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return ['from', 'to'].map((name) => Date.parse(searchParams.get(name) ?? ''));
};

async function boxOf(page: Page, title: string) {
  const surface = surfaceOf(page, title);
  await surface.scrollIntoViewIfNeeded();
  const box = await surface.boundingBox();
  if (box === null) throw new Error('The chart is shown.');
  /** The middle of a step, in the window. */
  return { ...box, xOf: (index: number) => box.x + ((index + 0.5) / stepsDrawn) * box.width, y: box.y + 30 };
}

t.test('charts are drawn where the system has no language', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'viewer' } });
  await visit.page.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'language', { get: () => 'en-US@posix', configurable: true }),
  );
  await answerDatabaseHealth(visit.page, now);
  await visit.page.goto('/manage/pages/acme/databases');
  await surfaceOf(visit.page, heatMap).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('dragging zooms the whole screen, and Back undoes it', async (t) => {
  const { page, troubles } = await openCharts(t);
  const { xOf, y } = await boxOf(page, utilisation);
  await page.mouse.move(xOf(10), y);
  await page.mouse.down();
  await page.mouse.move(xOf(15), y);
  await page.mouse.move(xOf(29), y);
  await page.mouse.up();
  await page.waitForURL(/from=2/);
  t.same(rangeOf(page), [Date.parse(from) + 10 * stepMs, Date.parse(from) + 30 * stepMs]);
  await page.getByText('Fixed range').waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Time range: Last 6 hours' }).waitFor();
  await page.getByRole('button', { name: 'Show twice as much time' }).click();
  await page.waitForURL(/from=now-12h/);
  t.strictSame(troubles, []);
});

t.test('the keyboard moves the cursor, speaks, selects and zooms', async (t) => {
  const { page, troubles } = await openCharts(t);
  const surface = surfaceOf(page, percentiles);
  await surface.focus();
  const spoken = page.getByRole('status').filter({ hasText: 'p95' });
  await page.keyboard.press('Home');
  await spoken.filter({ hasText: /: p50 ≤ 1 ms, p95 ≤ \d+ ms, p99 ≤ \d+ ms$/ }).waitFor();
  for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
  await spoken.filter({ hasText: 'p95 no data' }).waitFor();
  for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft');
  await page.getByRole('status').filter({ hasText: 'selected. Enter zooms to it.' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  t.notMatch(page.url(), /from=2/, 'there is nothing selected any more');
  for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowLeft');
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=2/);
  t.same(rangeOf(page), [Date.parse(from) + 23 * stepMs, Date.parse(from) + 28 * stepMs]);
  t.strictSame(troubles, []);
});

t.test('two presses zoom where somebody cannot drag', async (t) => {
  const { page, troubles } = await openCharts(t);
  const { xOf, y } = await boxOf(page, utilisation);
  const tool = page
    .getByRole('region', { name: utilisation })
    .getByRole('button', { name: 'Select a time range to zoom to' });
  await tool.click();
  await page.mouse.click(xOf(40), y);
  t.notMatch(page.url(), /from=2/);
  await page.mouse.click(xOf(20), y);
  await page.waitForURL(/from=2/);
  t.same(rangeOf(page), [Date.parse(from) + 20 * stepMs, Date.parse(from) + 41 * stepMs]);
  t.equal(await tool.getAttribute('aria-pressed'), 'false');
  t.strictSame(troubles, []);
});

t.test('the cursor is that of all charts; the tooltip that of one', async (t) => {
  const { page, troubles } = await openCharts(t);
  const { xOf, y } = await boxOf(page, utilisation);
  await page.mouse.move(xOf(50), y);
  const times = await page.locator('.chart-time').allTextContents();
  t.equal(times.length, 4);
  t.equal(new Set(times).size, 1, 'every legend has the values of the same time');
  t.equal(await page.locator('.plot-line').count(), 5, 'and the heat map has the line as well');
  t.equal(await page.locator('.plot-tooltip').count(), 1);
  t.match(await page.locator('.plot-tooltip').textContent(), /checkout\d+/);
  await page.mouse.move(5, 5);
  await page.locator('.plot-line').first().waitFor({ state: 'detached' });
  t.strictSame(troubles, []);
});

t.test('what is not kept is shaded and said, and the running step is lighter', async (t) => {
  const visit = await openCharts(t);
  const { page, troubles } = visit;
  t.equal(await page.locator('.plot-veil, .plot-span.unkept, .chart-note').count(), 0);
  await page.unrouteAll();
  const at = (index: number) => new Date(Date.parse(from) + index * stepMs).toISOString();
  await answerDatabaseHealth(page, now, { keptFrom: at(10), unfinishedFrom: at(stepsDrawn - 1) });
  await page.goto('/manage/pages/acme/databases?from=now-7d&to=now');
  await surfaceOf(page, heatMap).waitFor();
  await page.locator('.chart-note').last().waitFor();
  const charts = await page.locator('.chart').count();
  for (const part of ['.plot-veil', '.plot-span.unkept', '.chart-note', '.chart-unfinished'])
    t.equal(await page.locator(part).count(), charts, part);
  t.match(
    await page.locator('.chart-note').first().textContent(),
    /^Figures before .* are no longer kept\.$/,
  );
  await surfaceOf(page, utilisation).focus();
  await page.keyboard.press('End');
  await page.getByRole('status').filter({ hasText: 'so far' }).waitFor({ state: 'attached' });
  await page.keyboard.press('Home');
  await page.getByRole('status').filter({ hasText: 'no longer kept' }).first().waitFor({ state: 'attached' });
  await checkScreen(t, visit, 'charts with a gap');
  t.strictSame(troubles, []);
});

t.test('a series is left out, and the same figures stand in a table', async (t) => {
  const visit = await openCharts(t);
  const { page } = visit;
  const panel = page.getByRole('region', { name: utilisation });
  const before = await pictureOf(page);
  await panel.getByRole('button', { name: /^checkout/ }).click();
  t.equal(await panel.getByRole('button', { name: /^checkout/ }).getAttribute('aria-pressed'), 'false');
  await waitUntil('the line is gone', async () => (await pictureOf(page)) !== before);
  await panel.getByRole('button', { name: 'Show as table' }).click();
  const table = panel.getByRole('table', { name: utilisation });
  t.equal(await table.getByRole('row').count(), stepsDrawn + 1);
  t.equal(await table.getByRole('cell', { name: 'no data' }).count(), 4 * 4, 'a gap is no zero');
  const download = page.waitForEvent('download');
  await panel.getByRole('button', { name: 'Download CSV' }).click();
  t.equal((await download).suggestedFilename(), 'Utilisation.csv');
  await page.getByRole('region', { name: heatMap }).getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('columnheader', { name: '> 5 s' }).waitFor();
  await checkScreen(t, visit, 'tables');
});

t.test('the heat map has a cursor of its own: a bucket and a time', async (t) => {
  const { page, troubles } = await openCharts(t);
  await surfaceOf(page, heatMap).focus();
  const spoken = (text: RegExp) => page.getByRole('status').filter({ hasText: text }).waitFor();
  await page.keyboard.press('Home');
  await spoken(/: up to 1 ms [\d,]+\. [\d.]+% of [\d,]+ acquisitions$/);
  await page.keyboard.press('ArrowUp');
  await spoken(/: 1 ms to 5 ms [\d,]+\./);
  for (let i = 0; i < 12; i++) await page.keyboard.press('ArrowUp');
  await spoken(/: longer than 5 s 0\./);
  for (let i = 0; i < 3; i++) await page.keyboard.press('PageDown');
  await spoken(/: longer than 5 s not reported$/);
  t.equal(await page.locator('.heat-cell').count(), 1);
  t.strictSame(troubles, []);
});

t.test('another theme is drawn at once; a small window has room for the tooltip', async (t) => {
  const { page, troubles } = await openCharts(t, { colorScheme: 'light' });
  const light = await pictureOf(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitUntil('the dark chart is drawn', async () => (await pictureOf(page)) !== light);
  await page.setViewportSize({ width: 390, height: 844 });
  const { xOf, y } = await boxOf(page, percentiles);
  await page.mouse.move(xOf(60), y);
  const tooltip = await page.locator('.plot-tooltip').boundingBox();
  t.ok(tooltip !== null && tooltip.x >= 0 && tooltip.x + tooltip.width <= 390);
  t.equal(await measureOverflow(page), 0);
  t.strictSame(troubles, []);
});

/** Takes a picture of the first chart. */
function pictureOf(page: Page): Promise<string> {
  return page.evaluate<string>(`document.querySelector('.plot canvas').toDataURL()`);
}
