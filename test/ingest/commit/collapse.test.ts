import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import type { PageNames } from '../../../ingest/names/page-names.js';
import type { Batch } from '../../../ingest/read/batch.js';
import { windowV1 } from '../../../ingest/read/time-window.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { type DecodedRow, decodeBlock } from '../../support/decode-block.js';
import { propertyOf } from '../../support/property.js';

const now = Date.UTC(2026, 0, 31, 12, 0, 30, 500);

type RawEvent = {
  service: string;
  endpoint: string;
  method: string;
  status: number;
  at: string;
  ms?: number;
  message: string;
};

const events: fc.Arbitrary<RawEvent> = fc.record(
  {
    service: fc.constantFrom('a', 'b', ''),
    endpoint: fc.constantFrom('/x', '/y/', '/z?q'),
    method: fc.constantFrom('GET', 'post'),
    status: fc.constantFrom(200, 404, 500),
    // Few distinct times, so that messages tie in their millisecond.
    at: fc.constantFrom(0, 1, 999, 60_000, 119_999).map((ms) => new Date(now - ms).toISOString()),
    ms: fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 1, 1.0005, 250)),
    message: fc.constantFrom('', 'a', 'b', 'é', '\uffee', '😀', 'aa', '\ud800'),
  },
  { requiredKeys: ['service', 'endpoint', 'method', 'status', 'at', 'message'] },
);

/** Each element is a batch; the batches are spread over blocks by their position. */
const splits = fc.array(events, { minLength: 1, maxLength: 120 }).chain((all) =>
  fc.record({
    all: fc.constant(all),
    order: fc.shuffledSubarray(
      all.map((_, i) => i),
      { minLength: all.length, maxLength: all.length },
    ),
    cuts: fc.array(fc.integer({ min: 0, max: all.length }), { maxLength: 10 }),
    blocks: fc.integer({ min: 1, max: 4 }),
  }),
);

function collapse(page: PageNames, batches: RawEvent[][], blockCount: number): DecodedRow[] {
  const blocks = Array.from({ length: blockCount }, () => new Block());
  for (const [i, batch] of batches.entries()) {
    blocks[i % blockCount]?.add(normalise(page, batch));
  }
  return merge(blocks.flatMap((block) => decodeBlock(encodeBlock(block))));
}

function normalise(page: PageNames, events: RawEvent[]): Batch {
  const batch = makeBatch(events, page, windowV1(now));
  registerAll(batch, page);
  return batch;
}

/** Merges the rows of all blocks as the AggregatingMergeTree tables and their readers do. */
function merge(rows: DecodedRow[]): DecodedRow[] {
  const merged = new Map<string, DecodedRow>();
  for (const row of rows) {
    const key = [row.kind, row.service, row.endpoint, row.method, row.status, row.minute].join('\n');
    const other = merged.get(key);
    merged.set(key, other === undefined ? row : mergeTwo(row, other));
  }
  return [...merged].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function mergeTwo(a: DecodedRow, b: DecodedRow): DecodedRow {
  const histogram = new Map(a.histogram);
  for (const [value, weight] of b.histogram) histogram.set(value, (histogram.get(value) ?? 0) + weight);
  const bytes = [Buffer.from(a.message), Buffer.from(b.message)] as const;
  const isLater = a.messageAt === b.messageAt ? Buffer.compare(...bytes) > 0 : a.messageAt > b.messageAt;
  const { message, messageAt } = isLater ? a : b;
  return {
    ...a,
    requests: a.requests + b.requests,
    latencyCount: a.latencyCount + b.latencyCount,
    latencySumUs: a.latencySumUs + b.latencySumUs,
    histogram: [...histogram].sort(([x], [y]) => x - y),
    message,
    messageAt,
  };
}

t.test('any split into batches and blocks, in any order, merges to the same rows', async () => {
  fc.assert(
    fc.property(splits, ({ all, order, cuts, blocks }) => {
      const page = makePageNames();
      const shuffled = order.map((i) => all[i]).filter((event) => event !== undefined);
      const bounds = [0, ...cuts.toSorted((a, b) => a - b), shuffled.length];
      const batches = bounds.slice(1).map((end, i) => shuffled.slice(bounds[i], end));
      const whole = collapse(page, [all], 1);
      const split = collapse(page, batches, blocks);
      deepStrictEqual(split, whole);
    }),
    propertyOf(t, { few: 37, many: 750 }),
  );
});

t.test('blocks that are added to one block give the same rows', async () => {
  fc.assert(
    fc.property(splits, ({ all, cuts }) => {
      const page = makePageNames();
      const bounds = [0, ...cuts.toSorted((a, b) => a - b), all.length];
      const sum = new Block();
      const part = new Block();
      for (const [i, end] of bounds.slice(1).entries()) {
        part.clear();
        part.add(normalise(page, all.slice(bounds[i], end)));
        sum.addBlock(part);
      }
      deepStrictEqual(merge(decodeBlock(encodeBlock(sum))), collapse(page, [all], 1));
      return sum.events === all.length;
    }),
    propertyOf(t, { few: 37, many: 750 }),
  );
});

t.test('counts, sums and histograms match the events', async () => {
  fc.assert(
    fc.property(fc.array(events, { minLength: 1, maxLength: 200 }), (all) => {
      const rows = collapse(makePageNames(), [all], 1);
      const timed = all.filter(({ ms }) => ms !== undefined);
      const sum = (of: (row: DecodedRow) => number) => rows.reduce((total, row) => total + of(row), 0);
      const sumUs = timed.reduce(
        (us, { ms = 0 }) => us + BigInt(Math.round(Math.min(ms, 86_400_000) * 1000)),
        0n,
      );
      return (
        sum((row) => row.requests) === all.length &&
        sum((row) => row.latencyCount) === timed.length &&
        sum((row) => row.histogram.reduce((n, [, weight]) => n + weight, 0)) === timed.length &&
        rows.reduce((us, row) => us + row.latencySumUs, 0n) === sumUs
      );
    }),
    propertyOf(t, { few: 37, many: 750 }),
  );
});

t.test('the newest message wins; within one millisecond the one with the greater bytes wins', async (t) => {
  const winner = (...messages: [at: number, text: string][]): string | undefined => {
    const all = messages.map(([at, message]) => ({
      service: 'a',
      endpoint: '/x',
      method: 'GET',
      status: 500,
      at: new Date(now + at).toISOString(),
      message,
    }));
    return collapse(makePageNames(), [all], 1)[0]?.message;
  };
  t.equal(winner([0, 'z'], [1, 'a']), 'a');
  t.equal(winner([1, 'a'], [0, 'z']), 'a');
  t.equal(winner([0, 'a'], [0, 'b']), 'b');
  t.equal(winner([0, 'b'], [0, 'a']), 'b');
  // By UTF-16 code units the emoji would be the smaller one.
  t.equal(winner([0, '😀'], [0, '\uffee']), '😀');
  t.equal(winner([0, '\uffee'], [0, '😀']), '😀');
  t.equal(winner([5, ''], [0, 'kept']), 'kept');
});

t.test('the same names of two pages are different rows', async (t) => {
  const block = new Block();
  const pages = [makePageNames(), makePageNames()];
  for (const page of pages) {
    const batch = makeBatch([{ service: 'a', endpoint: '/x', status: 200 }], page, windowV1(now));
    registerAll(batch, page);
    block.add(batch);
  }
  const rows = decodeBlock(encodeBlock(block));
  t.strictSame(
    rows.map(({ pageId, requests }) => [pageId, requests]),
    pages.map(({ pageId }) => [pageId, 1]),
  );
});

t.test('a block grows past every first size of its columns', async (t) => {
  const page = makePageNames();
  const block = new Block();
  let expected = 0;
  for (let part = 0; part < 30; part += 1) {
    const batch = makeBatch(
      Array.from({ length: 1_000 }, (_, i) => ({ endpoint: `/${part}/${i}`, status: 200, ms: i + part })),
      page,
      windowV1(now),
    );
    registerAll(batch, page);
    expected += block.add(batch);
  }
  t.equal(expected, 30_000);
  const rows = decodeBlock(encodeBlock(block));
  t.equal(rows.length, 30_000);
  t.equal(new Set(rows.map(({ endpoint }) => endpoint)).size, 30_000);
  t.ok(rows.every(({ requests, histogram }) => requests === 1 && histogram[0]?.[1] === 1));
});
