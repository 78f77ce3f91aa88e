import type { Page } from 'playwright-core';
import t from 'tap';
import { systemClock } from '../../../lib/clock.js';
import { dayMs } from '../../../lib/times.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { makeTeam } from '../../support/on-call.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const browser = await openBrowser(t);
await makeTeam({ sql, clock: systemClock }, { ada: 'responder', bob: 'editor' });
const as = (role: 'viewer' | 'responder' | 'editor') => ({ browser, service, as: { slug: 'acme', role } });
const onCall = '/manage/pages/acme/on-call';
const overrides = () => sql`select 1 from schedule_overrides`;

t.test('empty, and the first schedule by keyboard: what is missing is said at its field', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(onCall);
  await page.getByRole('heading', { name: 'No schedule yet' }).waitFor();
  await tabTo(page, /^Add a schedule$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'New schedule' }).waitFor();
  await tabTo(page, /^Create$/);
  await page.keyboard.press('Enter');
  await page.getByText('Add at least one person.').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Backend');
  for (const email of ['ada@acme.example', 'bob@acme.example']) {
    await page.getByLabel('Add a person').selectOption(email);
  }
  await tabTo(page, /^Move Bob up$/);
  await page.keyboard.press('Enter');
  await page
    .getByText('No gap in these weeks')
    .or(page.getByText(/gaps? in these weeks/))
    .first()
    .waitFor();
  await checkScreen(t, visit, 'the form of a schedule');
  await tabTo(page, /^Create$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Backend' }).waitFor();
  const [row] = await sql`
    select array_agg(u.email order by p.position) as people from schedule_people p join users u on u.id = p.user_id`;
  t.match(row, { people: ['bob@acme.example', 'ada@acme.example'] });
});

t.test('a responder drags over the calendar, and takes the override back', async (t) => {
  await sql`update schedule_layers set handoff = '2026-01-05T09:00'`;
  const visit = await visitDashboard(t, as('responder'));
  const { page } = visit;
  await page.goto(onCall);
  await page.getByRole('link', { name: 'Backend' }).click();
  const row = page.getByRole('slider', { name: 'Choose a time to cover' }).nth(1);
  await row.scrollIntoViewIfNeeded();
  const box = await row.boundingBox();
  if (box === null) throw new Error('The calendar has no size.');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.3, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.4, y, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.6, y, { steps: 4 });
  await page.mouse.up();
  const dialog = page.getByRole('dialog', { name: 'Override' });
  await dialog.getByLabel('Who is on call').selectOption('ada@acme.example');
  await checkScreen(t, visit, 'an override');
  await dialog.getByRole('button', { name: 'Put on call' }).click();
  await noticed(page, /^Ada covers /);
  const [added] = await sql<{ hours: number }[]>`
    select (extract(epoch from ends_at - starts_at) / 3600)::float as hours from schedule_overrides`;
  t.ok(Math.abs((added?.hours ?? 0) - 0.3 * 7 * 24) <= 1.5, `0.3 of a week: ${added?.hours} hours`);
  await page.getByRole('button', { name: /^Remove the override of Ada/ }).waitFor();
  await checkScreen(t, visit, 'a schedule');
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, /^Ada no longer covers /);
  t.equal((await overrides()).length, 0);
  const edit = page.getByRole('button', { name: 'Edit', exact: true });
  t.equal(await edit.getAttribute('aria-disabled'), 'true');
});

t.test('the same by keyboard, and by the list; one that is removed comes back', async (t) => {
  const visit = await visitDashboard(t, as('responder'));
  const { page } = visit;
  await page.goto(`${onCall}?schedule=backend&week=${nextWeek()}`);
  await page.getByRole('slider').first().waitFor();
  await tabTo(page, /^Choose a time to cover$/);
  await press(page, 'Home', 'PageUp', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Shift+PageUp');
  const text = await page.getByRole('slider').first().getAttribute('aria-valuetext');
  t.match(text, /01:00 – .*03:00: (Ada|Bob)$/, 'from one on Tuesday, for a day and two hours');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Override' });
  await dialog.getByLabel('Who is on call').selectOption('bob@acme.example');
  await tabTo(page, /^Put on call$/);
  await page.keyboard.press('Enter');
  await noticed(page, /^Bob covers /);
  await page.getByRole('button', { name: /^Remove the override of Bob/ }).click();
  await noticed(page, /^Bob no longer covers /);
  t.equal((await overrides()).length, 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: /^Remove the override of Bob/ }).waitFor();
  t.equal((await overrides()).length, 1);
  await page
    .getByRole('button', { name: /^Cover / })
    .first()
    .click();
  await page.getByRole('dialog', { name: 'Override' }).getByText('Tonight, 20:00–08:00').click();
  t.strictSame(visit.troubles, []);
});

t.test('layers with hours leave gaps, which the preview and the cards warn of', async (t) => {
  const visit = await visitDashboard(t, as('editor'));
  const { page } = visit;
  await page.goto(`${onCall}?schedule=backend&edit=schedule`);
  await page.getByText('No gap in these weeks').waitFor();
  await page.getByLabel('Only at certain hours').check({ force: true });
  await page.getByText(/\d+ gaps in these weeks/).waitFor();
  await page.getByRole('button', { name: 'Add a layer on top' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Add at least one person.').waitFor();
  await page.getByRole('button', { name: 'Remove “Layer 2”' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(/gaps in the next 28 days/).waitFor();
  await page.goto(onCall);
  await page.getByText(/gaps in the next 28 days/).waitFor();
  await checkScreen(t, visit, 'the cards');
  const mend = await failReads(visit, /api\/v1\/pages\/acme\/on-call/);
  await page.reload();
  await page.getByRole('alert').getByText('The data is unavailable at the moment.').waitFor();
  await mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Backend' }).waitFor();
});

t.test('the address of the calendar is shown once, works, and is renewed', async (t) => {
  const { page, troubles } = await visitDashboard(t, as('editor'));
  await page.goto(`${onCall}?schedule=backend`);
  const make = async (action: string): Promise<string> => {
    await page.getByRole('button', { name: 'Calendar feed' }).click();
    await page.getByRole('button', { name: action }).click();
    const url = (await page.locator('code.secret').textContent()) ?? '';
    await page.getByRole('button', { name: 'I have saved it' }).click();
    return `${service.url}${new URL(url).pathname}`;
  };
  const first = await make('Make an address');
  const calendar = await fetch(first);
  t.match(await calendar.text(), /^BEGIN:VCALENDAR/);
  const second = await make('Make a new address');
  t.strictSame([(await fetch(first)).status, (await fetch(second)).status], [404, 200]);
  t.strictSame(troubles, []);
});

t.test('viewers look, and change nothing', async (t) => {
  const { page, troubles } = await visitDashboard(t, as('viewer'));
  await page.goto(`${onCall}?schedule=backend`);
  await page.getByRole('heading', { name: 'Right now' }).waitFor();
  await page.getByText('By the clock of').waitFor();
  t.equal(await page.getByRole('slider').count(), 0);
  t.equal(
    await page.getByRole('button', { name: 'Override', exact: true }).getAttribute('aria-disabled'),
    'true',
  );
  t.strictSame(troubles, [], 'nothing is asked for that viewers may not read');
});

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** A day of the next week, as the address has it. */
function nextWeek(): string {
  return new Date(systemClock.now() + 7 * dayMs).toISOString().slice(0, 10);
}
