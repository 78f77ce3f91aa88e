import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const screen = '/manage/pages/acme/event-store';
const path = /api\/v1\/pages\/acme\/event-store$/;

const backlog = {
  ...{ waiting: 12, exhausted: 3, events: 45_000, removedBatches: 1, removedEvents: 200 },
  oldestAt: new Date(Date.now() - 3_600_000).toISOString(),
  nextAttemptAt: new Date(Date.now() + 60_000).toISOString(),
  lastError: 'The server refused the user.',
};
const store = {
  url: 'https://clickhouse.example.com:8443',
  ...{ database: 'heartline', username: 'heartline', hasPassword: true },
  ...{ setAt: new Date(Date.now() - 86_400_000).toISOString(), backlog },
};

t.test('without an own store: the form, by keyboard; a server that refuses changes nothing', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await page.goto(screen);
  await page.getByRole('heading', { name: 'Events are in the store of the installation' }).waitFor();
  await checkScreen(t, visit, 'the usual store', /404/);
  await tabTo(page, /^Use your own ClickHouse$/);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Address' }).waitFor();
  await tabTo(page, /^Address$/);
  await page.keyboard.type('https://127.0.0.1:1');
  await tabTo(page, /^User$/);
  await page.keyboard.type('me');
  await tabTo(page, /^Password$/);
  await page.keyboard.type('violet');
  await page.keyboard.press('Enter');
  await page.locator('.error-notice, .field-error').first().waitFor();
  t.equal(await page.getByRole('textbox', { name: 'Address' }).inputValue(), 'https://127.0.0.1:1');
  await checkScreen(t, visit, 'a server that can not be used', /4\d\d/);
  await page.reload();
  await page.getByRole('textbox', { name: 'User' }).waitFor();
  t.equal(await page.getByRole('textbox', { name: 'User' }).inputValue(), 'me', 'a reload keeps the form');
  t.equal(await page.locator('input[type=password]').inputValue(), '', 'but no secret');
  t.notMatch(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })'), /violet/);
  await forget(visit, /404/);
  t.strictSame(visit.troubles, []);
});

t.test('an own store: its backlog, a test, and a replay with its progress', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  let left = backlog;
  await page.route(path, (route) =>
    route.fulfill({ json: { ...store, backlog: left }, headers: { etag: '"a"' } }),
  );
  await page.route(/event-store\/test/, (route) =>
    route.fulfill({ json: { isUsable: false, version: null, error: 'The user may not create tables.' } }),
  );
  await page.route(/event-store\/replay/, (route) => {
    left = { ...backlog, waiting: 5, exhausted: 0 };
    return route.fulfill({ json: { replayed: 3 } });
  });
  await page.goto(screen);
  await page.getByText('The server refused the user.').waitFor();
  await checkScreen(t, visit, 'an own store');
  await tabTo(page, /^Test the connection$/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'The user may not create tables.' }).waitFor();
  await checkScreen(t, visit, 'a store that can not be used');
  await page.getByRole('button', { name: 'Deliver again' }).click();
  await page.getByRole('dialog', { name: 'Deliver everything again now?' }).getByText('3 batches').waitFor();
  await checkScreen(t, visit, 'the question before a replay');
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click();
  await page.getByText('10 of 15 batches delivered').waitFor();
  await checkScreen(t, visit, 'a replay');
  left = { ...backlog, waiting: 0, exhausted: 0, events: 0 };
  await page.getByText('All batches are delivered.').waitFor();
  await page.getByRole('button', { name: 'Go back to the store of the installation' }).click();
  await page.getByRole('dialog').getByText('New events go there from now on.').waitFor();
  await checkScreen(t, visit, 'the question before the way back');
});

t.test('loading and failing', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  const answer = await failReads(visit, path, 'hang');
  await page.goto(screen);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading', /404/);
  await answer();
  const mend = await failReads(visit, path);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await mend();
  await checkScreen(t, visit, 'failing', /404/);
});
