import { randomUUID } from 'node:crypto';
import t from 'tap';
import { poolReportLimits } from '../../contract/pool-reports.js';
import { hourMs } from '../../lib/times.js';
import {
  isAcknowledged,
  makePool,
  makeReports,
  makeSilentPool,
  reportsPath,
  startReportService,
  untilStored,
} from '../support/pool-reports.js';
import { startAnother, withoutJobs } from '../support/service.js';
import { waitUntil } from '../support/wait-until.js';

const { api, clock, sql, clickhouse, post, make, measured, isRefused } = await startReportService(t);
const iso = (ms: number) => new Date(ms).toISOString();

t.test('201: a new report, stored once in both stores', async (t) => {
  const report = make({ pools: [makePool(), makePool({ serverPool: 'shard-2/primary' })] });
  const answer = await post(report);
  t.ok(isAcknowledged(answer, false));
  t.equal(answer.headers.get('ratelimit-limit'), '1024');
  t.strictSame(await measured(report.session), { rows: [[9, 1, 2]], intervals: 2 });
});

t.test('201: a report without pools, one of 16, one without measurements, one with some', async (t) => {
  const sixteen = Array.from({ length: 16 }, (_, i) => makePool({ serverPool: `shard-${i}` }));
  const partial = makePool({ coverage: 'partial', peaks: { open: 12, busy: null, waiting: null } });
  const { minimum: _, maximum: __, ...unbounded } = makePool();
  for (const pools of [[], sixteen, [makeSilentPool()], [partial], [unbounded]]) {
    t.ok(isAcknowledged(await post(make({ pools })), false), `${pools.length} pools`);
  }
});

t.test('201: a value that was not measured stays null', async (t) => {
  const report = make({ pools: [makeSilentPool()] });
  await post(report);
  await untilStored(sql);
  const found = await clickhouse.query({
    query: `SELECT open, busy, idle, waiting, peak_open, acquisition_sum_us, failures, created, closed, maximum
            FROM pool_reports WHERE session = '${report.session}' AND kind = 'pool'`,
    format: 'JSONEachRow',
  });
  const [row] = await found.json<Record<string, unknown>>();
  t.strictSame([...new Set(Object.values(row ?? {}))], [null]);
});

t.test('201: a repeat is a duplicate, whatever its form', async (t) => {
  const report = make();
  t.ok(isAcknowledged(await post(report), false));
  t.ok(isAcknowledged(await post(report), true));
  const { pools, ...rest } = report;
  const [pool] = pools;
  t.ok(isAcknowledged(await post({ unknown: 1, pools, ...rest }), true), 'in another order');
  const respelled = JSON.stringify(report)
    .replace('"sequence":9', '"sequence":0.9e1')
    .replace('"failures":2', '"failures":2.0')
    .replace('6123.25', '6.12325E3')
    .replace(report.session, report.session.toUpperCase())
    .replace(report.to, report.to.replace('Z', '+00:00'));
  t.ok(isAcknowledged(await post(respelled), true), 'with numbers and times in another form');
  const leftOut = { ...pool, maximum: null };
  const unbounded = make({ pools: [makePool({ maximum: null })] });
  await post(unbounded);
  const { maximum: _, ...without } = leftOut;
  t.ok(isAcknowledged(await post({ ...unbounded, pools: [without] }), true), 'a missing value equals null');
  t.strictSame(await measured(report.session), { rows: [[9, 1, 1]], intervals: 1 });
});

t.test('201: sequences may arrive late and out of order, and intervals may touch', async (t) => {
  const reports = makeReports(clock.now(), { count: 4, stepMs: 60_000 });
  for (const i of [3, 0, 2, 1, 0, 3]) t.equal((await post(reports[i])).status, 201);
  const session = reports[0]?.session ?? '';
  t.strictSame(await measured(session), { rows: [0, 1, 2, 3].map((i) => [i, 1, 1]), intervals: 4 });
});

t.test('201: at the bounds of time, interval and numbers', async (t) => {
  const { lateSecondsMax, aheadSecondsMax, intervalSecondsMax } = poolReportLimits;
  const margin = 2_000;
  for (const to of [
    clock.now() - lateSecondsMax * 1000 + margin,
    clock.now() + aheadSecondsMax * 1000 - margin,
  ]) {
    const from = to - intervalSecondsMax * 1000;
    const answer = await post(make({ startedAt: iso(from), from: iso(from), to: iso(to) }));
    t.ok(isAcknowledged(answer, false), '"from" may be the start of the session');
    const shortest = { startedAt: iso(from), from: iso(to - 1), to: iso(to) };
    t.ok(isAcknowledged(await post(make(shortest)), false));
  }
  const most = Number.MAX_SAFE_INTEGER;
  const counts = Array.from({ length: 11 }, () => most);
  const pools = [
    makePool({ acquisition: { counts, sumMs: Math.floor(most / 1000) }, failures: most, maximum: most }),
  ];
  const answer = await post(make({ sequence: most, pools, exporter: { dropped: most, failures: most } }));
  t.ok(isAcknowledged(answer, false));
});

t.test(
  '201: twenty times at once on two instances: one is the first, the others are duplicates',
  async (t) => {
    const another = await startAnother(t, api, { clock, roles: withoutJobs });
    const report = make();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? api : another).post(reportsPath, report)),
    );
    t.equal(answers.filter((answer) => isAcknowledged(answer, false)).length, 1);
    t.equal(answers.filter((answer) => isAcknowledged(answer, true)).length, 19);
    t.strictSame(await measured(report.session), { rows: [[9, 1, 1]], intervals: 1 });
  },
);

t.test('201: a report of another page with the same identity is another report', async (t) => {
  const report = make();
  const key = api.otherIngestKey;
  t.ok(isAcknowledged(await post(report), false));
  const other = { ...report, service: 'other', exporter: { dropped: 7, failures: 7 } };
  t.ok(isAcknowledged(await post(other, { key }), false));
  t.ok(isAcknowledged(await post(report), true));
  await isRefused(t, other, 409, /^\/service /);
});

t.test('409: other content with the same identity', async (t) => {
  const report = make();
  await post(report);
  const error = '/sequence was sent before, with another content.';
  const [pool] = report.pools;
  await isRefused(t, { ...report, exporter: { dropped: 1, failures: 0 } }, 409, error);
  await isRefused(t, { ...report, pools: [{ ...pool, failures: 3 }] }, 409, error);
  await isRefused(t, { ...report, pools: [] }, 409, error);
  const to = iso(Date.parse(report.to) - 1);
  await isRefused(t, { ...report, to }, 409, error);
  t.ok(isAcknowledged(await post(report), true), 'the first report stays');
});

t.test('409: a value that is fixed for a session changes', async (t) => {
  const [first, second] = makeReports(clock.now(), { count: 2, stepMs: 60_000 });
  await post(first);
  for (const fixed of ['service', 'environment', 'revision']) {
    const error = `/${fixed} is not what the session began with.`;
    await isRefused(t, { ...second, [fixed]: 'another' }, 409, error);
    await isRefused(t, { ...first, [fixed]: 'another' }, 409, error);
  }
  const startedAt = iso(Date.parse(first?.startedAt ?? '') - 1);
  await isRefused(t, { ...second, startedAt }, 409, '/startedAt is not what the session began with.');
  t.ok(isAcknowledged(await post(second), false));
});

t.test('409: the interval overlaps that of another sequence', async (t) => {
  const report = make();
  await post(report);
  const [from, to] = [Date.parse(report.from), Date.parse(report.to)];
  const error = '/from and /to overlap the interval of sequence 9.';
  const spans = [
    [from, to],
    [from - 1_000, from + 1],
    [to - 1, to + 1_000],
    [from + 1, to - 1],
    [from - 1, to + 1],
  ];
  for (const [at = 0, until = 0] of spans) {
    await isRefused(t, { ...report, sequence: 10, from: iso(at), to: iso(until) }, 409, error);
  }
  const touching = { from: iso(from - 1_000), to: iso(from) };
  t.ok(isAcknowledged(await post({ ...report, ...touching, sequence: 10 }), false));
});

t.test('409: one of several overlapping reports is stored when two instances get them at once', async (t) => {
  const another = await startAnother(t, api, { clock, roles: withoutJobs });
  const report = make();
  const answers = await Promise.all(
    [api, another, api].map((instance, sequence) => instance.post(reportsPath, { ...report, sequence })),
  );
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  t.equal((await measured(report.session)).rows.length, 1);
});

t.test('429: the 121st report of a session in an hour', async (t) => {
  const count = poolReportLimits.reportsPerSessionAndHour;
  const reports = makeReports(clock.now(), { count: count + 2, stepMs: 1_000, pools: [] });
  const another = await startAnother(t, api, { clock, roles: withoutJobs });
  const answers = await Promise.all(
    reports.slice(0, count + 1).map((report, i) => (i % 2 === 0 ? api : another).post(reportsPath, report)),
  );
  t.equal(answers.filter((answer) => isAcknowledged(answer, false)).length, count);
  const refused = answers.find(({ status }) => status === 429);
  t.match(refused?.body, { error: 'A session sends at most 120 reports an hour.' });
  const next = reports[count + 1];
  const { headers } = await isRefused(t, next, 429, 'A session sends at most 120 reports an hour.');
  const wait = Number(headers.get('retry-after'));
  t.ok(wait > 3_500 && wait <= 3_600, 'Retry-After is the rest of the hour');
  t.equal(
    (await post(reports.find((_, i) => answers[i]?.status === 201))).status,
    201,
    'a duplicate does not count',
  );
  t.ok(isAcknowledged(await post(make()), false), 'another session is not affected');
  clock.advance(hourMs);
  const later = make({ ...next, from: iso(clock.now() - 1_000), to: iso(clock.now()) });
  await waitUntil('reports are accepted in the next hour', async () =>
    isAcknowledged(await post(later), false),
  );
});

t.test('429: the 17th server pool of a session in an hour', async (t) => {
  const pools = Array.from({ length: 17 }, (_, i) => makePool({ serverPool: `shard-${i}` }));
  const reports = makeReports(clock.now(), { count: 5, stepMs: 60_000 });
  t.ok(isAcknowledged(await post({ ...reports[0], pools: pools.slice(0, 10) }), false));
  t.ok(isAcknowledged(await post({ ...reports[1], pools: pools.slice(5, 16) }), false));
  const error = 'A session has at most 16 server pools an hour.';
  const { headers } = await isRefused(t, { ...reports[2], pools: pools.slice(16) }, 429, error);
  t.ok(Number(headers.get('retry-after')) > 3_500);
  for (const name of ['system', 'target', 'pool']) {
    const [pool] = pools;
    await isRefused(t, { ...reports[2], pools: [{ ...pool, [name]: 'another' }] }, 429, error);
  }
  t.ok(
    isAcknowledged(await post({ ...reports[2], pools: pools.slice(0, 16) }), false),
    'known pools continue',
  );
  clock.advance(hourMs);
  const moved = { from: iso(clock.now() - 1_000), to: iso(clock.now()), sequence: 7, pools: pools.slice(16) };
  const answerTo = () => post({ ...reports[3], ...moved });
  await waitUntil('an hour later others count', async () => isAcknowledged(await answerTo(), false));
});

t.test('429: the 1,025th report of a page per minute, over all instances', async (t) => {
  clock.advance(hourMs);
  const count = poolReportLimits.requestsPerPageAndMinute;
  const another = await startAnother(t, api, { clock, roles: withoutJobs });
  const key = api.otherIngestKey;
  const report = make({ pools: [] });
  const send = (i: number) => (i % 2 === 0 ? api : another).post(reportsPath, report, { key });
  const answers = [];
  let heldAt: number | undefined;
  for (let sent = 0; sent < count; sent += 128) {
    answers.push(...(await Promise.all(Array.from({ length: 128 }, (_, i) => send(i)))));
    // However long they take, all count for the minute that the first one began.
    heldAt ??= clock.now();
    clock.advance(heldAt - clock.now());
  }
  t.equal(answers.filter(({ status }) => status === 201).length, count, 'duplicates count, and are accepted');
  const error = 'Too many pool reports of this page; wait and retry.';
  for (const instance of [0, 1, 0, 1]) {
    const answer = await send(instance);
    t.match(answer, { status: 429, body: { error } });
    t.match(answer.headers.get('retry-after'), /^([1-9]|[1-5]\d|60)$/);
    t.equal(answer.headers.get('ratelimit-remaining'), '0');
  }
  const { headers } = await isRefused(t, make({ session: randomUUID() }), 429, error, { key });
  t.equal(headers.get('ratelimit-limit'), String(count));
  t.equal((await post(make())).status, 201, 'another page is not affected');
  clock.advance(61_000);
  await waitUntil('reports are accepted in the next minute', async () => (await send(0)).status === 201);
});
