import t from 'tap';
import { createClickHouseStore } from '../../ingest/commit/clickhouse-store.js';
import { Block } from '../../ingest/commit/collapse.js';
import { encodeBlock } from '../../ingest/commit/encode-block.js';
import { windowV1 } from '../../ingest/read/time-window.js';
import { keyOf, type LatencyCounts, percentileOf } from '../../lib/latency-buckets.js';
import { makeBatch, makePageNames, registerAll } from '../support/batches.js';
import { select } from '../support/rollups.js';
import { openTestClickHouse } from '../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);
const store = createClickHouseStore(clickhouse);

/** mulberry32: the same numbers in every run, each from 0 up to 1. */
function makeRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = makeRandom(20_260_131);
const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

const distributions: Record<string, () => number> = {
  'log-normal': () => Math.exp(4 + 0.8 * normal()),
  uniform: () => 1 + 999 * random(),
  constant: () => 123.456,
  'just below the next bucket': () => 128.999,
  'two values': () => (random() < 0.97 ? 1.999 : 255.9),
  'heavy-tailed': () => Math.min(5 / (1 - random()) ** (1 / 1.1), 86_400_000),
  'below a millisecond': () => 0.001 + 0.01 * random(),
};

const eventsEach = 12_000;

/** The value at rank ⌈p·n⌉ of the sorted values. */
function nearestRank(sorted: readonly number[], p: number): number {
  return sorted[Math.ceil(p * sorted.length) - 1] ?? Number.NaN;
}

function countsOf(values: readonly number[]): LatencyCounts {
  const byKey = new Map<number, number>();
  for (const ms of values) byKey.set(keyOf(ms), (byKey.get(keyOf(ms)) ?? 0) + 1);
  const sorted = [...byKey].sort(([a], [b]) => a - b);
  return { keys: sorted.map(([key]) => key), counts: sorted.map(([, count]) => count) };
}

/** Sends the values as events of an endpoint: in blocks of their own, spread over a few minutes. */
async function storeValues(endpoint: string, values: readonly number[]): Promise<void> {
  const page = makePageNames();
  const now = Date.now();
  for (let block = 0, at = 0; at < values.length; block += 1, at += 3_000) {
    const rows = new Block();
    for (let start = at; start < at + 3_000; start += 1_000) {
      const events = values.slice(start, start + 1_000).map((ms, i) => ({
        endpoint,
        status: 200,
        ms,
        at: new Date(now - 60_000 * ((i % 3) + 60)).toISOString(),
      }));
      const batch = makeBatch(events, page, windowV1(now));
      registerAll(batch, page);
      rows.add(batch);
    }
    await store.insert(encodeBlock(rows), `${endpoint} ${block}`);
  }
}

for (const [name, draw] of Object.entries(distributions)) {
  t.test(`${name}: percentiles are within 2.5 % of exact, counts and sums are exact`, async (t) => {
    const values = Array.from({ length: eventsEach }, draw);
    const endpoint = `/${name}`;
    await storeValues(endpoint, values);
    const sorted = values.toSorted((a, b) => a - b);
    const sumUs = values.reduce((sum, ms) => sum + Math.round(ms * 1000), 0);
    for (const table of ['requests_minute', 'requests_hour']) {
      const [row] = await select<{ count: string; sumUs: string; keys: number[]; counts: string[] }>(
        clickhouse,
        `SELECT sum(latency_count) AS count, sum(latency_sum_us) AS sumUs,
                sumMap(latency_buckets) AS buckets, mapKeys(buckets) AS keys, mapValues(buckets) AS counts
         FROM ${table} WHERE endpoint = '${endpoint}'`,
      );
      const stored = { keys: row?.keys ?? [], counts: (row?.counts ?? []).map(Number) };
      t.same(stored, countsOf(values), 'the buckets are those of the values');
      t.equal(Number(row?.count), eventsEach);
      t.equal(Number(row?.sumUs), sumUs);
      for (const p of [0.5, 0.95, 0.99]) {
        const exact = nearestRank(sorted, p);
        const found = percentileOf(stored, p) ?? Number.NaN;
        const isNear = Math.abs(found / exact - 1) <= 0.025 || Math.abs(found - exact) <= 0.005;
        t.ok(isNear, `${table} p${p * 100}: ${found} for ${exact}`);
      }
    }
  });
}

t.test('the same block under the same token counts once, in every table', async (t) => {
  const page = makePageNames();
  const events = [{ endpoint: '/once', status: 500, ms: 10, message: 'no', at: new Date().toISOString() }];
  const batch = makeBatch(events, page, windowV1(Date.now()));
  registerAll(batch, page);
  const block = new Block();
  block.add(batch);
  block.addReport(page.unassigned, Date.now());
  const bytes = encodeBlock(block);
  await store.insert(bytes, 'one token');
  await store.insert(bytes, 'one token');
  await Promise.all([store.insert(bytes, 'one token'), store.insert(bytes, 'one token')]);
  const count = async () => {
    const tables = ['requests_minute', 'requests_hour', 'reports'].map((table) => {
      const column = table === 'reports' ? 'calls' : 'requests';
      return `(SELECT sum(${column}) FROM ${table} WHERE page_id = '${page.pageId}')`;
    });
    const [row] = await select<Record<string, string>>(clickhouse, `SELECT ${tables.join(' + ')} AS n`);
    return Number(row?.['n']);
  };
  t.equal(await count(), 3);
  await store.insert(bytes, 'another token');
  t.equal(await count(), 6);
});

t.test('a block that the store refuses is an error, and leaves nothing', async (t) => {
  const rows = async () => (await select(clickhouse, 'SELECT 1 FROM requests_minute LIMIT 1000000')).length;
  const before = await rows();
  await t.rejects(store.insert(Buffer.from('no rows of ours'), 'broken'));
  t.equal(await rows(), before);
});
