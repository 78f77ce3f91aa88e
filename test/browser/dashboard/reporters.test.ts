import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { answerReads, makeReporter, reportersPage } from '../../support/dashboard-answers.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const reporters = '/manage/pages/acme/reporters';

t.test('states in words, the strip of a day in words, and the filters in the address', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await answerReads(page, reportersPage());
  await page.goto(reporters);
  const rows = page.locator('tbody tr');
  await rows.filter({ hasText: 'Checkout on eu-2' }).getByText('failing').waitFor();
  await page.getByRole('img', { name: /Calls in \d+ of 48 half hours .* None since/ }).waitFor();
  await page.getByText('What the states mean').click();
  await page.getByText('It has not called for more than five times as long').waitFor();
  await checkScreen(t, visit, 'the reporters');
  await page.getByLabel('Filter').fill('silent');
  await waitInPage(page, `document.querySelectorAll('tbody tr').length === 1`);
  await rows.getByText('Search on us-1').waitFor();
  await page.getByLabel('Filter').fill('');
  await page.getByRole('radio', { name: /^silent/ }).check({ force: true });
  await waitInPage(page, `document.querySelectorAll('tbody tr').length === 1`);
  t.equal(new URL(page.url()).searchParams.get('state'), 'silent');
  await page.getByLabel('Region').selectOption('eu');
  await page.getByText('No reporter has this state, region and team.').waitFor();
  await checkScreen(t, visit, 'a filter without a match');
  await page.getByRole('button', { name: 'Show all reporters' }).click();
  await waitInPage(page, `document.querySelectorAll('tbody tr').length === 6`);
  await page.goto(`${reporters}?team=search&state=thin`);
  await rows.getByText('Search on us-1').waitFor();
  t.equal(await rows.count(), 1, 'a link has the filters');
});

t.test('one reporter: its sentence, its calls, its requests, and the way to its traffic', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await answerReads(page, reportersPage());
  await page.goto(reporters);
  await page.getByRole('link', { name: 'Checkout on eu-2' }).click();
  await page.getByRole('heading', { level: 1, name: 'Checkout on eu-2' }).waitFor();
  await page.getByText('At least one of its requests in the last hour ended with a 5xx.').waitFor();
  await page.getByText('every 1 minute').waitFor();
  await page.locator('canvas').nth(1).waitFor();
  await checkScreen(t, visit, 'one reporter');
  t.equal(
    await page.getByRole('link', { name: 'Its traffic' }).getAttribute('href'),
    '/manage/pages/acme/traffic?service=eu-2',
  );
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  await page.goto(`${reporters}?reporter=nobody`);
  await page.getByText('No reporter has this name').waitFor();
  await checkScreen(t, visit, 'an unknown reporter');
});

t.test('instances stand below their service, which has the sums', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  const ofSearch = { service: 'search', requests: 0, failureRate: null, thin: true };
  const answer = {
    window: 3_600,
    reporters: [
      makeReporter({
        ...{ id: 'search', name: 'search', kind: 'service', instances: 2, state: 'failing' },
        ...{ errors: 1_912, failureRate: 0.0412, expectedEverySeconds: null, region: null, team: null },
      }),
      makeReporter({ ...ofSearch, id: 'search-us-1', name: 'Search', state: 'silent', ageSeconds: 7_300 }),
      makeReporter(),
      makeReporter({ ...ofSearch, id: 'search-eu-1', name: 'Search' }),
    ],
  };
  await answerReads(page, reportersPage(answer));
  await page.goto(reporters);
  await page.getByText('1 of 2 silent').waitFor();
  const links = await page.locator('tbody tr td:first-child a').all();
  const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')));
  t.strictSame(
    hrefs.map((href) => new URL(href ?? '', service.url).searchParams.get('reporter')),
    ['search', 'search-us-1', 'search-eu-1', 'eu-1'],
    'a group stands where its worst instance would',
  );
  t.equal(await page.locator('tr.inner-row').count(), 2);
  await checkScreen(t, visit, 'instances of a service');
  await page.getByLabel('Filter').fill('search-us');
  await page.getByText('of search').waitFor();
  await page.getByLabel('Filter').fill('');
  await page.getByRole('link', { name: 'search', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'search' }).waitFor();
  await page.getByRole('table', { name: 'Instances' }).waitFor();
  await page.locator('canvas').first().waitFor();
  await checkScreen(t, visit, 'a service of several instances');
  await page.getByRole('link', { name: 'Search' }).first().click();
  await page.getByRole('heading', { level: 2, name: 'Requests and errors of search' }).waitFor();
  t.equal(
    await page.getByRole('link', { name: 'Its traffic' }).getAttribute('href'),
    '/manage/pages/acme/traffic?service=search',
  );
});

t.test('empty, loading, failing, and without the calls', async (t) => {
  const visit = await visitDashboard(t, viewer, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(reporters);
  await page.getByText('No reporter has called yet').waitFor();
  await checkScreen(t, visit, 'empty');
  const answer = await failReads(visit, /analytics\/reporters/, 'hang');
  await page.reload();
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, /analytics\/reporters/);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'failing');
  await answerReads(page, reportersPage());
  const mendCalls = await failReads(visit, /analytics\/calls/);
  await page.reload();
  await page.getByRole('link', { name: 'Search on us-1' }).waitFor();
  await mendCalls();
  await checkScreen(t, visit, 'without the calls');
});

t.test('two thousand reporters: few are drawn, all are found', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  const many = Array.from({ length: 2_000 }, (_, i) =>
    makeReporter({ id: `worker-${i}`, name: `Worker ${i}` }),
  );
  await answerReads(page, reportersPage({ window: 3_600, reporters: many }));
  await page.goto(reporters);
  await page.getByText('2,000 rows').waitFor();
  await waitInPage(page, `document.querySelectorAll('tbody tr').length < 110`);
  await page.getByLabel('Filter').fill('worker 1999');
  await page.getByRole('link', { name: 'Worker 1999' }).waitFor();
  t.strictSame(troubles, []);
});

t.test('a reporter that calls appears with its state', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await service.post('/api/v2/events', {
    reporter: { reporterId: 'eu-9', englishName: 'Queue on eu-9', region: 'EU', expectedEverySeconds: 60 },
    events: [{ endpoint: '/jobs', status: 200, ms: 4 }],
  });
  await page.goto(reporters);
  await page.getByRole('link', { name: 'Queue on eu-9' }).click();
  await page.getByText('It calls as it promises, and none of its requests failed.').waitFor();
  t.equal(new URL(page.url()).searchParams.get('reporter'), 'eu-9');
  t.strictSame(troubles, []);
});
