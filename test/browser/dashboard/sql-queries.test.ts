import { readFile } from 'node:fs/promises';
import t from 'tap';
import { checkScreen, failReads, forget } from '../../support/dashboard-visit.js';
import { waitUntil } from '../../support/wait-until.js';
import { field, openConsole, result, screen, visitConsole, write, written } from './sql-console.js';

const { clickhouse, editor, viewer } = await openConsole(t);

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
