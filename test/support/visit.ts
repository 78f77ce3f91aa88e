import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { isThirdTier } from './tiers.js';
import { waitUntil } from './wait-until.js';

/** A visitor with a separate browser context that records what goes wrong. */
export type Visit = {
  page: Page;
  context: BrowserContext;
  /** Errors and warnings in the console, broken policies, dialogs, and requests to another origin. */
  troubles: string[];
  /**
   * Addresses of requests that the test itself answers with 503, one entry for each. The console has a line for each at
   * any later time, which is no trouble.
   */
  refused: string[];
};

/** A visitor without cookies and storage; in Berlin and reading English unless given otherwise. */
export async function startVisit(
  t: Test,
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    ...{ locale: 'en-US', timezoneId: 'Europe/Berlin', viewport: { width: 1_200, height: 900 } },
    baseURL: origin,
    ...options,
  });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const troubles: string[] = [];
  const refused: string[] = [];
  page.on('pageerror', (error) => troubles.push(`thrown: ${error.message}`));
  page.on('console', (message) => {
    const at = refused.indexOf(message.location().url);
    if (at !== -1 && message.text().includes('status of 503')) {
      refused.splice(at, 1);
      return;
    }
    if (['error', 'warning'].includes(message.type())) troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const url = request.url();
    if (url.startsWith(`${origin}/`) || url.startsWith('data:')) return;
    troubles.push(`request: ${url}`);
  });
  context.on('requestfailed', (request) => {
    // The browser did not send it; the console has the attempt.
    const at = troubles.indexOf(`request: ${request.url()}`);
    if (at !== -1 && request.failure()?.errorText === 'csp') troubles.splice(at, 1);
  });
  return { page, context, troubles, refused };
}

/**
 * Makes routes work from the moment they are set, on documents that load from now on. A document that is there when the
 * first route is set learns of it behind its other work: with 25 of every 28 ms busy, 4 of 200 requests passed by the
 * route. The browser does without its HTTP cache from now on.
 */
export async function interceptRequests(page: Page): Promise<void> {
  await page.route(/^none:/, (route) => route.fallback());
}

/**
 * The themes in which tests scan a screen. Light is the harder one: the least contrast of a text is 5.0 in light, and
 * 6.0 in dark. test/web/view-colours.test.ts and test/web/dashboard/colours.test.ts work out every pair of both.
 */
export const scannedThemes = isThirdTier ? (['light', 'dark'] as const) : (['light'] as const);

let axeSource: string | undefined;

/** Violations that axe-core finds, as lines of rule and element. Evaluated, because a policy would block the script. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  axeSource ??= await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(axeSource);
  // Colours in transition to another theme have another contrast. A loading part moves without an end.
  await page.evaluate(`Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished.catch(() => {})))`);
  return page.evaluate<
    string[]
  >(`axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary)))`);
}

/**
 * Waits until an expression is true in the document. Evaluates it from outside each time, because the browser library
 * evaluates repetitions inside the document, whose policy forbids that from the second time on.
 */
export function waitInPage(page: Page, expression: string): Promise<void> {
  return waitUntil(expression, () => page.evaluate<boolean>(expression), 10_000);
}

/** Pixels by which a document is wider than its window. */
export function measureOverflow(page: Page): Promise<number> {
  // The document gets a new size in the next frame, and the effect shows in the frame after that.
  return page.evaluate<number>(`new Promise((resolve) => {
    const { documentElement } = document;
    const measure = () => resolve(documentElement.scrollWidth - documentElement.clientWidth);
    requestAnimationFrame(() => requestAnimationFrame(measure));
  })`);
}

/** Checks a view without axe violations, wider than no window of 320 pixels, and without troubles but the `allowed` ones. */
export async function checkView(
  t: Test,
  { page, troubles }: Visit,
  what: string,
  allowed = /^$/,
): Promise<void> {
  await page.waitForLoadState();
  for (const colorScheme of scannedThemes) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findAxeViolations(page), [], `${what}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 800 });
  t.equal(await measureOverflow(page), 0, `${what} fits into 320 px`);
  await page.setViewportSize({ width: 1_200, height: 900 });
  t.strictSame(
    troubles.filter((trouble) => !allowed.test(trouble)),
    [],
    what,
  );
}

/**
 * Counts, from the next address on, how often a page schedules its next request. A page does so when it has handled
 * the last answer; moving the clock earlier has no effect.
 */
export async function countPlans(page: Page): Promise<{ soFar(): Promise<number> }> {
  await page.addInitScript(`
    const setTimer = window.setTimeout;
    window.plans = 0;
    window.setTimeout = (work, ms, ...rest) => {
      if (ms > 20_000) window.plans += 1;
      return setTimer(work, ms, ...rest);
    };`);
  return { soFar: () => page.evaluate<number>('window.plans') };
}
