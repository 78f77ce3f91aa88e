import t from 'tap';
import { loadEndingNow } from '../../../analytics/objectives/ending-now.js';
import { loadGoodAndTotals } from '../../../analytics/objectives/good-and-totals.js';
import { burnWindowMinutes } from '../../../contract/manage/objective-report.js';
import type { RequestsSli } from '../../../contract/manage/objectives.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { openTestClickHouse } from '../../support/stores.js';
import { insertRequests, type LandingRow, newPageId } from '../support.js';

const { clickhouse } = await openTestClickHouse(t);
/** 17 minutes past an hour, so that windows begin within hours. */
const begin = Math.floor(Date.now() / hourMs - 1) * hourMs + 17 * minuteMs;

const slis: RequestsSli[] = [
  {},
  { service: 'cart' },
  { service: 'Cart', underMs: 300 },
  { service: 'cart', endpoint: '/pay' },
  { endpoint: '/pay', method: 'POST' },
  { method: 'GET', underMs: 50 },
];

/** Requests of three days and some hours, one to three in every third minute. */
const rowsOf = (seed: number): LandingRow[] =>
  Array.from({ length: 1_600 }, (_, i) => ({
    at: begin + 20 * minuteMs - (i * 3 + seed) * minuteMs,
    kind: i % 5 === 0 ? 'reporter' : 'service',
    service: i % 2 === 0 ? 'cart' : 'search',
    ...{ endpoint: i % 3 === 0 ? '/pay' : '/list', method: i % 4 === 0 ? 'POST' : 'GET' },
    ...{ status: i % 7 === 0 ? 503 : 200, latencyMs: [20, 200, 900].slice(0, 1 + (i % 3)) },
  }));

const pages = [newPageId(), newPageId()];
for (const [i, pageId] of pages.entries()) await insertRequests(clickhouse, pageId, rowsOf(i));
const asked = pages.flatMap((pageId) => slis.map((sli) => ({ pageId, sli })));
const windowsAt = (to: number) => burnWindowMinutes.map((minutes) => ({ from: to - minutes * minuteMs, to }));

t.test('windows count as ever while they move on', async (t) => {
  const wrong: unknown[] = [];
  let total = 0;
  for (const minutes of [0, 1, 2, 14, 15, 16, 43, 44, 90]) {
    const periods = windowsAt(begin + minutes * minuteMs);
    const found = await loadEndingNow(clickhouse, asked, periods);
    const expected = await loadGoodAndTotals(clickhouse, asked, periods);
    total += found.flat().reduce((sum, counts) => sum + counts.total, 0);
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong.push([minutes, found, expected]);
  }
  t.same(wrong.slice(0, 1), []);
  t.ok(total > 10_000, `${total} requests`);
  // Another order of other objectives finds its own.
  const [first, ...others] = asked;
  const turned = first === undefined ? [] : [...others, first];
  const periods = windowsAt(begin + 91 * minuteMs);
  t.same(
    await loadEndingNow(clickhouse, turned, periods),
    await loadGoodAndTotals(clickhouse, turned, periods),
  );
});

t.test('the minutes in which long windows begin are read once in 15 minutes', async (t) => {
  const statements: string[] = [];
  const reader = new Proxy(clickhouse, {
    get(target, property) {
      if (property !== 'query') return Reflect.get(target, property);
      return (asked: Parameters<typeof target.query>[0]) => {
        statements.push(asked.query);
        return target.query(asked);
      };
    },
  });
  const pageId = newPageId();
  const one = [{ pageId, sli: {} }];
  const dayAgo = begin - dayMs;
  await insertRequests(clickhouse, pageId, [{ at: dayAgo + minuteMs, status: 200 }]);
  const windows = (minutes: number) => {
    const to = begin + minutes * minuteMs;
    return [{ from: to - dayMs, to }];
  };
  t.same(await loadEndingNow(reader, one, windows(0)), [[{ good: 1, total: 1 }]]);
  const reads = statements.length;
  await insertRequests(clickhouse, pageId, [{ at: dayAgo + 20 * minuteMs, status: 503 }]);
  // The event is a day late, and counts once the minutes are read again.
  t.same(await loadEndingNow(reader, one, windows(1)), [[{ good: 1, total: 1 }]]);
  t.same(await loadEndingNow(reader, one, windows(14)), [[{ good: 0, total: 0 }]]);
  t.equal(statements.slice(reads).filter((statement) => statement.includes('AS hour, groupArray')).length, 0);
  t.same(await loadEndingNow(reader, one, windows(15)), [[{ good: 0, total: 1 }]]);
});
