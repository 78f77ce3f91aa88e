import t, { type Test } from 'tap';
import {
  createInvitation,
  createResetLink,
  createSetupLink,
  invitationPath,
  resetPath,
  setupPath,
} from '../../control/people/index.js';
import { systemClock } from '../../lib/clock.js';
import { testActor } from '../support/actor.js';
import { alertLinkPath, makeAlert } from '../support/alert-links.js';
import { openBrowser } from '../support/browser.js';
import { captureLog } from '../support/capture-log.js';
import { giveRole, makeUser } from '../support/people.js';
import { startTestService, withoutJobs } from '../support/service.js';
import { checkView, startVisit, type Visit } from '../support/visit.js';

const { log, text } = captureLog();
const service = await startTestService(t, { roles: withoutJobs, log, smtpUrl: 'smtp://127.0.0.1:1' });
const { sql } = service.stores;
const deps = { sql, clock: systemClock, by: testActor };
const browser = await openBrowser(t);
const password = 'violet harbour tin lamp';
const setup = (await createSetupLink(deps))?.token ?? '';

const focused = ({ page }: Visit) => page.evaluate<string>('document.activeElement.id');
const send = ({ page }: Visit) => page.locator('main form .button').first().click();

/** The browser writes the status of a document to the console. */
const checkPage = (t: Test, visit: Visit, what: string) => checkView(t, visit, what, /status of 4\d\d/);

t.test('the first account: the link, what is wrong, and the way in', async (t) => {
  const visit = await startVisit(t, browser, service.url);
  const { page } = visit;
  await page.goto(setupPath(setup));
  t.equal(await page.locator('#token').isVisible(), false, 'the code is in its field, and the field hidden');
  t.equal(await focused(visit), 'name');
  await checkPage(t, visit, 'the set-up');
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await page.locator('h1', { hasText: 'Heartline einrichten' }).waitFor();
  t.equal(await page.locator('#token').inputValue(), setup, 'another language keeps the code');
  await page.getByRole('link', { name: 'English' }).click();
  await page.locator('h1', { hasText: 'Set up Heartline' }).waitFor();

  await page.getByLabel('Your name').fill('Ann Lee');
  await page.getByLabel('Email').fill('ann@example.com');
  await page.getByLabel('New password').fill('password1234');
  await send(visit);
  await page.getByText('Many people use this password').waitFor();
  t.equal(await page.getByLabel('Your name').inputValue(), 'Ann Lee');
  t.equal(await focused(visit), 'password');
  await checkPage(t, visit, 'the refusal');
  await page.getByLabel('New password').fill(password);
  await send(visit);
  await page.getByRole('heading', { name: 'Pages' }).waitFor();
  t.equal(new URL(page.url()).pathname, '/manage');
  await checkPage(t, visit, 'the home');
  await page.getByRole('button', { name: 'Ann Lee' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  await checkPage(t, visit, 'signed out');
});

t.test('without scripts people paste the code', async (t) => {
  const visit = await startVisit(t, browser, service.url, { javaScriptEnabled: false });
  const { page } = visit;
  const invited = { pageId: service.pageId, role: 'responder', email: 'bob@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  await page.goto(invitationPath(token));
  await page.getByLabel('Code from the link').fill(token);
  await send(visit);
  await page.getByText('bob@example.com').waitFor();
  await page.getByLabel('Your name').fill('Bob');
  await page.getByLabel('New password').fill(password);
  await send(visit);
  // Finding by text leaves this element out.
  t.match(await page.locator('noscript p').textContent(), /needs JavaScript/);
});

t.test('an invitation opens by itself, in the language of the browser', async (t) => {
  const visit = await startVisit(t, browser, service.url, { locale: 'fr-FR' });
  const { page } = visit;
  const invited = { pageId: service.pageId, role: 'viewer', email: 'cid@example.com' } as const;
  const { token } = await createInvitation(deps, invited);
  await page.goto(invitationPath(token));
  await page.getByText('cid@example.com').waitFor();
  t.equal(await page.locator('html').getAttribute('lang'), 'fr');
  await checkPage(t, visit, 'the invitation');
  await page.goto(invitationPath('A'.repeat(43)));
  await page.locator('#token-error').waitFor();
  t.equal(await page.locator('#token').isVisible(), true, 'a code that was refused stays in sight');
  await checkPage(t, visit, 'a link that ended');
});

t.test('signing in with the keyboard, a wrong password, a forgotten one', async (t) => {
  const visit = await startVisit(t, browser, service.url);
  const { page } = visit;
  await page.goto('/manage');
  await page.locator('h1', { hasText: 'Sign in' }).waitFor();
  await checkPage(t, visit, 'the form');
  await page.keyboard.type('ann@example.com');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  await checkPage(t, visit, 'a wrong password');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.locator('h1', { hasText: 'Forgot' }).waitFor();
  await checkPage(t, visit, 'the question');
  await page.getByLabel('Email').fill('ann@example.com');
  await send(visit);
  await page.locator('h1', { hasText: 'Check your mail' }).waitFor();
  await checkPage(t, visit, 'the answer');

  const [ann] = await sql<{ id: string }[]>`select id from users where email = 'ann@example.com'`;
  const { token } = await createResetLink(deps, ann?.id ?? '');
  await page.goto(resetPath(token));
  await page.locator('#password').fill('another tin lamp 7');
  await checkPage(t, visit, 'a new password');
  await send(visit);
  await page.getByText('Your password is changed.').waitFor();
  await page.getByLabel('Email').fill('ann@example.com');
  await page.locator('#password').fill('another tin lamp 7');
  await send(visit);
  await page.getByRole('button', { name: 'Ann Lee' }).waitFor();
  t.notOk(text().includes(token), 'no log has the code of a link');
  t.notOk(text().includes(setup));
});

t.test('the link of an alert: the facts, and the buttons that answer it', async (t) => {
  const visit = await startVisit(t, browser, service.url);
  const { page } = visit;
  const { id: userId } = await makeUser(deps);
  const [shown] = await sql<{ slug: string }[]>`select slug from pages where id = ${service.pageId}`;
  await giveRole(deps, { userId, slug: shown?.slug ?? '', role: 'responder' });
  const id = await makeAlert(deps, service.pageId);
  await page.goto(alertLinkPath(id, { type: 'person', id: userId }));
  await page.locator('h1', { hasText: 'requests fail' }).waitFor();
  await checkPage(t, visit, 'the alert');
  await page.getByLabel('Note (optional)').fill('Rolling back.');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText('Rolling back.').waitFor();
  t.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0);
  await checkPage(t, visit, 'the acknowledged alert');
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.locator('.alert-state', { hasText: 'Over' }).waitFor();
  t.equal(await page.getByRole('button').count(), 0);
});
