import { LEFTOVERS } from './layout';

/**
 * The list of the parts that are left to JavaScript, in the order of the events: u32 kind, u32 place of the event in the array,
 * u32 address of the first byte, u32 length. The highest bit of the length says that a string has escapes.
 */

/** An element that is flat, but not of the usual form. It is parsed by itself. */
export const ODD_EVENT: u32 = 0;
/** A spelling that the dictionary does not have. */
export const UNKNOWN_SERVICE: u32 = 1;
export const UNKNOWN_ENDPOINT: u32 = 2;
export const UNKNOWN_METHOD: u32 = 3;
/** A response time with a sign, an exponent or many digits. */
export const LONG_NUMBER: u32 = 4;
/** A time of another form than the usual one. */
export const OTHER_TIME: u32 = 5;
/** The message of a failing response. */
export const MESSAGE: u32 = 6;
/** The event has keys that no field has. */
export const UNREAD_KEYS: u32 = 7;

const HAS_ESCAPE: u32 = 0x80000000;

/** Number of leftovers. */
export let leftovers: u32 = 0;

/** Shortens the list to its first `count`. */
export function keepLeftovers(count: u32): void {
  leftovers = count;
}

/** Adds to the list. An event adds each kind at most once, and `ODD_EVENT` alone, so the list has room. */
export function leave(kind: u32, event: u32, start: usize, length: u32, hasEscape: bool): void {
  const at = LEFTOVERS + (<usize>leftovers << 4);
  store<u32>(at, kind);
  store<u32>(at + 4, event);
  store<u32>(at + 8, <u32>start);
  store<u32>(at + 12, hasEscape ? length | HAS_ESCAPE : length);
  leftovers++;
}
