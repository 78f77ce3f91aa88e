import t from 'tap';
import { dayMs, hourMs } from '../../lib/times.js';
import { formatDay, insertDays, insertHours, insertMonitor } from '../support/points.js';
import { startSummaryService } from '../support/summaries.js';

const { api, now, makeOwnPage, read, readService } = await startSummaryService(t);
const { sql, clickhouse } = api.stores;

t.test('200: each window has the points that begin in it, and only those', async (t) => {
  const page = await makeOwnPage({ historyDays: 7 });
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  // Up for half of the first point of each window, and down at all times before, which must not count.
  const hours = (back: number, upMs: number) => ({ at: now - back * hourMs, upMs, sumMs: back });
  await insertHours(clickhouse, owner, [
    hours(23, hourMs / 2),
    hours(24, 0),
    hours(7 * 24 - 1, hourMs / 2),
    hours(7 * 24, 0),
  ]);
  const days = (back: number, upMs: number) => ({ at: now - back * dayMs, upMs, sumMs: back });
  await insertDays(clickhouse, owner, [
    days(6, dayMs / 2),
    days(7, 0),
    days(29, dayMs / 2),
    days(30, 0),
    days(364, dayMs / 2),
    days(365, 0),
  ]);
  await sql`update pages set response_times_since = '2020-01-01' where id = ${page.id}`;
  const service = await readService(page.slug, '?include=response-time');
  t.strictSame(
    [service.uptimeDay, service.uptimeWeek, service.uptime, service.uptimeMonth, service.uptimeYear],
    ['50.00%', '33.33%', '50.00%', '33.33%', '30.00%'],
  );
  t.strictSame(
    [service.timeDay, service.timeWeek, service.time, service.timeMonth, service.timeYear],
    [23, Math.round((23 + 24 + 167) / 3), 6, 14, Math.round((6 + 7 + 29 + 30 + 364) / 5)],
  );
  t.strictSame(Object.keys(service.dailyMinutesDown), [formatDay(now - 6 * dayMs)]);
  t.strictSame(Object.keys(service.dailyHealth), [formatDay(now - 6 * dayMs)]);
  t.strictSame(service.responseTime?.points, [{ day: formatDay(now - 6 * dayMs), averageMs: 6 }]);
});

t.test('200: minutes down and failed checks of each day, from the newest computation', async (t) => {
  const page = await makeOwnPage();
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  const at = (back: number) => now - back * dayMs;
  await insertDays(clickhouse, owner, [{ at: at(5), upMs: 0, checks: 1, failed: 1 }]);
  await insertDays(clickhouse, owner, [
    { at: at(0), observedMs: 600_000, upMs: 599_999, checks: 3, failed: 1 },
    { at: at(1), observedMs: 600_000, upMs: 600_000 - 90_000, checks: 2, failed: 2 },
    { at: at(2), checks: 1440 },
    { at: at(3), observedMs: 0, checks: 0 },
    { at: at(4), upMs: 0, checks: 0, version: 0 },
    { at: at(5), checks: 200, failed: 1, version: 2 },
  ]);
  const service = await readService(page.slug);
  t.strictSame(service.dailyMinutesDown, {
    [formatDay(at(4))]: 1440,
    [formatDay(at(1))]: 2,
    [formatDay(at(0))]: 1,
  });
  t.strictSame(service.dailyHealth, {
    [formatDay(at(5))]: { rate: 0.5 },
    [formatDay(at(4))]: { rate: 0 },
    [formatDay(at(2))]: { rate: 0 },
    [formatDay(at(1))]: { rate: 100 },
    [formatDay(at(0))]: { rate: 33.33 },
  });
});

t.test('200: weighted response times, since their publication', async (t) => {
  const page = await makeOwnPage({ historyDays: 30 });
  const owner = { pageId: page.id, monitorId: await insertMonitor(sql, page.id) };
  const at = (back: number) => now - back * dayMs;
  await sql`update pages set response_times_since = ${formatDay(at(3))} where id = ${page.id}`;
  await insertDays(clickhouse, owner, [
    { at: at(4), measured: 1000, sumMs: 1_000_000 },
    { at: at(3), measured: 3, sumMs: 300 },
    { at: at(2), measured: 0, sumMs: 0 },
    { at: at(1), measured: 1, sumMs: 500.6 },
  ]);
  t.strictSame((await readService(page.slug, '?include=response-time')).responseTime, {
    windowDays: 30,
    averageMs: 200.15,
    points: [
      { day: formatDay(at(3)), averageMs: 100 },
      { day: formatDay(at(1)), averageMs: 501 },
    ],
  });
  t.notOk('responseTime' in (await readService(page.slug)), 'only on request');
  t.notOk('responseTime' in (await readService(page.slug, '?include=coverage')));
});

t.test('200: the series is empty without a measurement, and for a heartbeat', async (t) => {
  const page = await makeOwnPage();
  await insertMonitor(sql, page.id, { slug: 'never' });
  const monitorId = await insertMonitor(sql, page.id, { slug: 'cron', kind: 'heartbeat' });
  await insertDays(clickhouse, { pageId: page.id, monitorId }, [{ at: now, measured: 5 }]);
  const { services } = await read(page.slug, '?include=response-time');
  for (const { slug, responseTime } of services) {
    t.strictSame(responseTime, { windowDays: 90, averageMs: null, points: [] }, slug);
  }
});

t.test('200: coverage', async (t) => {
  const page = await makeOwnPage({ historyDays: 7 });
  const ago = (ms: number) => new Date(now - ms);
  const created = { created_at: ago(2 * dayMs), every_seconds: 60 };
  const monitorId = await insertMonitor(sql, page.id, {
    ...created,
    slug: 'fresh',
    last_checked_at: ago(120_000),
    state: 'down',
    state_since: ago(hourMs),
  });
  await insertMonitor(sql, page.id, { ...created, slug: 'stale', last_checked_at: ago(120_001) });
  await insertMonitor(sql, page.id, { ...created, slug: 'never' });
  await insertMonitor(sql, page.id, { ...created, slug: 'paused', paused_at: ago(hourMs) });
  await insertMonitor(sql, page.id, { slug: 'old', created_at: ago(400 * dayMs) });
  const brought = await insertMonitor(sql, page.id, { slug: 'brought', created_at: ago(hourMs) });
  await insertDays(clickhouse, { pageId: page.id, monitorId }, [{ at: now, observedMs: 10 * hourMs }]);
  await insertDays(clickhouse, { pageId: page.id, monitorId: brought }, [{ at: now - 2 * dayMs }]);
  // Twelve hours of which six overlap, and one pause that continues.
  await sql`
    insert into pauses (page_id, monitor_id, from_at, to_at) values
      (${page.id}, ${monitorId}, ${ago(20 * hourMs)}, ${ago(11 * hourMs)}),
      (${page.id}, null, ${ago(17 * hourMs)}, ${ago(8 * hourMs)}),
      (${page.id}, null, ${ago(30 * dayMs)}, ${ago(29 * dayMs)}),
      (${page.id}, ${brought}, ${ago(hourMs)}, null)`;
  const { services } = await read(page.slug, '?include=coverage');
  const coverage = Object.fromEntries(services.map((service) => [service.slug, service.coverage]));
  t.strictSame(coverage['fresh'], {
    observedSeconds: 36_000,
    expectedSeconds: (48 - 12) * 3_600,
    percent: 27.77,
    lastCheckedAt: ago(120_000).toISOString(),
    ageSeconds: 120,
    freshness: 'fresh',
    state: 'down',
    stateSince: ago(hourMs).toISOString(),
    since: formatDay(now - 2 * dayMs),
  });
  t.strictSame(
    ['stale', 'never', 'paused'].map((slug) => coverage[slug]?.freshness),
    ['stale', 'never', 'paused'],
  );
  t.match(coverage['never'], {
    observedSeconds: 0,
    percent: 0,
    lastCheckedAt: null,
    ageSeconds: null,
    stateSince: null,
  });
  t.equal(coverage['old']?.expectedSeconds, (6 * 24 + 12.5 - 9) * 3_600, 'since the start of the window');
  t.match(coverage['old'], { since: formatDay(now - 6 * dayMs), state: 'unknown', stateSince: null });
  t.match(coverage['brought'], {
    since: formatDay(now - 2 * dayMs),
    observedSeconds: 86_400,
    expectedSeconds: (2 * 24 + 12.5 - 9 - 1) * 3_600,
  });
  const both = await readService(page.slug, '?include=response-time,coverage');
  t.ok('coverage' in both && 'responseTime' in both, 'both on request');
});

t.test('200: the status while the state is not known', async (t) => {
  const page = await makeOwnPage();
  const last_checked_at = new Date(now - 1_000);
  await insertMonitor(sql, page.id, { slug: 'never' });
  await insertMonitor(sql, page.id, { slug: 'failing', last_checked_at });
  await insertMonitor(sql, page.id, { slug: 'up', state: 'up', last_checked_at });
  await insertMonitor(sql, page.id, { slug: 'silent', kind: 'heartbeat' });
  await insertMonitor(sql, page.id, { slug: 'called', kind: 'heartbeat', last_ping_at: last_checked_at });
  const { services } = await read(page.slug, '?include=coverage');
  t.strictSame(
    services.map(({ slug, status, coverage }) => [slug, status, coverage?.state]),
    [
      ['never', 'up', 'unknown'],
      ['failing', 'down', 'unknown'],
      ['up', 'up', 'up'],
      ['silent', 'up', 'waiting'],
      ['called', 'up', 'unknown'],
    ],
  );
});
