/**
 * The map of the memory, in bytes from its start. Nothing is allocated: every region has its place and its size here. The
 * compiler puts nothing into the memory, because the sources hold no texts, arrays or objects.
 */

/** Events of a body; a longer array is left to JSON.parse. */
export const EVENTS_MAX: u32 = 1000;
/** Bytes of a body. */
export const BODY_BYTES_MAX: u32 = 2 * 1024 * 1024;
/**
 * Zero bytes behind a body. A zero ends every loop over the body, and no load begins more than 32 bytes behind the last
 * byte that was looked at and lasts longer than 16: every load is inside the region without a check.
 */
export const PADDING_BYTES: u32 = 64;

/** Masks of 16 bytes: the one of n, from 0 to 16, has its first n bytes set. */
export const MASKS: usize = 1024;
/** 10^0 to 10^15 as u64. */
export const POWERS_OF_TEN: usize = MASKS + 17 * 16;

/** The keys of an event, 64 bytes each; see keys.ts. */
export const KEYS: usize = 2048;
export const KEYS_MAX: u32 = 16;
/** For each of 16 places in an event, u32: the address of the key that the previous event had there; 0 for another key. */
export const EXPECTED_KEYS: usize = KEYS + 1024;
export const PLACES: u32 = 16;

/** The outcome of a body besides its columns, as u32; see body.ts. */
export const OUTCOME: usize = 4096;

/** The columns: a value for each element of the array of events. */
export const AT_MS: usize = 8192; // f64, milliseconds since the epoch
export const LATENCY_MS: usize = AT_MS + 8192; // f64, NaN without one
export const SOURCE: usize = LATENCY_MS + 8192; // u32, the number of a name; 0 without one, and for an unknown spelling
export const ENDPOINT: usize = SOURCE + 4096; // u32, as above
export const METHOD: usize = ENDPOINT + 4096; // u32, as above
export const EVENT_START: usize = METHOD + 4096; // u32, the address of the element
export const EVENT_END: usize = EVENT_START + 4096; // u32, the address behind it
export const STATUS: usize = EVENT_END + 4096; // u16

/** The parts that are left to JavaScript, 16 bytes each, at most seven of an event; see leftovers.ts. */
export const LEFTOVERS: usize = 65536;
export const LEFTOVERS_OF_EVENT: u32 = 7;

/** The body and its padding. The bytes before it are zeros. */
export const BODY: usize = 196608;
/** The address of a byte that begins no value. */
export const NO_VALUE: usize = BODY - 1;

/** A longer spelling, such as an endpoint with a query string of a megabyte, is unknown each time. */
export const SPELLING_BYTES_MAX: u32 = 1024;
/** The slots of the dictionary, 16 bytes each; see dictionary.ts. */
export const SLOTS: usize = BODY + 2 * 1024 * 1024 + 65536;
export const SLOTS_COUNT: u32 = 131072;
/** The bytes of the spellings. */
export const ARENA: usize = SLOTS + 2 * 1024 * 1024;
/** A load of an empty spelling goes 16 bytes beyond its entry. */
export const ARENA_END: usize = ARENA + 4 * 1024 * 1024 - 16;
/** The memory: 132 pages of 64 KiB, as in `asconfig.json`. */
export const MEMORY_BYTES: usize = 132 * 65536;
