import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { findAxeViolations, measureOverflow } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const readers = '/manage/pages/acme/page?part=readers';
const address = `http://acme.localhost:${new URL(service.url).port}/en/`;

t.test('an editor closes the page, and readers open it with the password', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(readers);
  await page.getByRole('switch', { name: 'Private' }).check();
  await page.getByLabel('Allowed addresses').fill('10.0.0.0/40');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is neither an address nor a network').waitFor();
  await forget(visit, /400/);
  await checkScreen(t, visit, 'a network that is none');
  await page.getByLabel('Allowed addresses').fill('10.0.0.0/8\n192.0.2.7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: false }).first().waitFor();
  const password = page.getByRole('textbox', { name: 'Password for readers' });
  await password.fill('short');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('At least 8 characters.').waitFor();
  await password.fill('correct horse');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByRole('button', { name: 'Replace the password' }).waitFor();
  t.notMatch(await page.evaluate<string>('JSON.stringify(localStorage)'), /correct horse/);
  await checkScreen(t, visit, 'a private page');

  const context = await browser.newContext();
  t.teardown(() => context.close());
  const reader = await context.newPage();
  await reader.goto(address);
  await reader.getByRole('heading', { name: 'This status page is private' }).waitFor();
  t.strictSame(await findAxeViolations(reader), [], 'the form');
  t.equal(await measureOverflow(reader), 0);
  await reader.getByLabel('Password').fill('a guess');
  await reader.getByRole('button', { name: 'Open the page' }).click();
  await reader.getByText('That is not the password.').waitFor();
  t.strictSame(await findAxeViolations(reader), [], 'a wrong password');
  await reader.getByLabel('Password').fill('correct horse');
  await reader.getByRole('button', { name: 'Open the page' }).click();
  await reader.waitForURL(address);
  await reader.getByRole('heading', { level: 1 }).waitFor();
  t.equal(await reader.getByText('This status page is private').count(), 0);
  await reader.reload();
  t.equal(reader.url(), address, 'the browser stays in');

  await page.getByRole('button', { name: 'Remove the password' }).click();
  await page.getByRole('button', { name: 'Set the password' }).waitFor();
  await reader.reload();
  await reader.getByRole('heading', { name: 'This status page is private' }).waitFor();
  t.equal(await reader.getByLabel('Password').count(), 0, 'the other ways remain');
});

t.test('a viewer sees who may read, and changes nothing', async (t) => {
  const { page } = await visitDashboard(t, viewer);
  await page.goto(readers);
  t.equal(await page.getByRole('switch', { name: 'Private' }).isDisabled(), true);
  t.equal(await page.getByRole('button', { name: 'Set the password' }).isDisabled(), true);
});
