import { ServiceError } from './service-error.js';

const hint = 'Compress the body in the block format of snappy, without the frames of its stream format.';

/** A copy of 64 bytes takes three, so nothing inflates to more than 22 times its length. */
const ratioMax = 22;

/**
 * Inflates a block of snappy (https://github.com/google/snappy/blob/main/format_description.txt). The block says its
 * length first; nothing is allocated before that length is known to be allowed and possible. Every element is checked
 * against both buffers, which the packages on npm without native code do not do (snappyjs 0.7 returns a block that
 * ends early, padded with zeros).
 *
 * @throws ServiceError `bodyTooLarge` beyond `bytesMax`, `bodyEncoding` for a malformed block
 */
export function inflateSnappy(block: Buffer, bytesMax: number): Buffer {
  const { length, at } = readLength(block);
  if (length > bytesMax) throw new ServiceError('bodyTooLarge');
  if (length > (block.length - at) * ratioMax) throw malformed();
  const inflated = Buffer.allocUnsafe(length);
  let from = at;
  let to = 0;
  while (from < block.length) {
    const tag = byteAt(block, from);
    from += 1;
    if ((tag & 3) === 0) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const size = (extra === 0 ? tag >> 2 : numberAt(block, from, extra)) + 1;
      from += extra;
      if (size > block.length - from || size > length - to) throw malformed();
      block.copy(inflated, to, from, from + size);
      from += size;
      to += size;
      continue;
    }
    const isShort = (tag & 3) === 1;
    const offsetBytes = isShort ? 1 : (tag & 3) === 2 ? 2 : 4;
    const size = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const low = numberAt(block, from, offsetBytes);
    const offset = isShort ? ((tag >> 5) << 8) + low : low;
    from += offsetBytes;
    if (offset === 0 || offset > to || size > length - to) throw malformed();
    copyWithin(inflated, to - offset, to, size);
    to += size;
  }
  if (to !== length) throw malformed();
  return inflated;
}

/** A copy may overlap what it writes: it then repeats the bytes between both places. */
function copyWithin(bytes: Buffer, from: number, to: number, size: number): void {
  if (to - from >= size) bytes.copyWithin(to, from, from + size);
  else for (let i = 0; i < size; i += 1) bytes[to + i] = bytes[from + i] ?? 0;
}

/** Reads the length of the inflated bytes: a varint of up to 32 bits. */
function readLength(block: Buffer): { length: number; at: number } {
  let length = 0;
  for (let i = 0; i < 5; i += 1) {
    const byte = byteAt(block, i);
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte >= 0x80) continue;
    if (length >= 2 ** 32) throw malformed();
    return { length, at: i + 1 };
  }
  throw malformed();
}

function numberAt(block: Buffer, at: number, bytes: number): number {
  if (at + bytes > block.length) throw malformed();
  return block.readUIntLE(at, bytes);
}

function byteAt(block: Buffer, at: number): number {
  const byte = block[at];
  if (byte === undefined) throw malformed();
  return byte;
}

function malformed(): ServiceError {
  return new ServiceError('bodyEncoding', { hint });
}
