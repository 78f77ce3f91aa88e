/** Bytes of the usual form without its quotes: `YYYY-MM-DDTHH:MM:SS.mmmZ`. */
const USUAL_BYTES: usize = 24;
/** Larger than every value of two digits. */
const NO_PAIR: u32 = 1000;

/** The time that `endOfUsualTime` read, in milliseconds since the epoch. */
export let usualTimeMs: f64 = 0;

/** `YYYY-MM-DDTHH:MM` of the last time, which most events of a body share, and when that minute began. */
let minuteBytes: v128 = i64x2.splat(0);
let minuteStartMs: f64 = 0;

/**
 * Reads a time as `Date.prototype.toISOString` writes it. `p` is the address of the first quote. Returns the address
 * behind the last quote and sets `usualTimeMs`; returns 0 for every other form. The time exists.
 */
// @ts-ignore: decorator
@inline
export function endOfUsualTime(p: usize): usize {
  const minute = v128.load(p + 1);
  if (v128.any_true(v128.xor(minute, minuteBytes)) && !readMinute(p + 1)) return 0;
  if (load<u8>(p + 17) != 0x3a) return 0;
  // The digits become their values, `.`, `Z` and `"` zeros. Adding sets the highest bit of a byte above 5, 9 or 0.
  const bytes = load<u64>(p + 18) ^ 0x225a3030302e3030;
  if (((bytes + 0x7f7f7676767f767a) | bytes) & 0x8080808080808080) return 0;
  const low = <u32>bytes;
  const high = <u32>(bytes >> 32);
  const seconds = (low & 0xff) * 10 + ((low >> 8) & 0xff);
  const milliseconds = (low >> 24) * 100 + (high & 0xff) * 10 + ((high >> 8) & 0xff);
  usualTimeMs = minuteStartMs + <f64>(seconds * 1000 + milliseconds);
  return p + USUAL_BYTES + 2;
}

/** Reads `YYYY-MM-DDTHH:MM` and remembers it. Returns false, and remembers nothing, when there is no such minute. */
function readMinute(p: usize): bool {
  const century = twoDigits(p);
  const yearOfCentury = twoDigits(p + 2);
  const month = twoDigits(p + 5);
  const day = twoDigits(p + 8);
  const hour = twoDigits(p + 11);
  const minute = twoDigits(p + 14);
  if (century == NO_PAIR || yearOfCentury == NO_PAIR || hour > 23 || minute > 59) return false;
  if (load<u8>(p + 4) != 0x2d || load<u8>(p + 7) != 0x2d) return false; // -
  if (load<u8>(p + 10) != 0x54 || load<u8>(p + 13) != 0x3a) return false; // T and :
  const year = century * 100 + yearOfCentury;
  if (month < 1 || month > 12 || day < 1 || day > daysOf(month, year)) return false;
  minuteStartMs = (<f64>daysBefore(<i32>year, <i32>month, <i32>day) * 1440 + <f64>(hour * 60 + minute)) * 60000;
  minuteBytes = v128.load(p);
  return true;
}

/** Returns 0 to 99, or `NO_PAIR`. */
function twoDigits(p: usize): u32 {
  const tens = <u32>load<u8>(p) - 0x30;
  const ones = <u32>load<u8>(p + 1) - 0x30;
  return tens > 9 || ones > 9 ? NO_PAIR : tens * 10 + ones;
}

function daysOf(month: u32, year: u32): u32 {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/**
 * Returns the days from 1970-01-01 to a day of the Gregorian calendar. A year of the count begins in March, so that the
 * leap day is its last; 719,468 days lie between March of the year 0 and 1970.
 */
function daysBefore(year: i32, month: i32, day: i32): i32 {
  const y = month > 2 ? year : year - 1;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  // Rounds down for January and February of the year 0, too.
  const leapDays = (y + 400) / 4 - (y + 400) / 100 + (y + 400) / 400 - 97;
  return y * 365 + leapDays + dayOfYear - 719468;
}
