import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeKey, setPage } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const deps = { sql: service.stores.sql, clock: systemClock };
await setPage(deps, { slug: 'acme', languages: ['en', 'de'] });
const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
const list = '/manage/pages/acme/incidents?view=templates';
const path = '/api/v1/pages/acme/templates';
const put = (slug: string, body: object) => service.post(`${path}/${slug}`, body, { method: 'PUT', key });
const load = async (slug: string) =>
  (await service.post(`${path}/${slug}`, undefined, { method: 'GET', key })).body;
const visitAs = (role: 'responder' | 'viewer') =>
  visitDashboard(t, { browser, service, as: { slug: 'acme', role } });

t.test('without a template, while they load, and when they cannot be read', async (t) => {
  const visit = await visitAs('responder');
  const { page } = visit;
  await page.goto(list);
  await page.getByRole('heading', { name: 'No templates yet' }).waitFor();
  await checkScreen(t, visit, 'no templates');
  const mend = await failReads(visit, /\/templates\?/);
  await page.goto(list);
  await page.getByRole('alert').waitFor();
  await mend();
  await checkScreen(t, visit, 'templates that cannot be read');
  await failReads(visit, /\/templates\?/, 'hang');
  await page.goto(list);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'templates that load');
});

t.test('a template is made by keyboard, changed, deleted and brought back', async (t) => {
  const visit = await visitAs('responder');
  const { page } = visit;
  await page.goto(list);
  await tabTo(page, /^New template$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Name$/);
  await page.keyboard.type('Database outage');
  await tabTo(page, /^Title$/);
  await page.keyboard.type('Database outage');
  await tabTo(page, /^Text$/);
  await page.keyboard.type('We **look**.');
  t.equal(await page.getByLabel('Address').inputValue(), 'database-outage', 'the name suggests an address');
  await page.frameLocator('.preview-frame').locator('strong', { hasText: 'look' }).waitFor();
  await checkScreen(t, visit, 'a new template');
  await tabTo(page, /^Create the template$/);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Use this template' }).waitFor();
  t.match(await load('database-outage'), { name: 'Database outage', summary: 'We **look**.' });

  await page.getByRole('button', { name: 'Add an update' }).click();
  await page.getByLabel('Update 1', { exact: true }).fill('Over.');
  await page.reload();
  await page.getByText('Translations', { exact: true }).click();
  await page.getByLabel('Title in German').fill('Ausfall');
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, /^Saved/);
  t.match(await load('database-outage'), {
    updates: [{ body: 'Over.' }],
    texts: { de: { title: 'Ausfall' } },
  });
  await checkScreen(t, visit, 'a template');

  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Database outage' }).waitFor();
  t.match(await load('database-outage'), { texts: { de: { title: 'Ausfall' } } });
});

t.test('a link opens the composer with a template, and another template can be undone', async (t) => {
  await put('first', {
    ...{ name: 'First', title: 'One', summary: 'We look.' },
    updates: [{ status: 'identified', body: 'Found.' }],
    texts: { de: { title: 'Eins' } },
  });
  await put('second', { name: 'Second', title: 'Two', summary: 'We know.' });
  await put('planned', { name: 'Planned', type: 'maintenance', title: 'Move' });
  const { page } = await visitAs('responder');
  await page.goto(`${list}&template=first`);
  await page.getByRole('link', { name: 'Use this template' }).click();
  const title = page.getByLabel('Title', { exact: true });
  const body = page.getByLabel('What is known by now', { exact: true });
  await body.waitFor();
  t.equal(await title.inputValue(), 'One');
  t.equal(await body.inputValue(), 'Found.');
  await page.getByLabel('Begin from a template').selectOption('second');
  t.equal(await title.inputValue(), 'Two');
  t.equal(await body.count(), 0, 'nothing of the first template is left');
  await page.getByRole('button', { name: 'Undo' }).click();
  t.equal(await body.inputValue(), 'Found.');
  t.equal(await title.inputValue(), 'One');
  await page.goto(list);
  await page.getByRole('link', { name: 'Use the template Planned' }).click();
  await page.getByRole('heading', { name: 'Plan maintenance' }).waitFor();
  await page.waitForFunction(() => document.querySelector('select')?.value === 'planned');
  t.equal(await title.inputValue(), 'Move');
});

t.test('an update that moves by keyboard keeps the focus', async (t) => {
  const updates = ['One.', 'Two.', 'Three.'].map((body) => ({ status: 'identified', body }));
  await put('moves', { name: 'Moves', title: 'Outage', updates });
  const { page } = await visitAs('responder');
  await page.goto(`${list}&template=moves`);
  await page.getByRole('button', { name: 'Move down: Update 1' }).focus();
  await page.keyboard.press('Enter');
  t.equal(await page.getByLabel('Update 2', { exact: true }).inputValue(), 'One.');
  await page.keyboard.press('Enter');
  t.equal(await page.getByLabel('Update 3', { exact: true }).inputValue(), 'One.');
  await page.keyboard.press('Enter');
  t.equal(await page.getByLabel('Update 2', { exact: true }).inputValue(), 'One.', 'at the end it moves up');
});

t.test('the preview shows the email, the plain text and each language', async (t) => {
  await put('both', {
    name: 'Both',
    title: 'Outage',
    summary: 'We look.',
    texts: { de: { title: 'Ausfall' } },
  });
  const visit = await visitAs('responder');
  const { page } = visit;
  await page.goto(`${list}&template=both`);
  const frame = page.frameLocator('.preview-frame');
  await frame.getByRole('heading', { name: 'Outage' }).waitFor();
  await page.getByRole('group', { name: 'Language' }).getByText('German').click();
  await frame.getByRole('heading', { name: 'Ausfall' }).waitFor();
  await page.getByText('Not translated yet: Summary.').waitFor();
  await page.getByRole('group', { name: 'Show it as' }).getByText('Email').click();
  await page.locator('.preview-subject', { hasText: 'Ausfall' }).waitFor();
  await checkScreen(t, visit, 'the preview of an email');
  await page.getByRole('group', { name: 'Show it as' }).getByText('Plain text').click();
  await page.locator('.preview-text', { hasText: 'We look.' }).waitFor();
  await checkScreen(t, visit, 'the preview of a plain text');
});

t.test('two people change one template: the second sees both versions', async (t) => {
  await put('shared', { name: 'Shared', title: 'One' });
  const { page } = await visitAs('responder');
  await page.goto(`${list}&template=shared`);
  await page.getByLabel('Title', { exact: true }).fill('Mine');
  await put('shared', { name: 'Shared', title: 'Theirs' });
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Theirs').last().waitFor();
  t.match(await load('shared'), { title: 'Theirs' });
});

t.test('a viewer reads a template, and the screen says who may change it', async (t) => {
  await put('read', { name: 'Read', title: 'Outage' });
  const visit = await visitAs('viewer');
  const { page } = visit;
  await page.goto(`${list}&template=read`);
  await page.locator('.read-only-note').waitFor();
  t.ok(await page.getByLabel('Title', { exact: true }).isDisabled());
  t.equal(await page.locator('.preview-frame').count(), 0);
  await checkScreen(t, visit, 'a template to read');
});
