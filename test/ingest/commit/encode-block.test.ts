import t from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock, encodeInSlices } from '../../../ingest/commit/encode-block.js';
import { makeSource } from '../../../ingest/names/names.js';
import { windowV1, windowV2 } from '../../../ingest/read/time-window.js';
import { keyOf, middleOf } from '../../../lib/latency-buckets.js';
import { makeBatch, makePageNames, registerAll } from '../../support/batches.js';
import { countTurns } from '../../support/count-turns.js';
import { decodeBlock } from '../../support/decode-block.js';

const now = Date.UTC(2026, 0, 31, 12, 0, 30, 500);
const minute = Date.UTC(2026, 0, 31, 12) / 1000;

t.test('an empty block is no bytes', async (t) => {
  t.equal(encodeBlock(new Block()).length, 0);
});

t.test('rows of events and of calls, with every column', async (t) => {
  const page = makePageNames();
  const events = [
    { service: 'Shop', endpoint: '/cart/:id', status: 500, ms: 1.5, message: 'déjà vu' },
    { service: 'shop', endpoint: '/cart/:id/', status: 500, ms: 1.5004 },
    { service: 'shop', endpoint: '/cart/:id', status: 500, ms: 300 },
    { service: 'shop', endpoint: '/cart/:id', status: 500 },
    { endpoint: '/é', method: 'post', status: 204 },
  ];
  const batch = makeBatch(events, page, windowV1(now));
  registerAll(batch, page);
  const block = new Block();
  t.equal(block.add(batch), 2);
  const [shop] = batch.source;
  if (shop === undefined) throw new Error('The batch has no source.');
  block.addReport(shop, now);
  block.addReport(shop, now + 1);
  t.strictSame(decodeBlock(encodeBlock(block)), [
    {
      pageId: page.pageId,
      kind: 1,
      service: 'shop',
      endpoint: '/cart/:id',
      method: 'GET',
      status: 500,
      minute,
      requests: 4,
      latencyCount: 3,
      latencySumUs: 303_000n,
      histogram: [
        [Math.fround(1.475), 1],
        [Math.fround(1.525), 1],
        [295, 1],
      ],
      message: 'déjà vu',
      messageAt: BigInt(now),
      reportedAt: 0n,
    },
    {
      pageId: page.pageId,
      kind: 1,
      service: 'Unassigned',
      endpoint: '/é',
      method: 'POST',
      status: 204,
      minute,
      requests: 1,
      latencyCount: 0,
      latencySumUs: 0n,
      histogram: [],
      message: '',
      messageAt: 0n,
      reportedAt: 0n,
    },
    {
      pageId: page.pageId,
      kind: 1,
      service: 'shop',
      endpoint: '',
      method: '',
      status: 0,
      minute,
      requests: 2,
      latencyCount: 0,
      latencySumUs: 0n,
      histogram: [],
      message: '',
      messageAt: 0n,
      reportedAt: BigInt(now + 1),
    },
  ]);
});

t.test('a reporter has a kind of its own', async (t) => {
  const page = makePageNames();
  const reporter = makeSource(page.pageId, 'reporter', 'worker-1');
  const batch = makeBatch([{ endpoint: '/a', status: 200, service: 'x' }], page, windowV2(now), 2);
  registerAll(batch, page);
  batch.source.fill(reporter);
  const block = new Block();
  block.add(batch);
  t.match(decodeBlock(encodeBlock(block)), [{ kind: 2, service: 'worker-1', endpoint: '/a' }]);
});

t.test('lengths above one byte: long names, long messages, thousands of histogram entries', async (t) => {
  const page = makePageNames();
  const endpoint = '😀'.repeat(200);
  const block = new Block();
  const values = new Map<number, number>();
  for (let part = 0; part < 5; part += 1) {
    const events = Array.from({ length: 1_000 }, (_, i) => ({
      endpoint,
      status: 503,
      ms: 2 ** ((part * 1_000 + i) / 200),
      message: '😀'.repeat(200),
    }));
    for (const { ms } of events) {
      const value = Math.fround(middleOf(keyOf(Math.min(ms, 86_400_000))));
      values.set(value, (values.get(value) ?? 0) + 1);
    }
    const batch = makeBatch(events, page, windowV1(now));
    registerAll(batch, page);
    block.add(batch);
  }
  const [row] = decodeBlock(encodeBlock(block));
  t.equal(row?.endpoint, endpoint);
  t.equal(row?.message, '😀'.repeat(200));
  t.ok(values.size > 128, 'the histogram has a length of two bytes');
  t.strictSame(
    row?.histogram,
    [...values].sort(([a], [b]) => a - b),
  );
});

t.test('sums above 32 bits', async (t) => {
  const page = makePageNames();
  const block = new Block();
  const events = Array.from({ length: 1_000 }, () => ({ endpoint: '/slow', status: 200, ms: 86_400_000 }));
  const batch = makeBatch(events, page, windowV1(now));
  registerAll(batch, page);
  for (let i = 0; i < 10; i += 1) block.add(batch);
  t.match(decodeBlock(encodeBlock(block)), [
    { requests: 10_000, latencyCount: 10_000, latencySumUs: 864_000_000_000_000n },
  ]);
});

t.test('a block gives the same bytes each time, and a cleared block the same as a new one', async (t) => {
  const page = makePageNames();
  const events = Array.from({ length: 300 }, (_, i) => ({
    endpoint: `/${i % 7}`,
    status: 500,
    ms: i,
    message: 'm',
  }));
  const batch = makeBatch(events, page, windowV1(now));
  registerAll(batch, page);
  const block = new Block();
  block.add(batch);
  const bytes = encodeBlock(block);
  t.ok(bytes.equals(encodeBlock(block)));
  block.clear();
  t.equal(encodeBlock(block).length, 0);
  block.add(batch);
  t.ok(bytes.equals(encodeBlock(block)));
});

t.test('a block of many rows is encoded in slices, with the same bytes', async (t) => {
  const page = makePageNames();
  const block = new Block();
  for (let part = 0; part < 20; part += 1) {
    const events = Array.from({ length: 1_000 }, (_, i) => ({
      endpoint: `/${part}/x${i}y`,
      status: 200,
      ms: i,
    }));
    const batch = makeBatch(events, page, windowV1(now));
    registerAll(batch, page);
    block.add(batch);
  }
  t.equal(block.rows, 20_000);
  const { result, turns } = await countTurns(() => encodeInSlices(block));
  t.ok(turns >= 4, `${turns} turns`);
  t.ok(result.equals(encodeBlock(block)));
  block.clear();
  const empty = await countTurns(() => encodeInSlices(block));
  t.strictSame([empty.result.length, empty.turns], [0, 0]);
});
