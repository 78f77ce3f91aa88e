import { BODY, EXPECTED_KEYS, KEYS, KEYS_MAX, PLACES } from './layout';
import { endOfString, firstBytes, hasEscape, skipSpace } from './strings';

/**
 * A key of an event: 16 bytes `"name":` and zeros, 16 bytes mask of them, 16 bytes mask without the colon, u32 bytes with
 * the colon, u32 field. Names have at most 13 bytes, so that a key fits into a vector.
 */
const TOKEN: usize = 0;
const MASK: usize = 16;
const NAME_MASK: usize = 32;
const BYTES: usize = 48;
const FIELD: usize = 52;
const KEY_BYTES_LOG2: usize = 6;

/** Stands for a key that no field has. */
export const UNKNOWN_KEY: usize = 1;

let keys: u32 = 0;

/** The address of the value of the key that `readKey` read, behind the colon and white space. */
export let valueAt: usize = 0;

/** Adds a key of `bytes` bytes, `"name":`, which lies at the start of the body, and the number of its field. */
export function addKey(bytes: u32, field: u32): void {
  if (keys == KEYS_MAX || bytes > 16) unreachable();
  const key = KEYS + (<usize>keys << KEY_BYTES_LOG2);
  v128.store(key + TOKEN, v128.and(v128.load(BODY), firstBytes(bytes)));
  v128.store(key + MASK, firstBytes(bytes));
  v128.store(key + NAME_MASK, firstBytes(bytes - 1));
  store<u32>(key + BYTES, bytes);
  store<u32>(key + FIELD, field);
  keys++;
}

/** Returns the field of a key that `readKey` returned, other than `UNKNOWN_KEY`. */
// @ts-ignore: decorator
@inline
export function fieldOf(key: usize): u32 {
  return load<u32>(key + FIELD);
}

/**
 * Reads the key at `p` and its colon. Returns its address, or `UNKNOWN_KEY`, and sets `valueAt`; returns 0 for another
 * byte than a quote, for a key with an escape, and without a colon. The key that the previous event had at this place is
 * compared first. `place` may be any number: places that share a guess only guess worse.
 */
// @ts-ignore: decorator
@inline
export function readKey(p: usize, place: u32): usize {
  const guess = EXPECTED_KEYS + (<usize>(place & (PLACES - 1)) << 2);
  const key = <usize>load<u32>(guess);
  if (key != 0 && isAt(p, key, MASK)) {
    valueAt = skipSpace(p + load<u32>(key + BYTES));
    return key;
  }
  return findKey(p, guess);
}

// @ts-ignore: decorator
@inline
function isAt(p: usize, key: usize, mask: usize): bool {
  return !v128.any_true(v128.and(v128.xor(v128.load(p), v128.load(key + TOKEN)), v128.load(key + mask)));
}

/** Reads any key, as readKey(), and remembers it as the guess of its place. */
function findKey(p: usize, guess: usize): usize {
  if (load<u8>(p) != 0x22) return 0;
  for (let i: u32 = 0; i < keys; i++) {
    const key = KEYS + (<usize>i << KEY_BYTES_LOG2);
    if (!isAt(p, key, NAME_MASK)) continue;
    if (!takeColon(p + load<u32>(key + BYTES) - 1)) return 0;
    store<u32>(guess, <u32>key);
    return key;
  }
  const end = endOfString(p + 1);
  if (end == 0 || hasEscape || !takeColon(end + 1)) return 0;
  store<u32>(guess, 0);
  return UNKNOWN_KEY;
}

/** Passes white space and a colon, and sets `valueAt`. Returns whether there was a colon. */
function takeColon(p: usize): bool {
  p = skipSpace(p);
  if (load<u8>(p) != 0x3a) return false;
  valueAt = skipSpace(p + 1);
  return true;
}
