import type { Page } from 'playwright-core';
import t from 'tap';
import { analyticsLimits } from '../../../contract/analytics/limits.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { answerTraffic } from '../../support/traffic-answers.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const traffic = '/manage/pages/acme/traffic';
const reads = /\/api\/v1\/pages\/acme\/(?:analytics|incidents)/;
const payment = '/orders/:id/pay';
const slow = '/suggest';

const addressOf = (query: Record<string, string>) => `${traffic}?${new URLSearchParams(query)}`;
const searchOf = (page: Page) => new URL(page.url()).searchParams;
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const rowsOf = (page: Page, name: string) =>
  page.getByRole('table', { name, exact: true }).locator('tbody tr:not(.gap-row)');

/** A visit whose reads have the answers of an invented page; returns the paths that were read. */
async function visitInvented(t: Parameters<typeof visitDashboard>[0], options = {}) {
  const visit = await visitDashboard(t, viewer, options);
  const asked: URL[] = [];
  await visit.page.route(reads, async (route) => {
    const url = new URL(route.request().url());
    asked.push(url);
    await route.fulfill({ json: answerTraffic(url, Date.now()) ?? {} });
  });
  return { ...visit, asked };
}

async function untilDrawn(page: Page): Promise<void> {
  await page.locator('.plot-surface').nth(2).waitFor();
  await waitInPage(page, `document.querySelector('main .skeleton') === null`);
}

t.test('a page, a service and an endpoint, in every colour and width', async (t) => {
  const visit = await visitInvented(t);
  const { page } = visit;
  for (const [what, query] of Object.entries({
    page: {},
    service: { service: 'catalogue', compare: 'previous' },
    endpoint: { service: 'checkout', endpoint: payment, status: '503' },
  })) {
    await page.goto(addressOf(query));
    await untilDrawn(page);
    await checkScreen(t, visit, what);
  }
});

t.test('a screen asks for no more figures at once than the service makes', async (t) => {
  const { page, troubles } = await visitInvented(t);
  let [open, most] = [0, 0];
  await page.route(reads, async (route) => {
    if (!route.request().url().includes('/analytics/')) return route.fallback();
    open += 1;
    most = Math.max(most, open);
    await route.fetch();
    open -= 1;
    await route.fallback();
  });
  await page.goto(traffic);
  await untilDrawn(page);
  t.equal(most, analyticsLimits.readsPerPage);
  t.strictSame(troubles, []);
});

t.test('in German', async (t) => {
  const visit = await visitInvented(t, { locale: 'de-DE' });
  await visit.page.goto(addressOf({ service: 'checkout' }));
  await untilDrawn(visit.page);
  await visit.page.getByRole('heading', { name: 'Meldungen zu Fehlern' }).waitFor();
  await checkScreen(t, visit, 'a service in German');
});

t.test('two clicks lead from the error share to the message', async (t) => {
  const { page, troubles } = await visitInvented(t);
  await page.goto(traffic);
  await untilDrawn(page);
  const first = rowsOf(page, 'Endpoints to look at').first();
  t.match(await first.textContent(), payment, 'the endpoint that began to fail is the first');
  await first.click();
  await heading(page, payment).waitFor();
  await page.getByText('payment gateway timed out after 2000 ms').waitFor();
  await page.goBack();
  await heading(page, 'Traffic').waitFor();
  t.equal(searchOf(page).toString(), '', 'Back restores the page');
  t.strictSame(troubles, []);
});

t.test('with the keyboard alone: the slow endpoint of the last hour', async (t) => {
  const { page, troubles } = await visitInvented(t);
  await page.goto('/manage/pages/acme');
  await heading(page, 'Overview').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await heading(page, 'Traffic').waitFor();
  await untilDrawn(page);
  await tabTo(page, /^Time range/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Last 1 hour/);
  await page.keyboard.press('Enter');
  await waitInPage(page, `location.search.includes('from=now-1h')`);
  await tabTo(page, /^More errors/);
  for (const order of ['errors', 'errorShare', 'p95']) {
    await page.keyboard.press('ArrowRight');
    await waitInPage(page, `location.search.includes('worst=${order}')`);
  }
  await rowsOf(page, 'Endpoints to look at').first().getByText(slow).waitFor();
  await tabTo(page, /^\/suggest/);
  await page.keyboard.press('Enter');
  await heading(page, slow).waitFor();
  t.match(page.url(), /from=now-1h/, 'over the same hour');
  await page.getByText('index shard 7 did not answer').waitFor();
  t.strictSame(troubles, []);
});

t.test('order and search: asked of the service, kept in the address, undone by Back', async (t) => {
  const { page, asked, troubles } = await visitInvented(t);
  await page.goto(addressOf({ service: 'catalogue' }));
  await untilDrawn(page);
  await page.getByText('These are the 200 largest of 1,934').waitFor();
  const table = page.getByRole('table', { name: 'Endpoints', exact: true });
  const top = () => rowsOf(page, 'Endpoints').first().textContent();
  const before = await top();
  await table.getByRole('button', { name: 'p95', exact: true }).click();
  await waitInPage(page, `location.search.includes('order=p95')`);
  await table.locator('th[aria-sort="descending"]', { hasText: 'p95' }).waitFor();
  // An effect asks, after the address and the heading have changed.
  await waitUntil('the service is asked for the order', () =>
    asked.some(({ searchParams }) => searchParams.get('order') === 'p95'),
  );
  await table.getByRole('button', { name: 'p95', exact: true }).click();
  await waitInPage(page, `location.search.includes('order=p95.asc')`);
  await page.getByText('Sorted among the 200 loaded rows').waitFor();
  await page.goBack();
  await page.goBack();
  await waitInPage(page, `!location.search.includes('order')`);
  await table.locator('th[aria-sort="descending"]', { hasText: 'Requests/s' }).waitFor();
  await waitUntil('the first row is the one of before', async () => (await top()) === before);

  await page.getByRole('searchbox', { name: 'Filter' }).fill('SESSIONS/v1933');
  await waitInPage(page, `location.search.includes('search=')`);
  await waitInPage(page, `document.querySelectorAll('.name-cell a').length === 1`);
  const found = page.url();
  const length = await page.evaluate<number>('history.length');
  const { page: fresh } = await visitInvented(t);
  await fresh.goto(found);
  await untilDrawn(fresh);
  t.equal(await rowsOf(fresh, 'Endpoints').count(), 1, 'the link shows the same to another person');
  t.equal(await fresh.getByRole('searchbox', { name: 'Filter' }).inputValue(), 'SESSIONS/v1933');
  t.equal(await page.evaluate<number>('history.length'), length, 'typing makes no entries of the history');
  t.strictSame(troubles, []);
});

t.test('rows are filters, and chips remove them', async (t) => {
  const { page, asked, troubles } = await visitInvented(t);
  await page.goto(addressOf({ service: 'checkout', endpoint: payment }));
  await untilDrawn(page);
  await rowsOf(page, 'Statuses').filter({ hasText: '503' }).click();
  const chip = page.getByRole('link', { name: 'Remove the filter Status 503' });
  await chip.waitFor();
  await waitInPage(page, `document.querySelector('tr.chosen') !== null`);
  for (const path of ['totals', 'requests', 'messages/groups']) {
    await waitUntil(`${path} is asked with the filter`, () =>
      asked.some(
        ({ pathname, searchParams }) => pathname.endsWith(path) && searchParams.get('status') === '503',
      ),
    );
  }
  await rowsOf(page, 'Methods').filter({ hasText: 'POST' }).click();
  await page.getByRole('link', { name: 'Remove the filter Method POST' }).waitFor();
  await chip.click();
  await chip.waitFor({ state: 'detached' });
  t.strictSame([searchOf(page).get('method'), searchOf(page).get('status')], ['POST', null]);
  t.strictSame(troubles, []);
});

t.test('the period before is drawn beside on demand', async (t) => {
  const { page, asked, troubles } = await visitInvented(t);
  await page.goto(traffic);
  await untilDrawn(page);
  t.equal(asked.filter(({ searchParams }) => searchParams.get('from') === 'now-12h').length, 0);
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('button', { name: /^p95 before/ }).waitFor();
  t.equal(searchOf(page).get('compare'), 'previous');
  await waitUntil('the period before is asked for last', () => {
    const requests = asked.filter(({ pathname }) => pathname.endsWith('/requests'));
    return requests.at(-1)?.search.includes('from=now-12h&to=now-6h') ?? false;
  });
  t.strictSame(troubles, []);
});

t.test('2,000 endpoints: only the rows in sight are drawn, and each choice asks the service', async (t) => {
  const { page, asked, troubles } = await visitInvented(t);
  await page.goto(addressOf({ service: 'catalogue' }));
  await untilDrawn(page);
  const table = page.getByRole('table', { name: 'Endpoints', exact: true });
  const checkRows = async (what: string) => {
    const count = await rowsOf(page, 'Endpoints').count();
    t.ok(count > 0 && count < 60, `${count} of 200 rows, ${what}`);
  };
  await checkRows('at first');
  for (const title of ['Errors', 'p99', 'Endpoint']) {
    await table.getByRole('button', { name: title, exact: true }).click();
    await table.locator('th[aria-sort]', { hasText: title }).waitFor();
    await checkRows(`by ${title}`);
  }
  const orders = () => {
    const reads = asked.filter(({ pathname }) => pathname.endsWith('/top'));
    return new Set(reads.map(({ searchParams }) => searchParams.get('order')));
  };
  await waitUntil('each order is asked for', () => orders().size === 3);
  t.same([...orders()], ['requests', 'errors', 'p95']);
  t.strictSame(troubles, []);
});

t.test('nothing yet: what it is for, and the command that sends the first event', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(traffic);
  await page.getByRole('heading', { name: 'No requests in this time' }).waitFor();
  t.match(await page.locator('main code').first().textContent(), '/api/v1/events');
  await checkScreen(t, visit, 'the empty screen');
  await page.getByRole('button', { name: 'Show the last 90 days' }).click();
  await waitInPage(page, `location.search.includes('from=now-90d')`);
  await page.goto(addressOf({ service: 'checkout', status: '503' }));
  await page.getByText('Nothing was counted with these filters').waitFor();
  await page.getByRole('link', { name: 'Remove the filters' }).click();
  await heading(page, 'Traffic').waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('events of an application, from the service itself', async (t) => {
  await service.post('/api/v1/events', [
    { service: 'shop', endpoint: '/cart/:id', status: 200, ms: 12 },
    {
      service: 'shop',
      endpoint: '/checkout',
      method: 'POST',
      status: 503,
      ms: 2_040,
      message: 'gateway timed out',
    },
  ]);
  const { page, troubles } = await visitDashboard(t, viewer);
  await page.goto(traffic);
  await untilDrawn(page);
  await rowsOf(page, 'Services').getByRole('link', { name: 'shop' }).click();
  await page.getByText('gateway timed out').waitFor();
  await rowsOf(page, 'Endpoints').getByRole('link', { name: '/checkout' }).click();
  await heading(page, '/checkout').waitFor();
  await rowsOf(page, 'Methods').filter({ hasText: 'POST' }).waitFor();
  await rowsOf(page, 'Statuses').filter({ hasText: '503' }).waitFor();

  await page.goto(addressOf({ service: 'shop' }));
  await untilDrawn(page);
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Last 365 days' }).click();
  await waitInPage(page, `location.search.includes('from=now-365d')`);
  const kept = page.locator('.panel-none').getByRole('button', { name: /^Show from / });
  await kept.waitFor();
  await page.getByText(/Messages before .* are no longer kept/).waitFor();
  t.equal(await page.getByText('This time is no longer kept').count(), 0, 'services are kept for longer');
  await kept.click();
  await rowsOf(page, 'Endpoints').getByRole('link', { name: '/checkout' }).waitFor();
  await kept.waitFor({ state: 'detached' });
  t.strictSame(troubles, []);
});

t.test('a part that fails says so, and the others go on', async (t) => {
  const visit = await visitInvented(t);
  const { page } = visit;
  const restore = await failReads(visit, /analytics\/top/);
  await page.goto(traffic);
  await page.locator('.plot-surface').nth(2).waitFor();
  await page.locator('.error-notice').nth(1).waitFor();
  t.equal(await page.locator('.figures .figure').count(), 6, 'the figures are there');
  await checkScreen(t, visit, 'tables that failed', /503/);
  await restore();
  await page.getByRole('button', { name: 'Try again' }).last().click();
  await rowsOf(page, 'Services').first().waitFor();

  const stop = await failReads(visit, reads);
  await page.goto(traffic);
  await page.locator('.error-notice').nth(4).waitFor();
  t.equal(await page.getByText('Incidents and maintenance could not be loaded').count(), 1);
  await checkScreen(t, visit, 'a screen that failed', /503/);
  await stop();
});

t.test('loading: the shape of what comes', async (t) => {
  // Shapes that shimmer have no end that the check could wait for.
  const visit = await visitInvented(t, { reducedMotion: 'reduce' });
  await failReads(visit, reads, 'hang');
  await visit.page.goto(traffic);
  await visit.page.locator('main .skeleton').nth(5).waitFor();
  await checkScreen(t, visit, 'the screen while it loads');
});
