import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startReceiver } from '../../support/receiver.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { announceIncident } from '../../support/webhooks.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const browser = await openBrowser(t);
const receiver = await startReceiver(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const webhooks = '/manage/pages/acme/webhooks';

const idOf = (page: Page) => new URL(page.url()).searchParams.get('webhook') ?? '';

t.test(
  'empty, and the first webhook by keyboard: its secret appears once, with lines that verify',
  async (t) => {
    const visit = await visitDashboard(t, editor);
    const { page } = visit;
    await page.goto(webhooks);
    await page.getByRole('heading', { name: 'No webhook yet' }).waitFor();
    await checkScreen(t, visit, 'no webhook');
    await tabTo(page, /^Add a webhook$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a webhook' }).waitFor();
    await tabTo(page, /^URL$/);
    await page.keyboard.type('ftp://hooks.example.com/');
    await page.keyboard.press('Enter');
    await page.locator('.field-error').filter({ hasText: /http/ }).waitFor();
    await checkScreen(t, visit, 'a URL that does not do', /4\d\d/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${receiver.url}/hook`);
    await tabTo(page, /^Every event$/);
    await page.keyboard.press('Space');
    await tabTo(page, /^Add$/);
    await page.keyboard.press('Enter');
    await page.getByText('Choose at least one event.').waitFor();
    await page
      .locator('[aria-invalid="true"]:focus')
      .and(page.getByLabel(/^All of incidents/))
      .waitFor();
    t.equal(await page.getByLabel('URL').getAttribute('aria-invalid'), 'false', 'another one was entered');
    await page.keyboard.press('Space');
    await tabTo(page, /^Add$/);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'The webhook is added' });
    const secret = (await dialog.locator('code.secret').textContent()) ?? '';
    t.match(secret, /^whsec_/);
    await dialog.getByText('timingSafeEqual').first().waitFor();
    await checkScreen(t, visit, 'the secret');
    await tabTo(page, /^I have saved it$/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^127\.0\.0\.1/ }).waitFor();
    t.equal(await page.getByText('whsec_').count(), 0, 'no other screen has it');
    await page.getByRole('heading', { name: 'No delivery yet' }).waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await noticed(page, 'A test is queued.');
    await page.getByRole('row').filter({ hasText: 'Test' }).getByText('Delivered').waitFor();
    const [sent] = receiver.received;
    t.match(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {}), { type: 'webhook.test' });
    await checkScreen(t, visit, 'one webhook');
  },
);

t.test('deliveries: what was sent and answered, and the failed ones sent again', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  receiver.answer = () => ({ status: 500, body: 'The database is full.' });
  await page.goto(webhooks);
  await page.getByRole('link', { name: /^127\.0\.0\.1/ }).click();
  await announceIncident({ sql, clock: systemClock }, service.pageId, 1);
  await page.getByText('500').first().waitFor();
  await sql`
    update webhook_deliveries set state = 'parked', reason = 'The attempts are used up.', finished_at = now()
    where state = 'pending'`;
  await page.getByRole('radio', { name: 'Given up' }).check({ force: true });
  await page.getByRole('link', { name: 'An incident is opened' }).click();
  await page.getByRole('heading', { level: 1, name: 'An incident is opened' }).waitFor();
  await page.getByText('The database is full.').waitFor();
  await page.getByText(/webhook-timestamp: \d+/).waitFor();
  await page.getByText('"type": "incident.created"').waitFor();
  t.equal(await page.getByText('webhook-signature').count(), 0);
  await checkScreen(t, visit, 'a delivery');
  await page.goBack();

  receiver.answer = () => ({ status: 204 });
  receiver.received.length = 0;
  await page.getByRole('button', { name: 'Send all given up again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send what was given up again?' });
  await dialog.getByText(/^2 deliveries are sent again/).waitFor();
  await checkScreen(t, visit, 'a question before many are sent');
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await noticed(page, '2 deliveries are sent again.');
  await page.getByRole('heading', { name: 'No such delivery' }).waitFor();
  await page.getByRole('button', { name: 'Show all deliveries' }).click();
  await page.getByText('Delivered').nth(3).waitFor();
  t.match(
    receiver.received.map(({ body }) => JSON.parse(body).type),
    ['incident.created', 'incident.update_posted'],
    'in their order',
  );
  await page
    .getByRole('button', { name: /^Send again: An incident is opened/ })
    .first()
    .click();
  await noticed(page, 'The delivery is sent again.');
  t.strictSame(visit.troubles, []);
});

t.test('pause with its undo, a new secret, and a deletion', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${webhooks}?new=webhook`);
  await page.getByLabel('URL').fill(`${receiver.url}/second`);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Pause' }).click();
  await noticed(page, 'Paused. Pending deliveries wait.');
  await page.getByText(/Paused since/).waitFor();
  t.equal(await page.getByRole('button', { name: 'Send a test' }).count(), 0);
  await checkScreen(t, visit, 'a paused webhook');
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, 'The webhook is on.');
  await page.getByRole('button', { name: 'New secret' }).click();
  const rotation = page.getByRole('dialog', { name: 'Give this webhook a new secret?' });
  await rotation.getByText(/both secrets for 24 hours/).waitFor();
  await rotation.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('dialog', { name: 'The webhook has a new secret' }).waitFor();
  await page.getByRole('radio', { name: 'Environment file' }).check({ force: true });
  await page.getByText(/^WEBHOOK_SECRET=whsec_/).waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByText(/previous secret as well until/).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const removal = page.getByRole('dialog', { name: 'Delete this webhook?' });
  await removal.getByText(/receives nothing any more/).waitFor();
  await removal.getByRole('button', { name: 'Delete' }).click();
  await noticed(page, 'The webhook is deleted.');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' });
  t.equal(await page.locator('tbody tr').count(), 1);
  t.strictSame(visit.troubles, []);
});

t.test('two people change one webhook: the second sees both versions', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(webhooks);
  await page.getByRole('link', { name: /^127\.0\.0\.1/ }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('URL').fill(`${receiver.url}/mine`);
  await page.getByLabel('Every event').check({ force: true });
  await sql`update webhooks set url = ${`${receiver.url}/theirs`} where id = ${idOf(page)}`;
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await conflict.getByText(`${receiver.url}/theirs`).waitFor();
  await conflict.getByText(`${receiver.url}/mine`).waitFor();
  await checkScreen(t, visit, 'both versions', /412/);
  await conflict.getByLabel('Theirs').first().check({ force: true });
  await conflict.getByRole('button', { name: 'Save this choice' }).click();
  await noticed(page, /^Saved/);
  const [row] = await sql`select url, events from webhooks where id = ${idOf(page)}`;
  t.match(row, { url: `${receiver.url}/theirs`, events: null }, 'nothing of either is lost');
  await page.getByText(`${receiver.url}/theirs`).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('loading, failing, no such webhook, and a viewer', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de' });
  const { page } = visit;
  const answer = await failReads(visit, /api.*webhooks\?/, 'hang');
  await page.goto(webhooks);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'a list that loads');
  await answer();
  const mend = await failReads(visit, /api.*(webhooks|deliveries)\?/);
  await page.reload();
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await checkScreen(t, visit, 'a list that failed', /503/);
  const [row] = await sql`select id from webhooks where deleted_at is null`;
  await page.goto(`${webhooks}?webhook=${row?.['id']}`);
  await page.getByText('Jedes Ereignis').waitFor();
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'one without its deliveries', /503/);
  await page.goto(`${webhooks}?webhook=none`);
  await page.getByText('Das gibt es nicht').waitFor();
  await checkScreen(t, visit, 'no such webhook', /404/);
  const other = await visitDashboard(t, viewer);
  await other.page.goto(`${webhooks}?webhook=${row?.['id']}`);
  await other.page
    .getByText(/editors/)
    .first()
    .waitFor();
  t.equal(await other.page.getByText(receiver.url).count(), 0);
  t.strictSame(other.troubles, []);
});
