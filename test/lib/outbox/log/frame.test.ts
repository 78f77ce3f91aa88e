import fc from 'fast-check';
import t from 'tap';
import { encodeHeader, endMark, markerOf } from '../../../../lib/outbox/log/frame.js';
import { propertyOf } from '../../../support/property.js';
import { type ReadFrames, readFrames } from '../../../support/read-frames.js';

const marker = markerOf('/log/0123456789abcdef.1.log');
const headerBytes = 24;

const record = (payload: Buffer, version = 1): Buffer =>
  Buffer.concat([encodeHeader(marker, version, [payload]), payload]);
const payloadsOf = ({ frames }: ReadFrames): string[] =>
  frames.map(({ payload }) => payload.toString('latin1'));
const read = (...parts: Buffer[]): ReadFrames => readFrames(Buffer.concat(parts), marker);

const [first, second, third] = ['first', 'second', 'third'].map((text) => record(Buffer.from(text))) as [
  Buffer,
  Buffer,
  Buffer,
];

/** A copy with one bit flipped. */
function flipped(bytes: Buffer, at: number, bit = 0): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(at) ^ (1 << bit), at);
  return copy;
}

const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));

t.test('records are read as they were written, in whatever chunks', async () => {
  const records = fc.array(fc.record({ chunks: fc.array(payload), version: fc.nat() }));
  fc.assert(
    fc.property(records, (all) => {
      const bytes = all.map(({ chunks, version }) =>
        Buffer.concat([encodeHeader(marker, version, chunks), ...chunks]),
      );
      const { frames, damaged, tailBytes } = read(...bytes);
      return (
        damaged === 0 &&
        tailBytes === 0 &&
        frames.length === all.length &&
        all.every(({ chunks, version }, i) => {
          const frame = frames[i];
          return frame?.version === version && frame.payload.equals(Buffer.concat(chunks));
        })
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('a record that was not written to its end is a tail, at every length', async (t) => {
  for (let length = 1; length < third.length; length += 1) {
    const found = read(first, second, third.subarray(0, length));
    t.strictSame(payloadsOf(found), ['first', 'second']);
    t.match(found, { damaged: 0, tailBytes: length });
  }
});

t.test('no flipped bit stops the records before and after it', async (t) => {
  for (let at = 0; at < second.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const found = read(first, flipped(second, at, bit), third);
      t.strictSame(payloadsOf(found), ['first', 'third'], `byte ${at}, bit ${bit}`);
      t.match(found, { damaged: 1, tailBytes: 0 });
    }
  }
});

t.test('a flipped bit in the first and in the last record', async (t) => {
  for (const at of [0, 9, 13, headerBytes]) {
    const begin = read(flipped(first, at), second);
    t.strictSame(payloadsOf(begin), ['second']);
    t.equal(begin.damaged, 1);
    const end = read(first, flipped(second, at));
    t.strictSame(payloadsOf(end), ['first']);
    t.match(end, { damaged: 0, tailBytes: second.length });
  }
});

t.test('a tail of zeros, which a file system leaves after a power failure', async (t) => {
  const found = read(first, Buffer.alloc(4096));
  t.strictSame(payloadsOf(found), ['first']);
  t.match(found, { damaged: 0, tailBytes: 0, end: first.length });
  t.match(read(first, Buffer.alloc(3)), { tailBytes: 0 }, 'or a shorter one');
});

/** The content of a file that has had records under another name: its first bytes are zeros. */
function usedBefore(bytes: number): Buffer {
  const old = markerOf('/log/0123456789abcdef.2.log');
  const payloads = Array.from({ length: Math.ceil(bytes / 40) }, (_, i) => Buffer.alloc(i % 70, 'old'));
  const records = payloads.map((one) => Buffer.concat([encodeHeader(old, 1, [one]), one]));
  return Buffer.concat(records).fill(endMark, 0, endMark.length).subarray(0, bytes);
}

t.test(
  'a file that is used again holds its new records alone, wherever its last write was cut off',
  async () => {
    const sectorBytes = 512;
    const fileBytes = 64 * sectorBytes;
    const texts = fc.array(fc.nat({ max: 1_500 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.boolean()), (lengths, reaches) => {
        const disk = usedBefore(fileBytes);
        const payloads = lengths.map((length, i) => Buffer.alloc(length, `new ${i} `));
        let end = 0;
        const writes = payloads.map((one) => {
          const bytes = Buffer.concat([record(one), endMark]);
          const at = end;
          end += bytes.length - endMark.length;
          return { at, bytes };
        });
        const last = writes.pop();
        for (const { at, bytes } of writes) bytes.copy(disk, at);
        const acknowledged = readFrames(disk, marker);
        // Each sector of the last write reaches the disk, or does not.
        const complete = Buffer.from(disk);
        last?.bytes.copy(complete, last.at);
        for (let at = 0; at < fileBytes; at += sectorBytes) {
          if (reaches.next().value) complete.copy(disk, at, at, at + sectorBytes);
        }
        const found = readFrames(disk, marker);
        const isWhole = found.frames.length === payloads.length;
        const expected = isWhole ? payloads : payloads.slice(0, -1);
        return (
          acknowledged.tailBytes === 0 &&
          acknowledged.damaged === 0 &&
          found.damaged === 0 &&
          found.frames.length === expected.length &&
          expected.every((one, i) => found.frames[i]?.payload.equals(one))
        );
      }),
      propertyOf(t, { few: 200, many: 5_000 }),
    );
  },
);

t.test('a torn record is told from the records that a file had under its last name', async (t) => {
  const disk = usedBefore(4_096);
  t.match(readFrames(disk, marker), { frames: [], damaged: 0, tailBytes: 0, end: 0 });
  const written = Buffer.concat([first, second.subarray(0, 20)]);
  written.copy(disk);
  t.match(readFrames(disk, marker), { frames: [{}], damaged: 0, tailBytes: disk.length - first.length });
  const ended = usedBefore(4_096);
  Buffer.concat([first, endMark]).copy(ended);
  t.match(readFrames(ended, marker), { frames: [{}], damaged: 0, tailBytes: 0 });
});

t.test('a new name on content that the disk does not have yet, and the reverse', async (t) => {
  const [old, name] = ['/log/0123456789abcdef.1.log', '/log/0123456789abcdef.2.log'];
  const content = Buffer.concat([first, second, endMark]);
  t.match(readFrames(content, markerOf(name)), { frames: [] }, 'the new name finds no old record');
  const changed = Buffer.concat([encodeHeader(markerOf(name), 1, []), endMark]);
  t.match(readFrames(changed, markerOf(old)), { frames: [] }, 'the old name finds no new record');
});

t.test('stretches of damage are counted, however many records they take', async (t) => {
  const zeros = Buffer.alloc(second.length);
  const found = read(first, zeros, zeros, third, flipped(second, 28), first, zeros);
  t.strictSame(payloadsOf(found), ['first', 'third', 'first']);
  t.match(found, { damaged: 2, tailBytes: 0 });
});

t.test('a payload that holds the marker, and whole records of the file, is one payload', async (t) => {
  const nested = Buffer.concat([marker, first, marker]);
  t.strictSame(payloadsOf(read(record(nested), second)), [nested.toString('latin1'), 'second']);
});

t.test('the records of another file are no records of this one', async (t) => {
  const other = readFrames(Buffer.concat([first, second]), markerOf('/log/0123456789abcdef.2.log'));
  t.match(other, { frames: [], damaged: 0, tailBytes: first.length + second.length });
  t.ok(markerOf('/elsewhere/0123456789abcdef.1.log').equals(marker), 'a file keeps its marker where it goes');
});

t.test('bytes of any kind between records neither throw nor take a record along', async () => {
  fc.assert(
    fc.property(payload, payload, (before, after) => {
      const found = payloadsOf(read(before, first, after, second));
      return found.length === 2 && found[0] === 'first' && found[1] === 'second';
    }),
    propertyOf(t, { few: 125, many: 2_500 }),
  );
});
