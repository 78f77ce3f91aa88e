import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeKey } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
await sql`update pages set languages = '{en,de}' where slug = 'acme'`;
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const path = '/manage/pages/acme/page?part=order';

const send = async (method: string, what: string, body?: object) =>
  (await service.post(`/api/v1/pages/acme/${what}`, body, { method, key })).body;
const orderOf = async () => {
  const { items } = Object(await send('GET', 'monitor-order'));
  return (items as { group: string | null; monitors: string[] }[]).map(
    ({ group, monitors }) => `${group ?? ''}: ${monitors.join(' ')}`,
  );
};
const untilOrder = (...wanted: string[]) =>
  waitUntil(wanted.join(' | '), async () => JSON.stringify(await orderOf()) === JSON.stringify(wanted));

t.test('without monitors the screen says what groups are for', async (t) => {
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  await visit.page.goto(path);
  await visit.page.getByRole('link', { name: 'Create a monitor' }).waitFor();
  await checkScreen(t, visit, 'no monitors');
  const viewer = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'viewer' } });
  await viewer.page.goto(path);
  await viewer.page.locator('.empty').waitFor();
  await viewer.page.getByText('Only editors or owners may do this.').first().waitFor();
  t.equal(await viewer.page.getByRole('link', { name: 'Create a monitor' }).count(), 0);
});

t.test('groups and monitors move by keyboard alone, and a move is undone', async (t) => {
  for (const slug of ['web', 'mail', 'till'])
    await send('PUT', `monitors/${slug}`, { type: 'http', name: `The ${slug}`, url: 'https://a.example/' });
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(path);
  await page.getByText('The till', { exact: true }).waitFor();
  await tabTo(page, /Add a group/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New group' }).waitFor();
  await tabTo(page, /^Name$/);
  await page.keyboard.type('Shop');
  await tabTo(page, /^Name in German$/);
  await page.keyboard.type('Laden');
  await page.keyboard.press('Enter');
  await page.getByText('The group “Shop” is created').waitFor();
  await send('PUT', 'groups/inner', { name: 'Inner' });
  await page.reload();
  await page.getByRole('button', { name: 'Move Inner up' }).waitFor();
  await checkScreen(t, visit, 'groups and monitors');

  await tabTo(page, /^Move The till up$/);
  await page.keyboard.press('Enter');
  await page.getByText('The till is now 2 of 3 in “Without a group”').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('The till is now 1 of 3 in “Without a group”').waitFor();
  await untilOrder(': till web mail', 'shop: ', 'inner: ');
  await tabTo(page, /^Move The mail down$/);
  await page.keyboard.press('Enter');
  await page.getByText('The mail is now 1 of 1 in “Shop”').waitFor();
  await untilOrder(': till web', 'shop: mail', 'inner: ');
  await page.getByRole('combobox', { name: 'Group of The web' }).selectOption('Inner');
  await untilOrder(': till', 'shop: mail', 'inner: web');
  await tabTo(page, /^Move Inner up$/);
  await page.keyboard.press('Enter');
  await page.getByText('“Inner” is now group 1 of 2').waitFor();
  await untilOrder(': till', 'inner: web', 'shop: mail');
  await tabTo(page, /^Undo$/);
  await page.keyboard.press('Enter');
  await untilOrder(': till', 'shop: mail', 'inner: web');
  t.strictSame(visit.troubles, []);
});

t.test('a move is undone from another part of the screen', async (t) => {
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(path);
  await page.getByRole('button', { name: 'Move Inner up' }).click();
  await page.getByText('“Inner” is now group 1 of 2').waitFor();
  await page.getByRole('link', { name: 'Looks' }).click();
  await page.getByLabel('Name', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The order is as it was before').waitFor();
  t.strictSame(await orderOf(), [': till', 'shop: mail', 'inner: web']);
  t.strictSame(visit.troubles, []);
});

t.test('a monitor is dragged into a group', async (t) => {
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(path);
  await page.locator('[data-monitor="till"]').dragTo(page.locator('[data-monitor="web"]'));
  await untilOrder(': ', 'shop: mail', 'inner: till web');
  t.strictSame(visit.troubles, []);
});

t.test('the order of somebody else is not overwritten unasked, and the own one is not lost', async (t) => {
  const visit = await visitDashboard(t, owner, { reducedMotion: 'reduce' });
  const { page } = visit;
  await page.goto(path);
  await page.getByText('The till', { exact: true }).waitFor();
  await send('PUT', 'monitor-order', {
    items: [
      { group: 'inner', monitors: ['till', 'web'] },
      { group: 'shop', monitors: ['mail'] },
    ],
  });
  await page.getByRole('button', { name: 'Move The web up' }).click();
  await page.getByText('Somebody else has changed the order').waitFor();
  t.strictSame(await orderOf(), [': ', 'inner: till web', 'shop: mail']);
  await checkScreen(t, visit, 'two orders', /412/);
  await page.getByRole('button', { name: 'Save my order over it' }).click();
  await untilOrder(': ', 'shop: mail', 'inner: web till');
  const mend = await failReads(visit, /monitor-order$/);
  await page.getByRole('button', { name: 'Move The web down' }).click();
  await page.getByText('The service does not answer, and nothing has changed').waitFor();
  await checkScreen(t, visit, 'a move that was not made', /503/);
  await mend();
  await page.getByRole('button', { name: 'Delete the group Inner' }).click();
  await page.getByText('Its 2 monitors stay').waitFor();
  await page.getByRole('button', { name: 'Delete the group', exact: true }).click();
  await untilOrder(': web till', 'shop: mail');
});

t.test('somebody who may not change the page only reads', async (t) => {
  const visit = await visitDashboard(t, { ...owner, as: { slug: 'acme', role: 'viewer' } });
  await visit.page.goto(path);
  await visit.page.getByText('The till', { exact: true }).waitFor();
  t.equal(await visit.page.getByRole('button', { name: /^(Move|Rename|Delete)/ }).count(), 0);
  await checkScreen(t, visit, 'read only');
});
