import t from 'tap';
import type { MonitorId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { openBrowser } from '../../support/browser.js';
import { checkScreen, failReads, visitDashboard } from '../../support/dashboard-visit.js';
import { tabTo } from '../../support/keyboard.js';
import { insertMonitor } from '../../support/monitors.js';
import { insertHours } from '../../support/points.js';
import { startProbeTarget } from '../../support/probe-target.js';
import { startTestService, withoutJobs } from '../../support/service.js';
import { waitInPage } from '../../support/visit.js';
import { waitUntil } from '../../support/wait-until.js';

const service = await startTestService(t, { roles: withoutJobs, allowPrivateAddresses: true });
const { sql, clickhouse } = service.stores;
const { pageId } = service;
const browser = await openBrowser(t);
const target = await startProbeTarget(t);
const editor = { browser, service, as: { slug: 'acme', role: 'editor' } } as const;
const viewer = { browser, service, as: { slug: 'acme', role: 'viewer' } } as const;
const monitors = '/manage/pages/acme/monitors';

t.test('empty: what it is for, and the button that makes the first one', async (t) => {
  const visit = await visitDashboard(t, viewer);
  await visit.page.goto(monitors);
  await visit.page.getByText('No monitor yet').waitFor();
  t.equal(await visit.page.getByRole('button', { name: 'Add monitor' }).count(), 2);
  await checkScreen(t, visit, 'no monitor');
});

t.test('with monitors', async (t) => {
  const [shop, api, job] = await Promise.all([
    insertMonitor(sql, { pageId, slug: 'shop', url: `${target.url}/503` }),
    insertMonitor(sql, { pageId, slug: 'api', url: `${target.url}/ok` }),
    insertMonitor(sql, {
      ...{ pageId, slug: 'backup', kind: 'heartbeat' },
      options: { periodSeconds: 3_600, graceSeconds: 300 },
    }),
  ]);
  await insertMonitor(sql, { pageId, slug: 'old' });
  const since = new Date(Date.now() - hourMs);
  await sql`update monitors set state = 'up', state_since = ${since}, last_checked_at = ${since} where id = ${api}`;
  await sql`
    update monitors set state = 'down', state_since = ${since}, last_checked_at = ${since},
      last_error = 'status: The answer has the status 503.'
    where id = ${shop}`;
  await sql`update monitors set state = 'up', last_ping_at = ${since} where id = ${job}`;
  await sql`update monitors set paused_at = ${since} where page_id = ${pageId} and slug = 'old'`;
  await insertHours(clickhouse, { pageId, monitorId: api }, [{ at: Date.now() - hourMs, times: [80, 120] }]);
  await insertHours(clickhouse, { pageId, monitorId: shop }, [
    { at: Date.now() - hourMs, upMs: hourMs / 2, times: [900] },
  ]);
  await insertChecks(api, 60);

  t.test('the list: worst first, filtered by state, and at 360 px', async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page } = visit;
    await page.goto(monitors);
    await page.getByRole('heading', { name: '1 monitor is down' }).waitFor();
    const names = () => page.locator('tbody tr td:first-child').allTextContents();
    t.strictSame((await names()).slice(0, 1), ['shop']);
    t.strictSame((await names()).slice(-1), ['old']);
    await page.getByText('Unexpected status').waitFor();
    await page.getByRole('img', { name: 'Uptime 50%. Below 100 % in 1 of 24 parts.' }).waitFor();
    await checkScreen(t, visit, 'the list');
    await page.getByRole('radio', { name: 'paused 1' }).check({ force: true });
    await waitInPage(page, `document.querySelectorAll('tbody tr').length === 1`);
    t.equal(new URL(page.url()).searchParams.get('state'), 'paused');
    await page.goBack();
    await page.getByRole('link', { name: 'backup' }).click();
    await page.getByText(/Promises a ping every 1 hour, and may be 5 minutes late/).waitFor();
    await page.getByText(/Last ping 1 hour ago/).waitFor();
    t.equal(await page.getByRole('button', { name: 'Check now' }).count(), 0);
    await checkScreen(t, visit, 'a heartbeat');
  });

  t.test('one: charts, checks part by part, settings', async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page } = visit;
    await page.goto(`${monitors}?monitor=api&from=now-1h`);
    await page.getByRole('heading', { level: 1, name: 'api' }).waitFor();
    await page.locator('canvas').nth(1).waitFor();
    await page.getByText('First byte', { exact: true }).first().waitFor();
    const checks = page.getByRole('table', { name: 'Checks of api' });
    await checks.getByText('Timed out').first().waitFor();
    t.equal(await page.getByRole('button', { name: 'Check now' }).count(), 0, 'a viewer changes nothing');
    await checkScreen(t, visit, 'one monitor');
    const first = await checks.locator('tbody tr').first().textContent();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('heading', { name: /^Checks before/ }).waitFor();
    await page.getByRole('button', { name: 'Newest' }).waitFor();
    const firstNow = () => checks.locator('tbody tr').first().textContent();
    await waitUntil('older checks are shown', async () => (await firstNow()) !== first, 10_000);
    await page.goBack();
    await page.getByRole('heading', { name: 'Checks in this range' }).waitFor();
    // A link may have a time that is none, or none of the range.
    for (const before of ['x', '2020-01-01T00:00:00.000Z']) {
      await page.goto(`${monitors}?monitor=api&from=now-1h&before=${before}`);
      await checks.getByText('Timed out').first().waitFor();
      await page.getByRole('heading', { name: 'Checks in this range' }).waitFor();
    }
    t.strictSame(visit.troubles, []);
  });

  t.test('check now, by keyboard: the outcome and its parts', async (t) => {
    const visit = await visitDashboard(t, editor);
    const { page } = visit;
    await page.goto(`${monitors}?monitor=shop`);
    await page.getByText('The answer has the status 503.').waitFor();
    await tabTo(page, /^Check now$/);
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Unexpected status' }).waitFor();
    await page
      .getByText(/HTTP 503/)
      .first()
      .waitFor();
    await checkScreen(t, visit, 'the outcome of a check');
    await page.goto(`${monitors}?monitor=api`);
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByRole('status').filter({ hasText: 'passed' }).waitFor();
    t.strictSame(visit.troubles, []);
  });

  t.test('loading, failing in parts, and a monitor that there is not', async (t) => {
    const visit = await visitDashboard(t, viewer);
    const { page } = visit;
    const answer = await failReads(visit, /overview\/monitors/, 'hang');
    await page.goto(monitors);
    await page.locator('.skeleton').first().waitFor();
    await checkScreen(t, visit, 'a list that loads');
    await answer();
    const mendList = await failReads(visit, /overview\/monitors/);
    await page.reload();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await mendList();
    await checkScreen(t, visit, 'a list that failed');
    const mend = await failReads(visit, /monitors\/api\/(series|phases)/);
    await page.goto(`${monitors}?monitor=api&from=now-1h`);
    await page.getByText('Timed out').first().waitFor();
    await page.getByRole('button', { name: 'Try again' }).nth(2).waitFor();
    await mend();
    await checkScreen(t, visit, 'one without its charts');
    await page.goto(`${monitors}?monitor=none`);
    await page.getByText('This does not exist').waitFor();
    // The browser writes one line for each of the four reads, and some come later than the words.
    const refusals = () => visit.troubles.filter((trouble) => /status of 404/.test(trouble)).length;
    await waitUntil('all reads are refused', () => refusals() >= 4, 10_000);
    visit.troubles.splice(0, Infinity, ...visit.troubles.filter((trouble) => !/status of 404/.test(trouble)));
    await checkScreen(t, visit, 'no such monitor');
  });
});

/** Checks once a minute, of which every tenth timed out. */
async function insertChecks(monitor: MonitorId, count: number): Promise<void> {
  const now = Date.now();
  const values = Array.from({ length: count }, (_, i) => ({
    ...{ page_id: pageId, monitor_id: monitor, interval_seconds: 60 },
    at: new Date(now - (i + 1) * minuteMs + 30_000).toISOString(),
    ...(i % 10 === 3
      ? { ok: 0, up: 1, error: 'timeout', status: 0 }
      : {
          ok: 1,
          up: 1,
          error: '',
          status: 200,
          total_ms: 100,
          dns_ms: 10,
          connect_ms: 20,
          first_byte_ms: 60,
        }),
  }));
  await clickhouse.insert({
    ...{ table: 'checks', values, format: 'JSONEachRow' },
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
}
