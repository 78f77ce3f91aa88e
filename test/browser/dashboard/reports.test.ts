import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeTeam } from '../../support/on-call.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
await makeTeam({ sql, clock: systemClock }, { ada: 'responder', bob: 'viewer' });
const as = (role: 'viewer' | 'editor') => ({ browser, service, as: { slug: 'acme', role } });
const reports = '/manage/pages/acme/reports';
const settings = async () => {
  const [row] = await sql<{ every: string | null; toSubscribers: boolean; emails: string[] }[]>`
    select every, to_subscribers as "toSubscribers", array(
      select email from report_recipients t join users u on u.id = t.user_id
      where t.page_id = s.page_id order by email) as emails
    from report_settings s where page_id = ${service.pageId}`;
  return row && { ...row };
};

t.test('reports are turned on by keyboard: what is missing is said, and Undo turns them off', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(reports);
  await page.getByRole('radio', { name: 'Never' }).waitFor();
  await checkScreen(t, visit, 'reports that nobody gets');
  await tabTo(page, /^Never$/);
  await page.keyboard.press('ArrowRight');
  await page.getByText(/^The next one is sent on Monday \d+ \w+ at 8:00, by the clock of UTC\./).waitFor();
  await tabTo(page, /^Save$/);
  await page.keyboard.press('Enter');
  await page.getByText('Nobody would get it.').waitFor();
  await page.getByRole('checkbox', { name: /ada@acme/ }).focus();
  await page.keyboard.press('Space');
  await checkScreen(t, visit, 'reports of every week');
  await tabTo(page, /^Save$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'Saved');
  t.strictSame(await settings(), { every: 'weekly', toSubscribers: false, emails: ['ada@acme.example'] });
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, 'The reports are sent as before.');
  t.strictSame(await settings(), { every: null, toSubscribers: false, emails: [] });
  t.ok(await page.getByRole('radio', { name: 'Never' }).isChecked());
});

t.test('two people change them: both versions are shown, and one choice of each is saved', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(reports);
  await page.getByText('Every month', { exact: true }).click();
  await page.getByRole('checkbox', { name: /bob@acme/ }).check();
  const other = await visitDashboard(t, as('editor'));
  await other.page.goto(reports);
  await other.page.getByText('Every week', { exact: true }).click();
  await other.page.getByText('Subscribers as well').click();
  await other.page.getByRole('button', { name: 'Save' }).click();
  await noticed(other.page, 'Saved');
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await conflict.waitFor();
  await conflict.getByText('Every week').waitFor();
  await checkScreen(t, visit, 'both versions', /412/);
  await conflict.getByRole('button', { name: 'Save this choice' }).click();
  await noticed(page, 'Saved');
  t.strictSame(await settings(), { every: 'monthly', toSubscribers: true, emails: ['bob@acme.example'] });
  t.strictSame(other.troubles, []);
});

t.test('viewers read and print the newest reports, and cannot set who gets them', async (t) => {
  const visit = await visitDashboard(t, as('viewer'));
  const { page, context } = visit;
  await page.goto(reports);
  await page.getByText('Only editors or owners may do this.').waitFor();
  t.equal(await page.getByRole('radio').count(), 0);
  await checkScreen(t, visit, 'reports for viewers');
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: /^Read and print the report of \w+ \d{4}$/ }).click();
  const report = await opened;
  await report.getByText('Monthly report').waitFor();
  await report.getByRole('link', { name: 'To the dashboard' }).click();
  await report.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
  const csv = page.waitForEvent('download');
  await page
    .getByRole('link', { name: /as CSV$/ })
    .first()
    .click();
  t.match((await csv).suggestedFilename(), /^report-acme-week-\d{4}-\d\d-\d\d\.csv$/);
  t.strictSame(visit.troubles, []);
});

t.test('settings that cannot be read leave the reports, and Try again reads them', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  const mend = await failReads(visit, /report-settings/);
  await page.goto(reports);
  await page.getByText('The data is unavailable at the moment.').waitFor();
  await page
    .getByRole('link', { name: /^Read and print/ })
    .first()
    .waitFor();
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('radio', { name: 'Every month' }).waitFor();
  t.strictSame(visit.troubles, []);
});
