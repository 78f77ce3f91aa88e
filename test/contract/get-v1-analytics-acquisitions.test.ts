import t from 'tap';
import type { AcquisitionsAnswer } from '../../contract/database-health.js';
import { acquisitionBoundsMs } from '../../contract/pool-reports.js';
import { insertPoolReports } from '../../database-health/pool-reports/insert-pool-reports.js';
import { systemClock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/times.js';
import { allKept, equalKept } from '../support/kept.js';
import { makeKey, makePage, setPage } from '../support/pages.js';
import { makePoolBlock } from '../support/pool-blocks.js';
import { startTestService, withoutJobs } from '../support/service.js';

const api = await startTestService(t, { roles: withoutJobs });
const deps = { sql: api.stores.sql, clock: systemClock };
const { key: otherKey } = await makeKey(deps, { slug: 'other', scope: 'read' });
const start = Math.floor(Date.now() / (10 * minuteMs)) * 10 * minuteMs - 60 * minuteMs;
const iso = (ms: number) => new Date(ms).toISOString();
const range = { from: iso(start), to: iso(start + 30 * minuteMs), step: '600' };

const ask = (query: Record<string, string>, key: string | null = api.readKey) =>
  api.get(
    `/api/v1/analytics/database-health/acquisitions?${new URLSearchParams(query)}`,
    key === null ? {} : { authorization: `Bearer ${key}` },
  );
const buckets = async (query: Record<string, string> = {}) =>
  ((await ask({ ...range, ...query })).body as AcquisitionsAnswer).points.map((point) => point.buckets);

for (const slug of ['acme', 'other']) await setPage(deps, { slug, databaseHealthEnabled: true });

const counts = (first: number, last: number) => [first, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
await insertPoolReports(
  api.stores,
  makePoolBlock(api.pageId, [
    { to: start + minuteMs, pools: [{ acquisition: { counts: counts(5, 1), sumMs: 9_000 } }] },
    {
      ...{ to: start + 2 * minuteMs, service: 'worker' },
      pools: [{ acquisition: { counts: counts(2, 0), sumMs: 1 }, pool: 'jobs' }],
    },
    // A pool that measures no acquisitions.
    { to: start + 15 * minuteMs, pools: [{ failures: 1 }] },
  ]),
);

t.test('404 while database health is off for the page', async (t) => {
  await makePage(api.stores.sql, { slug: 'without' });
  const { key } = await makeKey(deps, { slug: 'without', scope: 'read' });
  t.equal((await ask(range, key)).status, 404);
});

t.test('200: the histogram of each step, null without acquisitions that were measured', async (t) => {
  const answer = await ask(range);
  t.equal(answer.status, 200);
  t.strictSame(answer.body, {
    ...{ from: range.from, to: range.to, step: 600, boundsMs: [...acquisitionBoundsMs] },
    ...allKept,
    points: [
      { at: iso(start), buckets: counts(7, 1) },
      { at: iso(start + 10 * minuteMs), buckets: null },
      { at: iso(start + 20 * minuteMs), buckets: null },
    ],
  });
});

t.test('200: says what is not kept, and which step is not over', async (t) => {
  const answer = (await ask({ from: 'now-16d', step: '86400' })).body as AcquisitionsAnswer;
  equalKept(t, answer, { now: Date.now() });
  t.equal(answer.points[0]?.buckets, null);
  t.equal(answer.unfinishedFrom, `${answer.to.slice(0, 10)}T00:00:00.000Z`);
});

t.test('200: filters', async (t) => {
  t.strictSame(await buckets({ service: 'worker' }), [counts(2, 0), null, null]);
  t.strictSame(await buckets({ pool: 'jobs', system: 'mongodb' }), [counts(2, 0), null, null]);
  t.strictSame(await buckets({ target: 'nothing' }), [null, null, null]);
  const theirs = await ask(range, otherKey);
  t.strictSame(
    (theirs.body as AcquisitionsAnswer).points.map((point) => point.buckets),
    [null, null, null],
  );
});

t.test('400, 401 and 403', async (t) => {
  t.match(await ask({ ...range, groupBy: 'pool' }), { status: 400, body: { error: /"groupBy"/ } });
  t.match(await ask({ from: 'now-14d', step: '60' }), { status: 400, body: { error: /points/ } });
  t.match(await ask(range, null), { status: 401 });
  t.match(await ask(range, api.ingestKey), { status: 403 });
});
