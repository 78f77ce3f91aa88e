import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeUser } from '../../support/people.js';
import { startTestService, withoutJobs } from '../../support/service.js';

// Nothing in the environment decides whether private addresses are allowed.
const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: undefined });
const browser = await openBrowser(t);
const admin = { browser, service, as: 'admin' } as const;
const installation = '/manage/installation';
const state = /api\/v1\/installation$/;

t.test('health in words, instances, jobs, pages and people; a job is run by keyboard', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  await page.goto(installation);
  await page.getByText('No instance has the role Jobs.').waitFor();
  await page.getByText('PostgreSQL').first().waitFor();
  await page.getByRole('link', { name: 'acme', exact: true }).waitFor();
  await page.getByText(visit.email).last().waitFor();
  await checkScreen(t, visit, 'the installation');
  await tabTo(page, /^Run now: Clean up sign-ins$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Run Clean up sign-ins now?' }).waitFor();
  await checkScreen(t, visit, 'the question before a run');
  await tabTo(page, /^Run now$/);
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Clean up sign-ins has succeeded.' }).waitFor();
  await page.getByRole('row', { name: /prune-people succeeded/ }).waitFor();
  t.strictSame(visit.troubles, []);
});

t.test('private addresses are refused with a switch, and a monitor says where to allow them', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  await page.goto(installation);
  const allow = page.getByRole('switch', { name: 'Allow private addresses' });
  await allow.waitFor();
  t.equal(await allow.isChecked(), true, 'there is no BASE_URL');
  await allow.press('Space');
  await page.getByText('their monitors would reach').waitFor();
  t.equal(await allow.isChecked(), false);
  await page.goto('/manage/pages/acme/monitors?new=http');
  await page.getByLabel('Address').fill(service.url);
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('leads into a private network').waitFor();
  await checkScreen(t, visit, 'a refused address');
  await page.getByRole('link', { name: 'Allow private addresses under Installation' }).click();
  await allow.press('Space');
  await page
    .getByRole('switch', { name: 'Allow private addresses', checked: true, disabled: false })
    .waitFor();
  await page.goto('/manage/pages/acme/monitors?new=http');
  await page.getByLabel('Address').fill('http://169.254.169.254/');
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByText('so it stays refused').waitFor();
  t.equal(await page.getByRole('link', { name: 'Allow private addresses' }).count(), 0);
  t.strictSame(visit.troubles, []);
});

t.test('for others there is no such screen', async (t) => {
  const as = { slug: 'acme', role: 'owner' } as const;
  const { page, troubles } = await visitDashboard(t, { browser, service, as });
  await page.goto(installation);
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  t.equal(await page.getByRole('link', { name: 'Installation' }).count(), 0);
  t.strictSame(troubles, []);
});

t.test('loading, failing, and everything that can be wrong', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  const answer = await failReads(visit, state, 'hang');
  await page.goto(installation);
  await page.locator('.skeleton').first().waitFor();
  await page.getByRole('link', { name: 'acme', exact: true }).waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, state);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'failing');

  const at = new Date(Date.now() - 600_000).toISOString();
  const store = { isAvailable: false, version: null, bytes: null };
  const instance = { id: 'a', host: 'one', process: 1, roles: ['api'], startedAt: at, seenAt: at };
  const job = { name: 'sweep', summary: 'sweeps', schedule: '* * * * *', isRunning: false, nextRunAt: null };
  await page.route(state, (route) =>
    route.fulfill({
      json: {
        version: '1.2.3',
        stores: { postgres: { ...store, isAvailable: true }, clickhouse: store },
        instances: [
          { ...instance, version: '1.2.3' },
          { ...instance, id: 'b', process: 2, version: '1.2.2' },
        ],
        jobs: [{ ...job, lastRun: { startedAt: at, endedAt: at, succeededAt: null } }],
        backlogs: {
          batches: [{ store: 'pages', waiting: 12, exhausted: 3, removed: 0, oldestSeconds: 7_300 }],
          outbox: [{ kind: 'email', waiting: 40, oldestSeconds: 1_000 }],
        },
      },
    }),
  );
  await page.reload();
  for (const sentence of [
    'ClickHouse does not answer.',
    'No instance has the role Deliveries.',
    'Instances run different versions.',
    'The last run of the job sweep has failed.',
    'Events for stores of pages: 3 batches are no longer retried.',
    'Events for stores of pages: batches have been waiting for 2 hours.',
    'Emails: the oldest has been waiting for 16 minutes.',
  ]) {
    await page.getByText(sentence).waitFor();
  }
  await checkScreen(t, visit, 'everything that can be wrong');
});

t.test('an account is disabled, enabled and deleted by keyboard', async (t) => {
  const visit = await visitDashboard(t, admin);
  const { page } = visit;
  const deps = { sql: service.stores.sql, clock: systemClock };
  const { email } = await makeUser(deps, { name: 'Zoe', email: 'zoe@example.com' });
  await page.goto(installation);
  const row = page.getByRole('row', { name: new RegExp(`Zoe.*${email}`) });
  await row.waitFor();
  await row.getByRole('button', { name: 'Change the account of Zoe' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Change the account of Zoe' });
  await dialog.getByRole('switch', { name: 'Disabled' }).focus();
  await page.keyboard.press('Space');
  await checkScreen(t, visit, 'an account');
  await tabTo(page, /^Save$/);
  await page.keyboard.press('Enter');
  await row.getByText('disabled').waitFor();
  await row.getByRole('button', { name: 'Change the account of Zoe' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByRole('switch', { name: 'Disabled' }).waitFor();
  await tabTo(page, /^Delete the account$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Delete the account of Zoe?' }).waitFor();
  await checkScreen(t, visit, 'the question before an account goes');
  await tabTo(page, /^Delete the account$/);
  await page.keyboard.press('Enter');
  await row.waitFor({ state: 'detached' });
  t.strictSame(visit.troubles, []);
});
