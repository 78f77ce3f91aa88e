import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import { replaySegment, type SealedSegment } from '../../../ingest/log/segment.js';
import { decodeBlock } from '../../support/decode-block.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { largeBatches } from './log-commit-support.js';
import { blockOf, makePage, makeSmallBatch, writeSegment } from './support.js';

const recordCount = 20;

/** A segment whose record number i holds one event of the endpoint /i, and where each record begins. */
async function setUp(t: Test) {
  const page = makePage();
  const all = Array.from({ length: recordCount }, (_, i) => [makeSmallBatch(page, `/${i}`)]);
  const segment = await writeSegment(t, all);
  const content = await readFile(segment.path);
  const marker = content.subarray(0, 8);
  const begins: number[] = [];
  for (let at = 0; at !== -1; at = content.indexOf(marker, at + 1)) begins.push(at);
  t.equal(begins.length, recordCount);
  return { segment, content, begins };
}

/** The numbers of the records that a file with this content delivers; throws when one is delivered twice. */
async function replayed(segment: SealedSegment, content: Buffer) {
  await writeFile(segment.path, content);
  const found = await replaySegment({ ...segment, bytes: content.length });
  const rows = found?.block === undefined ? [] : decodeBlock(found.block.bytes);
  if (rows.some(({ requests }) => requests !== 1)) throw new Error('An event was delivered twice.');
  const numbers = rows.map(({ endpoint }) => Number(endpoint.slice(1)));
  return { ...found, numbers };
}

const numbersTo = (end: number): number[] => Array.from({ length: end }, (_, i) => i);
const without = (number: number): number[] => numbersTo(recordCount).filter((one) => one !== number);

/** The same offsets in every run. */
const randomOffsets = (bytes: number): number[] =>
  fc.sample(fc.nat({ max: bytes - 1 }), { numRuns: 50, seed: 42 });

t.test('a file that ends anywhere delivers every record before its end', async (t) => {
  const { segment, content, begins } = await setUp(t);
  const ends = begins.flatMap((begin) => [begin - 1, begin, begin + 1]).filter((end) => end >= 0);
  for (const end of [...ends, content.length, ...randomOffsets(content.length)]) {
    const whole = [...begins.slice(1), content.length].filter((next) => next <= end).length;
    const { numbers, damaged, tailBytes } = await replayed(segment, content.subarray(0, end));
    t.strictSame(numbers, numbersTo(whole), `the first ${end} bytes`);
    t.match({ damaged, tailBytes }, { damaged: 0, tailBytes: end - (begins[whole] ?? content.length) });
  }
});

t.test('a flipped bit anywhere takes one record only', async (t) => {
  const { segment, content, begins } = await setUp(t);
  const places = [...begins, ...begins.slice(1).map((begin) => begin - 1), content.length - 1];
  for (const at of [...places, ...randomOffsets(content.length)]) {
    const hit = begins.filter((begin) => begin <= at).length - 1;
    const damagedCopy = Buffer.from(content);
    damagedCopy.writeUInt8(damagedCopy.readUInt8(at) ^ (1 << (at % 8)), at);
    const { numbers, damaged } = await replayed(segment, damagedCopy);
    t.strictSame(numbers, without(hit), `byte ${at}`);
    t.equal(damaged, hit === recordCount - 1 ? 0 : 1);
  }
});

t.test('a tail that was preallocated, and never written, is skipped', async (t) => {
  const { segment, content, begins } = await setUp(t);
  for (const end of [begins[3] ?? 0, (begins[3] ?? 0) + 30]) {
    const { numbers, tailBytes } = await replayed(
      segment,
      Buffer.concat([content.subarray(0, end), Buffer.alloc(4096)]),
    );
    t.strictSame(numbers, numbersTo(3));
    t.equal(
      tailBytes,
      end === begins[3] ? 0 : 4096 + 30,
      'a record that was cut off is not taken for its end',
    );
  }
});

t.test('what follows the acknowledged bytes is not delivered', async (t) => {
  const { segment, begins } = await setUp(t);
  const found = await replaySegment({ ...segment, bytes: begins[5] ?? 0 });
  t.equal(found?.block?.events, 5);
});

t.test('a file without an event has no block', async (t) => {
  const { segment } = await setUp(t);
  t.match(await replayed(segment, Buffer.alloc(0)), { block: undefined, damaged: 0, tailBytes: 0 });
  t.match(await replayed(segment, Buffer.alloc(9)), { block: undefined, damaged: 0, tailBytes: 0 });
  t.match(await replayed(segment, Buffer.alloc(9, 1)), { block: undefined, damaged: 0, tailBytes: 9 });
});

t.test('a file that is gone is nothing; one that cannot be read is an error', async (t) => {
  const { segment } = await setUp(t);
  t.equal(await replaySegment({ ...segment, path: join(await temporaryFolder(t), 'gone.log') }), undefined);
  await t.rejects(replaySegment({ ...segment, path: dirname(segment.path) }), { code: 'EISDIR' });
});

t.test('a large file is replayed in slices, into the same bytes as the block in memory', async (t) => {
  const batches = largeBatches(makePage(), 45, 10);
  const segment = await writeSegment(t, [batches.slice(0, 40), batches.slice(40), batches]);
  const inTurns = [0];
  const added = t.capture(Block.prototype, 'add', Block.prototype.add);
  let isDone = false;
  function next(): void {
    inTurns.push(added().length);
    if (!isDone) setImmediate(next);
  }
  setImmediate(next);
  const found = await replaySegment(segment);
  isDone = true;
  t.ok(Math.max(...inTurns) <= 10, `${inTurns.filter((count) => count > 0)} batches a turn`);
  added.restore();
  t.ok(found?.block?.bytes.equals(encodeBlock(blockOf([...batches, ...batches]))));
  t.match(found, { damaged: 0, tailBytes: 0, block: { events: 90_000, rows: 45_000 } });
});
