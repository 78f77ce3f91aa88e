import t from 'tap';
import { hourMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const objectives = '/manage/pages/acme/objectives';

t.before(async () => {
  const now = Math.floor(Date.now() / hourMs) * hourMs;
  const hours = Array.from({ length: 72 }, (_, i) => now - (i + 1) * hourMs);
  await insertRequests(
    clickhouse,
    service.pageId,
    hours.flatMap((at, i) => [
      { service: 'checkout', endpoint: '/pay', at, requests: 1_000, latencyMs: [40, 250] },
      ...(i === 30 ? [{ service: 'checkout', endpoint: '/pay', at, status: 503, requests: 36 }] : []),
    ]),
  );
});

t.test('the first objective by keyboard, with the bound that its threshold moved to', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(objectives);
  await page.getByRole('heading', { name: 'No objective yet' }).waitFor();
  await tabTo(page, /^New objective$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New objective' }).waitFor();
  await tabTo(page, /^Create objective$/);
  await page.keyboard.press('Enter');
  await page.getByText('Required.').waitFor();
  await page.keyboard.type('Checkout works');
  t.equal(await page.getByLabel('Short name').inputValue(), 'checkout-works');
  await tabTo(page, /^Service$/);
  await page.keyboard.type('checkout');
  await page.locator('datalist option[value="/pay"]').waitFor({ state: 'attached' });
  await page.getByLabel('Good only within').fill('301');
  await page.getByText('a request is good up to 300 ms').waitFor();
  await checkScreen(t, visit, 'the form of an objective');
  await page.reload();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Checkout works', 'a reload keeps it');
  await page.getByLabel('Good only within').fill('');
  await tabTo(page, /^Create objective$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'The objective “Checkout works” is created.');
  await page.getByRole('heading', { level: 1, name: 'Checkout works' }).waitFor();
});

t.test('one objective: its budget, what spent it, and the window before', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(objectives);
  await page
    .getByRole('row', { name: /Checkout works/ })
    .getByText('50% left')
    .waitFor();
  await checkScreen(t, visit, 'the list of objectives');
  await page.getByRole('link', { name: /Checkout works/ }).click();
  await page.getByText('36 of 72 requests').waitFor();
  await page.getByRole('application', { name: 'Budget over the window, chart' }).waitFor();
  const spenders = page.getByRole('table', { name: 'Endpoints that spent most' });
  await spenders.getByRole('link', { name: /\/pay/ }).waitFor();
  await page.getByRole('table', { name: 'Days that spent most' }).getByText('36 requests').waitFor();
  await checkScreen(t, visit, 'one objective');
  await page.getByRole('button', { name: 'Earlier window' }).click();
  await page.getByText('A window that is over does not burn any more.').waitFor();
  await page.getByRole('button', { name: 'Now', exact: true }).click();
  await page.getByText('36 of 72 requests').waitFor();
  const refused = page.getByRole('button', { name: 'Edit' });
  t.equal(await refused.getAttribute('aria-disabled'), 'true', 'a viewer changes nothing');
});

t.test('two people change it, a report that fails leaves the rest, and it is deleted', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de' });
  const { page } = visit;
  const mend = await failReads(visit, /report$/);
  await page.goto(`${objectives}?objective=checkout-works`);
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await page.getByText('99,9 % in 28 Tagen').waitFor();
  await mend();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByText('36 von 72 Anfragen').waitFor();
  await page.getByRole('button', { name: 'Bearbeiten' }).click();
  await page.getByLabel('Vorgabe').fill('99');
  const status = await page.evaluate(`fetch('/api/v1/pages/acme/objectives/checkout-works', {
    method: 'PATCH', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ target: 99.5 }) })
    .then((answer) => answer.status)`);
  t.equal(status, 200);
  await page.getByRole('button', { name: 'Speichern' }).click();
  const conflict = page.getByRole('dialog');
  await conflict.getByText('99.5', { exact: true }).waitFor();
  await conflict.getByRole('button', { name: 'Diese Auswahl speichern' }).click();
  await noticed(page, 'Das Ziel ist gespeichert.');
  t.match(await sql`select target from objectives`, [{ target: 99 }]);
  await page.getByRole('button', { name: 'Mehr' }).click();
  await page.getByRole('button', { name: 'Löschen …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click();
  await page.getByRole('heading', { name: 'Noch kein Ziel' }).waitFor();
  t.equal((await sql`select from objectives`).length, 0);
});
