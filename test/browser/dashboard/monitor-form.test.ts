import type { Page } from 'playwright-core';
import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { insertMonitor } from '../../support/monitors.js';
import { startProbeTarget } from '../../support/probe-target.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql } = service.stores;
const { pageId } = service;
const browser = await openBrowser(t);
const target = await startProbeTarget(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const responder = { browser, service, as: { slug: 'acme', role: 'responder' } } as const;
const monitors = '/manage/pages/acme/monitors';
await sql`update pages set languages = '{en,de}' where id = ${pageId}`;

const focused = (page: Page) =>
  page.evaluate<string>(
    `document.activeElement?.labels?.[0]?.textContent ?? document.activeElement?.textContent`,
  );

const focusedLabel = (page: Page) => page.evaluate<string>(`document.activeElement?.ariaLabel`);

async function load(slug: string) {
  const [row] =
    await sql`select name, url, kind, options, every_seconds as "everySeconds" from monitors where slug = ${slug}`;
  return row;
}

t.test('by keyboard alone: a monitor that fails its trial, mended and saved', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(monitors);
  await page.getByText('No monitor yet').waitFor();
  await tabTo(page, /^Add monitor$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New HTTP monitor' }).waitFor();
  await checkScreen(t, visit, 'an empty form');
  await tabTo(page, /^Name$/);
  await page.keyboard.type('Öffentliche API');
  t.equal(await page.getByLabel('Slug').inputValue(), 'oeffentliche-api', 'the name proposes it');
  await tabTo(page, /^Address$/);
  await page.keyboard.type('no address');
  await page.keyboard.press('Enter');
  await page.getByText('Must be an address that begins with').waitFor();
  await waitUntil('the mistake has the focus', async () => (await focused(page)) === 'Address');
  t.equal(target.received.length, 0, 'nothing is tried that is known to be wrong');
  await checkScreen(t, visit, 'a field that is wrong');
  await page.keyboard.press('Control+A');
  await page.keyboard.type(`${target.url}/503`);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'The trial has failed' });
  await dialog.getByText('Unexpected status').waitFor();
  await dialog.getByText('The answer has the status 503.').waitFor();
  await checkScreen(t, visit, 'a trial that failed');
  t.equal(await load('oeffentliche-api'), undefined, 'nothing is saved before the answer');
  await tabTo(page, /^Cancel$/);
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await waitUntil('the address has the focus', async () => (await focused(page)) === 'Address');
  await page.getByRole('status').filter({ hasText: 'Unexpected status' }).waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(`${target.url}/ok`);
  await page.getByText('The settings have changed since this trial.').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Öffentliche API' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'Öffentliche API is watched from now on' }).waitFor();
  t.match(await load('oeffentliche-api'), { name: 'Öffentliche API', url: `${target.url}/ok`, kind: 'http' });
  await page.goBack();
  await page.getByRole('link', { name: 'Öffentliche API' }).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('what has failed is saved all the same, for somebody who says so', async (t) => {
  const { page, troubles } = await visitDashboard(t, editor);
  await page.goto(`${monitors}?new=tcp`);
  await page.getByLabel('Name', { exact: true }).fill('Database');
  await page.getByLabel('Address').fill('tcp://127.0.0.1:1');
  await page.getByRole('button', { name: 'Try it now' }).click();
  await page.getByRole('status').filter({ hasText: 'Connection refused' }).waitFor();
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create it all the same' }).click();
  await page.getByRole('heading', { level: 1, name: 'Database' }).waitFor();
  t.match(await load('database'), { url: 'tcp://127.0.0.1:1', kind: 'tcp' });
  t.strictSame(troubles, []);
});

t.test('advanced settings, headers that nobody reads again, and a slug that is taken', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${monitors}?new=http`);
  await page.getByLabel('Name', { exact: true }).fill('Database');
  await page.getByLabel('Address').fill(`${target.url}/ok`);
  await page.getByText('More settings').click();
  await page.getByLabel('Method').selectOption('POST');
  await page.getByLabel('Expected text').fill('all is well');
  await page.getByRole('button', { name: 'Add a header' }).click();
  await page.getByLabel('Name of header 1').fill('Authorization');
  await page.getByLabel('Value of header 1').fill('Bearer very-secret');
  await page.getByLabel('Request body').fill('{"very":"secret"}');
  await page.locator('summary', { hasText: 'On the status page' }).click();
  await page.getByLabel('Name in German').fill('Datenbank');
  await page.getByLabel('Description', { exact: true }).fill('Where orders are kept');
  await checkScreen(t, visit, 'advanced settings');
  t.notMatch(await page.evaluate<string>('JSON.stringify(localStorage)'), /very.{0,3}secret/);
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByText('The page has a monitor with this slug already.').waitFor();
  await waitUntil('the slug has the focus', async () => (await focused(page)) === 'Slug');
  await forget(visit, /409/);
  await page.getByLabel('Slug').fill('db-api');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { level: 1, name: 'Database' }).waitFor();
  t.match(target.received.at(-1), { method: 'POST', headers: { authorization: 'Bearer very-secret' } });
  t.match(await load('db-api'), { options: { method: 'POST', expectBody: 'all is well' } });
  const [{ secrets } = {}] = await sql`select secrets from monitors where slug = 'db-api'`;
  t.ok(secrets);
  t.strictSame(visit.troubles, []);

  t.test('kept unless replaced, and not sent to another server', async (t) => {
    const other = await startProbeTarget(t);
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByText('More settings').click();
    await page.getByText('The headers stay as they are.').waitFor();
    t.notMatch(await page.content(), /very-secret/);
    await checkScreen(t, visit, 'secrets that are kept');
    await page.getByLabel('Address').fill(`${other.url}/ok`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('The saved headers and body are not sent to another server.').waitFor();
    await forget(visit, /400/);
    t.equal(other.received.length, 0);
    await page.getByRole('button', { name: 'Replace the headers' }).click();
    await waitUntil(
      'the header has the focus',
      async () => (await focusedLabel(page)) === 'Name of header 1',
    );
    await page.getByRole('button', { name: 'Remove header 1' }).click();
    await waitUntil('the next button has the focus', async () => (await focused(page)) === 'Add a header');
    await page.getByRole('button', { name: 'Replace the body' }).click();
    await page.getByLabel('Request body').fill('open');
    await page.getByLabel('Expected text').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await noticed(page, /^Saved/);
    t.match(other.received.at(-1), { body: 'open', headers: { authorization: undefined } });
    t.match(await load('db-api'), { url: `${other.url}/ok`, options: { expectBody: null } });
    t.strictSame(visit.troubles, []);
  });
});

t.test('a heartbeat: its address once, with the lines that call it', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${monitors}?new=http`);
  await page.getByLabel('Name', { exact: true }).fill('Backup');
  await page.getByRole('radio', { name: 'Job' }).check({ force: true });
  await page.getByRole('heading', { level: 1, name: 'New heartbeat' }).waitFor();
  t.equal(
    await page.getByLabel('Name', { exact: true }).inputValue(),
    'Backup',
    'another kind keeps the name',
  );
  await page.getByLabel('The job calls every', { exact: true }).fill('2');
  await page.getByLabel('The job calls every: unit').selectOption('hours');
  await checkScreen(t, visit, 'a form of a heartbeat');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  const dialog = page.getByRole('dialog', { name: 'The address of Backup' });
  await dialog.getByText('It is shown only now.').waitFor();
  await checkScreen(t, visit, 'the address of a heartbeat');
  const address = (await dialog.locator('code.secret').textContent()) ?? '';
  t.match(address, /\/ping\/ping_/);
  for (const [use, line] of [
    ['curl', `curl -fsS --retry 3 ${address}`],
    ['cron', `&& curl -fsS --retry 3 ${address}`],
    ['Node.js', `await fetch('${address}'`],
    ['Environment file', `HEARTBEAT_URL=${address}`],
  ] as const) {
    await dialog.getByRole('radio', { name: use }).check({ force: true });
    t.ok((await dialog.locator('pre').textContent())?.includes(line), use);
  }
  t.equal((await service.get(new URL(address).pathname)).status, 200);
  await page.evaluate(`window.closings = 0;
    document.querySelector('dialog').addEventListener('close', () => { window.closings += 1; })`);
  for (const _ of [1, 2, 3]) await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  t.ok(await dialog.locator('code.secret').isVisible(), 'only its button closes it');
  t.equal(await page.evaluate('window.closings'), 0, 'and it does not blink');
  await dialog.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('heading', { level: 1, name: 'Backup' }).waitFor();
  t.notOk((await page.content()).includes(address));
  t.match(await load('backup'), { kind: 'heartbeat', options: { periodSeconds: 7_200 } });
  t.strictSame(visit.troubles, []);
});

t.test('two people edit one monitor: the second sees both versions, and nothing is lost', async (t) => {
  await insertMonitor(sql, { pageId, slug: 'shared', url: `${target.url}/ok` });
  const first = await visitDashboard(t, editor);
  const second = await visitDashboard(t, editor);
  for (const { page } of [first, second]) {
    await page.goto(`${monitors}?monitor=shared&edit=1`);
    await page.getByLabel('Name', { exact: true }).waitFor();
  }
  await first.page.getByLabel('Name', { exact: true }).fill('Theirs');
  await first.page.getByLabel('Check every', { exact: true }).fill('5');
  await first.page.getByRole('button', { name: 'Save changes' }).click();
  await first.page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();
  await second.page.getByLabel('Name', { exact: true }).fill('Mine');
  await second.page.getByLabel('Address').fill(`${target.url}/see-other`);
  await second.page.getByRole('button', { name: 'Save changes' }).click();
  const dialog = second.page.getByRole('dialog', { name: 'Somebody else has changed this meanwhile' });
  await dialog.getByText('Theirs', { exact: true }).last().waitFor();
  await checkScreen(t, second, 'both versions', /412/);
  await dialog.getByRole('group', { name: 'Name' }).getByRole('radio', { name: 'Yours' }).check();
  await dialog.getByRole('button', { name: 'Save this choice' }).click();
  await second.page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
  t.match(await load('shared'), { name: 'Mine', url: `${target.url}/see-other`, everySeconds: 300 });
  t.strictSame(first.troubles, []);
});

t.test('a form that is left during its trial saves nothing', async (t) => {
  const { page } = await visitDashboard(t, editor);
  await page.goto(`${monitors}?new=http`);
  await page.getByLabel('Name', { exact: true }).fill('Left');
  await page.getByLabel('Address').fill(`${target.url}/ok`);
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(/\/monitors\/[\w-]+$/, async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'POST');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await sent;
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Create monitor' }).waitFor({ state: 'detached' });
  goOn();
  await (await answered).finished();
  await page.reload();
  t.equal(await load('left'), undefined);
});

t.test('what is typed while a change is sent stays', async (t) => {
  await insertMonitor(sql, { pageId, slug: 'typed', url: `${target.url}/ok` });
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${monitors}?monitor=typed&edit=1`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Sent');
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route(/monitors\/typed$/, async (route) => {
    if (route.request().method() === 'PATCH') await held;
    await route.continue();
  });
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await sent;
  await name.fill('Typed later');
  goOn();
  await page.getByRole('heading', { level: 1, name: 'Sent' }).waitFor();
  t.match(await load('typed'), { name: 'Sent' });
  await page.goto(`${monitors}?monitor=typed&edit=1`);
  t.equal(await name.inputValue(), 'Typed later');
});

t.test('offline: the form stays, also after a reload', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page, context } = visit;
  await page.goto(`${monitors}?new=http`);
  await page.getByLabel('Name', { exact: true }).fill('Far away');
  await page.getByLabel('Address').fill(`${target.url}/ok`);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByText('What you entered is still here.').first().waitFor();
  await context.setOffline(false);
  await page.reload();
  await page.getByRole('button', { name: 'Create monitor' }).waitFor();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Far away');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { level: 1, name: 'Far away' }).waitFor();
  await page.goto(`${monitors}?new=http`);
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '', 'what is saved is no draft');
});

t.test('one: paused, resumed, copied, deleted', async (t) => {
  await insertMonitor(sql, { pageId, slug: 'old', url: `${target.url}/ok` });
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${monitors}?monitor=old`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/^Paused since/).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  const mend = await failReads(visit, /monitors\/old\/pause/);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('old could not be changed.').waitFor();
  await mend();
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Duplicate' }).click();
  await page.getByRole('button', { name: 'Create monitor' }).waitFor();
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'old (copy)');
  t.equal(await page.getByLabel('Slug').inputValue(), 'old-copy');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { level: 1, name: 'old (copy)' }).waitFor();
  t.match(await load('old-copy'), { url: `${target.url}/ok` });
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete old (copy)?' });
  await dialog.getByText('It leaves the status page and all incidents').waitFor();
  await checkScreen(t, visit, 'the question before a monitor is deleted');
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('old (copy) is deleted.').waitFor();
  t.equal(await load('old-copy'), undefined);
  t.strictSame(visit.troubles, []);
});

t.test('who may not: the buttons say why, and the forms as well', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(monitors);
  const add = page.getByRole('button', { name: 'Add monitor' });
  t.equal(await add.getAttribute('aria-disabled'), 'true');
  t.match(await add.getAttribute('title'), /editors or owners/i);
  t.equal(await page.getByRole('checkbox').count(), 0, 'nothing can be chosen');
  await page.goto(`${monitors}?monitor=old`);
  await page.getByRole('button', { name: 'Edit' }).waitFor();
  t.equal(await page.getByRole('button', { name: 'Edit' }).getAttribute('aria-disabled'), 'true');
  t.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
  for (const address of ['?new=http', '?monitor=old&edit=1']) {
    await page.goto(monitors + address);
    await page.getByText(/editors or owners/i).waitFor();
    t.equal(await page.getByRole('textbox').count(), 0);
    await checkScreen(t, visit, `${address} of a responder`);
  }
});

t.test('an edit that loads, that failed, and in German', async (t) => {
  const visit = await visitDashboard(t, editor, { locale: 'de-DE' });
  const { page } = visit;
  const answer = await failReads(visit, /monitors\/old$/, 'hang');
  await page.goto(`${monitors}?monitor=old&edit=1`);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'an edit that loads');
  await answer();
  const mend = await failReads(visit, /monitors\/old$/);
  await page.reload();
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'an edit that failed');
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByRole('button', { name: 'Änderungen speichern' }).waitFor();
  await page.getByText('Weitere Einstellungen').click();
  await checkScreen(t, visit, 'an edit in German');
});
