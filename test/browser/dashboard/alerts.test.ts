import t from 'tap';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { storeAlert } from '../../support/alerts.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, noticed, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { openManageClient } from '../../support/manage-client.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql } = service.stores;
const { pageId } = service;
const { send } = await openManageClient(t, service);
const browser = await openBrowser(t);
await sql`delete from rules`; // Those that each page begins with.
const responder = { browser, service, as: { slug: 'acme', role: 'responder' } } as const;
const alerts = '/manage/pages/acme/alerts';
const now = Math.floor(Date.now() / minuteMs) * minuteMs;
const began = new Date(now - 20 * minuteMs);
const evidence = {
  ...{
    from: new Date(now - 25 * minuteMs).toISOString(),
    to: began.toISOString(),
    requests: 400,
    errors: 50,
  },
  now: { requests: 400, errors: 50, p50Ms: 80, p95Ms: 410, p99Ms: 900 },
  before: {
    ...{ from: new Date(now - 30 * minuteMs).toISOString(), to: new Date(now - 25 * minuteMs).toISOString() },
    ...{ requests: 420, errors: 2, p50Ms: 75, p95Ms: 300, p99Ms: 700 },
  },
  endpoints: [
    {
      ...{ service: 'shop', endpoint: '/orders', requests: 100, errors: 48, p95Ms: 800 },
      before: { requests: 110, errors: 1, p95Ms: 310 },
    },
  ],
  messages: [{ message: 'payment gateway timed out', count: 47 }],
  deployment: {
    service: 'shop',
    version: '2.4.1',
    environment: 'production',
    at: new Date(now - 40 * minuteMs),
  },
};

/** Requests of the shop, half of which fail since the alert began. */
async function sendRequests(): Promise<void> {
  const row = (minute: number, status: number, requests: number) => ({
    ...{ page_id: pageId, kind: 'service', service: 'shop', endpoint: '/orders', method: 'POST' },
    ...{ status, requests, minute: (now - minute * minuteMs) / 1_000 },
  });
  const values = Array.from({ length: 90 }, (_, i) => i + 1).flatMap((minute) => [
    row(minute, 200, minute < 20 ? 40 : 80),
    row(minute, 503, minute < 20 ? 12 : 1),
  ]);
  for (const table of ['service_requests_minute', 'requests_minute'])
    await service.stores.clickhouse.insert({ table, values, format: 'JSONEachRow' });
}

async function makeRule(): Promise<void> {
  await send('PUT', '/acme/rules/checkout', {
    ...{ name: 'Checkout fails', kind: 'failure-rate', target: { service: 'shop' }, severity: 'page' },
    condition: { percent: 5, windowMinutes: 5, requestsMin: 20 },
  });
  // Its name is wider than a phone, in the choice of rules as well.
  await send('PUT', '/acme/rules/website', {
    ...{
      name: 'A monitor of the website or of the API behind it is down',
      kind: 'monitor',
      severity: 'page',
    },
    condition: { is: 'down' },
  });
}

const stored = async (id: string) => Object((await send('GET', `/acme/alerts/${id}`)).body);

t.test('no rule, then nothing that fires', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(alerts);
  await page.getByRole('heading', { name: 'No rule yet' }).waitFor();
  await makeRule();
  await page.reload();
  await page.getByRole('heading', { name: 'Nothing fires' }).waitFor();
});

t.test('the inbox by keyboard: the worst first, acknowledged with a key, and given back', async (t) => {
  await sendRequests();
  await storeAlert(sql, {
    ...{ pageId, startedAt: new Date(now - 2 * hourMs), severity: 'ticket', kind: 'monitor', group: 'web' },
    ...{ groupName: 'Web', rule: { slug: 'monitors', name: 'Monitors' }, title: 'Web is down' },
  });
  const id = await storeAlert(sql, {
    ...{ pageId, startedAt: began, service: 'shop', value: 12.5, threshold: 5, evidence, toldAt: began },
  });
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(alerts);
  const rows = page.locator('.alert-row');
  await rows.nth(1).waitFor();
  t.match(
    await rows.first().textContent(),
    /Page.*12\.5% of the requests of shop fail.*Checkout fails.*limit 5%/s,
  );
  t.match(await rows.nth(1).textContent(), /Ticket.*Web is down.*nobody told yet/s);
  await checkScreen(t, visit, 'the inbox');
  await tabTo(page, /^Acknowledge: 12\.5% of the requests of shop fail$/);
  await page.keyboard.press('Enter');
  await noticed(page, 'You look after it.');
  await rows.nth(1).waitFor({ state: 'detached' });
  t.match(await stored(id), { state: 'acknowledged' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await noticed(page, 'The alert is open to all again.');
  t.match(await stored(id), { state: 'firing' });
  await page.getByRole('radio', { name: 'Ticket' }).check();
  await page.waitForURL(/severity=ticket/);
  await rows.filter({ hasText: 'shop' }).waitFor({ state: 'detached' });
  await page.getByLabel('Rule').selectOption('checkout');
  await page.getByRole('button', { name: 'Show all' }).click();
  await rows.nth(1).waitFor();
});

t.test('one alert: facts, course, evidence, and an acknowledgement with a note', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(alerts);
  await page.getByRole('link', { name: /of the requests of shop fail/ }).click();
  await page.waitForURL(/alert=/);
  await page.getByRole('heading', { level: 1, name: '12.5% of the requests of shop fail' }).waitFor();
  await page.locator('.plot-limit').waitFor();
  t.match(await page.getByRole('table', { name: 'Before and now' }).textContent(), /Requests420400/);
  const endpoint = page.getByRole('link', { name: '/orders of shop' });
  t.match(await endpoint.getAttribute('href'), /service=shop&endpoint=%2Forders/);
  await page.getByText('payment gateway timed out').waitFor();
  await page.getByRole('link', { name: /^shop 2\.4\.1 came to production 20 minutes before/ }).waitFor();
  await checkScreen(t, visit, 'one alert');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByRole('dialog').getByLabel('Note').fill('Rolling back 2.4.1.');
  await page.keyboard.press('Enter');
  await noticed(page, 'You look after it.');
  await page.locator('.alert-quote').getByText('Rolling back 2.4.1.').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page
    .getByRole('dialog', { name: 'Resolve the alert?' })
    .getByRole('button', { name: 'Resolve' })
    .click();
  await noticed(page, 'The alert is resolved.');
  await page.getByText('Resolved by hand').first().waitFor();
  t.equal(await page.getByRole('button', { name: 'Acknowledge' }).count(), 0, 'there is nothing left to do');
});

t.test('alerts are silenced from the inbox, listed, and told of again', async (t) => {
  const visit = await visitDashboard(t, responder);
  const { page } = visit;
  await page.goto(alerts);
  await page.getByRole('button', { name: 'Silence' }).click();
  const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await dialog.getByText('This silences every alert of the page.').waitFor();
  await dialog.getByLabel('Severity').selectOption('ticket');
  await dialog.getByText('This silences every alert').waitFor({ state: 'detached' });
  await dialog.getByText('Until …').click();
  await dialog.getByRole('button', { name: 'Silence' }).click();
  await dialog.getByText('Choose a time that is yet to come.').waitFor();
  await checkScreen(t, visit, 'a silence without an end');
  await dialog.getByText('4 hours').click();
  await dialog.getByRole('button', { name: 'Silence' }).click();
  await noticed(page, /^Silenced until/);
  await page.getByRole('heading', { name: 'Nothing fires' }).waitFor();
  await page.getByRole('link', { name: /^Silenced/ }).click();
  await page.locator('.silence-row').getByText('Ticket').waitFor();
  await page.locator('.alert-row').getByText('Web is down').waitFor();
  await checkScreen(t, visit, 'silenced alerts');
  await page.getByRole('button', { name: 'End now: Ticket' }).click();
  await page.getByText('No silence holds.').waitFor();
  t.match((await send('GET', '/acme/alert-counts')).body, { firing: 1, quiet: 0, silences: 0 });
});

t.test('viewers see alerts and answer none, in German; reads that fail say so', async (t) => {
  const viewer = { ...responder, as: { slug: 'acme', role: 'viewer' } } as const;
  const visit = await visitDashboard(t, viewer, { locale: 'de' });
  const { page } = visit;
  const mend = await failReads(visit, /\/alerts\?/);
  await page.goto(alerts);
  await page.getByRole('button', { name: 'Erneut versuchen' }).waitFor();
  await mend();
  await page.getByRole('button', { name: 'Erneut versuchen' }).click();
  await page.getByRole('link', { name: 'Web is down' }).waitFor();
  t.equal(await page.getByRole('button', { name: /^Übernehmen/ }).count(), 0);
  const silence = page.getByRole('button', { name: 'Stummschalten' });
  t.equal(await silence.getAttribute('aria-disabled'), 'true');
  await page.getByRole('link', { name: 'Vergangen' }).click();
  await page.getByText('12,5 % der Anfragen von shop schlagen fehl').click();
  await page.getByRole('heading', { name: 'Wer davon erfuhr' }).waitFor();
  await page.getByText('48 von 100 fehlgeschlagen').waitFor();
});

t.test('by keyboard alone on a phone: from the list to an answer, a silence and the rule', async (t) => {
  const startedAt = new Date(now - 4 * minuteMs);
  await storeAlert(sql, {
    ...{ pageId, startedAt, service: 'shop', value: 8, threshold: 5, toldAt: startedAt },
  });
  const visit = await visitDashboard(t, responder, { viewport: { width: 390, height: 844 } });
  const { page } = visit;
  const step = async (name: RegExp): Promise<void> => {
    await tabTo(page, name);
    t.ok(await page.evaluate<boolean>(isFocusSeen), `${name} is in sight`);
    await page.keyboard.press('Enter');
  };
  await page.goto(alerts);
  await page.locator('.alert-row').first().waitFor();
  await step(/^8% of the requests of shop fail/);
  await page.getByRole('heading', { level: 1, name: '8% of the requests of shop fail' }).waitFor();
  await step(/^Acknowledge$/);
  await page.getByRole('dialog').getByLabel('Note').waitFor();
  await tabTo(page, /^Note/);
  await page.keyboard.type('On it.');
  await page.keyboard.press('Enter');
  await noticed(page, 'You look after it.');
  await page.locator('.alert-quote').getByText('On it.').waitFor();
  await step(/^Silence$/);
  const dialog = page.getByRole('dialog', { name: 'Silence alerts' });
  await dialog.waitFor();
  await step(/^Silence$/);
  await noticed(page, /^Silenced until/);
  await step(/^Checkout fails$/);
  await page.getByRole('heading', { level: 1, name: 'Checkout fails' }).waitFor();
  t.strictSame(visit.troubles, []);
});

/** Whether what has the focus is within the window, and nothing lies over its middle. */
const isFocusSeen = `(() => {
  const { x, y, width, height } = document.activeElement.getBoundingClientRect();
  const top = document.elementFromPoint(x + Math.min(width / 2, 40), y + height / 2);
  return top !== null && (document.activeElement.contains(top) || top.contains(document.activeElement));
})()`;
