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
