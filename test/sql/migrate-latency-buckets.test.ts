import { randomUUID } from 'node:crypto';
import t from 'tap';
import { keyOf, latencyKeys, middleOf } from '../../lib/latency-buckets.js';
import { migrateClickHouse } from '../../sql/migrate.js';
import { loadMigrations, splitStatements } from '../../sql/migration-files.js';
import { bucketsOf, keysOf } from '../support/latency-buckets-sql.js';
import { select } from '../support/rollups.js';
import { silentLog } from '../support/silent-log.js';
import { openEmptyClickHouse } from '../support/stores.js';

const { clickhouse } = await openEmptyClickHouse(t);
const files = await loadMigrations('clickhouse');
const page = randomUUID();
const fine = ['requests_minute', 'requests_hour', 'service_requests_minute', 'service_requests_hour'];
/** This one had the middles of wider buckets, so the counts of its older rows lie up to 3.2 % beside. */
const coarse = 'endpoint_requests_6h';
const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000)
  .toISOString()
  .slice(0, 19)
  .replace('T', ' ');

/** A time as earlier versions send it: the lower bound of 128 buckets for each doubling. */
function formerValue(ms: number): number {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, ms);
  bits.setUint16(2, 0);
  return bits.getFloat32(0);
}

/** Inserts one row; earlier versions send it to `landing`. */
async function insert(
  table: 'landing' | 'landing_blocks',
  valuesMs: readonly number[],
  method = 'GET',
): Promise<void> {
  const row = {
    ...{ page_id: page, kind: 'service', service: 'shop', endpoint: '/a', method, status: 200, minute },
    ...{ requests: valuesMs.length + 1, latency_count: valuesMs.length, latency_sum_us: 1 },
    ...{ latency_values_ms: valuesMs, latency_weights: valuesMs.map((_, i) => (i % 3) + 1) },
  };
  await clickhouse.insert({
    ...{ table, values: [row], format: 'JSONEachRow' },
    clickhouse_settings: {
      insert_deduplication_token: randomUUID(),
      deduplicate_blocks_in_dependent_materialized_views: 1,
    },
  });
}

function countsOf(rows: readonly (readonly number[])[]): Record<string, string> {
  const counts = new Map<number, number>();
  for (const valuesMs of rows) {
    for (const [i, ms] of valuesMs.entries())
      counts.set(keyOf(ms), (counts.get(keyOf(ms)) ?? 0) + (i % 3) + 1);
  }
  return Object.fromEntries([...counts].map(([key, count]) => [String(key), String(count)]));
}

function totalOf(buckets: Record<string, unknown>): number {
  return Object.values(buckets).reduce((sum: number, count) => sum + Number(count), 0);
}

async function bucketsIn(table: string, method = 'GET'): Promise<Record<string, unknown>> {
  const hasMethod = !table.startsWith('service_');
  const [row] = await select<{ buckets: Record<string, unknown> }>(
    clickhouse,
    `SELECT sumMap(latency_buckets) AS buckets FROM ${table} ${hasMethod ? `WHERE method = '${method}'` : ''}`,
  );
  return row?.buckets ?? {};
}

t.test('ClickHouse finds the same keys as keyOf()', async (t) => {
  const middles = latencyKeys.map((key) => Math.fround(middleOf(key)));
  const halves = Array.from({ length: 4_800 }, (_, i) => formerValue(2 ** (i / 120 - 10)));
  const values = [...middles, ...halves, 0, 0.05, 100, 250, 300, 975, 1_000, 86_400_000, 97_500_000, 1e20];
  const [row] = await select<{ keys: number[] }>(
    clickhouse,
    `SELECT ${keysOf(`[${values.join(', ')}]::Array(Float32)`)} AS keys`,
  );
  const wrong = values.filter((ms, i) => row?.keys[i] !== keyOf(Math.fround(ms)));
  t.same([wrong, row?.keys.length], [[], values.length]);

  const sent = '[300, 299, 10, 0]::Array(Float32)';
  const [summed] = await select<{ buckets: unknown }>(
    clickhouse,
    `SELECT ${bucketsOf(sent, '[1, 2, 3, 4]::Array(UInt32)')} AS buckets`,
  );
  t.same(summed?.buckets, { 0: '4', 2100: '3', 3300: '3' });

  const migration = files.find(({ name }) => name.includes('latency_buckets'))?.text ?? '';
  t.ok(migration.includes(keysOf('latency_values_ms')), 'the migration has the same expression');
});

t.test('rows of earlier versions, and of those that still run, keep their response times', async (t) => {
  const before = files.filter(({ name }) => name < '0016');
  for (const statement of before.flatMap(({ text }) => splitStatements(text))) {
    await clickhouse.command({ query: statement });
  }
  const long = Array.from({ length: 700 }, (_, i) => formerValue(2 ** (i / 50 - 4)));
  const rows = [long, [0, 300, 250], [], [0.05, 86_400_000].map(formerValue)];
  await insert('landing', rows[0] ?? []);
  await insert('landing', rows[1] ?? []);
  for (const table of [...fine, coarse]) await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  await insert('landing', rows[2] ?? []);
  await insert('landing', rows[3] ?? []);

  let isMigrating = true;
  const migrated = migrateClickHouse({ clickhouse, log: silentLog }).finally(() => {
    isMigrating = false;
  });
  while (isMigrating) {
    const next = [10, 300].map(formerValue);
    rows.push(next);
    await insert('landing', next);
  }
  await migrated;
  rows.push([300, 299]);
  await insert('landing_blocks', [300, 299]);
  rows.push([5]);
  await insert('landing', [5]);

  const requests = rows.reduce((sum, row) => sum + row.length + 1, 0);
  const check = async (when: string) => {
    for (const table of fine) t.same(await bucketsIn(table), countsOf(rows), `${table}, ${when}`);
    t.equal(totalOf(await bucketsIn(coarse)), totalOf(countsOf(rows)), `${coarse}, ${when}`);
    for (const table of [...fine, coarse]) {
      const [row] = await select<{ n: string }>(clickhouse, `SELECT sum(requests) AS n FROM ${table}`);
      t.equal(Number(row?.n), requests, `each insert counts once in ${table}`);
    }
  };
  await check('in parts of all versions');
  for (const table of [...fine, coarse]) await clickhouse.command({ query: `OPTIMIZE TABLE ${table} FINAL` });
  await check('merged');
});

t.test('the new tables count what arrives after them', async (t) => {
  const sent = [0.3, 5, 5.1].map((ms) => middleOf(keyOf(ms)));
  await insert('landing_blocks', sent, 'PUT');
  for (const table of ['page_requests_minute', 'page_requests_hour', 'endpoint_requests_day']) {
    t.same(await bucketsIn(table, 'PUT'), countsOf([sent]), table);
    const [sums] = await select<Record<string, unknown>>(
      clickhouse,
      `SELECT sum(requests) AS requests, sum(latency_count) AS latencies, sum(errors) AS errors
       FROM ${table} WHERE method = 'PUT'`,
    );
    t.same(sums, { requests: 4, latencies: 3, errors: 0 }, table);
  }
});
