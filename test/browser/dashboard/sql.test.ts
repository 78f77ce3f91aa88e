import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import t from 'tap';
import { sqlExamples } from '../../../contract/analytics/sql-examples.js';
import { exampleTexts } from '../../../web/dashboard/screens/sql/example-texts.js';
import { insertReports, insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, visitDashboard } from '../../support/dashboard-visit.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs });
const { clickhouse } = service.stores;
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const screen = '/manage/pages/acme/sql';
const now = Date.now();
await insertRequests(
  clickhouse,
  service.pageId,
  Array.from({ length: 72 }, (_, i) => [
    { at: now - i * 300_000, endpoint: '/cart', latencyMs: [10 + i, 40] },
    {
      at: now - i * 300_000,
      endpoint: '/pay',
      status: i % 4 === 0 ? 503 : 200,
      latencyMs: [300],
      message: 'no',
    },
  ]).flat(),
);
await insertReports(clickhouse, service.pageId, { kind: 'service', service: 'api' }, [now]);

/**
 * Opens the dashboard for somebody who writes SQL. A text that is half written may look like a query that the service then
 * refuses to estimate, for which the console has a line at any time: here every text reads nothing.
 */
const visitConsole: typeof visitDashboard = async (t, who, options) => {
  const visit = await visitDashboard(t, who, options);
  await visit.page.route(/\/sql\/estimate$/, (route) =>
    route.fulfill({ json: { tables: [], rows: 0, bytes: 0 } }),
  );
  return visit;
};
const field = (page: Page) => page.getByRole('textbox', { name: 'Statement' });
/** Replaces the statement as a person does. */
async function write(page: Page, sql: string): Promise<void> {
  await field(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(sql);
}
const result = (page: Page) => page.getByRole('region', { name: 'Result' });
const written = (page: Page) => field(page).textContent();

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

t.test('a person finds what they have run, until they sign out, and nobody else does', async (t) => {
  const visit = await visitConsole(t, viewer);
  const { page, troubles } = visit;
  await page.goto(screen);
  for (const sql of ['SELECT 61 AS first', 'SELECT 62 AS second', 'SELECT 61 AS first']) {
    await write(page, sql);
    await page.keyboard.press('Control+Enter');
    await result(page)
      .getByText(sql.replace(/^.* AS /, ''))
      .first()
      .waitFor();
  }
  await page.getByRole('heading', { name: 'History' }).click();
  const entries = page.locator('.sql-history .sql-entry');
  await entries.first().getByText('SELECT 61').waitFor();
  t.same(await entries.locator('code').allTextContents(), ['SELECT 61 AS first', 'SELECT 62 AS second']);
  t.match(await entries.first().textContent(), /1 row/);
  await checkScreen(t, visit, 'the history');
  await entries.nth(1).click();
  await field(page).getByText('SELECT 62 AS second').waitFor();
  await page.keyboard.press('Control+z');
  await field(page).getByText('SELECT 61 AS first').waitFor();
  await page.getByRole('button', { name: 'Remove from the history: SELECT 61 AS first' }).click();
  t.equal(await entries.count(), 1);
  await page.reload();
  await page.getByRole('heading', { name: 'History' }).click();
  t.same(await entries.locator('code').allTextContents(), ['SELECT 62 AS second']);
  const kept = () =>
    page.evaluate<number>(
      `Object.keys(localStorage).filter((key) => key.startsWith('heartline-of:')).length`,
    );
  t.equal(await kept(), 1);
  await page.getByRole('button', { name: 'Clear history' }).click();
  await page.getByText('Nothing yet. What you run').waitFor();
  t.equal(await kept(), 0);
  await write(page, 'SELECT 63 AS third');
  await page.keyboard.press('Control+Enter');
  await entries.getByText('SELECT 63').waitFor();
  t.equal(await kept(), 1);
  await page.locator('.user-button').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(/sign-in/);
  t.equal(await kept(), 0, 'the next person at this browser finds nothing');
  t.strictSame(troubles, []);
});

t.test('a selection runs alone, and its fault is marked in the whole text', async (t) => {
  const { page } = await visitConsole(t, viewer);
  await page.goto(screen);
  await write(page, 'SELECT 11 AS first;\nSELECT nothing');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('first').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('Shift+Home');
  await page.keyboard.press('Control+Enter');
  await page.getByText(/Unknown column `nothing`/).waitFor();
  t.equal(await page.locator('.cm-lintRange-error').textContent(), 'nothing');
});

t.test('cancelling ends the query on the server', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  await page.goto(screen);
  const running = async (): Promise<number> => {
    const answer = await clickhouse.query({
      query: `SELECT query_id FROM system.processes WHERE query LIKE '(SELECT 7 AS sleeper%'`,
      format: 'JSONEachRow',
    });
    return (await answer.json()).length;
  };
  await write(
    page,
    'SELECT 7 AS sleeper, sum(cityHash64(a.number, b.number)) FROM numbers(10000000) AS a, numbers(100000) AS b',
  );
  await page.keyboard.press('Control+Enter');
  await waitUntil('the query runs', async () => (await running()) === 1, 10_000);
  await result(page).getByText('Running for').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await result(page)
    .getByText(/^Cancelled after \d/)
    .waitFor();
  await waitUntil('the query has ended', async () => (await running()) === 0, 5_000);
  t.strictSame(troubles, []);
  await write(page, 'SELECT 5 AS next');
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('next').waitFor();
});

t.test('another time range runs a statement with its parameters again', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  await page.goto(screen);
  await write(page, "SELECT dateDiff('minute', {from:DateTime}, {to:DateTime}) AS minutes");
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('360').waitFor();
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByRole('button', { name: 'Last 1 hour' }).click();
  await result(page).getByText('60', { exact: true }).waitFor();
  t.strictSame(troubles, []);
});

t.test('the draft is there after a reload, on its page', async (t) => {
  const { page } = await visitConsole(t, viewer);
  await page.goto(screen);
  await write(page, 'SELECT 1 -- half a thought');
  await page.reload();
  await field(page).getByText('half a thought').waitFor();
});

t.test('a file in each format', async (t) => {
  const { page, troubles } = await visitConsole(t, viewer);
  await page.goto(screen);
  await write(page, "SELECT 'ü' AS letter, 2 AS n");
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('letter').waitFor();
  for (const [format, content] of [
    ['CSV', /^letter,n\r\nü,2\r\n$/],
    ['JSON', /"letter": "ü"/],
    ['Parquet', /^PAR1/],
  ] as const) {
    await page.getByRole('button', { name: 'Download', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: format, exact: true }).click();
    const file = await download;
    t.equal(file.suggestedFilename(), `acme.${format.toLowerCase()}`);
    t.match(await readFile(await file.path(), 'utf8'), content);
  }
  t.strictSame(troubles, []);
});

t.test('a query is saved, shared, opened by its link, renamed and deleted', async (t) => {
  const visit = await visitConsole(t, editor);
  const { page } = visit;
  await page.goto(screen);
  await write(page, 'SELECT 41 AS answer');
  await page.getByRole('button', { name: 'Save as …' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Required.').waitFor();
  await checkScreen(t, visit, 'the name of a query');
  await dialog.getByLabel('Name').fill('The answer');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^The answer/ }).waitFor();
  const link = page.url();
  t.match(link, /query=/);

  await write(page, 'SELECT 42 AS answer');
  await page.getByText('not saved').waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('not saved').waitFor({ state: 'detached' });

  const other = await visitConsole(t, viewer);
  await other.page.goto(link);
  await result(other.page).getByText('42').waitFor();
  t.equal(
    await other.page.getByRole('button', { name: 'Save as …' }).count(),
    1,
    'a viewer saves another one',
  );

  await page.getByRole('button', { name: 'What to do with this query' }).click();
  await page.getByRole('button', { name: 'Rename …' }).click();
  await dialog.getByLabel('Name').fill('All of it');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: /^All of it/ }).waitFor();
  await page.getByRole('button', { name: 'What to do with this query' }).click();
  await page.getByRole('button', { name: 'Delete …' }).click();
  await dialog.getByText('“All of it” is deleted for everybody').waitFor();
  await checkScreen(t, visit, 'the question before deleting');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('None yet.').waitFor();
  t.equal(await written(page), 'SELECT 42 AS answer', 'the statement stays');
  t.strictSame(visit.troubles, []);
  t.strictSame(other.troubles, []);
});

t.test('a query that somebody else has changed: both versions', async (t) => {
  const [one, two] = [await visitConsole(t, editor), await visitConsole(t, editor)];
  await one.page.goto(screen);
  await write(one.page, 'SELECT 1');
  await one.page.getByRole('button', { name: 'Save as …' }).click();
  await one.page.getByRole('dialog').getByLabel('Name').fill('Shared');
  await one.page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await one.page.getByRole('button', { name: /^Shared/ }).waitFor();
  await two.page.goto(one.page.url());
  await two.page.getByText('Shared').first().waitFor();
  await result(two.page)
    .getByText(/rows?,/)
    .waitFor();
  await write(two.page, 'SELECT 2');
  await two.page.getByRole('button', { name: 'Save', exact: true }).click();
  await two.page.getByText('not saved').waitFor({ state: 'detached' });
  await write(one.page, 'SELECT 3');
  await one.page.getByRole('button', { name: 'Save', exact: true }).click();
  const dialog = one.page.getByRole('dialog', { name: 'Somebody else has saved this query meanwhile' });
  await dialog.getByText('SELECT 2').waitFor();
  await dialog.getByText('SELECT 3').waitFor();
  await forget(one, /4\d\d/);
  await checkScreen(t, one, 'both versions');
  await dialog.getByRole('button', { name: 'Take theirs' }).click();
  await field(one.page).getByText('SELECT 2').waitFor();
});

t.test('loading, and parts that fail: the rest works', async (t) => {
  const visit = await visitConsole(t, viewer, { reducedMotion: 'reduce' });
  const { page } = visit;
  const release = await failReads(visit, /\/(queries|schema)/, 'hang');
  await page.goto(screen);
  await field(page).waitFor();
  await checkScreen(t, visit, 'loading');
  await release();
  const mend = await failReads(visit, /\/(queries|schema)/);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).first().waitFor();
  await write(page, 'SELECT 6 AS still');
  await page.keyboard.press('Control+Enter');
  await result(page).getByText('still').waitFor();
  await mend();
  await checkScreen(t, visit, 'without queries and schema');
  const mendRun = await failReads(visit, /analytics\/sql$/);
  await page.keyboard.press('Control+Enter');
  await result(page).getByRole('alert').waitFor();
  await mendRun();
  await checkScreen(t, visit, 'a statement that could not run');
});
