import type { Browser, CDPSession, Page } from 'playwright-core';
import { line, median } from '../support/report.js';
import { mainThreadMs, openTab, openUntilDrawn, type State } from './visitor.js';

const rounds = 5;
/** Nothing answers to it: what a tab spends in the same time anyway, such as on its timers. */
const nothing: Interaction = { name: 'nothing', path: '/reporters', async act() {} };
/** Time for the frames, and for the read that follows where there is one. */
const settleMs = 500;
const hoverSteps = 20;

type Interaction = { name: string; path: string; act(page: Page, round: number): Promise<void> };

async function hover(page: Page): Promise<void> {
  const box = await page.locator('main .u-over, main canvas').first().boundingBox();
  if (box === null) return;
  for (let step = 0; step < hoverSteps; step += 1)
    await page.mouse.move(box.x + (box.width * (step + 1)) / (hoverSteps + 2), box.y + box.height / 2);
}

async function zoom(page: Page): Promise<void> {
  const box = await page.locator('main .u-over, main canvas').first().boundingBox();
  if (box === null) return;
  await page.mouse.move(box.x + box.width * 0.3, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}

const openMenu = (page: Page): Promise<void> => page.locator('.range-button').first().click();
const sort = (page: Page, round: number): Promise<void> =>
  page
    .locator('main th button')
    .nth(round % 3)
    .click();
const filter = (text: string) => (page: Page) => page.locator('main .filter input').first().fill(text);

const interactions: readonly Interaction[] = [
  nothing,
  { name: 'open the range of time', path: '/reporters', act: openMenu },
  { name: 'open the palette', path: '/reporters', act: (page) => page.keyboard.press('Control+k') },
  { name: 'sort 2,000 reporters', path: '/reporters', act: sort },
  { name: 'filter 2,000 reporters', path: '/reporters', act: filter('reporter-19') },
  {
    name: 'scroll 2,000 reporters',
    path: '/reporters',
    act: async (page) => {
      await page.locator('main table').first().hover();
      await page.mouse.wheel(0, 4_000);
    },
  },
  { name: 'search 2,000 endpoints', path: '/traffic?tab=endpoints', act: filter('resource-19') },
  { name: 'sort endpoints', path: '/traffic?tab=endpoints', act: sort },
  {
    name: 'choose all monitors',
    path: '/monitors',
    act: (page) => page.getByLabel('Choose all rows').check(),
  },
  { name: 'move over a chart, 20 steps', path: '/traffic', act: hover },
  { name: 'zoom a chart', path: '/traffic', act: zoom },
];

/**
 * Measures what each interaction costs the main thread of a tab: processor time of its tasks, and the longest of them.
 * Idle time is measured in the same half second without an interaction.
 */
export async function measureInteractions(
  browser: Browser,
  { url, slug, state }: { url: string; slug: string; state: State },
): Promise<void> {
  const { context, page } = await openTab(browser, url, state);
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  line(`\nmain thread of a tab per interaction, medians of ${rounds}`);
  let idleMs = Number.NaN;
  for (const { name, path, act } of interactions) {
    const spent: number[] = [];
    const longest: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await openUntilDrawn(page, `/manage/pages/${slug}${path}`);
      await page.waitForTimeout(settleMs);
      const measured = await measure(page, session, () => act(page, round));
      spent.push(measured.spentMs);
      longest.push(measured.longestMs);
    }
    if (name === nothing.name) idleMs = median(spent);
    line(
      `  ${name.padEnd(28)} ${median(spent).toFixed(0).padStart(5)} ms  longest task ${describe(median(longest))}  ratio to nothing ${(median(spent) / idleMs).toFixed(1)}`,
    );
  }
  await context.close();
}

/** Chromium reports tasks of 50 ms and more. */
function describe(longestMs: number): string {
  return longestMs === 0 ? '< 50 ms' : `${longestMs.toFixed(0).padStart(4)} ms`;
}

async function measure(page: Page, session: CDPSession, act: () => Promise<void>) {
  await page.evaluate(`globalThis.longTasks = [];
    globalThis.observer ??= new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) globalThis.longTasks.push(duration);
    });
    globalThis.observer.observe({ type: 'longtask' });`);
  const before = await mainThreadMs(session);
  await act();
  await page.waitForTimeout(settleMs);
  const spentMs = (await mainThreadMs(session)) - before;
  const longestMs = await page.evaluate<number>('Math.max(0, ...globalThis.longTasks)');
  return { spentMs, longestMs };
}
