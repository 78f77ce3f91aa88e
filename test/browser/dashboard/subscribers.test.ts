import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import { deferred } from '../../../lib/deferred.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { addConfirmed } from '../../support/mail-setup.js';
import { startAnother, startTestService, unansweredSmtp } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

/** It takes addresses, and nothing sends their emails. */
const service = await startTestService(t, { roles: new Set(['api'] as const), smtpUrl: unansweredSmtp });
const { sql } = service.stores;
const { pageId } = service;
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const subscribers = '/manage/pages/acme/subscribers';

const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const countOf = async (email: string) =>
  (await sql`select 1 from subscribers where page_id = ${pageId} and email = ${email}`).length;

/** Returns the file that the browser saves after a button, as text. */
async function download(page: Page, button: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ]);
  return readFile(await file.path(), 'utf8');
}

const chooseFile = (page: Page, csv: string) =>
  page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });

t.test('empty: what it is for, and the first address by keyboard', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(subscribers);
  await page.getByRole('heading', { name: 'Nobody has subscribed yet' }).waitFor();
  await checkScreen(t, visit, 'no subscriber');
  await tabTo(page, /^Add an address$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Add a subscriber' }).waitFor();
  t.equal(new URL(page.url()).searchParams.get('new'), 'subscriber');
  await tabTo(page, /^Email address$/);
  await page.keyboard.type('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('This is not an email address.').waitFor();
  await checkScreen(t, visit, 'an address that is none', /4\d\d/);
  await page.reload();
  t.equal(await page.getByLabel('Email address').inputValue(), 'nobody', 'a reload keeps what is entered');
  await page.getByLabel('Email address').fill('ann@example.com');
  const mend = await failReads(visit, /subscribers$/);
  await page.keyboard.press('Enter');
  await page.getByText('What you entered is still here.').waitFor();
  await mend();
  await tabTo(page, /^This person has agreed to get email$/);
  await page.keyboard.press('Space');
  await page.getByText('The address gets email at once.').waitFor();
  await tabTo(page, /^Add$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'ann@example.com gets email from now on.');
  await rowOf(page, 'ann@example.com').getByText('Confirmed').waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('each state with what can be done about it', async (t) => {
  await sql`
    insert into suppressions (page_id, email, reason, created_at) values
      (${pageId}, 'gone@example.com', 'unsubscribed', now()), (${pageId}, 'dead@example.com', 'bounced', now())`;
  await addConfirmed({ sql, page: { id: pageId } }, ['dead@example.com']);
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${subscribers}?new=subscriber`);
  await page.getByLabel('Email address').fill('ben@example.com');
  await page.keyboard.press('Enter');
  await noticed(page, 'ben@example.com is asked to confirm.');
  await rowOf(page, 'ben@example.com').getByText('Waiting').waitFor();
  await checkScreen(t, visit, 'the list');
  const again = page.getByRole('button', { name: 'Ask again: ben@example.com' });
  const giveUp = () => sql`update emails set state = 'parked', finished_at = now() where state = 'pending'`;
  await giveUp();
  // A click does nothing while the request before is not answered. After the answer the list is read once more.
  const ask = async () => void (await Promise.all([page.waitForResponse(/\/subscribers\?/), again.click()]));
  await ask();
  await noticed(page, 'ben@example.com is asked once more.');
  await giveUp();
  await ask();
  t.equal((await sql`select 1 from emails`).length, 3);
  await giveUp();
  await again.click();
  await noticed(page, 'was asked 3 times within 24 hours');

  await page.getByRole('radio', { name: 'Suppressed' }).check({ force: true });
  await rowOf(page, 'gone@example.com').getByText('Unsubscribed').waitFor();
  await rowOf(page, 'dead@example.com').getByText('Bounced').waitFor();
  t.equal(await page.getByRole('button', { name: 'Delete gone@example.com' }).count(), 0);
  await page.getByRole('button', { name: 'Allow again: dead@example.com' }).click();
  const asked = page.getByRole('dialog', { name: 'Allow email to this address again?' });
  await asked.getByText(/was refused for good/).waitFor();
  await checkScreen(t, visit, 'a question before an address is allowed', /409/);
  await asked.getByRole('button', { name: 'Allow again' }).click();
  await noticed(page, 'dead@example.com may get email again.');
  await page.goBack();
  await page.getByRole('button', { name: 'Delete ben@example.com' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete this subscriber?' });
  await removal.getByText(/all emails to it are deleted/).waitFor();
  await removal.getByRole('button', { name: 'Delete', exact: true }).click();
  await noticed(page, 'ben@example.com is deleted.');
  t.equal(await countOf('ben@example.com'), 0);
  await waitInPage(page, `document.activeElement.matches('.panel h2')`);
});

t.test('loading, failing, and another language', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de' });
  const { page } = visit;
  const answer = await failReads(visit, /api.*subscribers\?/, 'hang');
  await page.goto(subscribers);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'a list that loads');
  await answer();
  const mend = await failReads(visit, /api.*(subscribers|emails)\?/);
  await page.reload();
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await checkScreen(t, visit, 'a list that failed', /503/);
  await page.goto(`${subscribers}?view=emails`);
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByRole('heading', { name: 'Noch keine E-Mail' }).waitFor();
  await checkScreen(t, visit, 'the mail log in German');
});

t.test('an import: a dry look, the consent, what was refused, and no one twice', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${subscribers}?view=import`);
  await chooseFile(page, 'name;number\nAnn;1\n');
  await page.getByText('No column of the file has email addresses.').waitFor();
  await checkScreen(t, visit, 'a file without addresses');
  await chooseFile(page, 'Name;E-Mail\nIva;iva@import.example\nGone;gone@example.com\nX;not an address\n');
  await page.getByText('3 addresses found.').waitFor();
  const look = page.getByRole('table', { name: 'The first rows, as they are understood' });
  t.match(await look.getByRole('row').nth(1).textContent(), /2iva@import\.exampleAs the pagenot said/);
  await tabTo(page, /^Import 3$/);
  await page.keyboard.press('Enter');
  await page.getByText('Say whether they have agreed.').waitFor();
  await checkScreen(t, visit, 'a consent that is missing');
  t.equal(await countOf('iva@import.example'), 0, 'nothing is sent without a consent');
  await page.getByLabel('Yes, all of them have agreed').focus();
  await page.keyboard.press('Space');
  await tabTo(page, /^Import 3$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  await page.getByText('3 of 3 lines are done.').waitFor();
  await rowOf(page, 'gone@example.com').getByText('The person unsubscribed').waitFor();
  await checkScreen(t, visit, 'an import that is done');
  const refused = await download(page, 'Download the refused lines');
  t.match(refused, /3,gone@example\.com,The person unsubscribed\r\n4,not an address,Not an email address/);
  t.equal(await countOf('iva@import.example'), 1);
  await page.getByRole('button', { name: 'Import another file' }).click();
  await chooseFile(page, 'email,confirmed\niva@import.example,true\n');
  t.ok(await page.getByLabel('As the column of the file says').isChecked());
  await page.getByRole('button', { name: 'Import 1' }).click();
  await page.getByRole('heading', { name: 'The import is done' }).waitFor();
  t.match(await page.locator('.import-outcome .figures').textContent(), /Added0Changed0Unchanged1Refused0/);
  await page.getByRole('link', { name: 'Show the addresses' }).click();
  await rowOf(page, 'iva@import.example').waitFor();
  t.strictSame(visit.troubles, []);
});

t.test(
  'an import goes on beside the other parts of its screen, and leaving the screen says where it stopped',
  async (t) => {
    const { page } = await visitDashboard(t, editor);
    await page.goto(`${subscribers}?view=import`);
    const rows = Array.from({ length: 1_500 }, (_, i) => `left${i}@import.example,true`);
    await chooseFile(page, `email,confirmed\n${rows.join('\n')}`);
    const ending = deferred<void>();
    let parts = 0;
    await page.route(/subscribers\/import$/, async (route) => {
      parts += 1;
      if (parts > 1) await ending.promise;
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Import 1,500' }).click();
    await page.getByText('500 of 1,500 lines are done.').waitFor();
    await page.getByRole('link', { name: 'Addresses', exact: true }).click();
    await page.getByRole('heading', { name: 'Addresses' }).waitFor();
    await page.getByRole('link', { name: 'Import 33.3%' }).click();
    await page.getByText('500 of 1,500 lines are done.').waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('The import stopped at 500 of 1,500 lines.').waitFor();
    ending.resolve();
  },
);

t.test(
  '10,000 addresses: the import goes on after a lost connection, and the list stays quick',
  async (t) => {
    const visit = await visitDashboard(t, editor);
    const { page } = visit;
    await page.goto(`${subscribers}?view=import`);
    const rows = Array.from({ length: 10_000 }, (_, i) => `n${i}@many.example,true`);
    await chooseFile(page, `email,confirmed\n${rows.join('\n')}`);
    let parts = 0;
    await page.route(/subscribers\/import$/, async (route) => {
      parts += 1;
      // The service has the part, and its answer is lost.
      if (parts === 3) await route.fetch();
      await (parts === 3 ? route.abort() : route.continue());
    });
    await page.getByRole('button', { name: 'Import 10,000' }).click();
    await page.getByText('The service does not answer').waitFor();
    await page.getByText('1,000 of 10,000 lines are done.').waitFor();
    await checkScreen(t, visit, 'an import that has stopped', /.*|ERR_FAILED/);
    visit.troubles.length = 0;
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('heading', { name: 'The import is done' }).waitFor({ timeout: 60_000 });
    t.match(await page.locator('.import-outcome .figures').textContent(), /Added9,500.*Unchanged500Refused0/);
    await page.goto(subscribers);
    await rowOf(page, '@many.example').nth(50).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find an address' }).fill('n4242@');
    await waitUntil('one is found', async () => (await page.locator('tbody tr').count()) === 1, 10_000);
    t.equal(new URL(page.url()).searchParams.get('search'), 'n4242@');
    t.equal(new URL(page.url()).searchParams.get('after'), null, 'a search begins with its newest part');
    await page.getByRole('searchbox', { name: 'Find an address' }).fill('nobody at all');
    await page.getByRole('heading', { name: 'No matching address' }).waitFor();
    await page.getByRole('button', { name: 'Show all addresses' }).click();
    await page.getByRole('radio', { name: 'Confirmed' }).check({ force: true });
    const csv = await download(page, 'Export CSV');
    t.ok(csv.split('\r\n').length > 10_000, 'every address, not only those that are shown');
    t.strictSame(visit.troubles, []);
  },
);

t.test('the mail log: states, reasons, and one that is sent again', async (t) => {
  await sql`delete from emails`;
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${subscribers}?view=emails`);
  await page.getByRole('heading', { name: 'No email yet' }).waitFor();
  await checkScreen(t, visit, 'no email');
  await page.goto(`${subscribers}?new=subscriber`);
  await page.getByLabel('Email address').fill('log@example.com');
  await page.keyboard.press('Enter');
  await noticed(page, 'log@example.com is asked to confirm.');
  await sql`
    update emails set state = 'parked', attempts = 8, reason = '550 no such mailbox', finished_at = now(),
      claimed_until = null`;
  await page.getByRole('link', { name: 'Mail log' }).click();
  await rowOf(page, 'log@example.com').getByText('550 no such mailbox').waitFor();
  await page.getByRole('radio', { name: 'Given up' }).check({ force: true });
  await page.getByLabel('Kind').selectOption('confirmation');
  await rowOf(page, 'log@example.com').getByText('Given up').waitFor();
  await checkScreen(t, visit, 'the mail log');
  await page.getByRole('button', { name: 'Send again: the email to log@example.com' }).click();
  await noticed(page, 'The email to log@example.com is sent again.');
  const [row] = await sql`select after from audit_log where action = 'email.resend'`;
  t.match(row, { after: { state: 'pending', attempts: 0 } });
  await page.getByRole('radio', { name: 'Waiting' }).check({ force: true });
  await page.getByLabel('Kind').selectOption('notice');
  await page.getByRole('heading', { name: 'No such email' }).waitFor();
});

t.test('where no mail can be sent, the screens say so and name the setting', async (t) => {
  await sql`
    insert into subscribers (id, page_id, email, language, created_at, requested_at)
    values (gen_random_uuid(), ${pageId}, 'kim@example.com', 'en', now(), now())`;
  const without = await startAnother(t, service, { roles: new Set(['api'] as const) });
  const visit = await visitDashboard(t, { ...editor, service: without });
  const { page } = visit;
  await page.goto(`${subscribers}?search=kim`);
  await page.getByRole('note').getByText('No mail can be sent: set HEARTLINE_SMTP_URL and restart').waitFor();
  await rowOf(page, 'kim@example.com').getByText('Not asked').waitFor();
  t.equal(await rowOf(page, 'kim@example.com').getByText('Waiting').count(), 0);
  t.equal(await page.getByRole('button', { name: /^Ask again/ }).count(), 0);
  await checkScreen(t, visit, 'no mail');
  const { page: other } = await visitDashboard(t, { browser, service: without, as: 'admin' });
  await other.goto('/manage/installation');
  await other.getByRole('note').getByText('HEARTLINE_SMTP_URL').waitFor();
  const button = other.getByRole('button', { name: 'Send a test mail' });
  t.equal(await button.getAttribute('aria-disabled'), 'true');
  await other.goto('/manage/pages/acme/people');
  await other.getByRole('note').getByText('HEARTLINE_SMTP_URL').waitFor();
});

t.test('a test mail shows the words of the mail server', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: 'admin' });
  const { page } = visit;
  await page.goto('/manage/installation');
  await page.getByRole('button', { name: 'Send a test mail' }).click();
  await page.getByRole('alert').getByText('The mail did not leave:').waitFor();
  t.equal(await page.getByRole('note').count(), 0);
  await checkScreen(t, visit, 'the installation');
});

t.test('a viewer sees no address, and the service refuses as well', async (t) => {
  const visit = await visitDashboard(t, viewer);
  const { page } = visit;
  await page.goto(subscribers);
  await page
    .getByText(/may not see|editors/)
    .first()
    .waitFor();
  t.equal(await page.getByText('iva@import.example').count(), 0);
  t.equal(await page.getByRole('link', { name: 'Subscribers' }).count(), 0);
  const status = await page.evaluate(`fetch('/api/v1/pages/acme/subscribers/import', {
    method: 'POST', headers: { 'content-type': 'text/csv' }, body: 'email,confirmed\\nx@example.com,true' })
    .then((answer) => answer.status)`);
  t.equal(status, 403);
  await checkScreen(t, visit, 'no permission', /403/);
});
