import t from 'tap';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const browser = await openBrowser(t);
const owner = { browser, service, as: { slug: 'acme', role: 'owner' } } as const;
const audit = '/manage/pages/acme/audit';
const list = /acme\/audit\?/;

const change = (method: string, path: string, body: object) =>
  `fetch('/api/v1/pages/acme${path}', { method: '${method}', headers: { 'content-type': 'application/json' },
    body: ${JSON.stringify(JSON.stringify(body))} }).then(({ status }) => status)`;

t.test('a change in words, field by field; filters are in the address; all by keyboard', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  await page.goto('/manage/account');
  t.equal(await page.evaluate(change('PATCH', '', { name: 'Acme Ltd', languages: ['en', 'de'] })), 200);
  t.equal(await page.evaluate(change('POST', '/connections', { engine: 'mysql', name: 'orders' })), 201);
  await page.goto(audit);
  const entry = page.getByRole('button', { name: /What changed: .* changed the page acme/ });
  await entry.waitFor();
  await checkScreen(t, visit, 'the audit log');
  await tabTo(page, /What changed: .* changed the page acme/);
  await page.keyboard.press('Enter');
  t.equal(await entry.getAttribute('aria-expanded'), 'true');
  await page.locator('.audit-diff ins').getByText('Acme Ltd').waitFor();
  await page.locator('.audit-pieces .added').getByText('de', { exact: true }).waitFor();
  await checkScreen(t, visit, 'a change');
  const link = page.getByRole('link', { name: 'orders' });
  t.equal(await link.getAttribute('href'), '/manage/pages/acme/connections');

  await page
    .getByRole('searchbox', { name: 'Action' })
    .or(page.getByLabel('Action'))
    .first()
    .fill('connection.create');
  await page.keyboard.press('Enter');
  await entry.waitFor({ state: 'detached' });
  t.match(page.url(), /action=connection\.create/);
  await link.waitFor();
  await page.goBack();
  await entry.waitFor();
  await page.goto(`${audit}?target=nothing`);
  await page.getByText('No change fits these filters.').waitFor();
  await checkScreen(t, visit, 'filters that find nothing');
  await page.getByRole('button', { name: 'Clear the filters' }).first().click();
  await entry.waitFor();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ]);
  t.equal(file.suggestedFilename(), 'acme-audit.csv');
  t.strictSame(visit.troubles, []);
});

t.test('the days are those of the reader, and the last one counts as well', async (t) => {
  const { page, troubles } = await visitDashboard(t, owner, { timezoneId: 'Asia/Tokyo' });
  const asked: URLSearchParams[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/acme/audit')) asked.push(searchParams);
  });
  await page.goto(`${audit}?since=2026-03-01&until=2026-03-01`);
  await page.getByText('No change fits these filters.').waitFor();
  t.equal(asked.at(-1)?.get('from'), '2026-02-28T15:00:00.000Z');
  t.equal(asked.at(-1)?.get('to'), '2026-03-01T15:00:00.000Z');
  t.strictSame(troubles, []);
});

t.test('empty, loading, failing', async (t) => {
  const visit = await visitDashboard(t, owner);
  const { page } = visit;
  const answer = await failReads(visit, list, 'hang');
  await page.goto(audit);
  await page.locator('.skeleton').first().waitFor();
  await checkScreen(t, visit, 'loading');
  await answer();
  const mend = await failReads(visit, list);
  await page.reload();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await mend();
  await checkScreen(t, visit, 'failing');
  await page.route(list, (route) => route.fulfill({ json: { items: [], nextCursor: null } }));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Nothing has changed yet' }).waitFor();
  await checkScreen(t, visit, 'empty');
});
