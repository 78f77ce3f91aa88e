import fc from 'fast-check';
import t from 'tap';
import { inflateSnappy } from '../../lib/snappy.js';
import { likeServiceError } from '../support/like-service-error.js';
import { propertyOf } from '../support/property.js';
import { copy, lengthOf, snappyBlock } from '../support/snappy.js';

const max = 4 * 1024 * 1024;
const block = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');

t.test('blocks with every element', async (t) => {
  // The first seven are among the cases of golang/snappy.
  const blocks: [sent: string, inflated: string][] = [
    ['\x00', ''],
    ['\x03\xf0\x02abc', 'abc'],
    ['\x08\x0cabcd\x01\x04', 'abcdabcd'],
    ['\x08\x0cabcd\x01\x02', 'abcdcdcd'],
    ['\x08\x0cabcd\x01\x01', 'abcddddd'],
    ['\x0d\x0cabcd\x15\x04', 'abcdabcdabcda'],
    ['\x06\x0cabcd\x07\x03\x00\x00\x00', 'abcdbc'],
    ['\x06\x0cabcd\x06\x03\x00', 'abcdbc'],
    ['\x03\xf4\x02\x00abc', 'abc'],
    ['\x03\xf8\x02\x00\x00abc', 'abc'],
    ['\x03\xfc\x02\x00\x00\x00abc', 'abc'],
  ];
  t.strictSame(
    blocks.map(([sent]) => inflateSnappy(block(sent), max).toString('latin1')),
    blocks.map(([, inflated]) => inflated),
  );
});

t.test('blocks that end early, go on, or point elsewhere are refused', async (t) => {
  const blocks = [
    '',
    '\x80',
    '\xff\xff\xff\xff\x7f\x00a',
    '\x80\x80\x80\x80\x80\x00',
    '\x04',
    '\x04\x08abc',
    '\x02\x08abc',
    '\x03\x08abcd',
    '\x04\x0cabc',
    '\x03\xf0',
    '\x03\xf0\x02ab',
    '\x08\x0cabcd\x01\x00',
    '\x08\x0cabcd\x01\x05',
    '\x09\x0cabcd\x01\x04',
    '\x07\x0cabcd\x01\x04',
    '\x08\x0cabcd\x01',
    '\x08\x0cabcd\x0e\x04',
    '\x08\x0cabcd\x0f\x04\x00\x00',
    '\x08\x0cabcd\x0f\x04\x00\x00\xff',
    '\x04\x01\x04',
  ];
  const taken = blocks.filter((sent) => {
    try {
      inflateSnappy(block(sent), max);
      return true;
    } catch (error) {
      return (error as { kind?: unknown }).kind !== 'bodyEncoding';
    }
  });
  t.strictSame(taken, []);
});

t.test(
  'a block may say at most the bytes of the bound, and at most what its elements can make',
  async (t) => {
    const zeros = snappyBlock(Buffer.alloc(1000));
    t.equal(inflateSnappy(zeros, 1000).length, 1000);
    t.throws(() => inflateSnappy(zeros, 999), likeServiceError('bodyTooLarge'));
    const said = Buffer.concat([lengthOf(2 ** 32 - 1), Buffer.alloc(64)]);
    t.throws(() => inflateSnappy(said, max), likeServiceError('bodyTooLarge'));
    const impossible = Buffer.concat([lengthOf(max), Buffer.alloc(64)]);
    t.throws(() => inflateSnappy(impossible, max), likeServiceError('bodyEncoding'));
    // The most that a byte of a block can say: copies of 64 bytes with an offset of two.
    const copies = Array.from({ length: 60_000 }, () => copy(1, 64, 'two bytes'));
    const bomb = Buffer.concat([lengthOf(60_000 * 64 + 1), Buffer.from([0, 0x61]), ...copies]);
    t.ok(inflateSnappy(bomb, max).equals(Buffer.alloc(60_000 * 64 + 1, 'a')));
  },
);

t.test('what is compressed in any form inflates to the same bytes', async (t) => {
  const word = fc.constantFrom('a', 'bc', 'le="0.5"', '\u0000', 'job=checkout', '~'.repeat(90));
  const texts = fc.array(fc.oneof(word, fc.string()), { maxLength: 200 }).map((parts) => parts.join(''));
  const forms = fc.constantFrom('none', 'short', 'two bytes', 'four bytes' as const);
  fc.assert(
    fc.property(texts, forms, (text, form) => {
      const bytes = Buffer.from(text);
      return inflateSnappy(snappyBlock(bytes, form), max).equals(bytes);
    }),
    propertyOf(t, { few: 200, many: 20_000 }),
  );
});

t.test('bytes at random are inflated to the length that they say, or refused', async (t) => {
  fc.assert(
    fc.property(fc.nat(300), fc.uint8Array({ maxLength: 100 }), (length, rest) => {
      try {
        return inflateSnappy(Buffer.concat([lengthOf(length), rest]), max).length === length;
      } catch (error) {
        return (error as { kind?: unknown }).kind === 'bodyEncoding';
      }
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
});
