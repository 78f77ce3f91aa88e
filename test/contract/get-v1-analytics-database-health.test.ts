import t from 'tap';
import { type DatabaseHealthAnswer, poolDimensions } from '../../contract/database-health.js';
import { insertPoolReports } from '../../database-health/pool-reports/insert-pool-reports.js';
import { parseDatabaseHealthQuery } from '../../database-health/query.js';
import type { PageId } from '../../lib/ids.js';
import type { QueryParameters } from '../../lib/query-parameters.js';
import { dayMs, minuteMs } from '../../lib/times.js';
import { allKept, equalKept } from '../support/kept.js';
import { likeServiceError } from '../support/like-service-error.js';
import { startObservationService } from '../support/observations.js';
import { makeKey, setPage } from '../support/pages.js';
import { makePoolBlock, newSession, type PoolReportPart } from '../support/pool-blocks.js';
import { waitUntil } from '../support/wait-until.js';

const { api, sql, clock, deps, send, make, aDayLater } = await startObservationService(t);
const { clickhouse } = api.stores;
const path = '/api/v1/analytics/database-health';
const { key: otherReadKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const iso = (ms: number): string => new Date(ms).toISOString();
const none = { open: null, busy: null, idle: null, waiting: null };
const noPeaks = { open: null, busy: null, waiting: null };

function ask(parameters: Record<string, string>, key: string | null = api.readKey) {
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  return api.get(`${path}?${new URLSearchParams(parameters)}`, headers);
}

async function read(parameters: Record<string, string>, key = api.readKey): Promise<DatabaseHealthAnswer> {
  const answer = await ask(parameters, key);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as DatabaseHealthAnswer; // A 200 has this form; the tests check its content.
}

/** A time without stored data, a day after the previous one. A minute begins now, so that the test is over before its end. */
function newDay(): number {
  aDayLater();
  clock.advance(minuteMs - (clock.now() % minuteMs));
  return Math.floor(clock.now() / minuteMs) * minuteMs;
}

function insert(reports: readonly PoolReportPart[], pageId: PageId = api.pageId): Promise<void> {
  return insertPoolReports({ clickhouse }, makePoolBlock(pageId, reports));
}

/** One step of ten minutes, aligned to ten minutes, that contains the last moment before a time. */
function lastTen(now: number): Record<string, string> {
  const from = Math.floor((now - 1) / 600_000) * 600_000;
  return { from: iso(from), to: iso(from + 600_000), step: '600' };
}

t.test('200: sources, current pools, series and losses of exporters', async (t) => {
  const now = newDay();
  const connected = make({ checkedAt: iso(clock.now() - 1000) });
  t.equal((await send(connected)).status, 201);
  await insert([
    {
      to: now,
      exporter: { dropped: 2, failures: 5 },
      pools: [
        {
          snapshot: { open: 10, busy: 4, idle: 6, waiting: 1 },
          peaks: { open: 12, busy: 9, waiting: 3 },
          acquisition: { counts: [90, 4, 0, 0, 0, 0, 0, 0, 0, 0, 6], sumMs: 60_000.5 },
          ...{ failures: 2, created: 3, closed: 1, maximum: 16 },
        },
      ],
    },
  ]);
  const range = { from: iso(now - minuteMs), to: iso(now), step: '60' };
  const answer = await ask(range);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('cache-control'), 'private, no-cache');
  t.strictSame(answer.body, {
    ...{ from: range.from, to: range.to, step: 60, groupBy: null, ...allKept },
    sources: [
      {
        ...{ sourceId: 'orders-db', engine: 'postgresql', environment: 'production' },
        ...{ target: 'eu-west/primary', connectionId: null, observedAt: connected.sample.result.checkedAt },
        ...{
          fresh: true,
          outcome: 'connected',
          latencyMs: 3.25,
          capabilities: ['pg_stat_activity', 'pg_locks'],
        },
        ...{ connections: 17, connectionLimit: 100, activeSessions: 4, blockedSessions: null },
      },
    ],
    current: {
      pools: [
        {
          ...{ service: 'api', environment: 'production', system: 'mongodb', target: 'orders', pool: 'main' },
          ...{ serverPool: 'primary', processes: 1, coverage: 'complete', reportedAt: iso(now) },
          snapshot: { open: 10, busy: 4, idle: 6, waiting: 1 },
          peaks: { open: 12, busy: 9, waiting: 3 },
        },
      ],
      truncated: false,
    },
    series: [
      {
        group: null,
        points: [
          {
            ...{ at: range.from, acquisitions: 100, averageMs: 600.005, p50Ms: 1, p95Ms: '> 5000' },
            ...{ p99Ms: '> 5000', failures: 2, created: 3, closed: 1, peakWaiting: 3, utilisation: 0.25 },
            ...{ coverage: 'complete', thin: false },
          },
        ],
      },
    ],
    truncated: false,
    exporters: {
      services: [{ service: 'api', environment: 'production', processes: 1, dropped: 2, failures: 5 }],
      truncated: false,
    },
  });
});

t.test(
  '200: a delayed report never replaces a newer snapshot, and a snapshot expires after three minutes',
  async (t) => {
    const now = newDay();
    const session = newSession();
    const report = (to: number, open: number): PoolReportPart => ({
      ...{ session, to },
      pools: [{ snapshot: { ...none, open } }],
    });
    await insert([report(now, 7)]);
    await insert([report(now - minuteMs, 5)]);
    const opens = async () => (await read(lastTen(now))).current.pools.map(({ snapshot }) => snapshot.open);
    t.same(await opens(), [7]);
    clock.advance(now + 3 * minuteMs - 2_000 - clock.now());
    t.same(await opens(), [7], 'just before');
    clock.advance(4_000);
    t.same(await opens(), [], 'just after');
    await insert([report(now + 2 * minuteMs, 0)]);
    t.same(await opens(), [0], 'zero that was measured is 0');
  },
);

t.test(
  '200: processes add up; a value that none measured is null, one that some measured is partial',
  async (t) => {
    const now = newDay();
    const pool = (
      name: string,
      open: number | null,
      waiting: number | null,
      coverage: 'complete' | 'partial',
    ) => ({
      ...{ pool: name, coverage, snapshot: { ...none, open, waiting } },
      peaks: { ...noPeaks, waiting },
    });
    await insert([
      {
        to: now,
        pools: [pool('a', 3, 2, 'complete'), pool('b', 1, null, 'complete'), pool('c', 1, 1, 'partial')],
      },
      { to: now - 5_000, pools: [pool('a', 4, 0, 'complete'), pool('b', null, null, 'complete')] },
    ]);
    const { current, series } = await read({ ...lastTen(now), groupBy: 'pool' });
    t.match(current.pools, [
      {
        pool: 'a',
        processes: 2,
        coverage: 'complete',
        snapshot: { open: 7, waiting: 2 },
        peaks: { waiting: 2 },
      },
      { pool: 'b', processes: 2, coverage: 'partial', snapshot: { open: 1, waiting: null } },
      { pool: 'c', processes: 1, coverage: 'partial', snapshot: { open: 1, waiting: 1 } },
    ]);
    const unmeasured = {
      acquisitions: null,
      averageMs: null,
      p95Ms: null,
      failures: null,
      utilisation: null,
    };
    t.match(series, [
      { group: 'a', points: [{ ...unmeasured, peakWaiting: 2, coverage: 'complete', thin: true }] },
      { group: 'b', points: [{ ...unmeasured, peakWaiting: null, coverage: 'complete' }] },
      { group: 'c', points: [{ ...unmeasured, peakWaiting: 1, coverage: 'partial' }] },
    ]);
  },
);

t.test(
  '200: steps without a report have null points, and an interval belongs to its last moment',
  async (t) => {
    const now = newDay();
    const acquisition = (n: number) => [
      { acquisition: { counts: [n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sumMs: n } },
    ];
    await insert([
      { to: now - 2 * minuteMs, pools: acquisition(1) },
      { to: now - 2 * minuteMs + 1, pools: acquisition(10) },
      { to: now, pools: acquisition(0) },
    ]);
    const { series } = await read({ from: iso(now - 4 * minuteMs), to: iso(now), step: '60' });
    t.same(
      series[0]?.points.map(({ at, acquisitions, p95Ms, coverage }) => [at, acquisitions, p95Ms, coverage]),
      [
        [iso(now - 4 * minuteMs), null, null, null],
        [iso(now - 3 * minuteMs), 1, 1, 'complete'],
        [iso(now - 2 * minuteMs), 10, 1, 'complete'],
        [iso(now - minuteMs), 0, null, 'complete'],
      ],
    );
  },
);

t.test('200: filters by and groups by every dimension', async (t) => {
  const now = newDay();
  const named = { service: 'a', environment: 'a', system: 'a', target: 'a', pool: 'a', serverPool: 'a' };
  const acquisition = { counts: [0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], sumMs: 7 };
  const report = (names: typeof named, n = 1): PoolReportPart[] =>
    Array.from({ length: n }, () => {
      const { service, environment, ...pool } = names;
      return { to: now, service, environment, pools: [{ ...pool, acquisition }] };
    });
  const b = "b' OR 1 --";
  await insert([
    ...report(named),
    ...poolDimensions.flatMap((dimension, i) => report({ ...named, [dimension]: b }, i + 1)),
  ]);
  const total = 1 + 21;
  for (const [i, dimension] of poolDimensions.entries()) {
    const one = await read({ ...lastTen(now), [dimension]: b });
    t.equal(one.series[0]?.points[0]?.acquisitions, i + 1, dimension);
    t.match(one.current.pools, [{ ...named, [dimension]: b, processes: i + 1 }]);
    t.equal(one.current.pools.length, 1);
    const both = await read({ ...lastTen(now), groupBy: dimension });
    t.equal(both.groupBy, dimension);
    t.same(
      both.series.map(({ group, points }) => [group, points[0]?.acquisitions]),
      [
        ['a', total - i - 1],
        [b, i + 1],
      ],
    );
    const cut = await read({ ...lastTen(now), groupBy: dimension, limit: '1' });
    t.same([cut.series.length, cut.truncated, both.truncated], [1, true, false]);
  }
  t.same((await read({ ...lastTen(now), service: 'A' })).current.pools, []);
});

t.test(
  '200: sources by engine, environment and target, fresh for 15 minutes and listed for a day',
  async (t) => {
    newDay();
    for (const sourceId of ['one', 'two']) {
      const environment = sourceId === 'one' ? 'production' : 'staging';
      t.equal((await send(make({ sourceId, environment }))).status, 201);
    }
    const found = async (filters: Record<string, string>) =>
      (await read({ ...lastTen(clock.now()), ...filters })).sources.map(({ sourceId, fresh }) => [
        sourceId,
        fresh,
      ]);
    t.same(await found({ service: 'x', pool: 'y' }), [
      ['one', true],
      ['two', true],
    ]);
    t.same(await found({ environment: 'staging' }), [['two', true]]);
    t.same(await found({ system: 'mysql' }), []);
    t.same(await found({ target: 'elsewhere' }), []);
    clock.advance(15 * minuteMs + 1_000);
    t.same(await found({ environment: 'staging', system: 'postgresql' }), [['two', false]]);
    aDayLater();
    t.same(await found({}), []);
  },
);

t.test('200: what is older than 14 days is null, and the running step is said', async (t) => {
  const now = newDay();
  await insert([
    {
      ...{ to: now, service: 'lossy', exporter: { dropped: 2, failures: 5 } },
      pools: [{ acquisition: { counts: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], sumMs: 1 } }],
    },
  ]);
  const query = { from: iso(now - 15 * dayMs), to: iso(now + minuteMs), step: '86400', service: 'lossy' };
  const { series, exporters, ...answer } = await read(query);
  equalKept(t, answer, { now: clock.now() });
  t.equal(answer.unfinishedFrom, `${iso(now).slice(0, 10)}T00:00:00.000Z`);
  const points = series[0]?.points ?? [];
  t.match([points[0], points.at(-1)], [{ acquisitions: null, coverage: null }, { acquisitions: 1 }]);
  const unknown = { processes: null, dropped: null, failures: null };
  t.strictSame(exporters.services, [{ service: 'lossy', environment: 'production', ...unknown }]);
});

t.test('200: the loss of exporters is the growth of their counters in the range', async (t) => {
  const now = newDay();
  const report = (
    session: ReturnType<typeof newSession>,
    [minute, began]: [number, number],
    [dropped, failures]: [number, number],
  ): PoolReportPart => ({
    ...{ session, to: now + minute * minuteMs, startedAt: now + began * minuteMs, pools: [] },
    ...{ exporter: { dropped, failures }, service: `began ${began}` },
  });
  const [old, seen, young, gone] = [newSession(), newSession(), newSession(), newSession()];
  // The range covers the minutes -10 to 0, relative to the end of an interval.
  await insert([
    report(old, [-5, -500], [100, 7]),
    report(old, [-1, -500], [104, 7]),
    report(seen, [-12, -400], [10, 1]),
    report(seen, [-2, -400], [30, 1]),
    report(seen, [-3, -400], [20, 1]),
    report(young, [-4, -9], [2, 3]),
    report(gone, [-11, -300], [50, 0]),
  ]);
  const range = { from: iso(now - 10 * minuteMs), to: iso(now), step: '60' };
  const { exporters } = await read(range);
  t.strictSame(exporters, {
    services: [
      { service: 'began -400', environment: 'production', processes: 1, dropped: 20, failures: 0 },
      { service: 'began -500', environment: 'production', processes: 1, dropped: 4, failures: 0 },
      { service: 'began -9', environment: 'production', processes: 1, dropped: 2, failures: 3 },
    ],
    truncated: false,
  });
  t.equal((await read({ ...range, service: 'began -9', pool: 'none' })).exporters.services.length, 1);
});

t.test('200: another page sees nothing of it', async (t) => {
  const now = newDay();
  await send(make({ checkedAt: iso(clock.now()) }));
  await insert([{ to: now }]);
  const mine = await read({ ...lastTen(now), groupBy: 'service' });
  t.same([mine.sources.length, mine.current.pools.length, mine.series.length], [1, 1, 1]);
  const theirs = await read({ ...lastTen(now), groupBy: 'service' }, otherReadKey);
  t.match(theirs, { sources: [], current: { pools: [] }, series: [], exporters: { services: [] } });
  t.equal(theirs.sources.length + theirs.current.pools.length + theirs.exporters.services.length, 0);
  t.equal(theirs.series.length, 0);
});

t.test('200: the last hour without parameters; names as they are stored', async (t) => {
  const now = newDay();
  await insert([{ to: now - 30 * minuteMs, service: 'shop' }]);
  const answer = await read({ service: ' shop ' });
  t.match(answer, { from: iso(now - 60 * minuteMs), step: 60 });
  t.equal(answer.series[0]?.points.filter(({ acquisitions }) => acquisitions !== null).length, 1);
  t.match(await read({ from: 'now-6h' }), { from: iso(now - 360 * minuteMs), step: 300 });
});

t.test('400: unknown, malformed and excessive parameters', async (t) => {
  const good = { from: '2026-01-31T00:00:00Z', to: '2026-01-31T01:00:00Z', step: '60' };
  const refused: [parameter: string, query: QueryParameters][] = [
    ['from', { ...good, from: '2026-02-30T00:00:00Z' }],
    ['from', { ...good, from: good.to }],
    ['to', { ...good, to: 'tomorrow' }],
    ['step', { ...good, step: '90' }],
    ['step', { ...good, to: '2026-02-28T00:00:00Z' }],
    ['limit', { ...good, limit: '201' }],
    ['limit', { ...good, to: '2026-02-01T00:00:00Z', groupBy: 'pool', limit: '200' }],
    ['groupBy', { ...good, groupBy: 'session' }],
    ['server_pool', { ...good, server_pool: 'a' }],
    ['pool', { ...good, pool: ['a', 'b'] }],
  ];
  for (const [parameter, query] of refused) {
    const message = new RegExp(`"${parameter}"`);
    t.throws(
      () => parseDatabaseHealthQuery(query, clock.now()),
      likeServiceError('invalidParameter', { message }),
      parameter,
    );
  }
  for (const query of ['?from=x', '?constructor=1']) {
    const answer = await api.get(path + query, { authorization: `Bearer ${api.readKey}` });
    t.equal(answer.status, 400, query);
    t.match(answer.body, { error: /^(Parameter|There is no parameter) "/ });
  }
});

t.test('401: no key, and an unknown one', async (t) => {
  const range = lastTen(clock.now());
  for (const key of [null, `key_read_${'0'.repeat(43)}`, api.readKey.slice(0, -1)]) {
    const answer = await ask(range, key);
    t.equal(answer.status, 401);
    t.match(answer.body, { error: /^Invalid or revoked API key\.$/, hint: /\.$/ });
  }
});

t.test('403: a key of another scope', async (t) => {
  for (const key of [api.ingestKey, api.incidentKey]) {
    const answer = await ask(lastTen(clock.now()), key);
    t.equal(answer.status, 403);
    t.match(answer.body, { error: /; this route needs the scope read\.$/, hint: 'key_read_' });
  }
});

t.test('403 without the capability, 404 without the feature', async (t) => {
  const status = async () => (await ask(lastTen(clock.now()), otherReadKey)).status;
  const change = async (input: Partial<Parameters<typeof setPage>[1]>, until: number) => {
    await setPage({ sql, clock }, { slug: 'other', ...input });
    await waitUntil(`the answer is ${until}`, async () => (await status()) === until, 5_000);
  };
  t.equal(await status(), 200);
  await change({ capabilities: { 'database-health': false } }, 403);
  await change({ capabilities: { 'database-health': true } }, 200);
  await change({ databaseHealthEnabled: false }, 404);
  const answer = await ask(lastTen(clock.now()), otherReadKey);
  t.strictSame(answer.body, {
    error: 'Database health is not enabled for this page.',
    code: 'database_health.off',
  });
});

t.test('405: another method', async (t) => {
  const answer = await api.post(path, {}, { key: api.readKey });
  t.equal(answer.status, 405);
  t.equal(answer.headers.get('allow'), 'HEAD, GET');
});
