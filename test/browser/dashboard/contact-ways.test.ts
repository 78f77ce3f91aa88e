import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { gatewaysAt } from '../../support/contact-ways.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const receiver = await startReceiver(t);
const service = await startTestService(t, {
  ...{ roles: withoutJobs, allowPrivateAddresses: true },
  gateways: { sms: gatewaysAt(receiver.url).sms },
});
const { sql } = service.stores;
const browser = await openBrowser(t);
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const account = '/manage/account';

t.test(
  'a webhook: what is missing is said, it is tested, changed, and gone when its notice is',
  async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page, email } = visit;
    await page.goto(account);
    await page.getByText(`Until you confirm one, alerts come to ${email}.`).waitFor();
    await tabTo(page, /^Add a way$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Add a way' });
    const kinds = await dialog.getByLabel('Kind').locator('option').allTextContents();
    t.strictSame(
      kinds,
      ['ntfy', 'Pushover', 'Telegram', 'Webhook', 'Text message'],
      'neither email without a mail server, nor calls without a gateway',
    );
    await dialog.getByLabel('Kind').selectOption({ label: 'Webhook' });
    await tabTo(page, /^Add$/);
    await page.keyboard.press('Enter');
    await dialog.getByText('This is needed.').waitFor();
    await dialog.getByLabel('URL', { exact: true }).fill(`${receiver.url}/secret-path`);
    await dialog.getByLabel('Name', { exact: true }).fill('My pager');
    await dialog.getByLabel(/^Info/).uncheck();
    await tabTo(page, /^Do not wake me$/);
    await page.keyboard.press('Space');
    await checkScreen(t, visit, 'the form of a way');
    await tabTo(page, /^Add$/);
    await page.keyboard.press('Enter');
    await page.getByText(/Page, Ticket · quiet 22:00–07:00/).waitFor();
    await page.getByRole('button', { name: 'Send a test to My pager' }).click();
    await page.getByText('The test was delivered.').waitFor();
    t.match(receiver.received.at(-1)?.path, /secret-path/);
    await checkScreen(t, visit, 'the account');
    await page.getByRole('button', { name: 'Edit My pager' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit' });
    await edit.getByLabel('Name', { exact: true }).fill('Phone');
    await edit.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Delete Phone' }).click();
    await page.getByText(`Until you confirm one, alerts come to ${email}.`).waitFor();
    t.equal(
      (await sql`select 1 from contact_ways`).length,
      1,
      'nothing brings its secrets back, so it waits',
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Delete Phone' }).waitFor();
    await page.clock.install();
    await page.reload();
    const gone = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Delete Phone' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.clock.runFor(11_000);
    await gone;
    t.equal((await sql`select 1 from contact_ways`).length, 0);
  },
);

t.test('a phone is sent a code, which confirms it', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(account);
  await page.getByRole('button', { name: 'Add a way' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a way' });
  await dialog.getByLabel('Kind').selectOption({ label: 'Text message' });
  await dialog.getByLabel('Number').fill('030 123');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await dialog
    .getByText(/such as \+4930123456/)
    .last()
    .waitFor();
  await dialog.getByLabel('Number').fill('+49 30 123456');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is yours' });
  await confirm.getByLabel('Code').fill('000000');
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await confirm.locator('.field-error').waitFor();
  await checkScreen(t, visit, 'a wrong code', /4\d\d/);
  const [, code = ''] = /\b(\d{6})\b/.exec(String(receiver.received.at(-1)?.body)) ?? [];
  await confirm.getByLabel('Code').fill(code);
  await confirm.getByRole('button', { name: 'Confirm' }).click();
  await noticed(page, 'It is confirmed');
  await page.getByRole('button', { name: 'Send a test to Text message' }).waitFor();
});

t.test('a list that cannot be read says so, and the rest of the account works', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  const mend = await failReads(visit, /api\/v1\/me\/contact-ways/);
  await page.goto(account);
  const part = page.getByRole('region', { name: 'How you are told of alerts' });
  await part.getByText('The data is unavailable at the moment.').waitFor();
  await page.getByText('This session').waitFor();
  await mend();
  await part.getByRole('button', { name: 'Try again' }).click();
  await part.getByText('Until you confirm one').waitFor();
});
