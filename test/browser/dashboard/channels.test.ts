import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const browser = await openBrowser(t);
const receiver = await startReceiver(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const channels = '/manage/pages/acme/channels';

t.test('empty, and the first channel by keyboard: what is missing is said at its field', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(channels);
  await page.getByRole('heading', { name: 'No channel yet' }).waitFor();
  await checkScreen(t, visit, 'no channel');
  await tabTo(page, /^Add a channel$/);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add a channel' });
  await dialog.waitFor();
  await tabTo(page, /^Add$/);
  await page.keyboard.press('Enter');
  await dialog.locator('.field-error').filter({ hasText: 'This is needed.' }).waitFor();
  await dialog.getByLabel('URL', { exact: true }).fill('hooks.example.com');
  await tabTo(page, /^Add$/);
  await page.keyboard.press('Enter');
  await dialog.locator('.field-error').filter({ hasText: 'That is not a URL;' }).waitFor();
  await checkScreen(t, visit, 'a URL that does not do', /400/);
  await dialog.getByLabel('URL', { exact: true }).fill(`${receiver.url}/secret-path`);
  await dialog.getByLabel('Name', { exact: true }).fill('#operations');
  await tabTo(page, /^Report everything$/);
  await page.keyboard.press('Space');
  await dialog.getByLabel('Reporters that are silent').uncheck();
  await dialog.getByLabel('Quiet hours').check({ force: true });
  await dialog.getByLabel('From').fill('21:30');
  await checkScreen(t, visit, 'the whole form');
  await tabTo(page, /^Add$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: '#operations' }).waitFor();
  await page.getByText('21:30 to 07:00').waitFor();
  t.equal(await page.getByText('secret-path').count(), 0, 'no screen has the URL');
  await page.getByRole('heading', { name: 'No message yet' }).waitFor();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await noticed(page, 'A test is queued.');
  await page.getByRole('row').filter({ hasText: 'This is a test' }).getByText('Delivered').waitFor();
  t.equal(receiver.received.length, 1);
  await checkScreen(t, visit, 'one channel');
});

t.test('each kind asks for what it needs', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${channels}?new=channel`);
  const dialog = page.getByRole('dialog', { name: 'Add a channel' });
  const fields = async (kind: string) => {
    await dialog.getByLabel('Where').selectOption({ label: kind });
    const labels = await dialog.locator('.field > label').allTextContents();
    return labels.filter((label) => !['Where', 'Name'].includes(label));
  };
  t.strictSame(await fields('Telegram'), ['Token of the bot', 'Chat', 'Server (optional)']);
  t.strictSame(await fields('ntfy'), ['Topic', 'Server (optional)', 'Token (optional)']);
  t.strictSame(await fields('PagerDuty'), ['Integration key', 'Region of the account']);
  t.strictSame(await fields('Webhook'), ['URL', 'Secret (optional)']);
  await checkScreen(t, visit, 'a program');
});

t.test('a channel is changed without its secrets, fails, is turned off, and deleted', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  receiver.answer = () => ({ status: 404 });
  await page.goto(channels);
  await page.getByRole('link', { name: /#operations/ }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Edit' });
  t.equal(await dialog.getByLabel('URL', { exact: true }).inputValue(), '');
  await dialog.getByText('Leave this empty to keep what is saved.').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('#on-call');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: '#on-call' }).waitFor();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('row').filter({ hasText: 'Given up' }).waitFor();
  await page.getByText('Failing').waitFor();
  t.equal(receiver.received.at(-1)?.path, '/secret-path', 'the URL stays');
  await checkScreen(t, visit, 'a channel that fails');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await noticed(page, 'The channel is off.');
  await page.getByRole('button', { name: 'Turn on' }).waitFor();
  await page.goto(channels);
  await page.getByRole('row').filter({ hasText: '#on-call' }).getByText('Off').waitFor();
  await checkScreen(t, visit, 'the list');
  await page.getByRole('link', { name: /#on-call/ }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No channel yet' }).waitFor();
  t.strictSame([...(await sql`select 1 from channels`)], []);
});

t.test('viewers do not see the screen', async (t) => {
  const visit = await visitDashboard(t, viewer);
  await visit.page.goto(channels);
  await visit.page.getByRole('heading', { name: 'Your role has no access to this screen' }).waitFor();
  t.strictSame(visit.troubles, [], 'nothing is asked for');
  t.equal(await visit.page.getByRole('link', { name: 'Channels' }).count(), 0);
});
