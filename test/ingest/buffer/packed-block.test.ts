import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { createJoin } from '../../../ingest/buffer/join-parts.js';
import { addPacked, packBlock } from '../../../ingest/buffer/packed-block.js';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import { rowsMax } from '../../../ingest/commit/histograms.js';
import type { EncodedBlock } from '../../../ingest/commit/store-block.js';
import { makeName } from '../../../ingest/names/names.js';
import { ReplayNames } from '../../../ingest/record/replay-record.js';
import { countTurns } from '../../support/count-turns.js';
import { type DecodedRow, decodeBlock } from '../../support/decode-block.js';
import { propertyOf } from '../../support/property.js';
import { blockOf, makeLoggedBatch, makePage, now, records } from '../log/support.js';

const packed = (block: Block): Buffer => Buffer.from(packBlock(block), 'base64');
const token = '00000000-0000-4000-8000-000000000001';

async function join(blocks: readonly Block[]): Promise<EncodedBlock | undefined> {
  const joined = createJoin(token);
  for (const block of blocks) {
    const { rows, events } = block;
    await joined.add({ body: null, packed: packed(block), rows, events });
  }
  return joined.end();
}

const keyOf = ({ pageId, kind, service, endpoint, method, status, minute, version }: DecodedRow): string =>
  JSON.stringify([pageId, kind, service, endpoint, method, status, minute, version ?? '']);

const sorted = (bytes: Buffer = Buffer.of()): DecodedRow[] =>
  decodeBlock(bytes).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** A block of rows of one request each, whose endpoints have so many characters. */
function blockOfNames(rows: number, characters: number): Block {
  const page = makePage();
  const [source, method] = [page.source('service', 'shop'), page.name('GET')];
  const block = new Block();
  for (let i = 0; i < rows; i += 1)
    block.addCounted({
      ...{ source, method, status: 200, at: now, count: 1, latencies: [{ ms: 3, times: 1 }] },
      endpoint: makeName(`/${i}/`.padEnd(characters, 'x')),
    });
  return block;
}

t.test('names that take more room than all rows stay whole', async (t) => {
  const sizes: readonly [rows: number, characters: number][] = [
    [400, 200],
    [12_000, 90],
    [9_000, 512],
  ];
  const differing: (readonly [number, number])[] = [];
  for (const [rows, characters] of sizes) {
    const block = blockOfNames(rows, characters);
    const joined = await join([block]).catch(String);
    const isEqual = typeof joined === 'object' && joined.bytes.equals(encodeBlock(block));
    if (!isEqual) differing.push([rows, characters]);
  }
  t.strictSame(differing, []);
});

t.test('packed writes give the rows of the block in memory', async () => {
  await fc.assert(
    fc.asyncProperty(records, async (writes) => {
      const joined = await join(writes.map(blockOf));
      const block = blockOf(writes.flat());
      deepStrictEqual(sorted(joined?.bytes), sorted(encodeBlock(block)));
      deepStrictEqual(joined?.events ?? 0, block.events);
    }),
    propertyOf(t, { few: 40, many: 1_500 }),
  );
});

t.test('figures as large as they become', async (t) => {
  const page = makePage();
  const [source, endpoint, method] = [page.source('service', 'shop'), page.name('/a'), page.name('GET')];
  const counted = { source, endpoint, method, status: 599, at: now, count: 200_000_000 };
  const block = new Block();
  block.addCounted({
    ...counted,
    latencies: [{ ms: 86_400_000, times: 200_000_000 }],
    message: 'é'.repeat(500),
  });
  const [row, ...others] = sorted((await join([block]))?.bytes);
  t.strictSame([row, ...others], sorted(encodeBlock(block)));
  t.equal(row?.latencySumUs, 17_280_000_000_000_000_000n);
});

t.test('more rows than a block has are delivered as they are', async (t) => {
  const page = makePage();
  const [source, method] = [page.source('service', 'shop'), page.name('GET')];
  const counted = { source, method, status: 200, at: now, count: 1, latencies: [{ ms: 3, times: 1 }] };
  const blocks = [1, 2].map((part) => {
    const block = new Block();
    for (let i = 0; i < rowsMax / 2 + 1; i += 1)
      block.addCounted({ ...counted, endpoint: makeName(`/${part}/${i}`) });
    return block;
  });
  const joined = await join(blocks);
  t.equal(joined?.rows, rowsMax + 2);
  t.ok(joined?.bytes.equals(Buffer.concat(blocks.map(encodeBlock))));
});

t.test('a large part is added in slices', async (t) => {
  const block = blockOfNames(20_000, 20);
  const { rows, events } = block;
  const part = { body: null, packed: packed(block), rows, events };
  const { turns } = await countTurns(() => createJoin(token).add(part));
  t.ok(turns >= 10, `${turns} turns`);
});

t.test('bytes that are cut off anywhere, or of another version, add no block', async (t) => {
  const page = makePage();
  const event = {
    kind: 'reporter' as const,
    source: 'r',
    endpoint: '/a',
    method: 'GET',
    status: 500,
    at: now,
  };
  const bytes = packed(blockOf([makeLoggedBatch(page, [{ ...event, ms: 3, message: 'failed' }])]));
  const isRefused = (some: Buffer): boolean => {
    try {
      Array.from(addPacked(some, new ReplayNames(), new Block()));
      return false;
    } catch {
      return true;
    }
  };
  const accepted = Array.from(bytes.keys()).filter((length) => !isRefused(bytes.subarray(0, length)));
  t.strictSame(accepted, []);
  t.equal(isRefused(Buffer.concat([bytes, Buffer.of(0)])), true);
  t.equal(isRefused(Buffer.concat([Buffer.of(9), bytes.subarray(1)])), true);
  t.equal(isRefused(bytes), false);
});
