import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { Block } from '../../../ingest/commit/collapse.js';
import { encodeBlock } from '../../../ingest/commit/encode-block.js';
import { EventRecord, recordVersion, releaseRecordVersion } from '../../../ingest/record/event-record.js';
import { ReplayNames, replayRecord } from '../../../ingest/record/replay-record.js';
import { decodeBlock } from '../../support/decode-block.js';
import { propertyOf } from '../../support/property.js';
import {
  blockOf,
  type LoggedBatch,
  makeLoggedBatch,
  makePage,
  makeSmallBatch,
  now,
  payloadOf,
  records,
} from '../log/support.js';

function replay(payloads: readonly Buffer[]): Block {
  const block = new Block();
  const names = new ReplayNames();
  for (const payload of payloads) Array.from(replayRecord({ version: recordVersion, payload }, names, block));
  return block;
}

t.test('replaying the records gives the same bytes as the block in memory', async () => {
  fc.assert(
    fc.property(records, (all) => {
      const replayed = replay(all.map((batches) => payloadOf(batches)));
      const block = blockOf(all.flat());
      deepStrictEqual(encodeBlock(replayed), encodeBlock(block));
      deepStrictEqual([replayed.events, replayed.rows], [block.events, block.rows]);
    }),
    propertyOf(t, { few: 75, many: 1_500 }),
  );
});

t.test('a record that is used again holds the next batches only', async () => {
  const record = new EventRecord();
  fc.assert(
    fc.property(records, (all) => {
      const payloads = all.map((batches) => {
        record.clear();
        return payloadOf(batches, record);
      });
      deepStrictEqual(encodeBlock(replay(payloads)), encodeBlock(blockOf(all.flat())));
    }),
    propertyOf(t, { few: 25, many: 500 }),
  );
});

t.test('two records that take turns with the same names are both whole', async (t) => {
  const page = makePage();
  const [one, two] = [new EventRecord(), new EventRecord()];
  const batches = Array.from({ length: 6 }, (_, i) => makeSmallBatch(page, `/${i % 2}`));
  for (const [i, { events, callers }] of batches.entries()) (i % 2 ? one : two).add(events, callers, now);
  const replayed = replay([one, two].map((record) => Buffer.concat(record.chunks())));
  t.equal(replayed.events, 6);
  t.equal(replayed.rows, 2);
});

t.test('a record with as many names as it takes', async (t) => {
  const page = makePage();
  const record = new EventRecord();
  const batches: LoggedBatch[] = [];
  for (let i = 0; record.fits(1_000); i += 1) {
    const events = Array.from({ length: 1_000 }, (_, j) => ({
      ...{ kind: 'service' as const, source: `source ${i} ${j}`, endpoint: `/${i}/${j}` },
      ...{ method: `M${i}${j}`, status: 200, at: now, ms: i, message: 'é'.repeat(100) },
    }));
    const batch = makeLoggedBatch(page, events);
    record.add(batch.events, batch.callers, batch.arrival);
    batches.push(batch);
  }
  t.equal(record.events, batches.length * 1_000);
  t.ok(record.events * 3 > 60_000, 'nearly all of the 65,536 numbers are in use');
  const chunks = record.chunks();
  t.equal(
    record.bytes,
    chunks.reduce((sum, { length }) => sum + length, 0),
  );
  t.ok(encodeBlock(replay([Buffer.concat(chunks)])).equals(encodeBlock(blockOf(batches))));
});

t.test('calls without events', async (t) => {
  const page = makePage();
  const call = { kind: 'reporter', source: 'probe' } as const;
  const rows = decodeBlock(encodeBlock(replay([payloadOf([makeLoggedBatch(page, [], [call], now)])])));
  t.match(rows, [{ pageId: page.id, kind: 2, service: 'probe', status: 0, reportedAt: BigInt(now) }]);
  t.equal(rows.length, 1);
});

t.test('an event whose name is not registered does not reach the log', async (t) => {
  const { events } = makeSmallBatch(makePage(), '/a');
  const record = new EventRecord();
  t.throws(() => record.add({ ...events, source: [undefined] }, [], now), /without a source/);
  t.throws(() => record.add({ ...events, method: [null] }, [], now), /unregistered name/);
});

t.test('a record of another version is refused', async (t) => {
  const payload = payloadOf([makeSmallBatch(makePage(), '/a')]);
  const version = releaseRecordVersion + 1;
  t.throws(() => Array.from(replayRecord({ version, payload }, new ReplayNames(), new Block())), /version 3/);
});

t.test('a payload that ends too early, or has a wrong number, throws and takes no memory', async (t) => {
  const page = makePage();
  const message = { status: 500, at: now, ms: 1, message: 'déjà vu' };
  const event = { kind: 'service', source: 'shop', endpoint: '/a', method: 'GET', ...message } as const;
  const batch = makeLoggedBatch(page, [event, event], [event]);
  const payload = payloadOf([batch]);
  const record = new EventRecord();
  record.add(batch.events, batch.callers, batch.arrival);
  const namesEnd = record.chunks()[0]?.length;
  for (let length = 0; length < payload.length; length += 1) {
    // The names alone are a record without a batch.
    if (length === namesEnd) continue;
    t.throws(() => replay([payload.subarray(0, length)]), RangeError, `${length} bytes`);
  }
  const before = process.memoryUsage().arrayBuffers;
  for (let at = 0; at + 4 <= payload.length; at += 1) {
    for (const number of [30_000_000, 0xffff_ffff]) {
      const damaged = Buffer.from(payload);
      damaged.writeUInt32LE(number, at);
      try {
        replay([damaged]);
      } catch (error) {
        t.type(error, Error);
      }
    }
  }
  t.ok(process.memoryUsage().arrayBuffers - before < 64 * 1024 ** 2);
});
