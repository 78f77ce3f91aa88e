import { parseTimestamp } from '../../lib/timestamp.js';
import { code, type JsonCursor, Token } from './json-cursor.js';

const minuteChars = 'YYYY-MM-DDTHH:MM:'.length;
const usualChars = 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length;

/** Reads the timestamps of one batch. Most share their minute, so only the seconds are read. */
export class TimestampReader {
  /** The time that `readUsual` read, in milliseconds since the epoch. */
  at = Number.NaN;
  private minute: Token | undefined;
  private minuteStart = Number.NaN;

  /** Passes a string that is a time in the minute of the previous one. Returns false, and passes nothing, for another. */
  readUsual(json: JsonCursor): boolean {
    const { bytes, at } = json;
    const start = at + 1;
    if (this.minute === undefined || bytes[start + usualChars] !== code.quote) return false;
    if (!json.isAt(start, this.minute)) return false;
    const inMinute = readSeconds(bytes, start + minuteChars);
    if (inMinute < 0) return false;
    this.at = this.minuteStart + inMinute;
    json.at = start + usualChars + 1;
    return true;
  }

  /** Returns the time of the string that the cursor read last, in milliseconds since the epoch, or NaN. */
  read(json: JsonCursor): number {
    const at = parseTimestamp(json.text());
    if (json.end - json.start !== usualChars || json.hasEscape || Number.isNaN(at)) return at;
    const inMinute = readSeconds(json.bytes, json.start + minuteChars);
    if (inMinute >= 0) {
      this.minute = new Token(json.bytes.subarray(json.start, json.start + minuteChars));
      this.minuteStart = at - inMinute;
    }
    return at;
  }
}

/** Returns the milliseconds of `SS.mmmZ`, or a negative number. */
function readSeconds(bytes: Buffer, at: number): number {
  const tens = digit(bytes[at]);
  const ones = digit(bytes[at + 1]);
  const deci = digit(bytes[at + 3]);
  const centi = digit(bytes[at + 4]);
  const milli = digit(bytes[at + 5]);
  if ((tens | ones | deci | centi | milli) < 0 || tens > 5) return -1;
  if (bytes[at + 2] !== code.dot || bytes[at + 6] !== 0x5a) return -1;
  return tens * 10_000 + ones * 1000 + deci * 100 + centi * 10 + milli;
}

/** Returns 0 to 9, or a negative number. */
function digit(byte: number | undefined): number {
  const value = (byte ?? 0) - 0x30;
  return value > 9 ? -1 : value;
}
