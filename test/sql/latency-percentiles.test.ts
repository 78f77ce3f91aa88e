import t from 'tap';
import { seeded } from '../../bench/support/batches.js';
import { boundsOf, countAtMost, keyOf, percentileOf } from '../../lib/latency-buckets.js';
import { percentilesOfBuckets, ranks } from '../../sql/latency-percentiles.js';
import { loadRows } from '../../sql/load-rows.js';
import { propertyOf } from '../support/property.js';
import { mergeBuckets, randomGroups } from '../support/random-buckets.js';
import { openTestClickHouse } from '../support/stores.js';

const { numRuns, seed } = propertyOf(t, { few: 400, many: 5_000 });
const random = seeded(seed);
const { clickhouse } = await openTestClickHouse(t);

/** As docs/sql.md counts those that took at most a bound. */
const countAtMostSql = (ms: number): string =>
  `sum(arraySum(mapValues(mapFilter((key, counted) -> key <= ${keyOf(ms)}, buckets))))`;

const groups = randomGroups(random, numRuns);
const thresholdsMs = [0, 0.05, 1, 250, 300, 86_400_000];
await clickhouse.command({
  query:
    'CREATE TABLE grouped (id UInt32, buckets SimpleAggregateFunction(sumMap, Map(UInt16, UInt64))) ENGINE = Memory',
});
await clickhouse.insert({
  table: 'grouped',
  format: 'JSONEachRow',
  values: groups.flatMap((parts, id) => parts.map((part) => ({ id, buckets: Object.fromEntries(part) }))),
});
const rows = await loadRows<{ percentiles: (number | null)[]; counts: number[] }>(
  clickhouse,
  `SELECT ${percentilesOfBuckets('sumMap(buckets)')} AS percentiles,
     [${thresholdsMs.map(countAtMostSql).join(', ')}] AS counts
   FROM grouped GROUP BY id ORDER BY id`,
  {},
);

t.test('ClickHouse computes the percentiles of merged buckets to the last bit', async (t) => {
  const expected = groups.map((parts) => {
    const merged = mergeBuckets(parts);
    return ranks.map((rank) => percentileOf(merged, rank) ?? null);
  });
  const wrong = rows.flatMap(({ percentiles }, i) =>
    JSON.stringify(percentiles) === JSON.stringify(expected[i])
      ? []
      : [{ i, percentiles, expected: expected[i] }],
  );
  t.equal(rows.length, groups.length);
  t.same(wrong.slice(0, 3), []);
});

t.test('ClickHouse counts exactly how many took at most a bound', async (t) => {
  const bounds = thresholdsMs.map((ms) => boundsOf(keyOf(ms)).upperMs);
  t.same(bounds.slice(0, -1), thresholdsMs.slice(0, -1), 'the thresholds are bounds but for the longest');
  const wrong = rows.flatMap(({ counts }, i) => {
    const merged = mergeBuckets(groups[i] ?? []);
    const expected = thresholdsMs.map((ms) => countAtMost(merged, keyOf(ms)));
    return JSON.stringify(counts) === JSON.stringify(expected) ? [] : [{ i, counts, expected }];
  });
  t.same(wrong.slice(0, 3), []);
});
