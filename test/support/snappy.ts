/** How the compressor of the tests writes what repeats. */
type Copies = 'none' | 'short' | 'two bytes' | 'four bytes';

/**
 * Compresses bytes into a block of snappy: a greedy search for what repeats, and one form of copies, so that a test has
 * each of them.
 */
export function snappyBlock(bytes: Buffer, copies: Copies = 'two bytes'): Buffer {
  const parts: Buffer[] = [lengthOf(bytes.length)];
  const seen = new Map<string, number>();
  let literalFrom = 0;
  let at = 0;
  while (copies !== 'none' && at + 4 <= bytes.length) {
    const key = bytes.toString('latin1', at, at + 4);
    const from = seen.get(key);
    seen.set(key, at);
    const offset = at - (from ?? at);
    if (from === undefined || offset >= (copies === 'short' ? 2048 : 65_536)) {
      at += 1;
      continue;
    }
    const sizeMax = copies === 'short' ? 11 : 64;
    let size = 4;
    while (size < sizeMax && at + size < bytes.length && bytes[from + size] === bytes[at + size]) size += 1;
    parts.push(...literals(bytes.subarray(literalFrom, at)), copy(offset, size, copies));
    at += size;
    literalFrom = at;
  }
  return Buffer.concat([...parts, ...literals(bytes.subarray(literalFrom))]);
}

/** The length before a block: a varint. */
export function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}

/** Writes one copy. */
export function copy(offset: number, size: number, form: Copies): Buffer {
  if (form === 'short') return Buffer.from([((offset >> 8) << 5) | ((size - 4) << 2) | 1, offset & 0xff]);
  const bytes = Buffer.alloc(form === 'two bytes' ? 3 : 5);
  bytes[0] = ((size - 1) << 2) | (form === 'two bytes' ? 2 : 3);
  bytes.writeUIntLE(offset, 1, bytes.length - 1);
  return bytes;
}

/** Literals of up to 60 bytes have their length in the tag, longer ones in one to four bytes behind it. */
function literals(bytes: Buffer): Buffer[] {
  if (bytes.length === 0) return [];
  const last = bytes.length - 1;
  if (last < 60) return [Buffer.from([last << 2]), bytes];
  const extra = last < 2 ** 8 ? 1 : last < 2 ** 16 ? 2 : last < 2 ** 24 ? 3 : 4;
  const tag = Buffer.alloc(1 + extra);
  tag[0] = (59 + extra) << 2;
  tag.writeUIntLE(last, 1, extra);
  return [tag, bytes];
}
