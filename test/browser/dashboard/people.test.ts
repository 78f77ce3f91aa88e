import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { startVisit } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const people = '/manage/pages/acme/people';

/** The status that the API answers to a change of a person in the browser. */
const post = (path: string, body: object) =>
  `fetch('/api/v1/pages/acme${path}', { method: 'POST', headers: { 'content-type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify(body))} }).then(({ status }) => status)`;

t.test('a colleague is invited as responder, accepts, and may do what the table says', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await page.goto(people);
  await page.getByText('Nobody is invited now').waitFor();
  await checkScreen(t, visit, 'people, nobody invited');
  await tabTo(page, /^Invite somebody$/);
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Invite somebody' });
  await form.waitFor();
  await tabTo(page, /^Email$/);
  await page.keyboard.type('cid@example.com');
  await form.getByRole('radio', { name: 'Viewer' }).focus();
  await page.keyboard.press('ArrowDown');
  t.ok(await form.getByRole('radio', { name: 'Responder' }).isChecked());
  await checkScreen(t, visit, 'the form of an invitation');
  await page.keyboard.press('Enter');
  const link = page.getByRole('dialog', { name: 'cid@example.com is invited' });
  await link.waitFor();
  await link.getByText('The installation has no mail server').waitFor();
  await checkScreen(t, visit, 'the link of an invitation');
  await page.keyboard.press('Escape');
  t.ok(await link.isVisible(), 'it is shown once, so only its button closes it');
  const url = (await link.locator('code.secret').textContent()) ?? '';
  await tabTo(page, /^I have saved it$/);
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /cid@example.com Responder/ }).waitFor();
  await checkScreen(t, visit, 'people with an invitation');

  const row = page.getByRole('row', { name: /Write incidents/ });
  t.strictSame(
    (await row.getByRole('cell').allTextContents()).map((text) => /yes/.test(text)),
    [false, true, true, true],
  );

  const cid = await startVisit(t, browser, service.url);
  await cid.page.goto(url);
  await cid.page.getByLabel('Your name').fill('Cid');
  await cid.page.locator('input[type=password]').first().fill('violet harbour tin lamp');
  await cid.page.locator('main form .button').first().click();
  await cid.page.waitForURL(/manage(?!\/invitation)/);
  const menu = cid.page.getByRole('navigation').first();
  await cid.page.goto('/manage/pages/acme');
  await menu.getByRole('link', { name: 'Incidents' }).waitFor();
  t.equal(await cid.page.getByRole('link', { name: 'Keys', exact: true }).count(), 0);
  t.equal(await cid.page.getByRole('link', { name: 'Audit log' }).count(), 0);
  await cid.page.goto(people);
  await cid.page
    .getByText(/owners/)
    .first()
    .waitFor();
  t.equal(await cid.page.getByRole('button', { name: 'Invite somebody' }).count(), 0);
  const refused = [
    post('/keys', { scope: 'read', name: 'x' }),
    post('/invitations', { email: 'dan@example.com', role: 'owner' }),
    post('/connections', { engine: 'mysql', name: 'x' }),
  ];
  for (const request of refused) t.equal(await cid.page.evaluate(request), 403, request);
  const incident = { title: 'Slow', summary: 'Slow answers.', startedAt: new Date().toISOString() };
  t.equal(await cid.page.evaluate(post('/incidents', incident)), 201, 'a responder writes incidents');
  await forget(cid, /403/, refused.length);

  await page.reload();
  await page.getByRole('row', { name: /Cid.*Responder/ }).waitFor();
  await tabTo(page, /^Change the role of Cid$/);
  await page.keyboard.press('Enter');
  const role = page.getByRole('dialog', { name: 'Change the role of Cid' });
  await role.getByRole('radio', { name: 'Responder' }).focus();
  await page.keyboard.press('ArrowDown');
  await checkScreen(t, visit, 'another role');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: /Cid.*Editor/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /Cid.*Responder/ }).waitFor();

  await page.getByRole('button', { name: 'Change the role of Cid' }).click();
  await role.getByRole('radio', { name: 'Owner' }).check();
  await service.stores.sql`update page_roles set role = 'viewer' where role = 'responder'`;
  await role.getByRole('button', { name: 'Change the role' }).click();
  await page.getByRole('button', { name: 'Save this choice' }).click();
  await page.getByRole('row', { name: /Cid.*Owner/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('row', { name: /Cid.*Viewer/ }).waitFor();
  await forget(visit, /412/);
  await tabTo(page, /^Remove Cid$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Remove Cid from this page?' }).waitFor();
  await checkScreen(t, visit, 'the question before somebody goes');
  await tabTo(page, /^Remove$/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove Cid' }).waitFor({ state: 'detached' });
  t.strictSame(visit.troubles, []);
});

t.test('the last owner stays, and the screen says so beforehand', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'other', role: 'owner' } });
  const { page } = visit;
  await page.goto('/manage/pages/other/people');
  const change = page.getByRole('button', { name: /^Change the role of/ });
  await change.waitFor();
  t.equal(await change.getAttribute('aria-disabled'), 'true');
  await change.focus();
  await page.keyboard.press('Enter');
  t.equal(await page.getByRole('dialog').count(), 0);
  await page.getByText('A page needs an owner.').first().waitFor({ state: 'attached' });
  await checkScreen(t, visit, 'the last owner');
});

t.test('loading and failing', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  const reads = /acme\/(people|invitations)\?/;
  const answer = await failReads(visit, reads, 'hang');
  await page.goto(people);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, reads);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await page.getByRole('heading', { name: 'What each role may do' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'failing');
});
