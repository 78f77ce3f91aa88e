import t from 'tap';
import { hourMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { insertMonitor } from '../../support/monitors.js';
import { requestAt } from '../../support/request-at.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const figures = '/manage/pages/acme/page?part=figures';
const hour = Math.floor(Date.now() / hourMs) * hourMs;

await insertRequests(
  service.stores.clickhouse,
  service.pageId,
  Array.from({ length: 23 }, (_, n) => ({
    ...{ at: hour - (n + 1) * hourMs, service: 'checkout', endpoint: n % 2 === 0 ? '/orders' : '/carts/:id' },
    latencyMs: Array(150 + 10 * n).fill(100 + 20 * (n % 5)),
  })),
);

for (let n = 0; n < 12; n += 1)
  await insertMonitor(service.stores.sql, { pageId: service.pageId, slug: `m-${n}` });

t.test('an editor publishes a figure, and sees before what readers will see', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(figures);
  await page.getByText('The page shows no figures of requests.').waitFor();
  await checkScreen(t, visit, 'no figures');
  await page.getByRole('button', { name: 'Add a figure' }).click();
  const [title, name] = [page.getByLabel('Title'), page.getByLabel('Service', { exact: true })];
  await title.fill('Checkout');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Each figure needs a title, a service').waitFor();
  await page.locator('datalist option[value="checkout"]').first().waitFor({ state: 'attached' });
  await name.fill('checkout');
  await page.locator('datalist option[value="/carts/:id"]').waitFor({ state: 'attached' });
  const frame = page.frameLocator('.preview-frame');
  await frame.getByRole('heading', { name: 'Checkout' }).waitFor();
  await frame.getByText('Requests an hour').first().waitFor();
  await waitInPage(
    page,
    `document.querySelector('.preview-frame').contentDocument.getElementById('figures').getBoundingClientRect().top < 500`,
  );
  await checkScreen(t, visit, 'a figure');
  await page.getByLabel('Success rate').uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, 'Saved');
  const { body } = await requestAt(service.url, 'acme.localhost', '/api/public/acme/status');
  t.match(body, { figures: [{ title: 'Checkout', window: '24h', p95Ms: Array, requests: Array }] });
  t.notMatch(JSON.stringify(body), 'successRate');
  await page.getByRole('button', { name: 'Remove the figure Checkout' }).click();
  await page.getByText('The page shows no figures of requests.').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await title.waitFor();
});

t.test('figures can be edited while suggestions cannot be read', async (t) => {
  const visit = await visitDashboard(t, editor);
  await failReads(visit, /analytics\/top/);
  await visit.page.goto(figures);
  await visit.page.getByLabel('Title').waitFor();
  await visit.page.getByLabel('Endpoint').fill('/orders');
  await visit.page.getByText('not saved', { exact: false }).first().waitFor();
  await checkScreen(t, visit, 'without suggestions', /503/);
});

t.test('a viewer reads the figures', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'viewer' } });
  await visit.page.goto(figures);
  t.ok(await visit.page.getByLabel('Title').isDisabled());
  t.equal(await visit.page.getByRole('button', { name: 'Save' }).count(), 0);
  await checkScreen(t, visit, 'a viewer');
});
