import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';

/** Returns the drafts that the browser keeps. */
const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const screens = '/manage/pages/acme';

t.test('Escape keeps what was entered, Cancel forgets it, down to a dangerous choice', async (t) => {
  const { page, troubles } = await visitDashboard(t, owner);
  await page.goto(`${screens}/keys`);
  const open = () => page.getByRole('button', { name: 'Create a key' }).first().click();
  const name = page.getByLabel('Name', { exact: true });
  const write = page.getByRole('radio', { name: 'Reads and writes' });
  await open();
  await page.getByRole('radio', { name: /^Run the page/ }).check({ force: true });
  await write.check({ force: true });
  await name.fill('deploys');
  await page.keyboard.press('Escape');
  await name.waitFor({ state: 'detached' });
  await page.reload();
  await open();
  t.equal(await name.inputValue(), 'deploys');
  t.equal(await write.isChecked(), true);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await name.waitFor({ state: 'detached' });
  await open();
  t.equal(await name.inputValue(), '');
  t.equal(await write.count(), 0, 'the usual key is one that can only send events');
  t.strictSame(troubles, []);
});

t.test('an address with a password in it is not kept', async (t) => {
  const { page, troubles } = await visitDashboard(t, owner);
  await page.goto(`${screens}/monitors?new=http`);
  await page.getByLabel('Name', { exact: true }).fill('Shop');
  const address = page.getByLabel('Address');
  await address.fill('https://shop.example/health');
  await page.reload();
  t.equal(await address.inputValue(), 'https://shop.example/health');
  await address.fill('https://probe:very-secret@shop.example/health');
  t.notMatch(await page.evaluate<string>('JSON.stringify(localStorage)'), /very-secret/);
  await page.reload();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Shop');
  t.equal(await address.inputValue(), '');
  t.strictSame(troubles, []);
});
