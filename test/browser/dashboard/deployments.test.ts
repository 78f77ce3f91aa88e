import t from 'tap';
import { announceDeployment } from '../../../control/deployments/index.js';
import { systemClock } from '../../../lib/clock.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { testActor } from '../../support/actor.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const pagePath = '/manage/pages/acme';
const now = Math.floor(Date.now() / minuteMs) * minuteMs;
const came = now - 110 * minuteMs;
const { sql } = service.stores;

await sendVersions();

/** The version 2.4.1 of the checkout is slower than 2.4.0 from 20 minutes after it came, and fails with a message. */
async function sendVersions(): Promise<void> {
  const send = (at: number, version: string, fields: object) =>
    service.post('/api/v1/events', {
      version,
      events: Array.from({ length: 20 }, () => ({
        ...{ service: 'checkout', endpoint: '/orders', status: 200 },
        ...{ ...fields, at: new Date(at).toISOString() },
      })),
    });
  const failure = { status: 500, message: 'payment gateway timed out' };
  for (let i = 0; i < 40; i += 1) {
    await send(came - (i + 1) * 2 * minuteMs, '2.4.0', { ms: 210 });
    await send(came + (i + 10) * 2 * minuteMs, '2.4.1', { ms: 480, ...(i === 30 && failure) });
  }
  await service.settle();
  await announceDeployment(
    { sql, clock: systemClock, by: testActor },
    { pageId: service.pageId, service: 'checkout', version: '2.4.1', url: 'https://ci.example/runs/7' },
  );
  for (const [version, at] of [
    ['2.4.0', came - 3 * hourMs],
    ['2.4.1', came],
  ] as const) {
    await sql`update deployments set at = ${new Date(at)}, first_seen_at = ${new Date(at)} where version = ${version}`;
  }
}

t.test('charts mark deployments, and say so of their step', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(`${pagePath}/traffic`);
  await page.locator('.plot-mark.deploy').first().waitFor();
  t.equal(await page.locator('.plot-mark.deploy').count(), 2 * 3, 'both versions, in each chart');
  const surface = page.locator('.plot-surface').first();
  await surface.focus();
  await page.keyboard.press('Home');
  await waitInPage(page, `document.querySelector('.plot-tooltip') !== null`);
  for (let i = 0; i < 400; i += 1) {
    if (/2\.4\.1/.test((await page.locator('.plot-tooltip').first().textContent()) ?? '')) break;
    await page.keyboard.press('ArrowRight');
  }
  t.match(
    await page.locator('.plot-tooltip').first().textContent(),
    /checkout 2\.4\.1, \d\d:\d\d, announced by CI/,
  );
  await checkScreen(t, visit, 'the traffic with deployments');
});

t.test('charts say that deployments are missing when these cannot be read', async (t) => {
  const visit = await visitDashboard(t, viewer);
  await failReads(visit, /\/deployments/);
  await visit.page.goto(`${pagePath}/traffic`);
  await visit.page.getByText('Deployments could not be loaded').waitFor();
  t.equal(await visit.page.locator('.plot-mark.deploy').count(), 0);
  await checkScreen(t, visit, 'without deployments');
});

t.test('the screen of a service compares its newest version with the one before', async (t) => {
  const visit = await visitDashboard(t, viewer);
  await visit.page.goto(`${pagePath}/traffic?service=checkout`);
  const changes = visit.page.getByRole('list', { name: 'What has changed' });
  await changes
    .getByText(/^p95 rose from 2\d\d ms to 4\d\d ms with 2\.4\.1, \d+ minutes after it came\.$/)
    .waitFor();
  const figures = visit.page.getByRole('table', { name: '2.4.1 beside 2.4.0' });
  t.match(await figures.textContent(), /Failure rate/);
  await visit.page.locator('.version-messages').getByText('payment gateway timed out').waitFor();
  await checkScreen(t, visit, 'versions of a service');
});

t.test('a service without versions says how it gets some', async (t) => {
  const visit = await visitDashboard(t, viewer, { locale: 'de-DE' });
  await visit.page.goto(`${pagePath}/traffic?service=mail`);
  await service.post('/api/v1/events', [{ service: 'mail', endpoint: '/send', status: 200, ms: 5 }]);
  await service.settle();
  await visit.page.reload();
  await visit.page.getByText('Von diesem Dienst ist keine Version bekannt').waitFor();
  await checkScreen(t, visit, 'no versions');
});

t.test('the list of deployments has filters, links and a way to the first one', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(`${pagePath}/deployments`);
  const rows = page.getByRole('table', { name: 'Deployments' }).locator('tbody tr');
  await rows.filter({ hasText: '2.4.0' }).waitFor();
  t.equal(await rows.count(), 2);
  t.equal(
    await page.getByRole('link', { name: 'Open checkout 2.4.1' }).getAttribute('href'),
    'https://ci.example/runs/7',
  );
  await checkScreen(t, visit, 'deployments');
  await page.goto(`${pagePath}/deployments?service=none`);
  await page.getByRole('button', { name: 'Show all deployments' }).click();
  await rows.first().waitFor();
  await page.route(/\/deployments\?/, (route) => route.fulfill({ json: { items: [], nextCursor: null } }));
  await page.reload();
  await page.getByText('No deployment yet').waitFor();
  await page.getByText('/api/v1/pages/acme/deployments', { exact: false }).waitFor();
  await checkScreen(t, visit, 'no deployments');
});
