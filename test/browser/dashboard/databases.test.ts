import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { setPage } from '../../support/pages.js';
import { answerDatabaseHealth } from '../../support/pool-answers.js';
import { makeReport, reportsPath } from '../../support/pool-reports.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
const as = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const databases = '/manage/pages/acme/databases';
const reads = /\/analytics\/database-health/;

t.test('switched off: what it is for, and how to switch it on', async (t) => {
  await setPage({ sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: false });
  const visit = await visitDashboard(t, as);
  const { page } = visit;
  await page.goto(databases);
  await page.getByRole('heading', { name: 'Database health is switched off for this page' }).waitFor();
  await page.getByText('heartline page set acme --database-health on').waitFor();
  await checkScreen(t, visit, 'switched off', /404/);
  await setPage({ sql, clock: systemClock }, { slug: 'acme', databaseHealthEnabled: true });
});

t.test('empty: what fills it; then what a process reports', async (t) => {
  const visit = await visitDashboard(t, as);
  const { page } = visit;
  await page.goto(databases);
  await page.getByRole('heading', { name: 'No database has reported yet' }).waitFor();
  await page.getByText(`curl ${service.url}/api/v1/database-health/observations`).waitFor();
  await checkScreen(t, visit, 'empty');
  const { status } = await service.post(reportsPath, makeReport(Date.now() - 5_000));
  t.equal(status, 201);
  await page.goto(`${databases}?from=now-15m`);
  const row = page.getByRole('row', { name: /^checkout/ });
  await row.getByRole('cell', { name: '4%', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'No server has been observed' }).waitFor();
  await page.getByRole('application', { name: 'How long callers waited for a connection, chart' }).waitFor();
  await checkScreen(t, visit, 'pools without servers');
});

t.test('full: servers and pools, in both languages', async (t) => {
  for (const [locale, heading, state] of [
    ['en', 'Databases', 'not seen lately'],
    ['de', 'Datenbanken', 'länger nicht beobachtet'],
  ] as const) {
    const visit = await visitDashboard(t, as, { locale });
    const { page } = visit;
    await answerDatabaseHealth(page, Date.now());
    await page.goto(databases);
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await page.getByRole('application').nth(4).waitFor();
    await page
      .getByRole('row', { name: /^reports-db/ })
      .getByText(state)
      .waitFor();
    await checkScreen(t, visit, `full, ${locale}`);
  }
});

t.test('a row leads to what it consists of, and the way back is above', async (t) => {
  const { page, troubles } = await visitDashboard(t, as);
  const asked = await answerDatabaseHealth(page, Date.now());
  await page.goto(`${databases}?from=now-3h`);
  for (const name of ['checkout', 'orders', 'main']) {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
  const last = new URL(page.url()).searchParams;
  t.same(Object.fromEntries(last), { from: 'now-3h', service: 'checkout', target: 'orders', pool: 'main' });
  await page.getByRole('columnheader', { name: 'Server pool' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'primary', exact: true }).count(), 0, 'nothing is below');
  await waitUntil('the pool is asked for', () =>
    asked.some(
      ({ searchParams: asked }) => asked.get('groupBy') === 'serverPool' && asked.get('pool') === 'main',
    ),
  );
  await page.getByRole('link', { name: 'checkout', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'checkout' }).waitFor();
  await page.getByRole('link', { name: 'Databases', exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Databases' }).waitFor();
  t.strictSame(troubles, []);
});

t.test('an environment is chosen where there is more than one', async (t) => {
  const { page, troubles } = await visitDashboard(t, as);
  await answerDatabaseHealth(page, Date.now());
  await page.goto(databases);
  const request = page.waitForRequest(/environment=staging/);
  await page.getByLabel('Environment').selectOption('staging');
  await request;
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has('environment'));
  t.strictSame(troubles, []);
});

t.test('loading, an error, and a part that fails', async (t) => {
  // Loading animations have no end, and axe waits for the end.
  const visit = await visitDashboard(t, as, { reducedMotion: 'reduce' });
  const { page } = visit;
  const answer = await failReads(visit, reads, 'hang');
  await page.goto(databases);
  await page.locator('.skeleton').nth(4).waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, reads);
  await page.goto(databases);
  await page.getByRole('button', { name: 'Try again' }).nth(3).waitFor();
  await mend();
  await checkScreen(t, visit, 'error');
  await answerDatabaseHealth(page, Date.now());
  const mendPart = await failReads(visit, /database-health\/acquisitions/);
  await page.goto(databases);
  await page.getByRole('row', { name: /^checkout/ }).waitFor();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Try again' }).count(), 1);
  await mendPart();
  await checkScreen(t, visit, 'a part');
});
