import t from 'tap';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const alerts = '/manage/pages/acme/rules';

const ruleOf = async () => (await sql`select * from alert_rules where page_id = ${service.pageId}`)[0];

t.test('no rule and no traffic: usual numbers, and nothing that they would have done', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(alerts);
  await page.getByText('It would have opened no incident.').waitFor();
  await page.getByText(/No rule is set/).waitFor();
  await checkScreen(t, visit, 'no rule', /404/);
});

t.test('a rule by keyboard: each change shows what it would have done, and it is saved', async (t) => {
  const begin = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
  const values = Array.from({ length: 60 }, (_, minute) => minute).flatMap((minute) => {
    const failed = minute >= 20 && minute < 30 ? 30 : 0;
    const row = (status: number, requests: number) => ({
      ...{ page_id: service.pageId, kind: 'service', service: 'api', status, requests },
      minute: (begin + minute * minuteMs) / 1000,
    });
    return [row(200, 60 - failed), ...(failed > 0 ? [row(503, failed)] : [])];
  });
  await clickhouse.insert({ table: 'service_requests_minute', values, format: 'JSONEachRow' });
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(alerts);
  await page.getByText(/It would have opened 1 incident, for/).waitFor();
  await page.getByRole('img', { name: 'Time line of 14 days with 1 incident' }).waitFor();
  await page.getByRole('table', { name: 'Incidents that it would have opened' }).waitFor();
  await checkScreen(t, visit, 'a new rule', /404/);
  await tabTo(page, /^Failed requests$/);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0');
  await page.getByText(/Correct the invalid fields/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Must be more than 0 and at most 100.').waitFor();
  await checkScreen(t, visit, 'a number that does not do', /404/);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('60');
  await page.getByText('It would have opened no incident.').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('12.5');
  await page.getByText(/It would have opened 1 incident, for/).waitFor();
  await page.reload();
  t.equal(await page.getByLabel('Failed requests').inputValue(), '12.5', 'a reload keeps what is entered');
  const mend = await failReads(visit, /alert-rule$/);
  await page.getByRole('button', { name: 'Set this rule' }).click();
  await page.getByText('What you entered is still here.').waitFor();
  await mend();
  await tabTo(page, /^Set this rule$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'The rule is saved.');
  await page.getByRole('button', { name: 'Delete the rule' }).waitFor();
  t.match(await ruleOf(), { page_id: service.pageId });
  await checkScreen(t, visit, 'a rule', /404/);
});

t.test('two people change the rule, and a preview that fails leaves the rest', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  const mend = await failReads(visit, /preview$/);
  await page.goto(alerts);
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await checkScreen(t, visit, 'a preview that failed', /503/);
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(/It would have opened 1 incident/).waitFor();
  await page.getByLabel('Counted over').fill('10');
  const status = await page.evaluate(`fetch('/api/v1/pages/acme/alert-rule', {
    method: 'PUT', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ thresholdPercent: 12.5, windowSeconds: 900, minimumRequests: 100 }) })
    .then((answer) => answer.status)`);
  t.equal(status, 200);
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await conflict.getByText('15', { exact: true }).waitFor();
  await checkScreen(t, visit, 'both versions of a rule', /412/);
  await conflict.getByRole('button', { name: 'Save this choice' }).click();
  await noticed(page, 'The rule is saved.');
  t.equal(await page.getByLabel('Counted over').inputValue(), '10');
  await page.getByRole('button', { name: 'Delete the rule' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete the alert rule?' });
  await removal.getByText(/stays open/).waitFor();
  await removal.getByRole('button', { name: 'Delete the rule' }).click();
  await page.getByRole('button', { name: 'Set this rule' }).waitFor();
  t.equal(await ruleOf(), undefined);
});

t.test('loading, failing, and German', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de' });
  const { page } = visit;
  const answer = await failReads(visit, /alert-rule$/, 'hang');
  await page.goto(alerts);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'a rule that loads');
  await answer();
  const mend = await failReads(visit, /alert-rule$/);
  await page.reload();
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByText(/Sie hätte 1 Störung geöffnet/).waitFor();
  await checkScreen(t, visit, 'the rule in German', /404/);
});
