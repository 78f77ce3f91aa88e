import type { Page } from 'playwright-core';
import t from 'tap';
import { makeAlert } from '../../support/alerts.js';
import { openBrowser } from '../../support/browser.js';
import {
  answerReads,
  emptyPage,
  makeOverview,
  makeTotals,
  totalsOf,
  troubledPage,
} from '../../support/dashboard-answers.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const overview = '/manage/pages/acme';

const tile = (page: Page, name: string) => page.locator('.tile').filter({ hasText: name });

t.test('a bad day: what is wrong, where, and the figures', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await answerReads(page, troubledPage());
  await page.goto(overview);
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  const attention = page.locator('.attention');
  await attention.getByText('payment gateway timed out').waitFor();
  for (const text of [
    'Payments fail',
    'The error share rose from 0.42% to 2.1%',
    'Checkout is down',
    '2 reporters are silent',
    '1 reporter is late',
    'Upgrade of the database',
  ]) {
    await attention.getByText(text).waitFor();
  }
  t.match(await tile(page, 'Error share').textContent(), /2\.1%\s*\+400%/);
  t.match(await tile(page, 'Monitors').textContent(), /5 of 6 up/);
  await page.getByText('Ben Ode changed the monitor Checkout 2 times').waitFor();
  await page.getByText('Cy unknown.thing: something new').waitFor();
  t.match(
    await page.getByRole('img', { name: /Uptime 97.2%/ }).getAttribute('aria-label'),
    /Below 100 % in 2 of 24 parts/,
  );
  await checkScreen(t, visit, 'a bad day');
});

t.test('from the overview to the endpoint that raised the share of errors, with its message', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await answerReads(page, troubledPage());
  await page.goto(overview);
  await page.locator('.causes').getByRole('link', { name: '/checkout/:id/pay of checkout' }).click();
  await waitInPage(page, `location.pathname === '/manage/pages/acme/traffic'`);
  const { searchParams } = new URL(page.url());
  t.same([searchParams.get('service'), searchParams.get('endpoint')], ['checkout', '/checkout/:id/pay']);
  t.strictSame(troubles, []);
});

t.test('open alerts come first, and nothing that they say is said again', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  const startedAt = new Date(Math.floor(Date.now() / 60_000 - 12) * 60_000).toISOString();
  const shop = { startedAt, subject: { service: 'checkout' } };
  const items = Array.from({ length: 6 }, (_, i) =>
    makeAlert({ ...shop, id: `01933b40-0000-7000-8000-00000000000${i}` }, { name: `Rule ${i}` }),
  );
  const down = makeAlert(
    { startedAt, group: 'Checkout', subject: { monitor: 'checkout' }, value: null, threshold: null },
    { kind: 'monitor', condition: { is: 'down' } },
  );
  const troubled = troubledPage();
  const isBad = troubled['/overview'];
  await answerReads(page, {
    ...troubled,
    '/overview': (query) => ({
      ...(typeof isBad === 'function' ? isBad(query) : isBad),
      alerts: { items: [...items, down], count: 7 },
    }),
  });
  await page.goto(overview);
  const rows = page.locator('.attention-row');
  await rows.first().getByText('12.5% of the requests of checkout fail').waitFor();
  t.match(await rows.first().textContent(), /^Page.*Rule 0 · since 1[23] minutes/);
  const link = page.getByRole('link', { name: '2 more alerts' });
  t.equal(await link.getAttribute('href'), '/manage/pages/acme/alerts');
  t.equal(await rows.filter({ hasText: 'Checkout is down' }).count(), 0, 'an alert beyond the five says so');
  t.equal(await rows.filter({ hasText: 'error share' }).count(), 0);
  await rows.filter({ hasText: 'Payments fail' }).waitFor();
  await checkScreen(t, visit, 'alerts on the overview');
});

t.test('a good day is a sentence', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  const good = { now: totalsOf(90_000, 90), previous: totalsOf(91_000, 95) };
  await answerReads(page, {
    ...troubledPage(),
    '/overview': () => makeOverview(),
    '/analytics/totals': () => makeTotals(good),
  });
  await page.goto(overview);
  await page.getByText('Nothing needs attention').waitFor();
  await page.getByText('2 monitors are up and 6 services report.').waitFor();
  await page.getByText('Nothing changed.').waitFor();
  await page.getByText('Nothing waits.').waitFor();
  t.equal(await page.locator('.checklist').count(), 0, 'a viewer sets nothing up');
  await checkScreen(t, visit, 'a good day');
});

t.test('loading, failing and partial', async (t) => {
  // The skeletons move for ever, and axe looks when all is still.
  const visit = await visitDashboard(t, viewer, { reducedMotion: 'reduce' });
  const { page } = visit;
  const answer = await failReads(visit, /api\/v1\/pages\/acme/, 'hang');
  await page.goto(overview);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  await answerReads(page, troubledPage());
  const mend = await failReads(visit, /\/overview$/);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await tile(page, 'Error share').waitFor();
  await page.getByText('checkout', { exact: true }).first().waitFor();
  await mend();
  await checkScreen(t, visit, 'partial');
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
});

t.test('the steps of setting up: the forms that do them, and the first event seen live', async (t) => {
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(overview);
  const checklist = page.locator('.checklist');
  await checklist.getByRole('heading', { name: 'Set up this page' }).waitFor();
  await checklist.getByRole('link', { name: 'Create a monitor' }).waitFor();
  await checkScreen(t, visit, 'set up');
  const step = checklist.locator('[data-step="event"]');
  await step.getByRole('button', { name: 'Send the first event' }).focus();
  await page.keyboard.press('Enter');
  await step.getByText('Waiting for the first event').waitFor();
  t.match(await step.locator('code').first().textContent(), /^curl .*\/api\/v1\/events' -H "Authorization/);
  await service.post('/api/v1/events', [{ service: 'shop', endpoint: '/cart/:id', status: 200, ms: 12.5 }]);
  await checklist.locator('[data-step="event"].finished').waitFor();
  await step.getByText('The first event has arrived.').waitFor();
  await tile(page, 'Requests').getByText('1 in all').waitFor();
  await checkScreen(t, visit, 'the first event');
  await checklist.getByRole('button', { name: 'Hide the steps' }).click();
  await checklist.getByText(/steps are done · Next: Watch something/).waitFor();
  await page.reload();
  await checklist.getByRole('button', { name: 'Show the steps' }).waitFor();
});

t.test('what is not known is not called well', async (t) => {
  const visit = await visitDashboard(t, viewer, { reducedMotion: 'reduce' });
  const { page } = visit;
  const good = { now: totalsOf(90_000, 90), previous: totalsOf(91_000, 95) };
  const unknown = { silentReporters: null, failingReporters: null, lateReporters: null };
  const checklist = { monitor: true, ingestKey: true, event: true, told: true, subscriber: true, host: true };
  await answerReads(page, {
    ...troubledPage(),
    '/overview': () => makeOverview({ checklist, monitors: [], ...unknown }),
    '/analytics/totals': () => makeTotals(good),
  });
  const answer = await failReads(visit, /analytics\/totals/, 'hang');
  await page.goto(overview);
  await page.getByText('Nothing changed.').waitFor();
  t.equal(await page.getByText('Nothing needs attention').count(), 0, 'the figures are unread');
  await answer();
  const mend = await failReads(visit, /analytics\/totals/);
  await page.reload();
  const attention = page.locator('.attention');
  await attention.getByText('The share of errors could not be read.').waitFor();
  t.equal(await page.getByText('Nothing needs attention').count(), 0, 'the figures failed');
  await mend();
  await checkScreen(t, visit, 'not known');
  await attention.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Nothing needs attention').waitFor();
  await page.getByText('No incident is open, and no monitor is down.').waitFor();
});

t.test('real failures: from the overview to the text of a message in one click', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  const failure = {
    service: 'shop',
    endpoint: '/pay',
    status: 502,
    ms: 30,
    message: 'card reader is unplugged',
  };
  await service.post('/api/v1/events', Array<object>(20).fill(failure));
  await page.goto(overview);
  const attention = page.locator('.attention');
  await attention.getByRole('link', { name: '/pay of shop' }).waitFor();
  await attention.getByText('Most frequent message of /pay: card reader is unplugged').waitFor();
  await attention.getByRole('link', { name: '/pay of shop' }).click();
  const messages = page.getByRole('region', { name: 'Messages of failures' });
  await messages.getByText('card reader is unplugged').waitFor();
  t.strictSame(troubles, []);
});

t.test('when all is set up, the list says so until somebody dismisses it', async (t) => {
  const { page, troubles } = await visitDashboard(t, owner);
  await answerReads(page, { ...emptyPage(), '/overview': () => makeOverview() });
  await page.goto(overview);
  await page.getByRole('heading', { name: 'This page is set up' }).waitFor();
  await page.getByText('7 of 7 steps are done').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.locator('.checklist').waitFor({ state: 'detached' });
  await page.reload();
  await tile(page, 'Monitors').waitFor();
  t.equal(await page.locator('.checklist').count(), 0);
  t.strictSame(troubles, []);
});

t.test('in German', async (t) => {
  const visit = await visitDashboard(t, owner, { locale: 'de-DE' });
  const { page } = visit;
  await answerReads(page, troubledPage());
  await page.goto(overview);
  await page.getByText('Der Fehleranteil ist von 0,42 % auf 2,1 % gestiegen').waitFor();
  await page.getByText('Ben Ode hat den Monitor Checkout geändert 2-mal').waitFor();
  await checkScreen(t, visit, 'German');
});
