import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import t from 'tap';
import { type Coding, inflateAside, inflateAtOnce, inflatingWork } from '../../api/inflate.js';
import { ServiceError } from '../../lib/service-error.js';

const bytesMax = 5_000;
const plenty = 1024 * 1024;

/** The text that bytes inflate to, or the kind of the error; the same in both ways. */
async function outcome(coding: Coding, bytes: Buffer, mayTake = plenty): Promise<string> {
  const compressed = { coding, bytes, bytesMax, mayTake };
  const [atOnce, aside] = await Promise.all([
    textOf(async () => inflateAtOnce(compressed)),
    textOf(() => inflateAside(compressed)),
  ]);
  return aside === atOnce ? atOnce : `${atOnce} at once, ${aside} aside`;
}

async function textOf(work: () => Promise<Buffer>): Promise<string> {
  try {
    return (await work()).toString();
  } catch (error) {
    return error instanceof ServiceError ? error.kind : String(error);
  }
}

const packers: Record<Coding, (text: string) => Buffer> = {
  gzip: (text) => gzipSync(text),
  'x-gzip': (text) => gzipSync(text),
  deflate: (text) => deflateSync(text),
  br: (text) => brotliCompressSync(text),
};
const text = 'abc'.repeat(300);

for (const [name, pack] of Object.entries(packers)) {
  const coding = name as Coding;
  t.test(
    `${name}: a body inflates up to its bound, and is refused when it is cut short anywhere`,
    async (t) => {
      const packed = pack(text);
      const lengths = [...packed.keys()];
      const short = await Promise.all(lengths.map((length) => outcome(coding, packed.subarray(0, length))));
      t.strictSame([...new Set(short)], ['bodyEncoding']);
      t.equal(await outcome(coding, packed), text);
      t.equal(await outcome(coding, pack('')), '');
      t.equal((await outcome(coding, pack('x'.repeat(bytesMax)))).length, bytesMax);
      t.equal(await outcome(coding, pack('x'.repeat(bytesMax + 1))), 'bodyTooLarge');
      t.equal(await outcome(coding, pack('x'.repeat(4 * 1024 * 1024))), 'bodyTooLarge', 'a bomb');
      t.equal(
        await outcome(coding, Buffer.from('[{"endpoint":"/a"}]')),
        'bodyEncoding',
        'what is not compressed',
      );
    },
  );

  t.test(`${name}: the body may take what the memory has left`, async (t) => {
    t.equal((await outcome(coding, pack('x'.repeat(100)), 100)).length, 100);
    t.equal(await outcome(coding, pack('x'.repeat(101)), 100), 'overloaded');
    t.equal((await outcome(coding, pack('x'), 0)).length, 1);
    t.equal(await outcome(coding, pack('xx'), -5), 'overloaded');
  });
}

t.test('gzip: several members are one body, and nothing but zeros may follow them', async (t) => {
  const [packed, empty] = [gzipSync(text), gzipSync('')];
  const join = (...parts: (Buffer | string)[]) =>
    outcome('gzip', Buffer.concat(parts.map((part) => Buffer.from(part))));
  t.equal(await join(packed, packed), text + text);
  t.equal(await join(empty, packed, empty), text);
  t.equal(await join(packed, Buffer.alloc(9)), text);
  t.equal(await join(gzipSync('x'.repeat(bytesMax)), gzipSync('x')), 'bodyTooLarge');
  const refused = await Promise.all([
    join(packed, 'x'),
    join(packed, packed.subarray(0, 9)),
    join(packed, '\x1f'),
  ]);
  t.strictSame(refused, ['bodyEncoding', 'bodyEncoding', 'bodyEncoding']);
});

t.test('gzip: the length at the end decides nothing', async (t) => {
  for (const length of [0, 1, text.length - 1, 2 ** 32 - 1]) {
    const packed = gzipSync(text);
    packed.writeUInt32LE(length, packed.length - 4);
    t.equal(await outcome('gzip', packed), 'bodyEncoding', String(length));
  }
  // The last of two members says less than both have.
  t.equal(
    (await outcome('gzip', Buffer.concat([gzipSync('x'.repeat(4_999)), gzipSync('y')]))).length,
    bytesMax,
  );
});

t.test('deflate: is zlib, not raw', async (t) => {
  t.equal(await outcome('deflate', deflateRawSync(text)), 'bodyEncoding');
});

t.test('a short body does not hold the memory of the length that it says', async (t) => {
  const saysMuch = Buffer.concat([gzipSync('{}'), Buffer.from([0, 0xff, 0xff, 0xff, 0x7f])]);
  const compressed = { coding: 'gzip', bytes: saysMuch, bytesMax: 2 * plenty, mayTake: 2 * plenty } as const;
  for (const body of [inflateAtOnce(compressed), await inflateAside(compressed)]) {
    t.equal(body.toString(), '{}');
    t.ok(body.buffer.byteLength < 64 * 1024, `${body.buffer.byteLength} bytes`);
  }
});

t.test('work on input without output counts too', async (t) => {
  t.equal(inflatingWork(64 * 1024, 0), 4 * 1024 * 1024, 'a stretch of its own');
  t.equal(inflatingWork(1_000, 2 * 1024 * 1024), 2 * 1024 * 1024);
});
