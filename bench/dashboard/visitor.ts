import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { person } from './fill.js';

/** Time after which a screen has failed to draw its figures. */
const drawnMsMax = 20_000;

/**
 * Runs in each document: notes when the screen has its panels and no shape of loading is left in any of them, in
 * milliseconds from the start of the navigation.
 */
const noteDrawn = `
  addEventListener('DOMContentLoaded', () => {
    const look = () => {
      const main = document.querySelector('main');
      const isDrawn = main?.querySelector('.panel, table, .figure') && !main.querySelector('.skeleton');
      if (isDrawn) globalThis.drawnAt ??= performance.now();
      else requestAnimationFrame(look);
    };
    look();
  });`;

/** Signs a person in, and returns the cookies for further contexts. */
export async function signIn(browser: Browser, url: string) {
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto('/manage');
  await page.locator('input[name=email]').fill(person.email);
  await page.locator('input[name=password]').fill(person.password);
  await page.locator('main form button').first().click();
  await page.waitForURL(/\/manage(\/pages.*)?$/);
  const state = await context.storageState();
  await context.close();
  return state;
}

export type State = Awaited<ReturnType<typeof signIn>>;

/** A tab of the person who signed in. Close the context at the end. */
export async function openTab(
  browser: Browser,
  url: string,
  state: State,
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext({
    ...{ baseURL: url, storageState: state, viewport: { width: 1_440, height: 900 } },
  });
  await context.addInitScript(noteDrawn);
  return { context, page: await context.newPage() };
}

/**
 * Opens an address and returns the milliseconds from the start of the navigation until every figure was drawn; NaN when
 * that takes longer than 20 s.
 */
export async function openUntilDrawn(page: Page, path: string): Promise<number> {
  await page.goto(path);
  const until = performance.now() + drawnMsMax;
  for (;;) {
    const drawnAt = await page.evaluate<number | null>('globalThis.drawnAt ?? null');
    if (drawnAt !== null) return drawnAt;
    if (performance.now() > until) return Number.NaN;
    await page.waitForTimeout(20);
  }
}

/** Processor time that the main thread of a tab has spent on tasks so far, in milliseconds. */
export async function mainThreadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN);
}
