import t from 'tap';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const browser = await openBrowser(t);
await sql`delete from rules`; // Those that each page begins with.
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const rules = '/manage/pages/acme/rules';

/** Half of the requests fail in ten minutes, six hours ago. */
t.before(async () => {
  const begin = Math.floor(Date.now() / hourMs) * hourMs - 6 * hourMs;
  const minutes = Array.from({ length: 60 }, (_, minute) => minute);
  await insertRequests(
    clickhouse,
    service.pageId,
    minutes.flatMap((minute) => {
      const failed = minute >= 20 && minute < 30 ? 30 : 0;
      const row = { service: 'api', endpoint: '/pay', at: begin + minute * minuteMs };
      return [
        { ...row, requests: 60 - failed, latencyMs: [80, 120] },
        ...(failed > 0 ? [{ ...row, status: 503, requests: failed }] : []),
      ];
    }),
  );
});

t.test('the first rule by keyboard: each change shows what it would have done', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(rules);
  await page.getByRole('heading', { name: 'No rule yet' }).waitFor();
  await tabTo(page, /^New rule$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor();
  await page.getByText(/It would have fired once, for/).waitFor();
  await page.getByRole('img', { name: 'Time line of 14 days with 1 alert' }).waitFor();
  await page.getByRole('application', { name: 'Failure rate, chart' }).waitFor();
  await tabTo(page, /^Create rule$/);
  await page.keyboard.press('Enter');
  await page.getByText('Required.').waitFor();
  await page.keyboard.type('The API fails');
  await tabTo(page, /^Fails at$/);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0');
  await page.getByText(/Correct the invalid fields/).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('60');
  await page.getByText('It would not have fired.').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('12.5');
  await page.getByText(/It would have fired once, for/).waitFor();
  await checkScreen(t, visit, 'the form of a rule');
  await page.reload();
  t.equal(await page.getByLabel('Fails at').inputValue(), '12.5', 'a reload keeps what is entered');
  const mend = await failReads(visit, /rules\/the-api-fails$/);
  await page.getByRole('button', { name: 'Create rule' }).click();
  await page.getByText('What you entered is still here.').waitFor();
  await mend();
  await tabTo(page, /^Create rule$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'The rule “The API fails” is created.');
  await page.getByRole('heading', { level: 1, name: 'The API fails' }).waitFor();
  t.match(await sql`select kind, condition from rules where slug = 'the-api-fails'`, [
    { kind: 'failure-rate', condition: { percent: 12.5, windowMinutes: 5, requestsMin: 100 } },
  ]);
  await checkScreen(t, visit, 'one rule', /503/);
});

t.test('each kind has its fields alone, and depends on what exists', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${rules}?new=failure-rate`);
  await page.getByLabel(/^Reporter/).check({ force: true });
  await page.getByLabel('Reporter or service').waitFor();
  t.equal(await page.getByLabel('Fails at').count(), 0);
  await page.getByLabel(/^Burn rate/).check({ force: true });
  await page.getByText('The page has no objective yet.').waitFor();
  await page.getByLabel('Held back while').selectOption({ label: 'Rule: The API fails' });
  await page.getByRole('button', { name: 'Remove Rule: The API fails' }).click();
  await page.getByLabel(/^SQL query/).check({ force: true });
  await page.getByText('No query is shared on this page yet.').waitFor();
  await page.getByText(/Correct the invalid fields/).waitFor();
});

t.test('a chart of the traffic makes a rule with a threshold from what was measured', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto('/manage/pages/acme/traffic?service=api&from=now-24h&to=now');
  const links = page.getByRole('link', { name: 'Make a rule…' });
  await links.nth(2).click();
  await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor();
  t.equal(await page.getByLabel('Service').inputValue(), 'api');
  await page.getByText(/Suggested from the last 14 days/).waitFor();
  const suggested = Number(await page.getByLabel('Longer than').inputValue());
  t.ok(suggested > 120 && suggested <= 200, `${suggested} ms is above what was measured`);
});

t.test('the list: on and off with a way back, and a viewer only looks', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  const isOn = async () =>
    (await sql`select enabled from rules where slug = 'the-api-fails'`)[0]?.['enabled'];
  await page.goto(rules);
  const toggle = page.getByRole('switch', { name: 'The API fails is on' });
  await toggle.click();
  await noticed(page, '“The API fails” is off');
  t.equal(await isOn(), false);
  await page
    .getByRole('row', { name: /The API fails/ })
    .getByText('Off', { exact: true })
    .waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, '“The API fails” is on.');
  t.equal(await isOn(), true);
  await checkScreen(t, visit, 'the list of rules');
  const other = await visitDashboard(t, viewer);
  await other.page.goto(`${rules}?rule=the-api-fails`);
  await other.page.getByText(/It would have fired once/).waitFor();
  t.ok(await other.page.getByLabel('Fails at').isDisabled());
  t.equal(await other.page.getByRole('button', { name: 'Save' }).count(), 0);
});

t.test('two people change a rule, a preview that fails leaves the rest; in German', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de' });
  const { page } = visit;
  const mend = await failReads(visit, /preview$/);
  await page.goto(`${rules}?rule=the-api-fails`);
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByText(/Sie hätte einmal angeschlagen/).waitFor();
  await page.getByLabel('Über', { exact: true }).fill('10');
  const status = await page.evaluate(`fetch('/api/v1/pages/acme/rules/the-api-fails', {
    method: 'PATCH', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ condition: { percent: 15, windowMinutes: 5, requestsMin: 100 } }) })
    .then((answer) => answer.status)`);
  t.equal(status, 200);
  await page.getByRole('button', { name: 'Speichern' }).click();
  const conflict = page.getByRole('dialog');
  await conflict.getByText('15', { exact: true }).waitFor();
  await conflict.getByRole('button', { name: 'Diese Auswahl speichern' }).click();
  await noticed(page, 'Die Regel ist gespeichert.');
  t.match(await sql`select condition from rules`, [{ condition: { percent: 15, windowMinutes: 10 } }]);
  await page.getByRole('button', { name: 'Mehr' }).click();
  await page.getByRole('button', { name: 'Löschen …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click();
  await page.getByRole('heading', { name: 'Noch keine Regel' }).waitFor();
  t.equal((await sql`select from rules`).length, 0);
});
