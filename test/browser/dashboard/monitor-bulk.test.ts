import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { insertMonitor } from '../../support/monitors.js';
import { makeKey } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { pageId } = service;
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const monitors = '/manage/pages/acme/monitors';

for (const slug of ['alpha', 'beta', 'gamma']) await insertMonitor(sql, { pageId, slug });

const paused = async (): Promise<string[]> => {
  const rows = await sql<{ slug: string }[]>`
    select slug from monitors where page_id = ${pageId} and paused_at is not null order by slug`;
  return rows.map(({ slug }) => slug);
};

t.test('by keyboard alone: all paused, undone, one paused', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(monitors);
  await page.getByRole('link', { name: 'alpha' }).waitFor();
  await tabTo(page, /^Choose all rows$/);
  await page.keyboard.press('Space');
  await page.getByRole('status').filter({ hasText: '3 monitors chosen' }).waitFor();
  await checkScreen(t, visit, 'chosen monitors');
  await page.getByRole('button', { name: 'Pause' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: '3 monitors are paused.' }).waitFor();
  t.strictSame(await paused(), ['alpha', 'beta', 'gamma']);
  t.equal(await page.getByRole('region', { name: 'Chosen monitors' }).count(), 0, 'none is chosen any more');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').filter({ hasText: '3 monitors are checked again.' }).waitFor();
  t.strictSame(await paused(), []);
  await page.getByLabel('Choose beta').check();
  await waitInPage(page, `document.querySelector('thead input').indeterminate`);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('status').filter({ hasText: '1 monitor is paused.' }).waitFor();
  t.strictSame(await paused(), ['beta']);
  t.strictSame(visit.troubles, []);
});

t.test('some fail: they are named, stay chosen, and are tried again', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(monitors);
  await page.getByLabel('Choose all rows').check();
  const mend = await failReads(visit, /monitors\/gamma\/pause/);
  await page.getByRole('button', { name: 'Pause' }).click();
  const alert = page.getByRole('alert').filter({ hasText: '1 could not be paused' });
  await alert.getByText('gamma').waitFor();
  t.strictSame(await paused(), ['alpha', 'beta']);
  await mend();
  await checkScreen(t, visit, 'a change that failed in part');
  await alert.getByRole('button', { name: 'Try these again' }).click();
  // The notice reads as after the first attempt, so it cannot tell that the second is over.
  await waitUntil('all are paused', async () => (await paused()).length === 3);
  await page.getByRole('status').filter({ hasText: '1 monitor is paused.' }).waitFor();
  await alert.waitFor({ state: 'detached' });
});

t.test('all move to a group, which is in the form of each', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(monitors);
  await page.getByLabel('Choose all rows').check();
  t.equal(await page.getByRole('button', { name: 'Move to group' }).count(), 0, 'a page without groups');
  const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
  await service.post('/api/v1/pages/acme/groups/shop', { name: 'Shop' }, { method: 'PUT', key });
  await page.reload();
  await page.getByLabel('Choose all rows').check();
  await page.getByRole('button', { name: 'Move to group' }).click();
  await page.getByRole('button', { name: 'Shop' }).click();
  await page.getByRole('status').filter({ hasText: '3 monitors have moved.' }).waitFor();
  await page.goto(`${monitors}?monitor=beta&edit=1`);
  t.equal(await page.getByLabel('Group').inputValue(), 'shop');
  await checkScreen(t, visit, 'a form with a group');
  await page.getByLabel('Group').selectOption('No group');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await noticed(page, /^Saved/);
  const answer = await service.get('/api/v1/pages/acme/monitors/beta', {
    authorization: `Bearer ${key}`,
  });
  t.match(answer, { status: 200, body: { group: null, slug: 'beta' } });
  t.strictSame(visit.troubles, []);
});

t.test('several are deleted after a question that says what goes', async (t) => {
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(monitors);
  await page.getByLabel('Choose alpha').check();
  await page.getByLabel('Choose gamma').check();
  await page.getByRole('button', { name: 'Delete …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 monitors?' });
  await dialog.getByText('gamma').waitFor();
  await checkScreen(t, visit, 'the question before monitors are deleted');
  // Somebody else was faster with one of them.
  await sql`delete from monitors where page_id = ${pageId} and slug = 'alpha'`;
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('status').filter({ hasText: '2 monitors are deleted.' }).waitFor();
  await page.getByRole('link', { name: 'gamma' }).waitFor({ state: 'detached' });
  t.strictSame(
    (await sql`select slug from monitors where page_id = ${pageId}`).map(({ slug }) => slug),
    ['beta'],
  );
});

t.test('a thousand monitors: few rows are drawn, and a choice of all counts each', async (t) => {
  await sql`
    insert into monitors (id, page_id, slug, name, kind, url, every_seconds, timeout_ms, failures_to_down, created_at,
      position)
    select gen_random_uuid(), ${pageId}, 'many-' || i, 'Many ' || i, 'http', 'https://many.example.com/' || i, 60, 10000, 2,
      now(), i
    from generate_series(1, 999) as i`;
  const { page, troubles } = await visitDashboard(t, editor);
  await page.goto(monitors);
  await page.getByText('1,000 rows').waitFor();
  await waitInPage(page, `document.querySelectorAll('tbody tr').length < 110`);
  await page.getByLabel('Choose all rows').check();
  await page.getByRole('status').filter({ hasText: '1,000 monitors chosen' }).waitFor();
  t.ok((await page.locator('tbody tr').count()) < 110, 'a choice of all draws no further row');
  await page.getByLabel('Filter').fill('many 99');
  await page.getByText('19 of 1,000 rows').waitFor();
  await page.getByLabel('Choose all rows').uncheck();
  await page.getByRole('status').filter({ hasText: '981 monitors chosen' }).waitFor();
  await page.getByRole('button', { name: 'Choose none' }).click();
  await waitUntil('none is chosen', async () => (await page.locator('tbody :checked').count()) === 0);
  t.strictSame(troubles, []);
});
