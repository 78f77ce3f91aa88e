import { MASKS } from './layout';

const QUOTE: u32 = 0x22;
const BACKSLASH: u32 = 0x5c;
const FIRST_PRINTABLE: u32 = 0x20;

/** Whether the string that was read last has escapes. Its text is then another than its bytes. */
export let hasEscape: bool = false;
/** Not 0 once a string of the body, or up to 15 bytes behind it, had a byte outside of ASCII. */
export let nonAscii: i32 = 0;

/** Begins a body. */
export function forgetStrings(): void {
  nonAscii = 0;
}

/** Fills the masks that `firstBytes` loads. */
export function makeMasks(): void {
  for (let n: usize = 0; n <= 16; n++) {
    for (let i: usize = 0; i < 16; i++) store<u8>(MASKS + (n << 4) + i, i < n ? 0xff : 0);
  }
}

/** Returns the mask of the first n bytes of a vector. `n` is at most 16. */
// @ts-ignore: decorator
@inline
export function firstBytes(n: usize): v128 {
  return v128.load(MASKS + (n << 4));
}

/** Returns the address of the next byte that is no white space of JSON. The zero behind a body is none. */
// @ts-ignore: decorator
@inline
export function skipSpace(p: usize): usize {
  return load<u8>(p) > 0x20 ? p : skipSomeSpace(p);
}

function skipSomeSpace(p: usize): usize {
  while (true) {
    const byte = load<u8>(p);
    if (byte != 0x20 && byte != 0x0a && byte != 0x0d && byte != 0x09) return p;
    p++;
  }
  return p;
}

/**
 * Returns the address of the quote that ends the string whose first byte is at `p`, and sets `hasEscape`; returns 0 for a
 * string that JSON does not allow. Every byte from `p` to the result is above 0x1f, and every escape is one of JSON, so
 * JSON.parse accepts the string when its bytes are UTF-8. The zeros behind the body end the loop.
 */
// @ts-ignore: decorator
@inline
export function endOfString(p: usize): usize {
  hasEscape = false;
  while (true) {
    const bytes = v128.load(p);
    nonAscii |= i8x16.bitmask(bytes);
    const quotes = i8x16.eq(bytes, i8x16.splat(<i8>QUOTE));
    const backslashes = i8x16.eq(bytes, i8x16.splat(<i8>BACKSLASH));
    const controls = i8x16.lt_u(bytes, i8x16.splat(<i8>FIRST_PRINTABLE));
    const ends = i8x16.bitmask(v128.or(v128.or(quotes, backslashes), controls));
    if (ends == 0) {
      p += 16;
      continue;
    }
    p += <usize>ctz(ends);
    const byte = <u32>load<u8>(p);
    if (byte == QUOTE) return p;
    if (byte != BACKSLASH) return 0;
    hasEscape = true;
    p = behindEscape(p);
    if (p == 0) return 0;
  }
  return 0;
}

/** Returns the address behind the escape whose backslash is at `p`; 0 for one that JSON does not have. */
function behindEscape(p: usize): usize {
  switch (<u32>load<u8>(p + 1)) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return p + 2;
    case 0x75: // u
      for (let i: usize = 2; i < 6; i++) if (!isHexDigit(<u32>load<u8>(p + i))) return 0;
      return p + 6;
    default:
      return 0;
  }
}

function isHexDigit(byte: u32): bool {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x66);
}
