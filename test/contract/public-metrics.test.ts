import t from 'tap';
import { changePage } from '../../control/pages/index.js';
import { dayMs } from '../../lib/times.js';
import { testActor } from '../support/actor.js';
import { parseExposition } from '../support/exposition.js';
import { insertDays, insertMonitor } from '../support/points.js';
import { needsPromtool, runPromtool } from '../support/promtool.js';
import { requestAt } from '../support/request-at.js';
import { startSummaryService } from '../support/summaries.js';

const { api, now, makeOwnPage } = await startSummaryService(t);
const { sql, clickhouse } = api.stores;
const deps = { sql, clock: { now: () => now }, by: testActor };

async function makeOpenPage() {
  const page = await makeOwnPage();
  await changePage(deps, page.id, { publicMetrics: true });
  return page;
}

async function scrape({ slug, hostname }: { slug: string; hostname: string }, headers = {}) {
  const {
    status,
    headers: answered,
    body,
  } = await requestAt(...([api.url, hostname, `/api/public/${slug}/metrics`, { headers }] as const));
  return { status, header: (name: string) => answered.get(name) ?? '', text: String(body) };
}

t.test('404: a page that has this switched off, which every page has at first', async (t) => {
  const page = await makeOwnPage();
  t.equal((await scrape(page)).status, 404);
});

t.test('200: the state, uptime and response times of the monitors, and no more', async (t) => {
  const page = await makeOpenPage();
  const common = { created_at: new Date(now - 40 * dayMs), last_checked_at: new Date(now - 5_000) };
  const monitorId = await insertMonitor(sql, page.id, {
    ...{ slug: 'api', name: 'A "quoted"\\API', state: 'up' },
    ...common,
  });
  await insertMonitor(sql, page.id, { slug: 'shop', name: 'Shop', state: 'down', position: 2, ...common });
  await insertMonitor(sql, page.id, { slug: 'new', name: 'New', position: 3, created_at: new Date(now) });
  await insertDays(clickhouse, { pageId: page.id, monitorId }, [
    { at: now - dayMs, upMs: 0.9 * dayMs, checks: 100, sumMs: 25_000 },
  ]);
  const { status, header, text } = await scrape(page);
  t.equal(status, 200);
  t.equal(header('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const samples = parseExposition(text);
  const stateOf = (monitor: string) =>
    samples.find((one) => one.metric === 'heartline_monitor_up' && one.labels['monitor'] === monitor)?.value;
  t.strictSame([stateOf('api'), stateOf('shop'), stateOf('new')], ['1', '0', undefined]);
  t.match(text, 'name="A \\"quoted\\"\\\\API"');
  t.match(
    text,
    `heartline_monitor_last_check_timestamp_seconds{monitor="api",name="A \\"quoted\\"\\\\API"} ${(now - 5_000) / 1000}`,
  );
  const ofMonth = { monitor: 'api', window: 'month' };
  const figureOf = (metric: string) =>
    samples.find(
      (one) =>
        one.metric === metric && Object.entries(ofMonth).every(([name, value]) => one.labels[name] === value),
    )?.value;
  t.equal(figureOf('heartline_monitor_uptime_ratio'), '0.9');
  t.equal(figureOf('heartline_monitor_response_seconds'), '0.25');
  t.notMatch(text, 'http', 'addresses of monitors are private');
});

t.test('304, HEAD, and any origin, as every public read', async (t) => {
  const page = await makeOpenPage();
  const { header } = await scrape(page);
  t.equal(header('access-control-allow-origin'), '*');
  const again = await scrape(page, { 'if-none-match': header('etag') });
  t.equal(again.status, 304);
});

t.test("404: on another page's host", async (t) => {
  const page = await makeOpenPage();
  const other = await makeOpenPage();
  t.equal((await scrape({ slug: page.slug, hostname: other.hostname })).status, 404);
});

t.test('404: after it is switched off', async (t) => {
  const page = await makeOpenPage();
  await changePage(deps, page.id, { publicMetrics: false });
  t.equal((await scrape(page)).status, 404);
});

t.test('promtool finds nothing', needsPromtool, async (t) => {
  const page = await makeOpenPage();
  await insertMonitor(sql, page.id, { slug: 'api', name: 'API', state: 'up', created_at: new Date(now) });
  t.strictSame(runPromtool(['check', 'metrics'], (await scrape(page)).text), { code: 0, said: '' });
});
