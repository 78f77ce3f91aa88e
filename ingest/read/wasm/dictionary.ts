import { ARENA, ARENA_END, SLOTS, SLOTS_COUNT, SPELLING_BYTES_MAX } from './layout';
import { firstBytes } from './strings';

/**
 * The spellings of names that the pages know, with open addressing: from (page, kind, bytes) to the number that
 * JavaScript gave to the name. A slot is u32 hash, u32 address of the entry, u32 page, u32 length << 2 | kind; a hash of
 * 0 is an empty slot. An entry is the number in 16 bytes, then the bytes, padded to a multiple of 16.
 *
 * At least half of the slots are empty, so every search ends.
 */

const ENTRIES_MAX: u32 = SLOTS_COUNT / 2;

/** Differs from process to process, so that clients cannot choose names that collide. */
let seed: u64 = 0;
let entries: u32 = 0;
let arenaAt: usize = ARENA;

/** Sets the seed of the hashes, before the first spelling. */
export function seedDictionary(random: u64): void {
  seed = random;
}

/** Removes all spellings. */
export function emptyDictionary(): void {
  memory.fill(SLOTS, 0, <usize>SLOTS_COUNT << 4);
  entries = 0;
  arenaAt = ARENA;
}

// @ts-ignore: decorator
@inline
function mix(hash: u64, low: u64, high: u64): u64 {
  hash = (hash ^ low) * 0xff51afd7ed558ccd;
  hash ^= hash >> 32;
  hash = (hash ^ high) * 0xc4ceb9fe1a85ec53;
  return hash ^ (hash >> 29);
}

/** Returns the hash of `length` bytes at `p`; never 0. Loads up to 15 bytes behind them. */
// @ts-ignore: decorator
@inline
function hashOf(page: u32, p: usize, length: u32, lengthAndKind: u32): u32 {
  let hash = seed ^ ((<u64>page << 32) | <u64>lengthAndKind);
  let rest = <usize>length;
  while (rest > 16) {
    const bytes = v128.load(p);
    hash = mix(hash, i64x2.extract_lane(bytes, 0), i64x2.extract_lane(bytes, 1));
    p += 16;
    rest -= 16;
  }
  const last = v128.and(v128.load(p), firstBytes(rest));
  hash = mix(hash, i64x2.extract_lane(last, 0), i64x2.extract_lane(last, 1));
  return <u32>(hash ^ (hash >> 32)) | 1;
}

/** Returns whether `length` bytes at both places are the same. Loads up to 15 bytes behind them. */
// @ts-ignore: decorator
@inline
function isSame(a: usize, b: usize, length: u32): bool {
  let rest = <usize>length;
  while (rest > 16) {
    if (v128.any_true(v128.xor(v128.load(a), v128.load(b)))) return false;
    a += 16;
    b += 16;
    rest -= 16;
  }
  return !v128.any_true(v128.and(v128.xor(v128.load(a), v128.load(b)), firstBytes(rest)));
}

/** The slot that `search` found: the one of the spelling, or the empty one that it may take. */
let foundSlot: usize = 0;
let searchedHash: u32 = 0;

/** Returns the number of a spelling, and 0 for one that is not known. Sets `foundSlot` and `searchedHash`. */
// @ts-ignore: decorator
@inline
function search(page: u32, p: usize, length: u32, lengthAndKind: u32): u32 {
  const hash = hashOf(page, p, length, lengthAndKind);
  searchedHash = hash;
  let slot = hash & (SLOTS_COUNT - 1);
  while (true) {
    const at = SLOTS + (<usize>slot << 4);
    const held = load<u32>(at);
    foundSlot = at;
    if (held == 0) return 0;
    if (held == hash && load<u32>(at + 8) == page && load<u32>(at + 12) == lengthAndKind) {
      const entry = <usize>load<u32>(at + 4);
      if (isSame(entry + 16, p, length)) return load<u32>(entry);
    }
    slot = (slot + 1) & (SLOTS_COUNT - 1);
  }
  return 0;
}

/** Returns the number of the spelling of `length` bytes at `p` in the body; 0 for one that the page is not known to have. */
// @ts-ignore: decorator
@inline
export function numberOf(page: u32, kind: u32, p: usize, length: u32): u32 {
  return length > SPELLING_BYTES_MAX ? 0 : search(page, p, length, (length << 2) | kind);
}

/**
 * Adds a spelling in the body, of at most `SPELLING_BYTES_MAX` bytes, with its number, which is not 0. Returns the number
 * that the spelling has now, which is an older one if it had one; 0 when there is no room until the dictionary is emptied.
 */
export function addSpelling(page: u32, kind: u32, p: usize, length: u32, number: u32): u32 {
  const bytes = (<usize>length + 31) & ~15;
  const lengthAndKind = (length << 2) | kind;
  const held = search(page, p, length, lengthAndKind);
  if (held != 0) return held;
  if (entries == ENTRIES_MAX || arenaAt + bytes > ARENA_END) return 0;
  store<u32>(foundSlot, searchedHash);
  store<u32>(foundSlot + 4, <u32>arenaAt);
  store<u32>(foundSlot + 8, page);
  store<u32>(foundSlot + 12, lengthAndKind);
  store<u32>(arenaAt, number);
  memory.copy(arenaAt + 16, p, <usize>length);
  arenaAt += bytes;
  entries++;
  return number;
}
