import t, { type Test } from 'tap';
import { createPasswords, createUser, type User } from '../../../control/people/index.js';
import { systemClock } from '../../../lib/clock.js';
import { testActor } from '../../support/actor.js';
import { openBrowser } from '../../support/browser.js';
import { captureLog } from '../../support/capture-log.js';
import { checkScreen, failReads, forget, noticed } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { giveRole, signIn } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { totpCode } from '../../support/totp.js';
import { interceptRequests, startVisit, type Visit } from '../../support/visit.js';

const { log, text } = captureLog();
const service = await startTestService(t, { roles: withoutJobs, log });
const { sql } = service.stores;
const browser = await openBrowser(t);
const deps = { sql, clock: systemClock, by: testActor, passwords: createPasswords() };
const password = 'violet harbour tin lamp';
const account = '/manage/account';

async function makePerson(name: string): Promise<User> {
  const user = await createUser(deps, { email: `${name}@example.com`, name, password });
  await giveRole(deps, { userId: user.id, slug: 'acme', role: 'editor' });
  return user;
}

async function visitAs(t: Test, user: User): Promise<Visit> {
  const visit = await startVisit(t, browser, service.url);
  const { cookie } = await signIn(deps, user.id);
  const [name = '', value = ''] = cookie.split('=');
  await visit.context.addCookies([{ name, value, url: service.url }]);
  await interceptRequests(visit.page);
  return visit;
}

t.test('name and language: kept for the next browser, refused beside the field', async (t) => {
  const user = await makePerson('ann');
  const visit = await visitAs(t, user);
  const { page } = visit;
  await page.goto(account);
  await page.getByText('This session').waitFor();
  await checkScreen(t, visit, 'the account');
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('  ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Required.').waitFor();
  await checkScreen(t, visit, 'a name that is missing');
  const mend = await failReads(visit, /api\/v1\/me$/);
  await name.fill('Ann Lee');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('What you entered is still here.').waitFor();
  t.equal(await name.inputValue(), 'Ann Lee', 'a failure loses nothing');
  await mend();
  await page.getByLabel('Language', { exact: true }).selectOption('de');
  await page.getByRole('button', { name: 'Save' }).click();
  await noticed(page, /^Gespeichert/);
  await page.getByRole('button', { name: 'Konto und Darstellung: Ann Lee' }).waitFor();
  await checkScreen(t, visit, 'the account in German');
  const [row] = await sql`select name, language from users where id = ${user.id}`;
  t.match(row, { name: 'Ann Lee', language: 'de' });
});

t.test(
  'the password, by keyboard: refusals stand beside their fields, and others have to sign in',
  async (t) => {
    const user = await makePerson('bob');
    const other = await visitAs(t, user);
    const visit = await visitAs(t, user);
    const { page } = visit;
    await page.goto(account);
    await page.getByText('Unknown browser').first().waitFor();
    await tabTo(page, /^Current password$/);
    await page.keyboard.type('wrong');
    await tabTo(page, /^New password$/);
    await page.keyboard.type('heartlands of quartz');
    await page.keyboard.press('Enter');
    await page.getByText('This is not your password.').waitFor();
    t.equal(await page.getByLabel('New password', { exact: true }).inputValue(), 'heartlands of quartz');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(password);
    await tabTo(page, /^New password$/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('short');
    await page.keyboard.press('Enter');
    await page.getByText('Must have 12 to 200 characters.').waitFor();
    await checkScreen(t, visit, 'a password that is too short', /4\d\d/);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('heartlands of quartz');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'The password has changed.' }).waitFor();
    t.equal(await page.getByLabel('New password', { exact: true }).inputValue(), '');
    await other.page.goto(account);
    await other.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  },
);

t.test('an authenticator app, by keyboard: set up, signed in with, removed', async (t) => {
  const visit = await visitAs(t, await makePerson('cid'));
  const { page } = visit;
  await page.goto(account);
  await page.getByRole('button', { name: 'Set up an app' }).waitFor();
  await tabTo(page, /^Set up an app$/);
  await page.keyboard.press('Enter');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await checkScreen(t, visit, 'the secret of an app');
  const shown = (await page.locator('code.secret').textContent()) ?? '';
  const secret = shown.replaceAll(' ', '');
  t.match(await page.getByRole('link', { name: 'Open in an app' }).getAttribute('href'), /^otpauth:/);
  await page.keyboard.type('000 000');
  await page.keyboard.press('Enter');
  await page.getByText('This code is wrong or was used.').waitFor();
  await forget(visit, /4\d\d/);
  const now = Date.now();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(totpCode(secret, now));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Keep your recovery codes' }).waitFor();
  await checkScreen(t, visit, 'the recovery codes');
  const codes = await page.locator('.recovery-codes code').allTextContents();
  t.equal(new Set(codes).size, 10);
  await tabTo(page, /^I have saved them$/);
  await page.keyboard.press('Enter');
  await page.getByText('The authenticator app is on.').waitFor();
  t.equal(await page.getByText(codes[0] ?? '').count(), 0, 'they are shown once');

  const again = await startVisit(t, browser, service.url);
  await again.page.goto(account);
  await again.page.getByLabel('Email').fill('cid@example.com');
  await again.page.locator('#password').fill(password);
  await again.page.keyboard.press('Enter');
  await again.page.locator('#code').fill(totpCode(secret, now + 30_000));
  await again.page.keyboard.press('Enter');
  await again.page.getByRole('heading', { level: 1, name: 'My account' }).waitFor();

  await page.reload();
  await page.getByRole('button', { name: 'Remove the app' }).waitFor();
  await tabTo(page, /^Remove the app$/);
  await page.keyboard.press('Enter');
  await page.keyboard.type(password);
  await tabTo(page, /^Code of the app/);
  await page.keyboard.type('111111');
  await page.keyboard.press('Enter');
  await page.getByText('This code is wrong or was used.').waitFor();
  await checkScreen(t, visit, 'the removal of an app', /4\d\d/);
  await page.keyboard.press('Control+A');
  await page.keyboard.type(codes[3] ?? '');
  await page.keyboard.press('Enter');
  await page.getByText('The authenticator app is removed.').waitFor();
  t.equal(page.url(), `${service.url}${account}`, 'the address has no secret');
  t.notOk(text().includes(shown.replaceAll(' ', '')), 'no log has the secret');
  for (const code of codes) t.notOk(text().includes(code), 'no log has a recovery code');
});

t.test('sessions: one ends by keyboard, then all others', async (t) => {
  const user = await makePerson('dan');
  const visit = await visitAs(t, user);
  const { page } = visit;
  for (let i = 0; i < 3; i += 1) await signIn(deps, user.id);
  await page.goto(account);
  const ends = page.getByRole('button', { name: /^End the session of/ });
  await ends.nth(2).waitFor();
  await tabTo(page, /^End the session of/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'End this session?' }).waitFor();
  await checkScreen(t, visit, 'the question before a session ends');
  await tabTo(page, /^End$/);
  await page.keyboard.press('Enter');
  await page.getByText('The session has ended.').waitFor();
  await ends.nth(2).waitFor({ state: 'detached' });
  t.equal(await ends.count(), 2);
  await page.getByRole('button', { name: 'End all others' }).click();
  await page.getByText('2 other browsers have to sign in again.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click();
  await page.getByText('The other sessions have ended.').waitFor();
  await ends.first().waitFor({ state: 'detached' });
  const left = await sql`select 1 from user_sessions where user_id = ${user.id}`;
  t.equal(left.length, 1);
  t.strictSame(visit.troubles, []);
});

t.test('sessions that load or fail leave the rest in place', async (t) => {
  const visit = await visitAs(t, await makePerson('eve'));
  const { page } = visit;
  const answer = await failReads(visit, /api\/v1\/sessions/, 'hang');
  await page.goto(account);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'sessions that load');
  await answer();
  const mend = await failReads(visit, /api\/v1\/sessions/);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('button', { name: 'Change the password' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'sessions that failed');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('This session').waitFor();
});

t.test('without a password there is none to change, and none to prove with', async (t) => {
  const visit = await visitAs(t, await createUser(deps, { email: 'flo@example.com', name: 'Flo' }));
  const { page } = visit;
  await page.goto(account);
  await page.getByText('Your account has no password').waitFor();
  await page.getByRole('button', { name: 'Set up an app' }).click();
  t.equal(await page.locator('input[type=password]').count(), 0);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  t.strictSame(visit.troubles, []);
});
