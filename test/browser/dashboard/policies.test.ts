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
await sql`delete from rules`; // Those that each page begins with.
await makeTeam({ sql, clock: systemClock }, { ada: 'responder', bob: 'editor' });
const as = (role: 'viewer' | 'editor') => ({ browser, service, as: { slug: 'acme', role } });
const policies = '/manage/pages/acme/policies';

t.test('empty, and the first policy: what is missing is said at its field', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(policies);
  await page.getByRole('heading', { name: 'No policy yet' }).waitFor();
  await tabTo(page, /^Add a policy$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New policy' }).waitFor();
  await tabTo(page, /^Create$/);
  await page.keyboard.press('Enter');
  await page.getByText('Add whom this step tells.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Backend');
  await page.getByLabel('Tell', { exact: true }).selectOption({ label: 'Ada' });
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByLabel('Tell', { exact: true }).nth(1).selectOption({ label: 'Bob' });
  await page.getByLabel('Wait for an acknowledgement').nth(1).fill('30');
  await tabTo(page, /^Move step 2 up$/);
  await page.keyboard.press('Enter');
  await page.getByLabel('Repeat').fill('2');
  await page.getByLabel(/^page/).check();
  await checkScreen(t, visit, 'the form of a policy');
  await tabTo(page, /^Create$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Backend' }).waitFor();
  await page.getByText('After 30 minutes without an acknowledgement:').waitFor();
  await page.getByText('After 10 minutes without an acknowledgement, 2 times more from the top.').waitFor();
  await page.getByText('Default for page').waitFor();
  await page.getByText('No rule uses it.').waitFor();
  await checkScreen(t, visit, 'the list');
});

t.test('a policy is changed, deleted, and brought back', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(policies);
  await page.getByRole('button', { name: 'Edit “Backend”' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Back end');
  await page.getByRole('button', { name: 'Do not tell Ada' }).click();
  await page.getByRole('button', { name: 'Remove step 2' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Back end' }).waitFor();
  await page.getByRole('button', { name: 'Delete “Back end”' }).click();
  await page.getByRole('heading', { name: 'No policy yet' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, '“Back end” is back.');
  const [row] =
    await sql`select name, repeat, (select count(*)::integer from policy_defaults d where d.policy_id = policies.id) as defaults from policies`;
  t.match(row, { name: 'Back end', repeat: 2, defaults: 1 });
  t.strictSame(visit.troubles, []);
});

t.test('viewers read it; a failing read keeps what works', async (t) => {
  const visit = await visitDashboard(t, as('viewer'));
  const { page } = visit;
  const mend = await failReads(visit, /api\/v1\/pages\/acme\/rules/);
  await page.goto(policies);
  await page.getByRole('heading', { name: 'Back end' }).waitFor();
  await page.getByText('The rules could not be read').waitFor();
  await mend();
  const edit = page.getByRole('button', { name: 'Edit “Back end”' });
  t.equal(await edit.getAttribute('aria-disabled'), 'true');
});
