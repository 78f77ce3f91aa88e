import { POWERS_OF_TEN } from './layout';

const DOT: u32 = 0x2e;
const ZEROS: u64 = 0x3030303030303030;
/** Whole numbers with so many digits, and the powers of ten up to it, are exact as f64. */
const EXACT_DIGITS: u32 = 15;

/** The number that `endOfUsualNumber` read. */
export let usualNumber: f64 = 0;

/** Fills the powers of ten. */
export function makePowersOfTen(): void {
  let power: u64 = 1;
  for (let i: usize = 0; i <= <usize>EXACT_DIGITS; i++) {
    store<u64>(POWERS_OF_TEN + (i << 3), power);
    power *= 10;
  }
}

/** Returns how many of the eight bytes, xored with `ZEROS` and the first one lowest, are digits before the first other. */
// @ts-ignore: decorator
@inline
function digitsOf(bytes: u64): u32 {
  // Adding 0x76 sets the highest bit of every byte above 9. A carry changes only bytes behind the first other byte.
  return <u32>(ctz(((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080) >> 3);
}

/** Returns the number that eight digits make, each as a byte from 0 to 9 and the first one lowest. */
// @ts-ignore: decorator
@inline
function eightDigits(bytes: u64): u64 {
  const pairs = bytes * 10 + (bytes >> 8);
  const low = (pairs & 0x000000ff000000ff) * 0x000f424000000064;
  const high = ((pairs >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return (low + high) >> 32;
}

/** Returns the number that the first `count` digits make, from 1 to 8. */
// @ts-ignore: decorator
@inline
function someDigits(bytes: u64, count: u32): u64 {
  return eightDigits(bytes << <u64>(64 - (count << 3)));
}

// @ts-ignore: decorator
@inline
function powerOfTen(exponent: u32): u64 {
  return load<u64>(POWERS_OF_TEN + (<usize>exponent << 3));
}

/**
 * Reads a number without sign and exponent, of at most seven digits before the point and 15 digits in all. Returns the
 * address behind it and sets `usualNumber`; returns 0 for another number and for what is none. One division of two
 * exact numbers rounds as JSON.parse does.
 */
export function endOfUsualNumber(p: usize): usize {
  const bytes = load<u64>(p) ^ ZEROS;
  const count = digitsOf(bytes);
  if (count == 0 || count == 8) return 0;
  if (count > 1 && (bytes & 0xff) == 0) return 0; // A leading zero.
  const whole = someDigits(bytes, count);
  p += count;
  if (<u32>load<u8>(p) != DOT) {
    usualNumber = <f64>whole;
    return isExponent(<u32>load<u8>(p)) ? 0 : p;
  }
  return endOfFraction(p + 1, whole, count);
}

/** Reads the digits behind the point of a number, as above. `count` are the digits of `whole`. */
// @ts-ignore: decorator
@inline
function endOfFraction(p: usize, whole: u64, count: u32): usize {
  const bytes = load<u64>(p) ^ ZEROS;
  let places = digitsOf(bytes);
  if (places == 0) return 0;
  let part = someDigits(bytes, places);
  if (places == 8) {
    const more = load<u64>(p + 8) ^ ZEROS;
    const further = digitsOf(more);
    if (count + 8 + further > EXACT_DIGITS) return 0;
    if (further > 0) part = part * powerOfTen(further) + someDigits(more, further);
    places += further;
  }
  p += places;
  if (isExponent(<u32>load<u8>(p))) return 0;
  usualNumber = <f64>(whole * powerOfTen(places) + part) / <f64>powerOfTen(places);
  return p;
}

// @ts-ignore: decorator
@inline
function isExponent(byte: u32): bool {
  return (byte | 0x20) == 0x65;
}

/** Returns the address behind any number of JSON; 0 for what is none. */
export function endOfNumber(p: usize): usize {
  if (load<u8>(p) == 0x2d) p++;
  const first = <u32>load<u8>(p);
  if (!isDigit(first)) return 0;
  p = first == 0x30 ? p + 1 : behindDigits(p);
  if (<u32>load<u8>(p) == DOT) {
    if (!isDigit(<u32>load<u8>(p + 1))) return 0;
    p = behindDigits(p + 1);
  }
  if (isExponent(<u32>load<u8>(p))) {
    p++;
    const sign = <u32>load<u8>(p);
    if (sign == 0x2b || sign == 0x2d) p++;
    if (!isDigit(<u32>load<u8>(p))) return 0;
    p = behindDigits(p);
  }
  return p;
}

function behindDigits(p: usize): usize {
  while (isDigit(<u32>load<u8>(p))) p++;
  return p;
}

// @ts-ignore: decorator
@inline
function isDigit(byte: u32): bool {
  return byte >= 0x30 && byte <= 0x39;
}
