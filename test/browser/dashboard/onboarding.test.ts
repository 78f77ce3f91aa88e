import t from 'tap';
import { createSetupLink, setupPath } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { minuteMs } from '../../../lib/times.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startVisit, waitInPage } from '../../support/visit.js';

/** From the set-up link to a page that works, in the browser alone. */
const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const browser = await openBrowser(t);
const setup = (await createSetupLink({ sql, clock: systemClock }))?.token ?? '';

t.test('a newcomer comes to the first event and a public page by keyboard alone', async (t) => {
  const startedAt = Date.now();
  const visit = await startVisit(t, browser, service.url, { reducedMotion: 'reduce' });
  const { page } = visit;
  const { keyboard } = page;
  const press = async (name: RegExp) => {
    await tabTo(page, name);
    await keyboard.press('Enter');
  };
  const write = async (label: RegExp, text: string) => {
    await tabTo(page, label);
    await keyboard.press('Control+A');
    await keyboard.type(text);
  };

  await page.goto(setupPath(setup));
  await keyboard.type('Ann Lee');
  await write(/^Email/, 'ann@example.com');
  await write(/^New password/, 'violet harbour tin lamp');
  await keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Pages', level: 1 }).waitFor();

  await press(/^New page$/);
  await page.getByRole('heading', { name: 'Create a page' }).waitFor();
  await checkScreen(t, visit, 'a new page');
  await write(/^Name/, 'Blumen Köhler');
  t.equal(await page.getByLabel('Slug').inputValue(), 'blumen-koehler');
  t.equal(await page.getByLabel('Host name').inputValue(), 'blumen-koehler.localhost');
  await keyboard.press('Enter');
  await waitInPage(page, `location.pathname === '/manage/pages/blumen-koehler'`);

  const checklist = page.locator('.checklist');
  await checklist.getByRole('heading', { name: 'Set up this page' }).waitFor();
  await checkScreen(t, visit, 'the steps');
  await press(/^Create a monitor$/);
  await page.getByRole('heading', { name: /monitor/i, level: 1 }).waitFor();
  await write(/^Name/, 'Website');
  await write(/^(URL|Address)/, `${service.url}/healthz`);
  await press(/^Create monitor$/);
  await waitInPage(page, `location.search.includes('monitor=website')`);

  await press(/^Overview$/);
  await checklist.locator('[data-step="monitor"].finished').waitFor();
  await press(/^Make an ingest key$/);
  await checklist.locator('[data-step="ingestKey"].finished').waitFor();
  const key = await checklist.locator('code.secret').textContent();
  t.match(key, /^key_ingest_/);
  await checkScreen(t, visit, 'the key, and the lines that use it');
  await press(/^Send one from this browser$/);
  await checklist.locator('[data-step="event"].finished').waitFor();
  await press(/^Hide the steps$/);
  t.equal(await checklist.locator('code.secret').textContent(), key, 'nobody shows the key again');
  await press(/^I have saved it$/);
  await checklist.locator('code.secret').waitFor({ state: 'detached' });

  const url = await page.getByRole('link', { name: 'Public page' }).getAttribute('href');
  await page.goto(url ?? '');
  t.equal(new URL(page.url()).hostname, 'blumen-koehler.localhost');
  await page.getByRole('heading', { name: 'Website' }).waitFor();
  t.match(await page.title(), /Blumen Köhler/);
  t.ok(Date.now() - startedAt < 5 * minuteMs);
});

t.test('a step that nothing here does leads to its form; no step needs a shell', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'owner' } });
  const { page } = visit;
  await page.goto('/manage/pages/acme');
  const checklist = page.locator('.checklist');
  await checklist.getByRole('link', { name: 'Create a monitor' }).waitFor();
  for (const [step, form] of [
    ['Add a subscriber', '/manage/pages/acme/subscribers?new=subscriber'],
    ['Use a host name of your own', '/manage/pages/acme/page?part=address'],
  ] as const) {
    await checklist.getByRole('button', { name: step }).click();
    t.equal(await checklist.locator('.step.open a.button').getAttribute('href'), form);
  }
  t.notMatch(await checklist.textContent(), /npx|heartline \w+ create/);
  t.equal(await checklist.getByRole('link', { name: /under a name of your own/ }).count(), 0, 'for admins');
});

t.test('a name that is taken is refused beside its field, and nothing is lost', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: 'admin' });
  const { page } = visit;
  await page.goto('/manage?new=page');
  await page.getByLabel('Name', { exact: true }).fill('Acme');
  await page.getByRole('button', { name: 'Create the page' }).click();
  await page.locator('[aria-invalid="true"]').waitFor();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Acme');
  await checkScreen(t, visit, 'a slug that is taken', /409/);
  await page.reload();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Acme', 'a reload loses nothing');
});
