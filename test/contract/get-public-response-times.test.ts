import t from 'tap';
import { Compile } from 'typebox/compile';
import { ResponseTimes } from '../../contract/public/response-times.js';
import { dayMs, hourMs } from '../../lib/times.js';
import { notFound } from '../support/not-found.js';
import { formatDay, insertDays, insertHours, insertMonitor } from '../support/points.js';
import { requestAt } from '../support/request-at.js';
import { startAnother, withoutJobs } from '../support/service.js';
import { startSummaryService } from '../support/summaries.js';
import { openTcpGate } from '../support/tcp-gate.js';

const { api, now, makeOwnPage } = await startSummaryService(t);
const { sql, clickhouse } = api.stores;
const isResponseTimes = Compile(ResponseTimes);
const pathOf = (slug: string, query = '') => `/api/public/${slug}/response-times${query}`;
const ask = (slug: string, query = '', headers: Record<string, string> = {}, method = 'GET') =>
  requestAt(api.url, `${slug}.localhost`, pathOf(slug, query), { headers, method });

async function read(slug: string, query = ''): Promise<ResponseTimes> {
  const { status, body } = await ask(slug, query);
  if (status !== 200 || !isResponseTimes.Check(body)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function readService(slug: string, query = '') {
  const [service] = (await read(slug, query)).services;
  if (service === undefined) throw new Error('The page has no service.');
  return service;
}

const sumOf = (times: readonly number[]): number => times.reduce((sum, ms) => sum + ms, 0);
/** The measurement at or below which 95 % of them are. */
const p95Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.95) - 1] ?? 0;

async function makeSince(since: string, historyDays = 90) {
  const page = await makeOwnPage({ historyDays });
  await sql`update pages set response_times_since = ${since} where id = ${page.id}`;
  return { page, owner: { pageId: page.id, monitorId: await insertMonitor(sql, page.id) } };
}

t.test('200: a page without monitors', async (t) => {
  const { status, headers, body } = await ask('other');
  t.equal(status, 200);
  t.match(headers.get('content-type'), /^application\/json/);
  t.strictSame(body, {
    slug: 'other',
    range: '24h',
    // The page was made today, at an unknown time of the real clock.
    from: (body as ResponseTimes).from,
    to: new Date(now + hourMs / 2).toISOString(),
    stepSeconds: 3_600,
    // Which is null in a test whose page is newer than its clock.
    unfinishedFrom: (body as ResponseTimes).unfinishedFrom,
    services: [],
  });
});

t.test('200: the steps of each range end with the current one', async (t) => {
  const { page } = await makeSince('2020-01-01');
  const spans: Record<string, [hours: number, stepSeconds: number]> = {
    '24h': [24, 3_600],
    '7d': [7 * 24, 3_600],
    '30d': [30 * 24, 86_400],
    '90d': [90 * 24, 86_400],
  };
  for (const [range, [hours, stepSeconds]] of Object.entries(spans)) {
    const answer = await read(page.slug, `?range=${range}`);
    const stepMs = 1000 * stepSeconds;
    const to = (Math.floor(now / stepMs) + 1) * stepMs;
    t.match(answer, { range, stepSeconds, to: new Date(to).toISOString() });
    t.equal(answer.unfinishedFrom, new Date(to - stepMs).toISOString(), 'the last step');
    t.equal(answer.from, new Date(to - hours * hourMs).toISOString(), range);
  }
  t.strictSame((await ask(page.slug)).body, (await ask(page.slug, '?range=24h')).body, 'the usual range');
});

t.test('200: averages and percentiles of hours, null where nothing was measured', async (t) => {
  const { page, owner } = await makeSince('2020-01-01');
  const slow = Array.from({ length: 60 }, (_, i) => (i < 54 ? 100 + i : 900 + i));
  const quick = Array.from({ length: 20 }, (_, i) => 2 + i / 10);
  await insertHours(clickhouse, owner, [
    { at: now - 24 * hourMs, times: [5_000] },
    { at: now - 23 * hourMs, times: slow },
    { at: now - 2 * hourMs, times: quick },
    { at: now - hourMs, checks: 3, measured: 0, sumMs: 0 },
  ]);
  const { points, averageMs, p95Ms } = await readService(page.slug);
  t.equal(points.averageMs.length, 24);
  t.equal(points.averageMs[0], Math.round(sumOf(slow) / 60));
  t.equal(points.averageMs[21], 3, 'tenths below 10');
  t.strictSame(points.averageMs.slice(1, 21), new Array(20).fill(null));
  t.strictSame(points.averageMs.slice(22), [null, null], 'checks without a response time');
  t.ok(Math.abs((points.p95Ms[0] ?? 0) - p95Of(slow)) < 0.0079 * p95Of(slow) + 0.5, `${points.p95Ms[0]}`);
  t.ok(
    Math.abs((points.p95Ms[21] ?? 0) - p95Of(quick)) <= 0.0079 * p95Of(quick) + 0.05,
    `${points.p95Ms[21]}`,
  );
  t.strictSame(points.p95Ms.slice(22), [null, null]);
  const all = [...slow, ...quick];
  t.equal(averageMs, Math.round(sumOf(all) / all.length));
  t.ok(
    Math.abs((p95Ms ?? 0) - p95Of(all)) < 0.0079 * p95Of(all) + 0.5,
    'of all measurements, not of percentiles',
  );
  const week = await readService(page.slug, '?range=7d');
  t.equal(week.points.averageMs.length, 7 * 24);
  t.equal(week.points.averageMs.at(-25), 5_000, 'the hour before');
});

t.test('200: percentiles are off by at most 0.79 %, whatever the times', async (t) => {
  const { page, owner } = await makeSince('2020-01-01');
  const values = Array.from({ length: 24 }, (_, i) => 11 * 1.43 ** i);
  await insertHours(
    clickhouse,
    owner,
    values.map((ms, i) => ({ at: now - i * hourMs, times: [ms] })),
  );
  const { points } = await readService(page.slug);
  for (const [i, ms] of values.entries()) {
    const p95 = points.p95Ms[23 - i] ?? 0;
    t.ok(Math.abs(p95 - ms) <= 0.0079 * ms + 0.5, `${p95} for ${ms}`);
  }
});

t.test('200: no percentile where the histogram lacks a measurement, as in older points', async (t) => {
  const { page, owner } = await makeSince('2020-01-01');
  await insertDays(clickhouse, owner, [
    { at: now - 2 * dayMs, checks: 5, sumMs: 500 },
    { at: now - dayMs, times: [10, 20, 30], checks: 4, measured: 4, sumMs: 100 },
    { at: now, times: [40] },
  ]);
  const { points, averageMs, p95Ms } = await readService(page.slug, '?range=30d');
  t.strictSame(points.averageMs.slice(-3), [100, 25, 40]);
  t.strictSame(points.p95Ms.slice(-3), [null, null, 40]);
  t.equal(averageMs, 64);
  t.equal(p95Ms, null);
});

t.test('200: no step before the history of the page, nor before it publishes response times', async (t) => {
  const { page, owner } = await makeSince('2020-01-01', 7);
  const { page: young, owner: other } = await makeSince(formatDay(now - 2 * dayMs));
  for (const each of [owner, other]) {
    const days = Array.from({ length: 90 }, (_, ago) => ({ at: now - ago * dayMs, times: [ago + 20] }));
    await insertDays(clickhouse, each, days);
    await insertHours(clickhouse, each, days.slice(0, 8));
  }
  const midnight = Math.floor(now / dayMs) * dayMs;
  for (const [slug, days] of [
    [page.slug, 7],
    [young.slug, 3],
  ] as const) {
    const from = new Date(midnight - (days - 1) * dayMs).toISOString();
    for (const range of ['7d', '30d', '90d']) {
      const answer = await read(slug, `?range=${range}`);
      t.equal(answer.from, from, `${range} of ${days} days`);
      const averages = answer.services[0]?.points.averageMs ?? [];
      t.equal(averages.length, (Date.parse(answer.to) - Date.parse(from)) / answer.stepSeconds / 1000);
      t.equal(averages.filter((ms) => ms !== null).length, days);
    }
  }
  await sql`update pages set response_times_since = ${formatDay(now + 2 * dayMs)} where id = ${young.id}`;
  const later = await makeSince(formatDay(now + 2 * dayMs));
  await insertHours(clickhouse, later.owner, [{ at: now, times: [1] }]);
  const answer = await read(later.page.slug);
  t.equal(answer.from, answer.to);
  t.strictSame(answer.services[0]?.points, { averageMs: [], p95Ms: [] });
});

t.test('200: the series is empty without a measurement, and for a heartbeat', async (t) => {
  const { page } = await makeSince('2020-01-01');
  const monitorId = await insertMonitor(sql, page.id, { slug: 'cron', kind: 'heartbeat', position: 1 });
  await insertHours(clickhouse, { pageId: page.id, monitorId }, [{ at: now, times: [5] }]);
  const empty = { averageMs: null, p95Ms: null, points: { averageMs: [], p95Ms: [] } };
  t.strictSame((await read(page.slug)).services, [
    { slug: 'api', ...empty },
    { slug: 'cron', ...empty },
  ]);
});

t.test('200: the newest computation counts, and nothing of another page', async (t) => {
  const { page, owner } = await makeSince('2020-01-01');
  const foreign = await insertMonitor(sql, api.otherPageId, { slug: 'foreign' });
  await insertHours(clickhouse, { pageId: api.otherPageId, monitorId: owner.monitorId }, [
    { at: now, times: [9_000], version: 9 },
  ]);
  await insertHours(clickhouse, { pageId: page.id, monitorId: foreign }, [{ at: now, times: [9_000] }]);
  await insertHours(clickhouse, owner, [{ at: now, times: [10, 10] }]);
  await insertHours(clickhouse, owner, [{ at: now, times: [20], version: 2 }]);
  const { services } = await read(page.slug);
  t.strictSame(
    services.map(({ slug, averageMs, p95Ms }) => ({ slug, averageMs, p95Ms })),
    [{ slug: 'api', averageMs: 20, p95Ms: 20 }],
  );
});

t.test('200: unknown parameters, and what caches may keep', async (t) => {
  const same = await ask('acme', '?range=7d');
  for (const query of ['?%72ange=7d&x=1', '?ranges=x&range=7d&Range=y']) {
    t.strictSame((await ask('acme', query)).body, same.body, query);
  }
  const tags = new Set<string | null>();
  for (const range of ['24h', '7d', '30d', '90d']) {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await ask('acme', `?range=${range}`, {}, method);
      t.equal(headers.get('cache-control'), 'public, max-age=0, s-maxage=30, must-revalidate');
      t.equal(headers.get('vary'), 'Accept-Encoding, Host');
      t.equal(headers.get('access-control-allow-origin'), '*');
      tags.add(headers.get('etag'));
    }
  }
  t.equal(tags.size, 4, 'each has its own tag, and HEAD has that of GET');
  const brotli = await ask('acme', '', { 'accept-encoding': 'br' }, 'HEAD');
  t.equal(brotli.headers.get('content-encoding'), 'br');
});

t.test('304: the client has it already', async (t) => {
  const etag = (await ask('acme', '?range=30d')).headers.get('etag') ?? '';
  for (const method of ['GET', 'HEAD']) {
    const { status, body, headers } = await ask('acme', '?range=30d', { 'if-none-match': etag }, method);
    t.equal(status, 304);
    t.equal(body, '');
    t.equal(headers.get('etag'), etag);
  }
  t.equal(
    (await ask('acme', '?range=7d', { 'if-none-match': etag })).status,
    200,
    'the tag of another range',
  );
});

t.test('400: any other range', async (t) => {
  for (const query of [
    '?range=',
    '?range',
    '?range=1h',
    '?range=7D',
    '?range=24h&range=24h',
    '?range=__proto__',
  ]) {
    const { status, body, headers } = await ask('acme', query);
    t.equal(status, 400, query);
    t.strictSame(body, {
      error: 'Parameter "range" must be 24h, 7d, 30d or 90d.',
      code: 'parameter.range_unsupported',
    });
    t.equal(headers.get('access-control-allow-origin'), '*');
  }
});

t.test('404: the host and the slug belong to different pages', async (t) => {
  for (const [host, slug] of [
    ['other.localhost', 'acme'],
    ['acme.localhost', 'other'],
    ['acme.localhost', 'nobody'],
    ['127.0.0.1', 'acme'],
  ] as const) {
    const answer = await requestAt(api.url, host, pathOf(slug));
    t.equal(answer.status, 404, `${slug} on ${host}`);
    t.strictSame(answer.body, notFound(api.url, slug, ['acme', 'other']));
    t.equal(answer.headers.get('access-control-allow-origin'), '*');
  }
});

t.test('405: another method', async (t) => {
  const answer = await requestAt(api.url, 'acme.localhost', pathOf('acme'), { method: 'POST' });
  t.equal(answer.status, 405);
  t.equal(answer.headers.get('allow'), 'HEAD, GET, OPTIONS');
});

t.test('503: ClickHouse is unavailable, and memory has nothing', async (t) => {
  const gate = await openTcpGate(t, api.stores.clickhouseUrl);
  const other = await startAnother(t, api, { clickhouseUrl: gate.url, roles: withoutJobs });
  await gate.close();
  const answer = await requestAt(other.url, 'acme.localhost', pathOf('acme'));
  t.equal(answer.status, 503);
  t.strictSame(answer.body, {
    error: 'The store cannot be reached right now. Retry later.',
    code: 'store.unavailable',
  });
  await gate.open();
});
