import t, { type Test } from 'tap';
import { createEgress } from '../../lib/outbound/egress.js';
import { openBrowser } from '../support/browser.js';
import { startReceiver } from '../support/receiver.js';
import { addService, makeStatusSite, openSiteIncident, startStatusService } from '../support/status-page.js';
import { findAxeViolations, measureOverflow, startVisit, type Visit } from '../support/visit.js';
import { waitUntil } from '../support/wait-until.js';

const service = await startStatusService(t, { readerEgress: createEgress({ allowPrivateAddresses: true }) });
const { sql } = service.api.stores;
const browser = await openBrowser(t);
const receiver = await startReceiver(t);
const site = await makeStatusSite(service, 'chats', { name: 'Acme', languages: ['en', 'de'] });
for (const [slug, name] of [
  ['api', 'API'],
  ['shop', 'Shop'],
  ['search', 'Search'],
] as const) {
  await addService(service, site, { slug, name });
}
await sql`
  insert into monitor_groups (id, page_id, slug, name, names, position, created_at)
  values (gen_random_uuid(), ${site.page.id}, 'storefront', 'Storefront', '{"de": "Laden"}', 1, now())`;
await sql`
  update monitors set group_id = (select id from monitor_groups where slug = 'storefront')
  where slug in ('shop', 'search')`;

/** Checks a view in all its looks: light and dark, narrow and wide. */
async function checkLooks(t: Test, { page, troubles }: Visit, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    t.strictSame(await findAxeViolations(page), [], `${what}, ${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 800 });
  t.equal(await measureOverflow(page), 0, `${what} fits into 320 px`);
  t.strictSame(await findAxeViolations(page), [], `${what}, at 320 px`);
  await page.setViewportSize({ width: 1_200, height: 900 });
  t.strictSame(troubles, [], what);
}

/** The path and query of a link to the page in the newest message. */
function linkIn(purpose: string): string {
  const { body = '' } = receiver.received.at(-1) ?? {};
  const path = new RegExp(`(/subscribers/${purpose}\\?token=[\\w.-]+)`).exec(body)?.[1];
  if (path === undefined) throw new Error(`No link to ${purpose} in ${body}`);
  return path;
}

t.test('a reader subscribes a chat, confirms, chooses, and leaves', async (t) => {
  const visit = await startVisit(t, browser, site.origin);
  const { page } = visit;
  await page.goto('/');
  await page.getByRole('link', { name: 'In your chat' }).click();
  await page.waitForURL('**/en/subscribe');
  await checkLooks(t, visit, 'the form');
  await page.getByLabel('Where').selectOption({ label: 'Other (JSON)' });
  await page.getByLabel('Address of the webhook').fill(`${receiver.url}/chat`);
  await page.getByRole('button', { name: 'Subscribe the chat' }).click();
  await page.getByRole('heading', { level: 1, name: 'Look into your chat' }).waitFor();
  await checkLooks(t, visit, 'the answer');
  await waitUntil('the message to confirm arrives', () => receiver.received.length === 1);

  await page.goto(linkIn('confirm'));
  await checkLooks(t, visit, 'confirming');
  await page.getByText('Get a message in your chat whenever Acme').waitFor();
  await page.getByRole('button', { name: 'Confirm subscription' }).click();
  await page.getByText('Your chat will get a message').waitFor();
  await page.getByRole('link', { name: 'Choose what you hear of' }).click();
  await page.getByRole('heading', { level: 1, name: 'Your subscription' }).waitFor();
  await checkLooks(t, visit, 'choosing');

  await page.getByLabel('Only these services').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'Choose at least one service.' }).waitFor();
  await checkLooks(t, { ...visit, troubles: [] }, 'nothing chosen');
  await page.getByLabel('Only these services').check();
  await page.getByLabel('Storefront').check();
  await page.getByLabel('Remind me a day and an hour before maintenance').check();
  await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').filter({ hasText: 'Ihre Auswahl ist gespeichert.' }).waitFor();
  t.ok(await page.getByLabel('Laden').isChecked());
  t.notOk(await page.getByLabel('API').isChecked());
  await checkLooks(t, { ...visit, troubles: [] }, 'saved');

  await openSiteIncident(service, site, { title: 'Slow API', monitorSlugs: ['api'] });
  await openSiteIncident(service, site, { title: 'Slow shop', monitorSlugs: ['shop'] });
  await waitUntil('what was chosen arrives', () =>
    receiver.received.some(({ body }) => body.includes('Slow shop')),
  );
  t.notOk(receiver.received.some(({ body }) => body.includes('Slow API')));
  await page.goto(linkIn('manage'));
  await page.getByRole('button', { name: 'Abbestellen' }).click();
  await page.getByText('Ihr Chat erhält keine Nachrichten mehr über Acme.').waitFor();
  t.strictSame([...(await sql`select 1 from subscribers`)], []);
});
