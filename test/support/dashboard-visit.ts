import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { systemClock } from '../../lib/clock.js';
import { type Person, signInAs } from './people.js';
import type { TestService } from './service.js';
import { isThirdTier } from './tiers.js';
import {
  findAxeViolations,
  interceptRequests,
  measureOverflow,
  scannedThemes,
  startVisit,
  type Visit,
} from './visit.js';
import { waitUntil } from './wait-until.js';

/** A person who is signed in, looking at the dashboard. */
export type DashboardVisit = Visit & { email: string };

/** Signs a person in, in a browser context that has the session. English unless the options say otherwise. */
export async function visitDashboard(
  t: Test,
  { browser, service, as }: { browser: Browser; service: TestService; as: Person },
  options: BrowserContextOptions = {},
): Promise<DashboardVisit> {
  const { email, headers } = await signInAs({ sql: service.stores.sql, clock: systemClock }, as);
  const visit = await startVisit(t, browser, service.url, options);
  const [name = '', value = ''] = headers.cookie.split('=');
  await visit.context.addCookies([{ name, value, url: service.url }]);
  await interceptRequests(visit.page);
  return { ...visit, email };
}

/**
 * A screen in light: no violation of axe, nothing wider than 360 px, no error, no broken policy. The third tier scans it in
 * dark and at 360 px as well. `refusals` are statuses that requests of the screen may have: the console has a line for each, which may come late.
 */
export async function checkScreen(
  t: Test,
  { page, troubles }: Visit,
  what: string,
  refusals?: RegExp,
): Promise<void> {
  // The shell is drawn after the page has loaded, so a visit that has just begun would be of an empty page.
  await page.locator('h1').first().waitFor();
  for (const colorScheme of scannedThemes) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findAxeViolations(page), [], `${what}, ${colorScheme}`);
  }
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 800 });
  t.equal(await measureOverflow(page), 0, `${what} fits into 360 px`);
  if (isThirdTier) t.strictSame(await findAxeViolations(page), [], `${what}, at 360 px`);
  if (size !== null) await page.setViewportSize(size);
  if (refusals !== undefined) drop(troubles, refusals);
  t.strictSame(troubles, [], what);
}

/**
 * Fails the requests of a path from now on, as when a store is unavailable, or leaves them without an answer; the
 * returned function lets them through again. The console's lines for the failed requests are no troubles.
 */
export async function failReads(
  { page, refused }: Visit,
  path: RegExp,
  how: 'fail' | 'hang' = 'fail',
): Promise<() => Promise<void>> {
  await page.route(path, (route) => {
    if (how === 'hang') return new Promise<void>(() => undefined);
    refused.push(route.request().url());
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: 'storeUnavailable' }),
    });
  });
  return () => page.unroute(path);
}

/**
 * Waits until the screen says that something is done. A text is looked for anywhere in it, in any case: "Saved" would be
 * found in "before they are saved".
 */
export function noticed(page: Page, text: string | RegExp): Promise<void> {
  return page.getByRole('status').filter({ hasText: text }).waitFor();
}

/**
 * Waits for the lines that the browser writes to the console for refused requests with a status, such as `/4\d\d/`, and
 * drops them. A screen may show a refusal before the console has its line.
 */
export async function forget(
  { troubles }: Pick<Visit, 'troubles'>,
  status: RegExp,
  linesMin = 1,
): Promise<void> {
  const refusal = refusalOf(status);
  await waitUntil(
    `the console has ${linesMin} lines of ${status}`,
    () => troubles.filter((trouble) => refusal.test(trouble)).length >= linesMin,
  );
  drop(troubles, status);
}

function drop(troubles: string[], status: RegExp): void {
  const refusal = refusalOf(status);
  troubles.splice(0, troubles.length, ...troubles.filter((trouble) => !refusal.test(trouble)));
}

const refusalOf = (status: RegExp): RegExp => new RegExp(`status of ${status.source}`);
