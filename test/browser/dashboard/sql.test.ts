import t from 'tap';
import { sqlExamples } from '../../../contract/analytics/sql-examples.js';
import { exampleTexts } from '../../../web/dashboard/screens/sql/example-texts.js';
import { checkScreen, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';
import { field, openConsole, result, screen, visitConsole, write, written } from './sql-console.js';

const { viewer } = await openConsole(t);

t.test('empty: what the screen is for, and an example that runs', async (t) => {
  const visit = await visitConsole(t, viewer);
  const { page } = visit;
  await page.goto(screen);
  await page.getByRole('heading', { name: 'Ask a question' }).waitFor();
  await field(page).waitFor();
  await page.getByText('None yet.').waitFor();
  await checkScreen(t, visit, 'empty');
  await page.getByRole('button', { name: 'Run the first example' }).click();
  await result(page).getByText('failure_share').waitFor();
  await result(page)
    .getByText(/^1 rows?, took \d/)
    .waitFor();
  t.match(page.url(), /example=totals/);
  await checkScreen(t, visit, 'figures');
});

t.test('every example has an answer, in the view that suits it; the view is in the address', async (t) => {
  const visit = await visitConsole(t, viewer);
  const { page } = visit;
  await page.goto(screen);
  for (const { id } of sqlExamples) {
    const { title } = exampleTexts.en[id];
    await page.getByRole('button', { name: new RegExp(`^${title}`) }).click();
    await waitInPage(page, `location.search.includes('example=${id}')`);
    await result(page)
      .getByText(/\d rows?,/)
      .waitFor();
    t.equal(await page.getByRole('alert').count(), 0, id);
  }
  await page.goto(`${screen}?example=rate-by-class`);
  await result(page)
    .getByRole('button', { name: /^failed/ })
    .waitFor();
  await checkScreen(t, visit, 'a line');
  await result(page).getByText('Bars', { exact: true }).click();
  await page.locator('.sql-bars').waitFor();
  t.match(page.url(), /view=bar/);
  await checkScreen(t, visit, 'bars');
  await page.goBack();
  await page.locator('.sql-bars').waitFor({ state: 'detached' });
  await result(page).getByText('Table', { exact: true }).click();
  await result(page).getByRole('table').waitFor();
  await checkScreen(t, visit, 'a table');
});

t.test('by keyboard alone: which endpoint fails, answered in SQL', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  await page.goto('/manage/pages/acme/reporters');
  await page.getByRole('heading', { level: 1, name: 'Reporters' }).waitFor();
  const schema = page.waitForResponse(/sql\/schema/);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await field(page).waitFor();
  await schema;
  // Through the links and buttons in front of the field.
  const isInField = `document.activeElement.shadowRoot?.activeElement?.getAttribute('aria-label') === 'Statement'`;
  for (let presses = 0; presses < 40 && !(await page.evaluate<boolean>(isInField)); presses += 1)
    await page.keyboard.press('Tab');
  t.ok(await page.evaluate<boolean>(isInField), 'Tab reaches the field');
  await page.keyboard.type('SELECT endpoint, countI');
  await page.locator('.cm-tooltip-autocomplete').getByText('count', { exact: false }).first().waitFor();
  await page.keyboard.press('Escape');
  for (let i = 0; i < 6; i += 1) await page.keyboard.press('Backspace');
  await page.keyboard.type('sumIf(requests, status >= 500) AS failures FROM request', { delay: 5 });
  const option = page.locator('.cm-tooltip-autocomplete [aria-selected=true]');
  await option.waitFor();
  // The list takes no keys that were meant for the text before it: it does once an arrow moves the choice.
  const first = await option.textContent();
  const choose = async (): Promise<string | null> => {
    await page.keyboard.press('ArrowDown');
    return option.textContent();
  };
  await waitUntil('the list takes keys', async () => (await choose()) !== first, 5_000);
  const isTable = async () => /^requests_minute/.test((await option.textContent()) ?? '');
  while (!(await isTable())) await choose();
  await page.keyboard.press('Enter');
  await page.keyboard.type(' WHERE minute >= ');
  await page.keyboard.insertText('{from:DateTime}');
  await page.keyboard.type(' GROUP BY endpoint ORDER BY failures DESC');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  const row = result(page).getByRole('row').nth(1);
  await row.getByText('/pay').waitFor();
  t.match((await row.textContent()) ?? '', /18/);
  t.match((await written(page)) ?? '', /FROM requests_minute WHERE/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  t.notOk(await page.evaluate<boolean>(isInField), 'Tab leaves the field');
  t.strictSame(troubles, []);
});

t.test('a fault is marked where it is, and gone when it is mended', async (t) => {
  const visit = await visitConsole(t, viewer);
  const { page } = visit;
  await page.goto(screen);
  await write(page, 'SELECT\n  endpont\nFROM messages');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Did you mean endpoint?').waitFor();
  t.equal(await page.locator('.cm-lintRange-error').textContent(), 'endpont');
  await checkScreen(t, visit, 'a fault', /4\d\d/);
  await page.getByRole('button', { name: 'Go to line 2' }).click();
  await page.keyboard.press('Control+Delete');
  await page.keyboard.insertText('count()');
  await page.keyboard.press('Control+Enter');
  await result(page)
    .getByText(/^1 rows?, took/)
    .waitFor();
  t.equal(await page.locator('.cm-lintRange-error').count(), 0);
});

t.test('running closes the list of completions, by the keys and by the button', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  const schema = page.waitForResponse(/sql\/schema/);
  await page.goto(screen);
  await field(page).waitFor();
  await schema;
  const list = page.locator('.cm-tooltip-autocomplete');
  for (const run of [
    () => page.keyboard.press('Control+Enter'),
    () => page.locator('.sql-run .main').click(),
  ]) {
    await write(page, 'SELECT ');
    await page.keyboard.type('service');
    await list.waitFor();
    await run();
    await list.waitFor({ state: 'detached' });
    t.equal(await written(page), 'SELECT service', 'the keys chose nothing');
    await result(page).getByRole('alert').waitFor();
  }
  await forget({ troubles }, /4\d\d/, 2);
  t.strictSame(troubles, []);
});

t.test('beside Run stands what the statement reads, while it parses', async (t) => {
  const { page, troubles } = await visitDashboard(t, viewer);
  await page.goto(screen);
  await write(page, 'SELECT endpoint, requests FROM requests_minute');
  const reads = page.getByText(/^reads about [\d.,]+M? rows, [\d.]+ k?B$/);
  await reads.waitFor();
  await page.keyboard.press('Control+Home');
  await page.keyboard.insertText('x');
  await reads.waitFor({ state: 'detached' });
  await page.keyboard.press('Backspace');
  await reads.waitFor();
  await page.keyboard.press('Control+Enter');
  await result(page).getByRole('row').nth(1).waitFor();
  t.strictSame(troubles, []);
});

t.test('the step that runs is drawn as unfinished, and its figure is one so far', async (t) => {
  const visit = await visitConsole(t, viewer);
  const { page } = visit;
  await page.goto(screen);
  const day = 'toStartOfDay(now() - INTERVAL number DAY)';
  await write(page, `SELECT ${day} AS day, 10 + number AS n FROM numbers(5) ORDER BY day`);
  await page.keyboard.press('Control+Enter');
  await page.locator('.plot-veil').waitFor();
  await result(page).getByText('not over yet').first().waitFor();
  await result(page).getByRole('application').focus();
  await page.keyboard.press('End');
  await page.getByRole('status').filter({ hasText: 'so far' }).waitFor({ state: 'attached' });
  await checkScreen(t, visit, 'a step that runs');
  await result(page).getByRole('button', { name: 'Show as table' }).click();
  t.equal(
    await result(page)
      .getByRole('cell', { name: /so far$/ })
      .count(),
    1,
  );
});

t.test('100,000 rows scroll, and few of them are drawn', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  await page.goto(screen);
  await write(page, "SELECT number AS n, concat('row ', toString(number)) AS name FROM numbers(100000)");
  await page.keyboard.press('Control+Enter');
  const table = result(page).getByRole('table');
  await table.getByRole('cell', { name: 'row 0', exact: true }).waitFor();
  t.equal(await table.getAttribute('aria-rowcount'), '100001');
  const width = () => page.evaluate<number>(`document.querySelector('.data-table th').offsetWidth`);
  const atFirst = await width();
  const last = table.getByRole('row').filter({ hasText: 'row 99999' });
  const end = async (): Promise<boolean> => {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    return last.isVisible();
  };
  await waitUntil('the last row is in sight', end, 10_000);
  t.equal(await last.getAttribute('aria-rowindex'), '100001');
  t.ok((await table.getByRole('row').count()) < 200);
  t.equal(await width(), atFirst, 'the columns keep their widths');
  await page.evaluate('window.scrollTo(0, 0)');
  await table.getByRole('button', { name: 'n', exact: true }).click();
  await table.getByRole('cell', { name: 'row 99999', exact: true }).waitFor();
  await page.getByRole('searchbox', { name: 'Filter' }).fill('row 4242');
  await result(page).getByText('20 of 100,000 rows').waitFor();
  t.strictSame(troubles, []);
});
