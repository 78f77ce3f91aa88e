import type { Page } from 'playwright-core';
import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { answerReads, makeEndpoints, makeRow, troubledPage } from '../../support/dashboard-answers.js';
import { checkScreen, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const admin = { browser, service, as: 'admin' } as const;
const sql = '/manage/pages/acme/sql';

const chosen = (page: Page) => page.locator('[role="option"][aria-selected="true"]');

async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
}

t.test('everything of the page by its name in either language, with three requests', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  await answerReads(page, troubledPage());
  await page.route(/\/incidents\?state=resolved/, (route) =>
    route.fulfill({
      json: {
        items: [{ id: '01933b40-0000-7000-8000-00000000000f', title: 'Old outage' }],
        nextCursor: null,
      },
    }),
  );
  // The screen's own read may begin after its heading is drawn, and does not belong to the palette.
  await Promise.all([page.waitForRequest(/analytics\/sql\/schema$/), page.goto(sql)]);
  await page.getByRole('heading', { level: 1, name: 'SQL' }).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/overview|analytics|incidents/.test(request.url())) asked.push(new URL(request.url()).pathname);
  });
  await openPalette(page);
  for (const { search, kind } of [
    { search: 'payments', kind: 'Incident' },
    { search: 'nightly', kind: 'Monitor' },
    { search: 'storefront', kind: 'Service' },
    { search: 'cart', kind: 'Endpoint' },
    { search: 'other', kind: 'Page' },
    { search: 'sign out', kind: 'Action' },
    { search: 'abmelden', kind: 'Action' },
    { search: 'wartungskalender', kind: 'Screen' },
    { search: 'old outage', kind: 'Incident' },
  ]) {
    await page.getByRole('combobox').fill(search);
    await chosen(page).getByText(kind, { exact: true }).waitFor();
  }
  await waitUntil('all are asked for', () => asked.length >= 3);
  t.same(asked.sort(), [
    '/api/v1/pages/acme/analytics/top',
    '/api/v1/pages/acme/incidents',
    '/api/v1/pages/acme/overview',
  ]);
  t.strictSame(troubles, []);
});

t.test('an incident leads to its screen, and a new one to its form, as a new monitor does', async (t) => {
  const { page } = await visitDashboard(t, admin);
  await answerReads(page, troubledPage());
  await page.goto(sql);
  await openPalette(page);
  await page.keyboard.type('payments');
  await chosen(page).getByText('Incident', { exact: true }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/acme\/incidents\?incident=01933b40-0000-7000-8000-000000000001$/);
  await openPalette(page);
  await page.keyboard.type('open an incident');
  await chosen(page).getByText('Open an incident').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/acme\/incidents\?new=incident$/);
  await openPalette(page);
  await page.keyboard.type('add monitor');
  await chosen(page).getByText('Add monitor').waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/acme\/monitors\?new=http$/);
});

t.test('open, searching, and without a match', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  await answerReads(page, troubledPage());
  await page.goto('/manage/pages/acme');
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await openPalette(page);
  await checkScreen(t, visit, 'the palette');
  await page.getByRole('combobox').fill('check');
  await chosen(page).getByText('check', { exact: true }).waitFor();
  await checkScreen(t, visit, 'a search');
  await page.getByRole('combobox').fill('zzzz');
  await page.getByText('Nothing found.').waitFor();
  await checkScreen(t, visit, 'nothing found');
});

t.test('keys alone: arrows, Enter, Escape, and the focus returns', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  await answerReads(page, troubledPage());
  await page.goto(sql);
  await page.getByRole('button', { name: /^Search/ }).focus();
  await page.keyboard.press('Enter');
  const field = page.getByRole('combobox', { name: 'Search' });
  await field.waitFor();
  // Results of the service come later, and make the list longer.
  await field.fill('payments');
  await page.getByRole('option', { name: /Payments fail/ }).waitFor();
  await field.fill('');
  await page.keyboard.press('ArrowUp');
  const id = await chosen(page).getAttribute('id');
  t.equal(await field.getAttribute('aria-activedescendant'), id);
  await page.keyboard.press('ArrowDown');
  t.match(await chosen(page).textContent(), /Overview/, 'the list goes around');
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  t.match(await page.evaluate<string>('document.activeElement.textContent'), /^Search/);
  await openPalette(page);
  await page.keyboard.type('cart id');
  await chosen(page).getByText('/cart/:id').waitFor();
  await page.keyboard.press('Enter');
  await waitInPage(page, `location.search === '?service=storefront&endpoint=%2Fcart%2F%3Aid'`);
  t.strictSame(troubles, []);
});

t.test('what was chosen last comes first', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  await answerReads(page, troubledPage());
  await page.goto(sql);
  await openPalette(page);
  await page.keyboard.type('monitors');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Monitors' }).waitFor();
  await openPalette(page);
  const recent = page.getByRole('group', { name: 'Recent' });
  t.match(await recent.getByRole('option').first().textContent(), /Monitors/);
  t.strictSame(troubles, []);
});

t.test('actions: the range, the theme, the language, a link, the way out', async (t) => {
  const { page, context } = await visitDashboard(t, admin, { colorScheme: 'light' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await answerReads(page, troubledPage());
  const act = async (search: string): Promise<void> => {
    await openPalette(page);
    await page.keyboard.type(search);
    await page.keyboard.press('Enter');
  };
  await page.goto('/manage/pages/acme');
  await act('last 7 days');
  await page.getByRole('button', { name: 'Time range: Last 7 days' }).waitFor();
  await act('copy fixed');
  await page.getByText('The link is copied.').waitFor();
  t.match(await page.evaluate<string>('navigator.clipboard.readText()'), /from=20\d\d-.*to=20\d\d-/);
  await act('theme dark');
  await waitInPage(page, `document.documentElement.dataset.theme === 'dark'`);
  await act('sign out');
  await page.getByText('You are signed out.').waitFor();
});

t.test('endpoints beyond the most frequent ones are asked for by their name', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  const rare = makeRow({ service: 'shop', endpoint: '/rare/thing' });
  await answerReads(page, {
    ...troubledPage(),
    '/analytics/top': (query) => ({
      ...makeEndpoints(query.get('search') === null ? undefined : [rare]),
      truncated: query.get('search') === null,
    }),
  });
  await page.goto(sql);
  await openPalette(page);
  await page.keyboard.type('rare');
  await chosen(page).getByText('/rare/thing').waitFor();
  t.strictSame(troubles, []);
});

t.test('two thousand entries: a keystroke is answered within a frame or two', async (t) => {
  const { page, troubles } = await visitDashboard(t, admin);
  const rows = Array.from({ length: 2_000 }, (_, i) =>
    makeRow({ service: `service-${i % 50}`, endpoint: `/things/${i}/parts/:id` }),
  );
  await answerReads(page, { ...troubledPage(), '/analytics/top': () => makeEndpoints(rows) });
  await page.goto(sql);
  await openPalette(page);
  await page.keyboard.type('things 1999 service');
  await chosen(page).getByText('/things/1999/parts/:id').waitFor();
  t.ok((await page.getByRole('option').count()) <= 40, 'only the best are drawn');
  t.strictSame(troubles, []);
});
