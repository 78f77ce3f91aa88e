import t from 'tap';
import { minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, forget, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { openManageClient } from '../../support/manage-client.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { checkView, startVisit, waitInPage } from '../../support/visit.js';

const service = await startTestService(t, { roles: withoutJobs });
const { send } = await openManageClient(t, service);
const browser = await openBrowser(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const boards = '/manage/pages/acme/boards';

t.before(async () => {
  const now = Date.now();
  await insertRequests(
    service.stores.clickhouse,
    service.pageId,
    Array.from({ length: 48 }, (_, i) => [
      { service: 'shop', endpoint: '/pay', at: now - i * 5 * minuteMs, latencyMs: [40, 250] },
      { service: 'shop', endpoint: '/pay', at: now - i * 5 * minuteMs, status: 503, requests: 1 },
      { service: 'search', endpoint: '/find', at: now - i * 5 * minuteMs, requests: 2 },
    ]).flat(),
  );
});

t.test(
  'by keyboard: the ready-made boards, a layout, and a link that opens without an account',
  async (t) => {
    const visit = await visitDashboard(t, editor);
    const { page } = visit;
    await page.goto(boards);
    await page.getByRole('heading', { name: 'No board yet' }).waitFor();
    await checkScreen(t, visit, 'no board');
    await tabTo(page, /^Add the ready-made boards$/);
    await page.keyboard.press('Enter');
    await noticed(page, '5 boards are added.');
    await page.getByRole('link', { name: 'Golden signals' }).waitFor();
    await checkScreen(t, visit, 'the list of boards');
    await tabTo(page, /^Golden signals$/);
    await page.keyboard.press('Enter');
    const failing = page.getByRole('region', { name: 'Share that fails' });
    await failing.getByText('20%').waitFor();
    await page.getByRole('application', { name: 'p95 over time, chart' }).waitFor();
    await page.getByRole('application', { name: 'Response times, chart' }).waitFor();
    await page.getByRole('table', { name: 'Busiest endpoints' }).getByText('/find').waitFor();
    t.match(page.url(), /board=golden-signals&from=now-1d&to=now/, 'the address has the range of the board');
    await checkScreen(t, visit, 'a board');

    await tabTo(page, /^Edit$/);
    await page.keyboard.press('Enter');
    const tile = page
      .getByRole('group', { name: 'Requests over time', exact: true })
      .and(page.locator('[data-tile]'));
    await tile.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowRight');
    const spoken = page.getByRole('status').getByText('Column 1, row 4, 7 wide, 4 high');
    await spoken.waitFor({ state: 'attached' });
    await page.getByRole('group', { name: 'p95', exact: true }).focus();
    await page.keyboard.press('Delete');
    await noticed(page, 'The tile “p95” is removed.');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('group', { name: 'p95', exact: true }).waitFor();
    await checkScreen(t, visit, 'a board that is edited');
    await page.reload();
    await tile.waitFor();
    t.match(await tile.getAttribute('style'), /--width: ?7/, 'a reload keeps what is not saved');
    await page.getByRole('button', { name: 'Add tile' }).click();
    await page.getByLabel('Title').fill('When it fails');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add tile' }).click();
    t.equal(await page.getByLabel('Title').inputValue(), 'When it fails', 'Escape loses nothing');
    await page.getByText('A text', { exact: true }).click();
    await page.getByLabel('Text', { exact: true }).fill('Call **#checkout** <img src=x onerror=alert(1)>');
    await checkScreen(t, visit, 'the form of a tile');
    await page.getByRole('dialog').getByRole('button', { name: 'Add tile' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await noticed(page, 'The board “Golden signals” is saved.');
    const note = page.getByRole('region', { name: 'When it fails' });
    t.equal(await note.locator('strong').textContent(), '#checkout');
    t.equal(await note.locator('img').count(), 0, 'marks of HTML are text');

    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByLabel('Who reads it').fill('Screen in the kitchen');
    await page.getByRole('button', { name: 'Make a link' }).click();
    const link = (await page.locator('code.secret').textContent()) ?? '';
    await checkScreen(t, visit, 'a link that was made');
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('never ends').waitFor();

    const stranger = await startVisit(t, browser, service.url);
    await stranger.page.goto(`${link}?from=now-6h&to=now`);
    await stranger.page.getByRole('heading', { level: 1, name: 'Golden signals' }).waitFor();
    await stranger.page.getByRole('region', { name: 'Share that fails' }).getByText('20%').waitFor();
    await stranger.page.getByRole('region', { name: 'When it fails' }).getByText('#checkout').waitFor();
    await stranger.page.getByRole('application', { name: 'p95 over time, chart' }).waitFor();
    await checkView(t, stranger, 'a shared board');
    t.equal(await stranger.page.getByRole('navigation').count(), 0, 'no menu');

    await page.getByRole('button', { name: 'Revoke the link “Screen in the kitchen”' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await noticed(page, 'opens nothing any more');
    await page.getByText('No link yet.').waitFor();
    await waitInPage(page, `document.activeElement?.textContent === 'Links'`);
    await stranger.page.reload();
    await stranger.page.getByRole('heading', { name: 'This link opens nothing' }).waitFor();
    await forget(stranger, /404/);
    t.strictSame(stranger.troubles, []);
  },
);

t.test(
  'values are in the address, a tile that fails leaves the others, and a viewer changes nothing',
  async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page } = visit;
    const mend = await failReads(visit, /messages\/groups/);
    await page.goto(`${boards}?board=one-service&service=search`);
    const count = page.getByRole('region', { name: 'Requests', exact: true });
    await count.getByText('96').waitFor();
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('The data is unavailable').waitFor();
    await checkScreen(t, visit, 'a board with a tile that fails');
    await mend();
    await messages.getByRole('button', { name: 'Try again' }).click();
    await messages.getByText('Nothing in this time range').waitFor();
    await page.getByLabel('Service').fill('shop');
    await waitInPage(page, `location.search.includes('service=shop')`);
    await page.getByLabel('Service').fill('');
    await page.getByLabel('Service').press('Enter');
    await waitInPage(page, `!location.search.includes('service=')`);
    await page.goBack();
    await page.getByRole('region', { name: 'Requests', exact: true }).getByText('144').waitFor();
    t.equal(await page.getByLabel('Service').inputValue(), 'shop', 'Back brings the value again');
    const refused = page.getByRole('button', { name: 'Edit' });
    t.equal(await refused.getAttribute('aria-disabled'), 'true');
  },
);

t.test('two people change a board, one makes a rule of a tile, and it is deleted', async (t) => {
  const sql = 'SELECT sum(requests) AS total FROM requests_minute WHERE minute >= {from:DateTime}';
  const made = await send('POST', '/acme/queries', { name: 'Count', sql, isShared: true });
  const { id } = Object(made.body);
  const tile = { x: 0, y: 0, width: 6, height: 4, display: 'number' };
  const board = {
    name: 'Checkout',
    tiles: [{ id: 'count', title: 'Count', ...tile, source: { query: id } }],
  };
  await send('PUT', '/acme/boards/checkout', board);
  const visit = await visitDashboard(t, editor);
  const { page } = visit;
  await page.goto(`${boards}?board=checkout`);
  await page.getByRole('region', { name: 'Count' }).getByText('240').waitFor();
  await page.getByRole('button', { name: 'Edit' }).click();
  const moved = page.locator('[data-tile="count"]');
  await moved.focus();
  await page.keyboard.press('Delete');
  await waitInPage(page, `document.activeElement?.textContent === 'Add tile'`);
  await page.keyboard.press('Enter');
  await page.getByLabel('Title').fill('Note');
  await page.getByText('A text', { exact: true }).click();
  await page.getByLabel('Text', { exact: true }).fill('Call us');
  await page.getByRole('dialog').getByRole('button', { name: 'Add tile' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await waitInPage(page, `document.activeElement?.dataset.tile === 'count'`);
  t.equal(await page.locator('[data-tile]').count(), 2, 'an undo leaves what came later');
  const { x, y } = (await moved.locator('h2').boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.move(x + 20, y + 8);
  await page.mouse.down();
  await page.mouse.move(x + 320, y + 148, { steps: 4 });
  await page.mouse.up();
  t.match(await moved.getAttribute('style'), /--x: ?5; ?--y: ?3;/, 'dragged by four columns and two rows');
  await page.getByRole('button', { name: 'Board settings' }).click();
  await page.getByLabel('Description').fill('Mine');
  await page.getByRole('button', { name: 'Apply' }).click();
  await send('PUT', '/acme/boards/checkout', { ...board, name: 'Checkout of theirs' });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Somebody else has changed this meanwhile' }).waitFor();
  await page.getByText('“Count”: Column 5, row 3, 6 wide, 4 high “Note” is added').waitFor();
  await page.getByRole('button', { name: 'Save this choice' }).click();
  await page.getByRole('heading', { level: 1, name: 'Checkout of theirs' }).waitFor();
  await page.getByText('Mine', { exact: true }).waitFor();
  await forget(visit, /412/);
  await page.getByRole('button', { name: 'More about “Count”' }).click();
  await page.getByRole('link', { name: 'Make a rule' }).click();
  await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor();
  await waitInPage(page, `[...document.querySelectorAll('select')].some(({ value }) => value === '${id}')`);
  await page.goto(`${boards}?board=checkout`);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await noticed(page, 'The board “Checkout of theirs” is deleted.');
  await checkScreen(t, visit, 'without the board');
});
