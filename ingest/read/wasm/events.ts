import { numberOf } from './dictionary';
import { behindFlatValue, behindScalar, countSkipped, isNull } from './flat-values';
import { fieldOf, readKey, UNKNOWN_KEY, valueAt } from './keys';
import { AT_MS, ENDPOINT, LATENCY_MS, METHOD, SOURCE, STATUS } from './layout';
import {
  LONG_NUMBER,
  leave,
  MESSAGE,
  OTHER_TIME,
  UNKNOWN_ENDPOINT,
  UNKNOWN_METHOD,
  UNKNOWN_SERVICE,
  UNREAD_KEYS,
} from './leftovers';
import { endOfNumber, endOfUsualNumber, usualNumber } from './numbers';
import { endOfString, hasEscape, skipSpace } from './strings';
import { endOfUsualTime, usualTimeMs } from './times';

/** The fields of an event, by number. */
const SERVICE_FIELD: u32 = 0;
const ENDPOINT_FIELD: u32 = 1;
const METHOD_FIELD: u32 = 2;
const STATUS_FIELD: u32 = 3;
const LATENCY_FIELD: u32 = 4;
const MESSAGE_FIELD: u32 = 5;
const TIME_FIELD: u32 = 6;

const NEEDED: u32 = (1 << ENDPOINT_FIELD) | (1 << STATUS_FIELD);
/** A longer response time counts as a day. */
const LATENCY_MS_MAX: f64 = 86400000;

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const CLOSE: u32 = 0x7d;

/** The page, the version of the API, and the times in milliseconds since the epoch that all events of a body share. */
let page: u32 = 0;
let version: u32 = 1;
let arrivalMs: f64 = 0;
let oldestMs: f64 = 0;
let newestMs: f64 = 0;

/** Begins a body. */
export function expectEvents(ofPage: u32, ofVersion: u32, arrival: f64, oldest: f64, newest: f64): void {
  page = ofPage;
  version = ofVersion;
  arrivalMs = arrival;
  oldestMs = oldest;
  newestMs = newest;
}

/** The message of the event that is being read: address and length; an address of 0 without one. */
let messageStart: usize = 0;
let messageLength: u32 = 0;
let messageHasEscape: bool = false;
let status: u32 = 0;

/**
 * Reads the event whose brace is at `p` into the columns of `event`, and adds to the leftovers what JavaScript has to
 * look at. Returns the address behind it. Returns 0 for an event that is not of the usual form, or that is at fault;
 * columns and leftovers may then have parts of it.
 */
export function readEvent(p: usize, event: u32): usize {
  let seen: u32 = 0;
  let present: u32 = 0;
  let hasUnreadKeys = false;
  messageStart = 0;
  p = skipSpace(p + 1);
  for (let place: u32 = 0; ; place++) {
    const key = readKey(p, place);
    if (key == 0) return 0;
    if (key == UNKNOWN_KEY) {
      hasUnreadKeys = true;
      countSkipped();
      // The attributes of a failure are an object.
      p = behindFlatValue(valueAt);
    } else {
      const field = fieldOf(key);
      const bit: u32 = 1 << field;
      // The same key twice, or two keys of one field.
      if (seen & bit) return 0;
      seen |= bit;
      if (isNull(valueAt)) p = valueAt + 4;
      else {
        present |= bit;
        p = readField(field, valueAt, event);
      }
    }
    if (p == 0) return 0;
    p = skipSpace(p);
    const byte = <u32>load<u8>(p);
    p++;
    if (byte == CLOSE) break;
    if (byte != COMMA) return 0;
    p = skipSpace(p);
  }
  if ((present & NEEDED) != NEEDED) return 0;
  writeAbsent(present, event);
  if (messageStart != 0 && status >= 400) leave(MESSAGE, event, messageStart, messageLength, messageHasEscape);
  if (hasUnreadKeys) leave(UNREAD_KEYS, event, 0, 0, false);
  return p;
}

/** Writes the columns of the fields that an event does not have. */
// @ts-ignore: decorator
@inline
function writeAbsent(present: u32, event: u32): void {
  if (!(present & (1 << SERVICE_FIELD))) store<u32>(SOURCE + (<usize>event << 2), 0);
  if (!(present & (1 << METHOD_FIELD))) store<u32>(METHOD + (<usize>event << 2), 0);
  if (!(present & (1 << LATENCY_FIELD))) store<f64>(LATENCY_MS + (<usize>event << 3), NaN);
  if (!(present & (1 << TIME_FIELD))) store<f64>(AT_MS + (<usize>event << 3), arrivalMs);
}

/** Reads the value at `p`, which is not null, into the column of its field. Returns the address behind it, or 0. */
// @ts-ignore: decorator
@inline
function readField(field: u32, p: usize, event: u32): usize {
  switch (field) {
    case SERVICE_FIELD: {
      if (version == 1) return readName(SOURCE, UNKNOWN_SERVICE, p, event);
      // The reporter takes its place; any value is right.
      store<u32>(SOURCE + (<usize>event << 2), 0);
      return behindScalar(p);
    }
    case ENDPOINT_FIELD:
      return readName(ENDPOINT, UNKNOWN_ENDPOINT, p, event);
    case METHOD_FIELD:
      return readName(METHOD, UNKNOWN_METHOD, p, event);
    case STATUS_FIELD:
      return readStatus(p, event);
    case LATENCY_FIELD:
      return readLatency(p, event);
    case MESSAGE_FIELD:
      return readMessage(p);
    default:
      return readTime(p, event);
  }
}

/** Reads a text into a column of names. `kind` is the leftover of an unknown one, and the kind of its spelling. */
function readName(column: usize, kind: u32, p: usize, event: u32): usize {
  if (load<u8>(p) != QUOTE) return 0;
  const start = p + 1;
  const end = endOfString(start);
  if (end == 0) return 0;
  const length = <u32>(end - start);
  const number = hasEscape ? 0 : numberOf(page, kind, start, length);
  store<u32>(column + (<usize>event << 2), number);
  if (number == 0) leave(kind, event, start, length, hasEscape);
  return end + 1;
}

/** Reads three digits that make a status of HTTP. */
// @ts-ignore: decorator
@inline
function readStatus(p: usize, event: u32): usize {
  const bytes = load<u32>(p) ^ 0x00303030;
  const digits = bytes & 0xffffff;
  if (((digits + 0x767676) | digits) & 0x808080) return 0;
  const after = bytes >> 24;
  if (after != COMMA && after != CLOSE && after > 0x20) return 0;
  status = (digits & 0xff) * 100 + ((digits >> 8) & 0xff) * 10 + (digits >> 16);
  if (status < 100 || status > 599) return 0;
  store<u16>(STATUS + (<usize>event << 1), <u16>status);
  return p + 3;
}

// @ts-ignore: decorator
@inline
function readLatency(p: usize, event: u32): usize {
  let end = endOfUsualNumber(p);
  if (end != 0) {
    store<f64>(LATENCY_MS + (<usize>event << 3), min<f64>(usualNumber, LATENCY_MS_MAX));
    return end;
  }
  end = endOfNumber(p);
  if (end != 0) leave(LONG_NUMBER, event, p, <u32>(end - p), false);
  return end;
}

// @ts-ignore: decorator
@inline
function readMessage(p: usize): usize {
  if (load<u8>(p) != QUOTE) return 0;
  const end = endOfString(p + 1);
  if (end == 0) return 0;
  messageStart = p + 1;
  messageLength = <u32>(end - p - 1);
  messageHasEscape = hasEscape;
  return end + 1;
}

/** Reads a time within the window of the body. */
// @ts-ignore: decorator
@inline
function readTime(p: usize, event: u32): usize {
  if (load<u8>(p) != QUOTE) return 0;
  let end = endOfUsualTime(p);
  if (end != 0) {
    if (usualTimeMs < oldestMs || usualTimeMs > newestMs) return 0;
    store<f64>(AT_MS + (<usize>event << 3), usualTimeMs);
    return end;
  }
  end = endOfString(p + 1);
  if (end == 0) return 0;
  leave(OTHER_TIME, event, p + 1, <u32>(end - p - 1), hasEscape);
  return end + 1;
}
