import { expectEvents, readEvent } from './events';
import { behindFlatValue, forgetSkipped, skippedMembers } from './flat-values';
import { BODY, EVENT_END, EVENT_START, EVENTS_MAX, NO_VALUE, OUTCOME } from './layout';
import { keepLeftovers, leave, leftovers, ODD_EVENT } from './leftovers';
import { endOfString, forgetStrings, hasEscape, nonAscii, skipSpace } from './strings';

/** The numbers of the outcome, by their place. */
const LEFTOVERS_COUNT: usize = OUTCOME;
const NON_ASCII: usize = OUTCOME + 4;
/** The id of the batch: address of its first byte, 0 without one; behind it the length, with the highest bit for escapes. */
const BATCH_ID_START: usize = OUTCOME + 8;
/** The text of the reporter, with its braces: address, 0 without one; length. */
const REPORTER_START: usize = OUTCOME + 16;
const REPORTER_LENGTH: usize = OUTCOME + 20;
/** The version and the environment of v1, as the id of the batch. */
const VERSION_START: usize = OUTCOME + 24;
const ENVIRONMENT_START: usize = OUTCOME + 32;

const HAS_ESCAPE: u32 = 0x80000000;
const UNUSUAL: i32 = -1;
/**
 * Bounds on what is skipped, so that a body within them has at most 150,000 brackets, colons and commas, of the 200,000
 * that parseJson() allows: 33,000 in events of the usual form, two of each skipped member, one of each byte of a reporter.
 */
const SKIPPED_MEMBERS_MAX: u32 = 50000;
const REPORTER_BYTES_MAX: u32 = 16384;

const COMMA: u32 = 0x2c;
const OPEN_BRACKET: u32 = 0x5b;
const CLOSE_BRACKET: u32 = 0x5d;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;

/**
 * The members of a body: `"events"`, and the first bytes of `"batchId"`, `"reporter"`, `"version"` and `"environment"` with
 * the rest.
 */
const EVENTS: u64 = 0x2273746e65766522;
const BATCH_ID: u64 = 0x6449686374616222;
const REPORTER: u64 = 0x6574726f70657222;
const REPORTER_REST: u32 = 0x2272;
const VERSION: u64 = 0x6e6f697372657622;
const ENVIRONMENT: u64 = 0x6e6f7269766e6522;
const ENVIRONMENT_REST: u32 = 0x746e656d;

/** Events of the body so far; `UNUSUAL` before its array. */
let events: i32 = UNUSUAL;

/**
 * Reads the body of `length` bytes at `BODY`, which has zeros behind it, and writes its columns, leftovers and outcome.
 * Returns the number of elements of its array of events. Returns -1 for a body that is left to JSON.parse: one that is
 * not JSON, that nests, or that has too many events or other members than `events`, `batchId` and, in v2, `reporter`. A
 * body that is read here is JSON, if its bytes are UTF-8 when `NON_ASCII` says so, and if the reporter is JSON.
 */
export function readBody(
  length: u32,
  page: u32,
  version: u32,
  arrivalMs: f64,
  oldestMs: f64,
  newestMs: f64,
): i32 {
  beginBody();
  expectEvents(page, version, arrivalMs, oldestMs, newestMs);
  let p = skipSpace(BODY);
  if (load<u8>(p) == OPEN_BRACE) p = readMembers(p, version);
  else p = version == 1 ? readEvents(p) : 0;
  if (p == 0 || events == UNUSUAL || skippedMembers > SKIPPED_MEMBERS_MAX) return UNUSUAL;
  if (version == 2 && load<u32>(REPORTER_START) == 0) return UNUSUAL;
  if (skipSpace(p) != BODY + <usize>length) return UNUSUAL;
  store<u32>(LEFTOVERS_COUNT, leftovers);
  store<u32>(NON_ASCII, <u32>nonAscii);
  return events;
}

function beginBody(): void {
  forgetStrings();
  forgetSkipped();
  keepLeftovers(0);
  store<u32>(BATCH_ID_START, 0);
  store<u32>(REPORTER_START, 0);
  store<u32>(VERSION_START, 0);
  store<u32>(ENVIRONMENT_START, 0);
  events = UNUSUAL;
}

/** Reads the object whose brace is at `p`. Returns the address behind it, or 0. */
function readMembers(p: usize, version: u32): usize {
  p = skipSpace(p + 1);
  while (true) {
    const name = load<u64>(p);
    if (name == EVENTS && events == UNUSUAL) p = readEvents(behindColon(p + 8));
    else if (name == BATCH_ID && load<u8>(p + 8) == 0x22) p = readText(behindColon(p + 9), BATCH_ID_START);
    else if (version == 1 && name == VERSION && load<u8>(p + 8) == 0x22) p = readText(behindColon(p + 9), VERSION_START);
    else if (version == 1 && name == ENVIRONMENT && load<u32>(p + 8) == ENVIRONMENT_REST && load<u8>(p + 12) == 0x22)
      p = readText(behindColon(p + 13), ENVIRONMENT_START);
    else if (version == 2 && name == REPORTER && load<u16>(p + 8) == REPORTER_REST) p = readReporter(behindColon(p + 10));
    else return 0;
    if (p == 0) return 0;
    p = skipSpace(p);
    const byte = <u32>load<u8>(p);
    p++;
    if (byte == CLOSE_BRACE) return p;
    if (byte != COMMA) return 0;
    p = skipSpace(p);
  }
  return 0;
}

/** Returns the address of the value behind white space and a colon; `NO_VALUE` without a colon. */
function behindColon(p: usize): usize {
  p = skipSpace(p);
  return load<u8>(p) == 0x3a ? skipSpace(p + 1) : NO_VALUE;
}

/** Notes the text at `p` at a place. Returns the address behind it; 0 for another value, and for a second one. */
function readText(p: usize, place: usize): usize {
  if (load<u8>(p) != 0x22 || load<u32>(place) != 0) return 0;
  const end = endOfString(p + 1);
  if (end == 0) return 0;
  const length = <u32>(end - p - 1);
  store<u32>(place, <u32>p + 1);
  store<u32>(place + 4, hasEscape ? length | HAS_ESCAPE : length);
  return end + 1;
}

/** Notes the object at `p`, of which only strings and braces are looked at. Returns the address behind it, or 0. */
function readReporter(p: usize): usize {
  if (load<u8>(p) != OPEN_BRACE || load<u32>(REPORTER_START) != 0) return 0;
  const start = p;
  let depth = 0;
  do {
    const byte = <u32>load<u8>(p);
    if (byte == 0) return 0;
    if (byte == 0x22) {
      p = endOfString(p + 1);
      if (p == 0) return 0;
    } else if (byte == OPEN_BRACE) depth++;
    else if (byte == CLOSE_BRACE) depth--;
    p++;
  } while (depth > 0);
  const length = <u32>(p - start);
  if (length > REPORTER_BYTES_MAX) return 0;
  store<u32>(REPORTER_START, <u32>start);
  store<u32>(REPORTER_LENGTH, length);
  return p;
}

/**
 * Reads the array at `p` and sets `events`. Returns the address behind it, or 0. An element that readEvent() does not
 * read becomes a leftover when it is flat.
 */
function readEvents(p: usize): usize {
  if (load<u8>(p) != OPEN_BRACKET) return 0;
  p = skipSpace(p + 1);
  events = 0;
  if (load<u8>(p) == CLOSE_BRACKET) return p + 1;
  for (let event: u32 = 0; event < EVENTS_MAX; event++) {
    const start = p;
    const kept = leftovers;
    p = load<u8>(p) == OPEN_BRACE ? readEvent(p, event) : 0;
    if (p == 0) {
      p = behindFlatValue(start);
      if (p == 0) return 0;
      keepLeftovers(kept);
      leave(ODD_EVENT, event, start, <u32>(p - start), false);
    }
    store<u32>(EVENT_START + (<usize>event << 2), <u32>start);
    store<u32>(EVENT_END + (<usize>event << 2), <u32>p);
    p = skipSpace(p);
    const byte = <u32>load<u8>(p);
    p++;
    if (byte == CLOSE_BRACKET) {
      events = <i32>event + 1;
      return p;
    }
    if (byte != COMMA) return 0;
    p = skipSpace(p);
  }
  return 0;
}
