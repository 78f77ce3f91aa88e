import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { findPageId, loadPageById } from '../../../control/pages/index.js';
import { openBrowser } from '../../support/browser.js';
import {
  checkScreen,
  type DashboardVisit,
  failReads,
  forget,
  noticed,
  visitDashboard,
} from '../../support/dashboard-visit.js';
import { pngPixel } from '../../support/images.js';
import { tabTo } from '../../support/keyboard.js';
import { insertMonitor } from '../../support/monitors.js';
import { makePage } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const browser = await openBrowser(t);
const looks = '/manage/pages/acme/page';
const visitAs = (t: Test, role: 'viewer' | 'editor' | 'owner', slug = 'acme'): Promise<DashboardVisit> =>
  visitDashboard(t, { browser, service, as: { slug, role } });
const saved = () => loadPageById(sql, service.pageId);
const preview = (page: Page) => page.frameLocator('iframe[title="Preview of the page"]');
await insertMonitor(sql, { pageId: service.pageId, slug: 'api', url: 'http://127.0.0.1:1/' });

t.test('loading, and a read that fails', async (t) => {
  const visit = await visitAs(t, 'editor');
  const mend = await failReads(visit, /api\/v1\/pages\/acme$/);
  await visit.page.goto(looks);
  await visit.page.getByRole('button', { name: 'Try again' }).waitFor();
  await checkScreen(t, visit, 'settings that cannot be read', /503/);
  await mend();
  await visit.page.getByRole('button', { name: 'Try again' }).click();
  await visit.page.getByLabel('Name', { exact: true }).waitFor();
  await preview(visit.page).locator('main').waitFor();
});

t.test('the colour, by keyboard: one that is too pale, mended, saved, and undone', async (t) => {
  const visit = await visitAs(t, 'editor');
  const { page } = visit;
  await page.goto(looks);
  await preview(page).locator('main').waitFor();
  await tabTo(page, /^Colour$/);
  await page.keyboard.type('#ffd5');
  await page.keyboard.press('Enter');
  await page.getByText('six digits or letters up to f').waitFor();
  await page.keyboard.type('00');
  await page.getByText('Too pale for text.').waitFor();
  await page.getByRole('status').filter({ hasText: 'too pale for text on white' }).waitFor();
  await preview(page).locator('head > style').waitFor({ state: 'attached' });
  await checkScreen(t, visit, 'a colour that is too pale');
  await tabTo(page, /^Use #[0-9a-f]{6}, the nearest/);
  await page.keyboard.press('Enter');
  await page.getByText('Easy to read as it is').first().waitFor();
  const mended = await page.getByLabel('Colour', { exact: true }).inputValue();
  await tabTo(page, /^Save$/);
  await page.keyboard.press('Enter');
  await noticed(page, /^Saved/);
  t.equal((await saved()).accent, mended);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The settings are as before.').waitFor();
  t.equal((await saved()).accent, null);
});

t.test('links: added, moved by keyboard, refused beside the list, saved', async (t) => {
  const visit = await visitAs(t, 'editor');
  const { page } = visit;
  await page.goto(looks);
  for (const [label, url] of [
    ['Imprint', 'javascript:alert(1)'],
    ['Contact', 'mailto:help@acme.example'],
  ] as const) {
    await page.getByRole('button', { name: 'Add a link' }).click();
    await page.locator('.links-field li:last-child input:focus').waitFor();
    await page.keyboard.type(label);
    await page.keyboard.press('Tab');
    await page.keyboard.type(url);
  }
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').filter({ hasText: 'must start with https' }).waitFor();
  await checkScreen(t, visit, 'a link that is refused', /400/);
  await page.getByLabel('Address of link 1').fill('https://acme.example/imprint');
  await page.getByRole('button', { name: 'Move Contact up' }).focus();
  await page.keyboard.press('Enter');
  await preview(page).getByRole('link', { name: 'Contact' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, /^Saved/);
  const { footerLinks } = await saved();
  t.strictSame(
    footerLinks.map(({ label }) => label),
    ['Contact', 'Imprint'],
  );
});

t.test('two people: the second sees both versions, and nothing is lost', async (t) => {
  const [one, two] = [await visitAs(t, 'editor'), await visitAs(t, 'owner')];
  for (const { page } of [one, two]) {
    await page.goto(looks);
    await page.getByLabel('Name', { exact: true }).waitFor();
  }
  await one.page.getByLabel('Name', { exact: true }).fill('Acme of Ann');
  await one.page.getByRole('button', { name: 'Save' }).click();
  await noticed(one.page, /^Saved/);
  await two.page.getByLabel('Name', { exact: true }).fill('Acme of Bob');
  await two.page.getByRole('button', { name: 'Save' }).click();
  const dialog = two.page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await dialog.getByText('Acme of Ann').waitFor();
  await checkScreen(t, two, 'both versions', /412/);
  await dialog.getByRole('button', { name: 'Save this choice' }).click();
  await noticed(two.page, /^Saved/);
  t.equal((await saved()).name, 'Acme of Bob');
});

t.test('an undo after a conflict takes back the own change alone', async (t) => {
  const visit = await visitAs(t, 'editor');
  const { page } = visit;
  await page.goto(looks);
  await page.getByLabel('Colour', { exact: true }).fill('#005500');
  await sql`update pages set name = 'Acme of Cid' where slug = 'acme'`;
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await dialog.getByText('Acme of Cid').waitFor();
  await dialog.getByRole('button', { name: 'Save this choice' }).click();
  await noticed(page, /^Saved/);
  t.match(await saved(), { name: 'Acme of Cid', accent: '#005500' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The settings are as before.').waitFor();
  t.match(await saved(), { name: 'Acme of Cid', accent: null });
});

t.test('a logo: refused, looked at, used', async (t) => {
  const visit = await visitAs(t, 'editor');
  const { page } = visit;
  await page.goto(looks);
  const file = page.getByLabel('Choose an image');
  await file.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
  await page.getByText('This is not a PNG').waitFor();
  await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: pngPixel });
  await page.getByAltText('The logo on a dark ground').waitFor();
  await checkScreen(t, visit, 'a logo that is looked at');
  await page.getByRole('button', { name: 'Use this logo' }).click();
  await page.getByText('The page has a logo').waitFor();
  await preview(page).locator('img[src^="data:image/png"]').waitFor();
  await page.getByRole('button', { name: 'Remove the logo' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('The page has no logo').waitFor();
});

t.test('languages, address, badges: what they say and do', async (t) => {
  const visit = await visitAs(t, 'editor');
  const { page } = visit;
  await page.goto(`${looks}?part=languages`);
  await page.getByLabel('Add a language').fill('pt-br');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Languages of the page' }).getByText('pt-BR').waitFor();
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await checkScreen(t, visit, 'the languages');
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, /^Saved/);
  t.match(await saved(), { languages: ['en', 'pt-BR'], timeZone: 'Europe/Berlin' });
  await page.getByRole('link', { name: 'Address' }).click();
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Readers get this page').waitFor();
  await checkScreen(t, visit, 'the address and what was found');
  await page.getByLabel('Host name').fill('https://a.example');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is not a host name').waitFor();
  await forget(visit, /400/);
  await page.getByRole('link', { name: 'Badges and embeds' }).click();
  await page.getByAltText(/^The badge now: \w/).waitFor();
  await page.getByLabel('What it shows').selectOption('api');
  await page.getByText('Uptime', { exact: true }).click();
  await page.getByText('/badge/api.svg?metric=uptime').waitFor();
  await page.getByAltText(/^The badge now: .*n\/a/).waitFor();
  await checkScreen(t, visit, 'the badges');
});

t.test('people who may not: everything is read-only, with the reason', async (t) => {
  const visit = await visitAs(t, 'viewer');
  const { page } = visit;
  for (const part of ['looks', 'languages', 'address', 'badges', 'traces', 'danger']) {
    await page.goto(`${looks}?part=${part}`);
    await page.locator('.panel').first().waitFor();
    t.equal(await page.getByRole('button', { name: 'Save' }).count(), 0, part);
    await checkScreen(t, visit, `${part} for viewers`);
  }
  const remove = page.getByRole('button', { name: 'Delete the page' });
  t.equal(await remove.getAttribute('aria-disabled'), 'true');
  t.match(await remove.getAttribute('title'), /owners/i);
});

t.test('the danger zone, by keyboard: paused, undone, deleted for good', async (t) => {
  await makePage(sql, { slug: 'gone' });
  const visit = await visitAs(t, 'owner', 'gone');
  const { page } = visit;
  await page.goto('/manage/pages/gone/page?part=danger');
  await page.getByText('are checked').waitFor();
  await tabTo(page, /^Pause all monitoring$/);
  await page.keyboard.press('Enter');
  await page.getByText('Monitoring is paused: ').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('are checked').waitFor();
  await tabTo(page, /^Delete the page$/);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: /Delete .* for good/ });
  await dialog.getByText('its subscribers, who get no email about it: 0').waitFor();
  await tabTo(page, /^Type gone to confirm$/);
  await page.keyboard.type('acme');
  await page.keyboard.press('Enter');
  await dialog.getByText('This is not the short name of the page.').waitFor();
  await checkScreen(t, visit, 'a wrong confirmation');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('gone');
  await page.keyboard.press('Enter');
  await page.getByText('You have no page yet').waitFor();
  t.equal(await findPageId({ sql }, 'gone'), undefined);
});

t.test('an admin creates a page, and a host name that is taken is said beside its field', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: 'admin' });
  const { page } = visit;
  await page.goto('/manage?new=page');
  await page.getByLabel('Name', { exact: true }).fill('Früh & Spät');
  t.equal(await page.getByLabel('Slug').inputValue(), 'frueh-spaet');
  await page.getByLabel('Host name').fill('acme.localhost');
  await page.getByRole('button', { name: 'Create the page' }).click();
  await page.locator('.field-error').waitFor();
  await checkScreen(t, visit, 'a host name that is taken', /409/);
  await page.getByLabel('Host name').fill('fruh.localhost');
  await page.getByRole('button', { name: 'Create the page' }).click();
  await page.waitForURL(/\/manage\/pages\/frueh-spaet$/);
  const [row] = await sql`select name, hostname from pages where slug = 'frueh-spaet'`;
  t.match(row, { name: 'Früh & Spät', hostname: 'fruh.localhost' });
});

t.test('the first owner of a new page is invited, and the link is shown once', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: 'admin' });
  const { page } = visit;
  await page.goto('/manage?new=page');
  await page.getByLabel('Name', { exact: true }).fill('Bakery');
  const email = page.getByLabel('Email of the first owner (optional)');
  await email.fill('nobody');
  await page.getByRole('button', { name: 'Create the page' }).click();
  await page.getByText('Must be an email address').waitFor();
  await checkScreen(t, visit, 'an owner without an address', /400/);
  await page.getByText('The page “bakery” is created.').waitFor();
  t.equal(await page.getByRole('textbox').count(), 1, 'nothing in the form would create a second page');
  await email.fill('baker@example.com');
  await page.getByRole('button', { name: 'Go on' }).click();
  const dialog = page.getByRole('dialog', { name: 'The page is created, and its owner is invited' });
  t.match(await dialog.locator('code.secret').textContent(), /^http.*#/);
  await checkScreen(t, visit, 'the link of the owner');
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await page.waitForURL(/\/manage\/pages\/bakery$/);
  const invited = await sql`
    select email, role from invitations where page_id = (select id from pages where slug = 'bakery')`;
  t.match([...invited], [{ email: 'baker@example.com', role: 'owner' }]);
});
