import type { Page } from 'playwright-core';
import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { answerReads, makeReporters, reportersPage } from '../../support/dashboard-answers.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { answerTraffic } from '../../support/traffic-answers.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const admin = { browser, service, as: 'admin' } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const reporters = '/manage/pages/acme/reporters';

t.test('the frame: screens by link and by keys, the name of the tab, the skip link', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  await page.goto('/manage/pages/acme');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Reporters' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await waitInPage(page, `document.title === 'Reporters · Heartline'`);
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
  t.equal(new URL(page.url()).pathname, '/manage/pages/acme/monitors');
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await checkScreen(t, visit, 'the list of shortcuts');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await page.keyboard.press('Tab');
  await waitInPage(page, `document.activeElement.textContent === 'Skip to the content'`);
  await page.keyboard.press('Enter');
  await waitInPage(page, `document.activeElement.id === 'content'`);
  t.strictSame(visit.troubles, []);
});

t.test('another page: the same screen there, by the switcher', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  await page.goto(`${reporters}?from=now-1h`);
  await page.getByRole('button', { name: 'Choose a page: acme' }).click();
  await page.getByRole('link', { name: 'other', exact: true }).click();
  await waitInPage(page, `location.pathname === '/manage/pages/other/reporters'`);
  await page.getByRole('button', { name: 'Choose a page: other' }).waitFor();
  t.match(page.url(), /[?&]from=now-1h/, 'over the same range');
  t.strictSame(troubles, []);
});

t.test('the time range is in the address, and Back undoes a choice', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  await page.goto('/manage/pages/acme/traffic');
  await page.getByRole('button', { name: 'Time range: Last 6 hours' }).click();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor();
  t.match(page.url(), /[?&]from=now-7d/);
  await page.getByRole('link', { name: 'SQL' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'SQL' }).waitFor();
  await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.getByRole('button', { name: 'Time range: Last 6 hours' }).waitFor();
  await page.goto('/manage/pages/acme/traffic?from=tomorrow&to=%3Cscript%3E');
  await page.getByRole('button', { name: 'Time range: Last 6 hours' }).waitFor();
  t.strictSame(troubles, [], 'an address with nonsense has the usual range');
});

t.test('theme and language: chosen in the menu, there after a reload', async (t) => {
  const visit = await visitDashboard(t, viewer, { colorScheme: 'light' });
  const { page } = visit;
  await page.goto(reporters);
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const light = await background();
  await page.getByRole('button', { name: /^Account and appearance/ }).click();
  await page.getByText('Dark', { exact: true }).click();
  t.not(await background(), light);
  await page.getByText('Deutsch', { exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Reporter', exact: true }).waitFor();
  await waitInPage(page, `document.documentElement.lang === 'de'`);
  await page.getByRole('button', { name: /^Konto und/ }).click();
  await checkScreen(t, visit, 'the menu in German');
  await page.reload();
  await page.getByRole('link', { name: 'Übersicht' }).first().waitFor();
  t.not(await background(), light);
  t.strictSame(visit.troubles, []);
});

t.test('a page without the right role is the same as none; so is an unknown screen', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  for (const path of ['/manage/pages/other', '/manage/pages/none', '/manage/installation']) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  }
  await checkScreen(t, visit, 'no screen');
  t.equal(await page.getByRole('link', { name: 'Installation' }).count(), 0);
});

t.test('a first read that fails says so, and Try again mends it', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  const mend = await failReads(visit, /analytics\/reporters/);
  await page.goto(reporters);
  await page.getByText('The data is unavailable at the moment.').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' });
  t.strictSame(visit.troubles, []);
});

t.test('a later read that fails keeps what is drawn, and says as of when', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await answerReads(page, reportersPage());
  await page.goto(reporters);
  const row = page.locator('tbody tr').filter({ hasText: 'Checkout on eu-2' });
  await row.waitFor();
  const mend = await failReads(visit, /analytics\/reporters/);
  await lookAgain(page);
  await page.getByText(/The data is unavailable at the moment\. as of \d/).waitFor();
  t.ok(await row.isVisible());
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/as of \d/).waitFor({ state: 'detached' });
  t.strictSame(visit.troubles, []);
});

t.test(
  'a busy service keeps the last figures with their time, and the next attempt follows by itself',
  async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page } = visit;
    await answerReads(page, reportersPage());
    await page.goto(reporters);
    const row = page.locator('tbody tr').filter({ hasText: 'Checkout on eu-2' });
    await row.waitFor();
    let refused = 0;
    await page.route(/analytics\/reporters/, async (route) => {
      refused += 1;
      if (refused > 3) return route.fallback();
      return route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { error: 'Busy.' } });
    });
    await lookAgain(page);
    await page.getByText(/The service is busy\. The next attempt follows by itself\. as of \d/).waitFor();
    t.ok(await row.isVisible());
    await page.getByText(/as of \d/).waitFor({ state: 'detached' });
    t.ok(refused > 3);
    t.match(visit.troubles.splice(0), [/429/, /429/, /429/]);
  },
);

t.test('another range whose read fails does not show the figures of the one before', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.route(/\/api\/v1\/pages\/acme\/(?:analytics|incidents)/, (route) =>
    route.fulfill({ json: answerTraffic(new URL(route.request().url()), Date.now()) ?? {} }),
  );
  await page.goto('/manage/pages/acme/traffic');
  const figures = page.locator('.figures');
  await figures.first().waitFor();
  const mend = await failReads(visit, /analytics\/.*from=now-7d/);
  await page.getByRole('button', { name: 'Time range: Last 6 hours' }).click();
  await page.getByRole('button', { name: 'Last 7 days' }).click();
  await page.getByRole('alert').first().waitFor();
  await figures.first().waitFor({ state: 'detached' });
  await mend();
  t.strictSame(visit.troubles, []);
});

t.test('an answer that has not changed is not sent again, and a hidden tab reads nothing', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await answerReads(page, reportersPage());
  const asked: (string | undefined)[] = [];
  await page.route(/analytics\/reporters/, (route) => {
    const known = route.request().headers()['if-none-match'];
    asked.push(known);
    return known === '"a"'
      ? route.fulfill({ status: 304, headers: { etag: '"a"' } })
      : route.fulfill({ json: makeReporters(), headers: { etag: '"a"' } });
  });
  await page.clock.install();
  await page.goto(reporters);
  const row = page.locator('tbody tr').filter({ hasText: 'Checkout on eu-2' });
  await row.waitFor();
  await lookAgain(page);
  await waitUntil('a second read', async () => asked.length === 2);
  t.strictSame(asked, [undefined, '"a"']);
  await page.evaluate(
    `Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })`,
  );
  await page.clock.runFor(60_000);
  t.equal(asked.length, 2);
  t.ok(await row.isVisible());
  await page.evaluate('delete document.visibilityState');
  await lookAgain(page);
  await waitUntil('a third read', async () => asked.length === 3);
  t.strictSame(troubles, []);
});

t.test('another place begins at its title; a choice and a field keep the focus', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await answerReads(page, reportersPage());
  await page.goto(reporters);
  const focused = () => page.evaluate<string>('document.activeElement.tagName');
  const link = page.getByRole('link', { name: 'Checkout on eu-2' });
  await link.waitFor();
  t.equal(await focused(), 'BODY', 'a new document has its own beginning');
  await page.getByRole('searchbox').fill('eu-2');
  await waitInPage(page, `location.search.includes('reporters-find=eu-2')`);
  t.equal(await focused(), 'INPUT');
  await page.getByRole('columnheader', { name: 'Reporter' }).getByRole('button').click();
  await waitInPage(page, `location.search.includes('reporters-sort=')`);
  t.equal(await focused(), 'BUTTON');
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Checkout on eu-2' }).waitFor();
  await waitInPage(page, `document.activeElement.tagName === 'H1' && scrollY === 0`);
  t.strictSame(troubles, []);
});

t.test('on a phone the bar of parts is scrolled to the current part, and the page is not', async (t) => {
  const phone = { viewport: { width: 390, height: 800 }, reducedMotion: 'reduce' } as const;
  const { page, troubles } = await visitDashboard(t, admin, phone);
  await page.goto('/manage/pages/acme/page?part=danger');
  await page.locator('.tabs [aria-current]').waitFor();
  await waitInPage(
    page,
    `(() => {
      const { left, right } = document.querySelector('.tabs [aria-current]').getBoundingClientRect();
      return left >= 0 && right <= innerWidth && document.querySelector('.tabs ul').scrollLeft > 0;
    })()`,
  );
  t.equal(await page.evaluate<number>('document.scrollingElement.scrollTop'), 0);
  t.strictSame(troubles, []);
});

t.test('shortcuts of single keys are turned off in their list, and stay off', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await page.goto(`${reporters}?from=now-1h`);
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await page.keyboard.press('?');
  await page.getByRole('checkbox', { name: /^Shortcuts without/ }).uncheck();
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await page.keyboard.press('?');
  t.equal(await page.getByRole('dialog').count(), 0);
  await page.getByRole('button', { name: /^Account and appearance/ }).click();
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await page.getByRole('checkbox', { name: /^Shortcuts without/ }).check();
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('m');
  await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
  t.match(page.url(), /monitors\?from=now-1h/, 'the range goes along');
  t.strictSame(troubles, []);
});

/** As a person who comes back to the tab: what polls reads at once. */
function lookAgain(page: Page): Promise<unknown> {
  return page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
}

t.test('a session that ended leads to the sign-in, and back to the screen', async (t) => {
  const { page, context } = await visitDashboard(t, viewer);
  await page.goto(reporters);
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await context.clearCookies();
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByRole('heading', { level: 1, name: /Sign in/ }).waitFor();
  t.equal(new URL(page.url()).searchParams.get('to'), '/manage/pages/acme');
});

t.test('the document: its policy, and only on the host of the service', async (t) => {
  const { page, context } = await visitDashboard(t, viewer);
  const answer = await page.goto(reporters);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  t.match(policy, /default-src 'none'/);
  t.match(policy, /script-src 'self'/);
  t.notMatch(policy, /unsafe|https:|\*/);
  t.equal(answer?.headers()['cache-control'], 'no-store');
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const elsewhere = await requestAt(service.url, 'acme.localhost', reporters, { headers: { cookie } });
  t.equal(elsewhere.status, 404);
});
