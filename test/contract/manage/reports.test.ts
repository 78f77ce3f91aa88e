import t from 'tap';
import type { Report } from '../../../contract/manage/reports.js';
import { periodAt, periodBefore, type ReportPeriod } from '../../../control/reports/index.js';
import { type IncidentId, newId } from '../../../lib/ids.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests } from '../../analytics/support.js';
import { storeAlert } from '../../support/alerts.js';
import { openManageClient } from '../../support/manage-client.js';
import { setPage } from '../../support/pages.js';
import { insertHours, insertMonitor } from '../../support/points.js';
import { startTestService, withoutJobs } from '../../support/service.js';

const service = await startTestService(t, { roles: withoutJobs });
const { sql, clickhouse } = service.stores;
const { pageId } = service;
const { send, keys } = await openManageClient(t, service);
const timeZone = 'Europe/Berlin';
const deps = { sql, clock: { now: () => Date.now() } };
await setPage(deps, { slug: 'acme', timeZone });

/** The last month with a changed clock that is over: March has 743 hours, October 745. */
function changedMonth(): ReportPeriod {
  const months = { every: 'month', timeZone } as const;
  let month = periodBefore(Date.now(), months);
  while ((month.to - month.from) % dayMs === 0) month = periodBefore(month.from, months);
  return month;
}

const month = changedMonth();
const before = periodBefore(month.from, { every: 'month', timeZone });
const hours = (month.to - month.from) / hourMs;
const iso = (time: number) => new Date(time).toISOString();

const get = async (path: string, options: Parameters<typeof send>[3] = { key: keys.read }) => {
  const answer = await send('GET', path, undefined, options);
  return { ...answer, body: answer.body as Report & { error?: string } };
};
const reportOf = async (query = '', every = 'month') => {
  const { status, body } = await get(`/acme/reports/${every}${query}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
};

const formula = '=HYPERLINK("https://evil.example")';
const owner = { pageId, monitorId: await insertMonitor(sql, pageId, { slug: 'shop', name: formula }) };
await insertMonitor(sql, pageId, {
  slug: 'by-hand',
  name: 'By hand',
  kind: 'manual',
  hidden: true,
  position: 2,
});
await insertHours(clickhouse, owner, [
  { at: before.from - hourMs, upMs: 0 },
  { at: before.from, upMs: 0 },
  { at: before.to - hourMs },
  // An hour is down in part, and the last one in whole.
  ...Array.from({ length: hours - 1 }, (_, n) => ({
    at: month.from + n * hourMs,
    upMs: n === 0 ? hourMs - 36 * minuteMs : hourMs,
  })),
  { at: month.to - hourMs, upMs: 0 },
  { at: month.to, upMs: 0 },
]);
for (const [slug, target] of [
  ['low', 99],
  ['high', 99.9],
] as const) {
  const fields = { name: slug, target, window: { calendar: 'month' }, sli: { monitor: { slug: 'shop' } } };
  const path = `/api/v1/pages/acme/objectives/${slug}`;
  const { status } = await service.post(path, fields, { method: 'PUT', key: keys.write });
  if (status !== 201) throw new Error(`${status}`);
}
await insertRequests(clickhouse, pageId, [
  { at: month.from - minuteMs, requests: 40, latencyMs: [10] },
  { at: month.from, requests: 90, latencyMs: Array.from({ length: 90 }, () => 100) },
  { at: month.to - minuteMs, status: 503, requests: 10, latencyMs: Array.from({ length: 10 }, () => 800) },
  { at: month.to, requests: 7 },
]);

async function addIncident(title: string, startedAt: number, resolvedAt: number | null): Promise<void> {
  await sql`insert into incidents ${sql({
    ...{ id: newId<IncidentId>(startedAt), page_id: pageId, type: 'incident', title, summary: 'Text.' },
    ...{ started_at: new Date(startedAt), published_at: new Date(startedAt) },
    resolved_at: resolvedAt === null ? null : new Date(resolvedAt),
  })}`;
}
await addIncident('Too early', month.from - dayMs, month.from);
await addIncident('Across', month.from - hourMs, month.from + hourMs);
await addIncident('+ Within', month.from + dayMs, month.from + dayMs + 90 * minuteMs);
await addIncident('Too late', month.to, null);

async function addAlert(
  startedAt: number,
  seconds: { acknowledged?: number; resolved?: number },
): Promise<void> {
  const { acknowledged, resolved } = seconds;
  const resolvedAt = resolved === undefined ? null : new Date(startedAt + resolved * 1_000);
  const id = await storeAlert(sql, { pageId, startedAt: new Date(startedAt), resolvedAt });
  if (acknowledged === undefined) return;
  await sql`update alerts set acknowledged_name = 'Ada', acknowledged_at = ${new Date(startedAt + acknowledged * 1_000)}
    where id = ${id}`;
}
await addAlert(month.from - 1, { resolved: 10 });
await addAlert(month.from, { acknowledged: 60, resolved: 600 });
await addAlert(month.from + dayMs, { acknowledged: 180, resolved: 1_200 });
await addAlert(month.to - 1, {});
await addAlert(month.to, {});

t.test('200: a month with a changed clock has what fell into it, and nothing else', async (t) => {
  const report = await reportOf(`?at=${iso(month.to - 1)}`);
  t.match(report, {
    ...{ every: 'month', timeZone, isOver: true, from: iso(month.from), to: iso(month.to) },
    ...{ firstDay: month.firstDay, lastDay: month.lastDay },
    previous: { from: iso(before.from), to: iso(before.to) },
  });
  const observed = hours * hourMs;
  const down = 96 * minuteMs;
  const uptime = Math.floor(((observed - down) / observed) * 10_000_000) / 100_000;
  t.strictSame(report.services, [
    {
      ...{ slug: 'shop', name: formula, isPublic: true, uptime, previousUptime: 50, downSeconds: 96 * 60 },
      objective: { slug: 'high', target: 99.9, isMet: false },
    },
    {
      ...{ slug: 'by-hand', name: 'By hand', isPublic: false, uptime: null, previousUptime: null },
      ...{ downSeconds: null, objective: null },
    },
  ]);
  t.match(report.objectives, [
    { slug: 'high', unit: 'minutes', good: hours * 60 - 96, total: hours * 60, isMet: false },
    { slug: 'low', compliance: uptime, previousCompliance: 50, isMet: true },
  ]);
  t.match(
    report.incidents.map(({ title, seconds }) => [title, seconds]),
    [
      ['+ Within', 90 * 60],
      ['Across', 2 * 3_600],
    ],
  );
  t.strictSame(report.alerts?.now, {
    ...{ count: 3, acknowledged: 2, secondsToAcknowledge: 120, resolved: 2, secondsToResolve: 900 },
    bySeverity: { page: 3, ticket: 0, info: 0 },
  });
  t.match(report.alerts?.previous, {
    count: 1,
    acknowledged: 0,
    secondsToAcknowledge: null,
    secondsToResolve: 10,
  });
  t.match(report.requests, {
    now: { requests: 100, errors: 10, errorShare: 0.1 },
    previous: { requests: 40, errors: 0 },
    notKept: null,
  });
  const p95 = report.requests?.now.p95Ms ?? 0;
  t.ok(p95 > 700 && p95 < 900, `${p95}`);
});

t.test(
  '200: without a time, the last month or week that is over, with the endpoints that failed most',
  async (t) => {
    const week = periodBefore(Date.now(), { every: 'week', timeZone });
    const row = { at: week.from + dayMs, service: '@web' };
    await insertRequests(clickhouse, pageId, [
      { ...row, endpoint: '/a', requests: 95 },
      { ...row, endpoint: '/a', requests: 5, status: 500 },
      { ...row, endpoint: '/b', requests: 20, status: 502 },
      { ...row, endpoint: '/fine', requests: 1_000 },
    ]);
    const report = await reportOf('', 'week');
    t.match(report, { every: 'week', from: iso(week.from), to: iso(week.to), isOver: true });
    t.match(report.endpoints, [
      { service: '@web', endpoint: '/b', requests: 20, errors: 20, errorShare: 1 },
      { service: '@web', endpoint: '/a', requests: 100, errors: 5, errorShare: 0.05 },
    ]);
    t.equal(report.endpoints.length, 2, 'none without failures');
    t.match(await reportOf(), { firstDay: periodBefore(Date.now(), { every: 'month', timeZone }).firstDay });
  },
);

t.test('200: a week that is not over is compared with as much of the one before', async (t) => {
  const week = periodAt(Date.now(), { every: 'week', timeZone });
  const { isOver, from, to, previous } = await reportOf('?at=now', 'week');
  t.match({ isOver, from, to }, { isOver: false, from: iso(week.from), to: iso(week.to) });
  t.ok(Date.parse(previous.to) <= week.from);
  t.ok(Date.parse(previous.to) - Date.parse(previous.from) <= Date.now() - week.from);
});

t.test('200: CSV has a figure a row, and nothing that a spreadsheet runs', async (t) => {
  const path = `/acme/reports/month?at=${iso(month.from)}`;
  const { status, headers, body } = await send('GET', `${path}&format=csv`, undefined, { key: keys.read });
  t.equal(status, 200);
  t.match(headers.get('content-type'), /^text\/csv/);
  t.match(headers.get('heartline-as-of'), /^\d{4}-.*Z$/);
  t.equal(
    headers.get('content-disposition'),
    `attachment; filename="report-acme-month-${month.firstDay}.csv"`,
  );
  const lines = String(body).split('\r\n');
  t.equal(lines[0], 'section,name,figure,value,previous');
  const named = `"'=HYPERLINK(""https://evil.example"")"`;
  t.ok(lines.includes(`service,${named},downSeconds,5760,`), String(body));
  t.ok(lines.some((line) => line.startsWith(`service,${named},uptimePercent,`) && line.endsWith(',50')));
  t.ok(lines.includes("incident,'+ Within,seconds,5400,"));
  t.ok(lines.includes('requests,,errors,10,0'));
  t.ok(lines.includes('alerts,,secondsToAcknowledge,120,'));
  t.same(
    lines.filter((line) => /(^|,)"?[=+\-@]/.test(line)),
    [],
  );
  const asked = await send('GET', path, undefined, { key: keys.read, headers: { accept: 'text/csv' } });
  t.equal(asked.body, body);
  t.match(asked.headers.get('vary'), /Accept/i);
});

t.test('400: a time or a form that there is not', async (t) => {
  for (const [query, error] of [
    ['?at=yesterday', /"at"/],
    ['?at=2100-01-01', /"at" must be a time that has passed/],
    ['?format=xml', /"format" must be one of json, csv/],
    ['?from=now-7d', /"from"/],
  ] as const)
    t.match(await get(`/acme/reports/week${query}`), { status: 400, body: { error } }, query);
});

t.test('404: reports of years, and those of another page', async (t) => {
  t.match(await get('/acme/reports/year'), { status: 404, body: { error: /"week" and of a "month"/ } });
  t.equal((await get('/acme/reports/month', { key: keys.other })).status, 404);
  t.equal((await get('/none/reports/month')).status, 404);
});

t.test('200: an empty page has an empty report', async (t) => {
  const { status, body } = await get('/other/reports/week', { key: keys.other });
  t.equal(status, 200);
  t.match(body, {
    ...{ services: [], objectives: [], incidents: [], endpoints: [] },
    alerts: { now: { count: 0, secondsToAcknowledge: null, secondsToResolve: null } },
    requests: { now: { requests: 0, errorShare: null, p95Ms: null } },
  });
});
