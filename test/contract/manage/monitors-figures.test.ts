import t from 'tap';
import type { MonitorPhases, MonitorSeries } from '../../../contract/manage/monitor-checks.js';
import { systemClock } from '../../../lib/clock.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { allKept, equalKept } from '../../support/kept.js';
import { makeKey } from '../../support/pages.js';
import { insertDays, insertHours, insertMonitor } from '../../support/points.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const { key } = await makeKey({ sql, clock: systemClock }, { slug: 'acme', scope: 'manage' });
const authorization = `Bearer ${key}`;
const { pageId } = service;
const monitorId = await insertMonitor(sql, pageId, { slug: 'api' });
const owner = { pageId, monitorId };
const path = '/api/v1/pages/acme/monitors/api';
const today = Math.floor(Date.now() / dayMs) * dayMs;
/** The begin of what the tests are about: an hour of yesterday. */
const begin = today - dayMs + 3 * hourMs;
const iso = (at: number) => new Date(at).toISOString();
const get = (query: string) => service.get(`${path}/${query}`, { authorization });
const series = async (query: string) => (await get(`series?${query}`)).body as MonitorSeries;

/** Checks once a minute from `begin` on; the second ten minutes are down. */
const checks = Array.from({ length: 30 }, (_, minute) => ({
  ...{ page_id: pageId, monitor_id: monitorId, at: iso(begin + minute * minuteMs), interval_seconds: 60 },
  ...(minute >= 10 && minute < 20
    ? { ok: 0, up: 0, error: 'status', status: 503, total_ms: 900 }
    : { ok: 1, up: 1, error: '', status: 200, total_ms: 100, dns_ms: 1.5 }),
}));
const insertChecks = (values: readonly object[]) =>
  clickhouse.insert({
    ...{ table: 'checks', values, format: 'JSONEachRow' },
    clickhouse_settings: { date_time_input_format: 'best_effort' },
  });
await insertChecks(checks);
// The same check twice is one.
await insertChecks(checks.slice(0, 5));

t.test('checks are listed newest first, each once, part by part', async (t) => {
  type List = { items: { at: string }[]; nextCursor: string | null };
  const times: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? 'checks?limit=12' : `checks?limit=12&cursor=${cursor}`;
    const { items, nextCursor } = (await get(query)).body as List;
    times.push(...items.map(({ at }) => at));
    cursor = nextCursor;
  } while (cursor !== null);
  t.strictSame(times, checks.map(({ at }) => at).reverse());
  const { body } = await get(`checks?from=${iso(begin + 9 * minuteMs)}&to=${iso(begin + 11 * minuteMs)}`);
  t.strictSame(body, {
    items: [
      {
        ...{ at: iso(begin + 10 * minuteMs), ok: false, up: false, error: 'status', status: 503 },
        ...{
          intervalSeconds: 60,
          totalMs: 900,
          dnsMs: null,
          connectMs: null,
          tlsMs: null,
          firstByteMs: null,
        },
      },
      {
        ...{ at: iso(begin + 9 * minuteMs), ok: true, up: true, error: null, status: 200 },
        ...{ intervalSeconds: 60, totalMs: 100, dnsMs: 1.5, connectMs: null, tlsMs: null, firstByteMs: null },
      },
    ],
    nextCursor: null,
  });
});

t.test('a cursor works for the same range of the same monitor only', async (t) => {
  const { nextCursor } = (await get('checks?limit=1')).body as { nextCursor: string };
  t.equal((await get(`checks?from=now-1d&cursor=${nextCursor}`)).status, 400);
});

t.test('short steps come from checks, and gaps are null', async (t) => {
  const { points, ...range } = await series(
    `from=${iso(begin - 10 * minuteMs)}&to=${iso(begin + 50 * minuteMs)}&step=600`,
  );
  t.strictSame(range, {
    from: iso(begin - 10 * minuteMs),
    to: iso(begin + 50 * minuteMs),
    step: 600,
    ...allKept,
  });
  const none = { checks: 0, failed: 0, averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null };
  t.strictSame(
    points.map(({ uptime, checks, failed, averageMs }) => [uptime, checks, failed, averageMs]),
    [
      [null, 0, 0, null],
      [100, 10, 0, 100],
      [0, 10, 10, 900],
      [100, 10, 0, 100],
      // The last check counts for two intervals.
      [100, 0, 0, null],
      [null, 0, 0, null],
    ],
  );
  t.strictSame(points[0], { at: iso(begin - 10 * minuteMs), uptime: null, ...none });
  const [, point] = points;
  t.ok(Math.abs((point?.p95Ms ?? 0) - 100) <= 1, String(point?.p95Ms));
});

t.test('series and phases: what is older than 400 days is null, and the running step is said', async (t) => {
  const days = await series('from=now-402d&step=86400');
  equalKept(t, days, { now: Date.now(), days: 400, unitMs: dayMs });
  const none = { averageMs: null, p50Ms: null, p95Ms: null, p99Ms: null };
  const gone = { uptime: null, checks: null, failed: null, ...none };
  t.strictSame(
    days.points.slice(0, 3).map(({ at: _, ...figures }) => figures),
    [gone, gone, { ...gone, checks: 0, failed: 0 }],
  );
  t.equal(days.unfinishedFrom, days.points.at(-1)?.at);
  const old = (await get('phases?from=now-410d&to=now-398d&step=86400')).body as MonitorPhases;
  equalKept(t, old, { now: Date.now(), days: 400 });
  t.equal(old.unfinishedFrom, null);
  t.match(await series('from=now-400d&step=86400'), { keptFrom: null, notKept: null });
});

t.test('phases: averages by step; those that no check has are null', async (t) => {
  const read = `phases?from=${iso(begin - 10 * minuteMs)}&to=${iso(begin + 20 * minuteMs)}&step=600`;
  const none = { connectMs: null, tlsMs: null, firstByteMs: null };
  t.match(await get(read), {
    status: 200,
    body: {
      step: 600,
      points: [
        { at: iso(begin - 10 * minuteMs), dnsMs: null, ...none, totalMs: null },
        { at: iso(begin), dnsMs: 1.5, ...none, totalMs: 100 },
        { at: iso(begin + 10 * minuteMs), dnsMs: null, ...none, totalMs: 900 },
      ],
    },
  });
  t.match(await get('phases?from=now-17d&step=86400'), { status: 400, body: { error: /16 days/ } });
  t.match(await get('phases?from=now-1d&step=60'), { status: 200 });
});

t.test('a step within the range of a cut begins and ends with the range', async (t) => {
  const { points } = await series(
    `from=${iso(begin + 8 * minuteMs)}&to=${iso(begin + 12 * minuteMs)}&step=3540`,
  );
  const sum = points.reduce((total, { checks }) => total + (checks ?? 0), 0);
  t.equal(sum, 4);
});

t.test('maintenance and pauses are not observed', async (t) => {
  await sql`
    insert into applied_exclusions (page_id, monitor_id, from_at, to_at)
    values (${pageId}, ${monitorId}, ${iso(begin + 10 * minuteMs)}, ${iso(begin + 20 * minuteMs)})`;
  const { points } = await series(`from=${iso(begin)}&to=${iso(begin + 30 * minuteMs)}&step=600`);
  t.strictSame(
    points.map(({ uptime, checks }) => [uptime, checks]),
    [
      [100, 10],
      [null, 0],
      [100, 10],
    ],
  );
  await sql`delete from applied_exclusions`;
});

t.test('steps of hours and days come from points', async (t) => {
  const times = Array.from({ length: 100 }, (_, i) => i + 1);
  await insertHours(clickhouse, owner, [
    { at: begin, times, upMs: hourMs / 2 },
    { at: begin + hourMs, times: [1_000] },
    { at: begin + 2 * hourMs, checks: 1, measured: 1, sumMs: 50 },
  ]);
  const { points } = await series(`from=${iso(begin)}&to=${iso(begin + 4 * hourMs)}&step=3600`);
  t.strictSame(
    points.map(({ at, uptime, averageMs }) => [at, uptime, averageMs]),
    [
      [iso(begin), 50, 51],
      [iso(begin + hourMs), 100, 1_000],
      [iso(begin + 2 * hourMs), 100, 50],
      [iso(begin + 3 * hourMs), null, null],
    ],
  );
  const [first, , third] = points;
  for (const [found, expected] of [
    [first?.p50Ms, 50],
    [first?.p95Ms, 95],
    [first?.p99Ms, 99],
  ] as const) {
    t.ok(Math.abs((found ?? 0) - expected) <= 1, `${found} is near ${expected}`);
  }
  t.strictSame([third?.p50Ms, third?.p99Ms], [null, null], 'a point without a histogram');
  await insertDays(clickhouse, owner, [{ at: today - 3 * dayMs, upMs: 0, checks: 1, measured: 0 }]);
  const days = await series(`from=${iso(today - 4 * dayMs)}&to=${iso(today - 2 * dayMs)}&step=86400`);
  t.strictSame(
    days.points.map(({ uptime, averageMs }) => [uptime, averageMs]),
    [
      [null, null],
      [0, null],
    ],
  );
});

t.test('the step is chosen from the range, and bounded', async (t) => {
  for (const [from, step] of [
    ['now-1h', 60],
    ['now-1d', 900],
    ['now-7d', 10_800],
    ['now-90d', 86_400],
  ] as const) {
    t.equal((await series(`from=${from}`)).step, step, from);
  }
  t.match(await get('series?from=now-2d&step=60'), { status: 400, body: { error: /the most is 1500/ } });
  t.match(await get('series?from=now-30d&step=1800'), { status: 400, body: { error: /whole hours/ } });
  t.equal((await get('series?from=now-1d&step=61')).status, 400);
  t.equal((await service.get('/api/v1/pages/acme/monitors/none/series', { authorization })).status, 404);
  t.equal((await service.get(`${path}/series`)).status, 401);
});
