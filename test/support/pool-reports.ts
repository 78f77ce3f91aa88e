import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { Pool, PoolReport } from '../../contract/pool-reports.js';
import { minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { captureLog } from './capture-log.js';
import { makeMovingClock } from './moving-clock.js';
import { setPage } from './pages.js';
import { select } from './rollups.js';
import { type Answer, type PostOptions, startTestService, withoutJobs } from './service.js';
import { waitUntil } from './wait-until.js';

export const reportsPath = '/api/v1/database-health/reports';

/** A pool of a report, with everything measured. */
export function makePool(fields: Partial<Pool> = {}): Pool {
  return {
    system: 'mongodb',
    target: 'orders',
    pool: 'main',
    serverPool: 'shard-1/primary',
    driverVersion: '6.3.0',
    coverage: 'complete',
    supported: ['open', 'busy', 'idle', 'waiting', 'acquisition', 'failures', 'created', 'closed'],
    snapshot: { open: 10, busy: 4, idle: 6, waiting: 1 },
    peaks: { open: 12, busy: 9, waiting: 3 },
    acquisition: { counts: [5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 1], sumMs: 6_123.25 },
    failures: 2,
    created: 3,
    closed: 1,
    minimum: 0,
    maximum: 100,
    ...fields,
  };
}

/** A pool of a report, with nothing measured. */
export function makeSilentPool(fields: Partial<Pool> = {}): Pool {
  return makePool({
    supported: [],
    snapshot: { open: null, busy: null, idle: null, waiting: null },
    peaks: { open: null, busy: null, waiting: null },
    ...{ acquisition: null, failures: null, created: null, closed: null, minimum: null, maximum: null },
    ...fields,
  });
}

/**
 * Returns a report of a new session, as a request body. Its interval is the tenth minute of the session and ends at
 * `endsAt`, in milliseconds since the epoch.
 */
export function makeReport(endsAt: number, fields: Partial<PoolReport> = {}): PoolReport {
  return {
    version: 1,
    session: randomUUID(),
    sequence: 9,
    service: 'checkout',
    environment: 'production',
    revision: 'f3c9a51',
    startedAt: new Date(endsAt - 10 * minuteMs).toISOString(),
    from: new Date(endsAt - minuteMs).toISOString(),
    to: new Date(endsAt).toISOString(),
    pools: [makePool()],
    exporter: { dropped: 0, failures: 0 },
    ...fields,
  };
}

/**
 * Returns the first reports of one session, each with an interval of `stepMs`. The last one ends at `endsAt`, in
 * milliseconds since the epoch.
 */
export function makeReports(
  endsAt: number,
  { count, stepMs, ...fields }: { count: number; stepMs: number } & Partial<PoolReport>,
): PoolReport[] {
  const beginsAt = endsAt - count * stepMs;
  const session = { session: randomUUID(), startedAt: new Date(beginsAt).toISOString() };
  return Array.from({ length: count }, (_, sequence) => {
    const [from, to] = [beginsAt + sequence * stepMs, beginsAt + (sequence + 1) * stepMs];
    const interval = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    return makeReport(endsAt, { ...session, ...interval, ...fields, sequence });
  });
}

/** Loads the rows of a session from ClickHouse by sequence, and the number of intervals that the rollup has counted. */
export async function readMeasured(clickhouse: ClickHouseClient, session: string) {
  const rows = await select<{ sequence: string; reports: string; pools: string }>(
    clickhouse,
    `SELECT sequence, countIf(kind = 'report') AS reports, countIf(kind = 'pool') AS pools
     FROM pool_reports WHERE session = '${session}' GROUP BY sequence ORDER BY sequence`,
  );
  const [rollup] = await select<{ intervals: string }>(
    clickhouse,
    `SELECT sum(intervals) AS intervals FROM process_pools_minute WHERE session = '${session}'`,
  );
  return {
    rows: rows.map(({ sequence, reports, pools }) => [Number(sequence), Number(reports), Number(pools)]),
    intervals: Number(rollup?.intervals),
  };
}

/** Loads everything that PostgreSQL has of pool reports, except the number of requests. */
export async function readHeld(sql: Sql): Promise<unknown> {
  return {
    sessions: [...(await sql`select * from pool_sessions order by page_id, session`)],
    reports: [...(await sql`select * from pool_reports order by page_id, session, sequence`)],
    blocks: [...(await sql`select id from pool_blocks`)],
  };
}

/** Waits until ClickHouse has everything that was acknowledged, and PostgreSQL has recorded that. */
export async function untilStored(sql: Sql): Promise<void> {
  await waitUntil('no block waits', async () => (await sql`select 1 from pool_blocks`).length === 0);
}

/** Starts the service with two pages that accept reports, on a clock that the test can advance. */
export async function startReportService(t: Test) {
  const clock = makeMovingClock();
  const { log, text } = captureLog();
  const api = await startTestService(t, { clock, log, roles: withoutJobs });
  const { sql, clickhouse } = api.stores;
  for (const slug of ['acme', 'other']) await setPage({ sql, clock }, { slug, databaseHealthEnabled: true });
  const post = (body: unknown, options: PostOptions = {}) => api.post(reportsPath, body, options);
  return {
    ...{ api, clock, sql, clickhouse, post, logged: text },
    make: (fields: Partial<PoolReport> = {}) => makeReport(clock.now(), fields),
    /** Waits until everything that was acknowledged is stored. */
    async measured(session: string) {
      await untilStored(sql);
      return readMeasured(clickhouse, session);
    },
    /** Asserts that the answer to the body is this refusal, and that nothing is written. */
    async isRefused(
      t: Test,
      body: unknown,
      status: number,
      error: string | RegExp,
      options: PostOptions = {},
    ): Promise<Answer> {
      await untilStored(sql);
      const before = await readHeld(sql);
      const answer = await post(body, options);
      t.equal(answer.status, status, `${error}`);
      t.match(answer.body, { error });
      t.strictSame(
        Object.keys(answer.body as object).filter((name) => name !== 'hint' && name !== 'field'),
        ['error', 'code'],
      );
      t.strictSame(await readHeld(sql), before, 'nothing is written');
      return answer;
    },
  };
}

/** Asserts that the answer is exactly the acknowledgement. */
export function isAcknowledged(answer: Answer, duplicate: boolean): boolean {
  const expected = JSON.stringify({ version: 1, accepted: true, duplicate });
  return answer.status === 201 && JSON.stringify(answer.body) === expected;
}
