import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const keys = '/manage/pages/acme/keys';
const expiryOf = async (name: string) =>
  (await service.stores.sql<{ expires_at: Date }[]>`select expires_at from keys where name = ${name}`)[0]
    ?.expires_at;
const list = /api\/v1\/pages\/acme\/keys\?/;

t.test('a key is made, shown once, renamed, named back and revoked by keyboard alone', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await page.goto(keys);
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await tabTo(page, /^Create a key$/);
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Create a key' });
  await form.waitFor();
  await form.locator('[type=radio]:checked:focus').waitFor();
  await checkScreen(t, visit, 'the form of a key');
  await form.getByRole('radio', { name: 'Read figures' }).focus();
  await page.keyboard.press('Space');
  await tabTo(page, /^Name$/);
  await page.keyboard.press('Enter');
  await form.getByText('Required.').waitFor();
  await page.keyboard.type('reports');
  await page.keyboard.press('Enter');
  const secret = page.getByRole('dialog', { name: 'The new key: Read figures' });
  await secret.waitFor();
  const key = (await secret.locator('code.secret').textContent()) ?? '';
  t.match(key, /^key_read_/);
  await checkScreen(t, visit, 'a new key');
  t.match(await secret.locator('pre').textContent(), /curl .*analytics\/totals.*\$READ_KEY/);
  const answer = await fetch(`${service.url}/api/v1/analytics/totals?from=now-1h`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  t.equal(answer.status, 200, 'the line of the dialog works');
  await secret.getByText('Environment file').click();
  t.equal(await secret.locator('pre').textContent(), `READ_KEY=${key}`);
  await tabTo(page, /saved|Done/);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /reports.*Read figures.*usable/ }).waitFor();
  t.equal(await page.getByText(key).count(), 0, 'it is shown once');
  await checkScreen(t, visit, 'the list of keys');

  await tabTo(page, /^Rename reports$/);
  await page.keyboard.press('Enter');
  const rename = page.getByRole('dialog', { name: 'Rename reports' });
  await rename.locator('input:focus').waitFor();
  await rename.getByRole('textbox', { name: 'Name' }).fill('weekly reports');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /weekly reports/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Rename reports' }).waitFor();

  await tabTo(page, /^Revoke reports$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Revoke reports?' }).getByText('refused at once').waitFor();
  await page.locator('dialog button:focus', { hasText: 'Cancel' }).waitFor();
  await checkScreen(t, visit, 'the question before a key ends');
  await tabTo(page, /^Revoke$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Revoke reports' }).waitFor({ state: 'detached' });
  // Every instance asks for changes of keys once a second.
  await waitUntil('the key is refused', async () => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${service.url}/api/v1/analytics/totals`, { headers })).status === 401;
  });
  await page.goto(`${keys}?show=all`);
  await page.getByRole('row', { name: /reports.*revoked/ }).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('the expiry of a key is entered in the zone that stands below', async (t) => {
  const { page, troubles } = await visitDashboard(t, owner, { timezoneId: 'Asia/Tokyo' });
  await page.goto(keys);
  await page.getByRole('button', { name: 'Create a key' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('tokyo');
  await page.getByLabel('Expires', { exact: true }).selectOption('own');
  await page.getByText('Time zone of this browser: Asia/Tokyo').waitFor();
  await page.getByLabel('Time of expiry').fill('2099-01-02T09:00');
  await page.getByRole('dialog').getByRole('button', { name: 'Create a key' }).click();
  await page.getByText('Send events').first().waitFor();
  await waitUntil('the key is there', async () => (await expiryOf('tokyo')) !== undefined);
  t.equal((await expiryOf('tokyo'))?.toISOString(), '2099-01-02T00:00:00.000Z');
  t.strictSame(troubles, []);
});

t.test('two people rename a key: both versions are shown', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await page.goto(`${keys}?new=key`);
  await page.getByRole('textbox', { name: 'Name' }).fill('shared');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /The new key/ }).waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Rename shared' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename shared' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('mine');
  await page.evaluate(`(async () => {
    const { items } = await (await fetch('/api/v1/pages/acme/keys')).json();
    const { id } = items.find(({ name }) => name === 'shared');
    await fetch('/api/v1/pages/acme/keys/' + id, {
      method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"name": "theirs"}',
    });
  })()`);
  await page.keyboard.press('Enter');
  await page.locator('.conflict-rows').getByText('theirs', { exact: true }).waitFor();
  await page.locator('.conflict-rows').getByText('mine', { exact: true }).waitFor();
  await checkScreen(t, visit, 'both versions of a name', /412/);
  await page.getByRole('button', { name: 'Save this choice' }).click();
  await page.getByRole('row', { name: /mine/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /theirs/ }).waitFor();
});

t.test('an undo leaves the name that somebody else has given meanwhile', async (t) => {
  const { page } = await visitDashboard(t, owner);
  await page.goto(`${keys}?new=key`);
  await page.getByRole('textbox', { name: 'Name' }).fill('before');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /The new key/ }).waitFor();
  await page.getByRole('button', { name: 'I have saved it' }).click();
  await page.getByRole('button', { name: 'Rename before' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('after');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /after/ }).waitFor();
  await page.evaluate(`(async () => {
    const { items } = await (await fetch('/api/v1/pages/acme/keys')).json();
    const { id } = items.find(({ name }) => name === 'after');
    await fetch('/api/v1/pages/acme/keys/' + id, {
      method: 'PATCH', headers: { 'content-type': 'application/json' }, body: '{"name": "their name"}',
    });
  })()`);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The name has not changed.').waitFor();
  await page.reload();
  await page.getByRole('row', { name: /their name/ }).waitFor();
});

t.test('empty, loading, failing', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  const answer = await failReads(visit, list, 'hang');
  await page.goto(keys);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, list);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'failing');
  await page.route(list, (route) => route.fulfill({ json: { items: [], nextCursor: null } }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'No key yet' }).waitFor();
  await checkScreen(t, visit, 'empty');
});

t.test('others do not see the screen, and the service refuses them', async (t) => {
  const as = { slug: 'acme', role: 'editor' } as const;
  const { page } = await visitDashboard(t, { browser, service, as });
  await page.goto(keys);
  await page
    .getByText(/owners/)
    .first()
    .waitFor();
  t.equal(await page.getByRole('button', { name: 'Create a key' }).count(), 0);
  t.equal(await page.evaluate(`fetch('/api/v1/pages/acme/keys').then(({ status }) => status)`), 403);
});
