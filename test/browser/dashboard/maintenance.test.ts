import type { Page } from 'playwright-core';
import t from 'tap';
import { createSeries, planMaintenance } from '../../../control/maintenance-series/index.js';
import { systemClock } from '../../../lib/clock.js';
import type { PageId } from '../../../lib/ids.js';
import { testActor } from '../../support/actor.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeKey } from '../../support/pages.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { silentLog } from '../../support/silent-log.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
const deps = { sql, clock: systemClock, by: testActor, log: silentLog };
const calendar = '/manage/pages/acme/incidents?view=calendar';
const dayMs = 86_400_000;
const dayAhead = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
const monthAhead = dayAhead(40).slice(0, 7);

/** Presses keys faster than anybody types: each may come before the calendar has drawn the one before. */
async function pressAtOnce(page: Page, keys: readonly string[]): Promise<void> {
  const press = keys.map(
    (key) => `document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: '${key}', bubbles: true, cancelable: true }));`,
  );
  await page.evaluate(press.join('await Promise.resolve();').replace(/^/, '(async () => {').concat('})()'));
}

async function plan(title: string): Promise<string> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = 'acme'`;
  if (page === undefined) throw new Error('The page is not there.');
  const body = {
    ...{ title, summary: 'Read-only.', startsAt: `${dayAhead(2)}T02:00`, durationMinutes: 60 },
    ...{ rule: 'FREQ=DAILY;INTERVAL=7', noticeDays: 7 },
  };
  const id = await createSeries(deps, { pageId: page.id, body });
  await planMaintenance(deps);
  return id;
}

t.test('empty, loading and failed', async (t) => {
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'responder' } });
  const { page } = visit;
  const release = await failReads(visit, /maintenance-series/, 'hang');
  await page.goto(calendar);
  await page.getByRole('grid').waitFor();
  await checkScreen(t, visit, 'a calendar whose series load');
  await release();
  await page.goto(calendar);
  await page.getByText('Nothing recurs yet').waitFor();
  await checkScreen(t, visit, 'an empty calendar');
  const mend = await failReads(visit, /\/incidents\?/);
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await mend();
  const mendPage = await failReads(visit, /\/pages\/acme$/);
  await page.goto(calendar);
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await mendPage();
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByRole('grid').waitFor();
});

t.test('what began two months ago and goes on stands in this month', async (t) => {
  const { key } = await makeKey(deps, { slug: 'acme', scope: 'manage' });
  const move = {
    ...{ type: 'maintenance', title: 'Move of the data centre', summary: 'Some pages are slow.' },
    ...{ startedAt: new Date(Date.now() - 60 * dayMs), scheduledEndAt: new Date(Date.now() + dayMs) },
  };
  const made = await service.post('/api/v1/pages/acme/incidents', move, { key });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const { page, troubles } = await visitDashboard(t, {
    ...{ browser, service, as: { slug: 'acme', role: 'viewer' } },
  });
  await page.goto(calendar);
  await page
    .locator(`td[data-day="${dayAhead(0)}"]`)
    .getByText('Move of the data centre')
    .waitFor();
  t.strictSame(troubles, []);
});

t.test('the calendar by keyboard: days, months, and what stands there', async (t) => {
  const id = await plan('Updates');
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'responder' } });
  const { page } = visit;
  await page.goto(calendar);
  await page.getByRole('heading', { name: 'Updates' }).waitFor();
  await checkScreen(t, visit, 'a calendar');
  const grid = page.getByRole('grid');
  t.equal(await grid.getByRole('columnheader').count(), 7);
  await grid.locator('td[aria-current=date]').focus();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-day'));
  t.equal(await focused(), dayAhead(0));
  await page.keyboard.press('ArrowRight');
  await page.locator(`td[data-day="${dayAhead(1)}"]:focus`).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator(`td[data-day="${dayAhead(8)}"]:focus`).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  await page.locator(`td[data-day="${dayAhead(0)}"]:focus`).waitFor();
  await pressAtOnce(page, [
    ...Array<string>(6).fill('ArrowDown'),
    'ArrowLeft',
    ...Array<string>(5).fill('ArrowUp'),
  ]);
  await page.locator(`td[data-day="${dayAhead(6)}"]:focus`).waitFor();
  await page.goto(`${calendar}&month=${monthAhead}`);
  const planned = page.getByRole('grid').getByRole('link', { name: /02:00.*Updates.*not published yet/ });
  await planned.first().waitFor();
  await page.locator('td[tabindex="0"]').focus();
  await page.keyboard.press('PageUp');
  await page.waitForFunction(() => document.activeElement?.tagName === 'TD');
  t.notMatch(page.url(), `month=${monthAhead}`);
  await page.goto(`${calendar}&month=${monthAhead}`);
  await planned.first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Title' }).waitFor();
  t.match(page.url(), `series=${id}`);
  await checkScreen(t, visit, 'one series');
});

t.test('an occurrence is skipped, and taken back, by keyboard', async (t) => {
  const id = await plan('Skips');
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'responder' } });
  const { page } = visit;
  await page.goto(`${calendar}&series=${id}`);
  const list = page.getByRole('region', { name: 'Next dates' });
  await list.getByText('Published').first().waitFor();
  await tabTo(page, /^Skip [A-Z]\w\w, /);
  await page.keyboard.press('Enter');
  await list.getByText('Skipped').waitFor();
  await tabTo(page, /^Undo$/);
  await page.keyboard.press('Enter');
  await list.getByText('Skipped').waitFor({ state: 'detached' });
  t.strictSame(visit.troubles, []);
});

t.test('a series is changed: the next dates follow, and both versions of two people are shown', async (t) => {
  const id = await plan('Two people');
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'editor' } });
  const { page } = visit;
  await page.goto(`${calendar}&series=${id}`);
  await page.getByLabel('Title', { exact: true }).fill('Mine');
  await page.getByLabel('Repeats').selectOption('monthly');
  await page.getByRole('region', { name: 'Dates by this rule' }).getByRole('listitem').first().waitFor();
  await page.getByText('and so on, without an end').waitFor();
  await page.reload();
  t.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Mine', 'a reload loses nothing');
  await sql`update maintenance_series set title = 'Theirs', revision = revision + 1 where id = ${id}`;
  await page.getByRole('button', { name: 'Save the series' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Theirs', { exact: true }).first().waitFor();
  await dialog.getByText(/^Every month on the .* · 02:00 · Publish each one 7 days before it$/).waitFor();
  visit.troubles.splice(0);
  await dialog.getByRole('button', { name: /Save/ }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  const [row] = await sql`select title, rule from maintenance_series where id = ${id}`;
  t.match(row, { title: 'Mine', rule: /^FREQ=MONTHLY;BYDAY=/ });
});

t.test('of two versions of a series, the recurrence that is chosen is saved', async (t) => {
  const id = await plan('Weekly');
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'editor' } });
  const { page } = visit;
  await page.goto(`${calendar}&series=${id}`);
  await page.getByLabel('Publish each one').fill('');
  await page.getByRole('button', { name: 'Save the series' }).click();
  await page.locator('[aria-invalid="true"]:focus').and(page.getByLabel('Publish each one')).waitFor();
  await page.getByLabel('Publish each one').fill('7');
  await page.getByLabel('Title', { exact: true }).fill('Mine');
  await sql`
    update maintenance_series set rule = 'FREQ=MONTHLY;BYMONTHDAY=1', revision = revision + 1 where id = ${id}`;
  await page.getByRole('button', { name: 'Save the series' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('group', { name: 'Recurrence' }).getByLabel('Yours').check();
  await dialog.getByRole('button', { name: 'Save this choice' }).click();
  await page.getByRole('heading', { name: 'Mine' }).waitFor();
  const [row] = await sql`select title, rule from maintenance_series where id = ${id}`;
  t.same(row, { title: 'Mine', rule: 'FREQ=DAILY;INTERVAL=7' });
});

t.test('viewers read, and deletion asks', async (t) => {
  const id = await plan('To delete');
  const viewer = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'viewer' } });
  await viewer.page.goto(`${calendar}&series=${id}`);
  await viewer.page
    .getByText(/responder/)
    .first()
    .waitFor();
  t.equal(await viewer.page.getByRole('button', { name: 'Save the series' }).count(), 0);
  await checkScreen(t, viewer, 'a series for viewers');
  const visit = await visitDashboard(t, { browser, service, as: { slug: 'acme', role: 'responder' } });
  const { page } = visit;
  await page.goto(`${calendar}&series=${id}`);
  await page.getByRole('button', { name: 'Delete To delete' }).click();
  await checkScreen(t, visit, 'the question before a deletion');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('The series is deleted.').waitFor();
  const left = await sql`select 1 from maintenance_series where id = ${id}`;
  t.equal(left.length, 0);
});

t.test('on a phone and in German the month is a list', async (t) => {
  const visit = await visitDashboard(
    t,
    { browser, service, as: { slug: 'acme', role: 'responder' } },
    { viewport: { width: 390, height: 800 }, locale: 'de-DE' },
  );
  const { page } = visit;
  await page.goto(`${calendar}&month=${monthAhead}`);
  await page.locator('.month-list a').first().waitFor();
  t.equal(await page.getByRole('grid').count(), 0);
  await checkScreen(t, visit, 'the calendar on a phone');
});
