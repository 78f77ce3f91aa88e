import { viewOf } from './byte-table.js';

export const code = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Thrown for JSON that the cursor does not follow, malformed JSON included. JSON.parse then decides. */
export const unusual = Symbol('unusual');

/** 10^k is exact for these, so one division of two exact numbers rounds as JSON.parse does. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, k) => 10 ** k);
const digitsExact = 15;
const numberForm = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const literals = { t: Buffer.from('true'), f: Buffer.from('false'), n: Buffer.from('null') };

/** At least four bytes to compare with, as 32-bit words. The last word overlaps when the length is no multiple of four. */
export class Token {
  readonly words: Int32Array;
  readonly offsets: Int32Array;
  readonly length: number;

  constructor(bytes: Uint8Array) {
    this.length = bytes.length;
    const view = viewOf(bytes);
    this.offsets = Int32Array.from({ length: Math.ceil(bytes.length / 4) }, (_, i) =>
      Math.min(4 * i, bytes.length - 4),
    );
    this.words = this.offsets.map((offset) => view.getInt32(offset, true));
  }
}

/** Walks over JSON in a buffer of valid UTF-8 without making strings. */
export class JsonCursor {
  at = 0;
  /** Place of the string that was read last, between its quotes. */
  start = 0;
  end = 0;
  /** Text of that string when it has escapes; `undefined` when the bytes are the text. */
  private escaped: string | undefined;

  readonly view: DataView;

  constructor(readonly bytes: Buffer) {
    this.view = viewOf(bytes);
  }

  /** Returns the next byte that is no white space; 0 at the end. */
  peek(): number {
    for (;;) {
      const byte = this.bytes[this.at] ?? 0;
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.at += 1;
    }
  }

  take(byte: number): void {
    if (this.peek() !== byte) throw unusual;
    this.at += 1;
  }

  /** Call it after an element. Returns true behind a comma, false behind `close`. */
  more(close: number): boolean {
    const byte = this.peek();
    if (byte !== code.comma && byte !== close) throw unusual;
    this.at += 1;
    return byte === code.comma;
  }

  /** Returns whether an array or object that was just opened is empty, and takes its end then. */
  isEmpty(close: number): boolean {
    if (this.peek() !== close) return false;
    this.at += 1;
    return true;
  }

  /** Passes a token if it comes next, after white space. */
  skipIf(token: Token): boolean {
    this.peek();
    if (!this.isAt(this.at, token)) return false;
    this.at += token.length;
    return true;
  }

  /** Returns whether the bytes from `at` are the token. Compares four bytes at a time. */
  isAt(at: number, token: Token): boolean {
    if (at + token.length > this.bytes.length) return false;
    const { view } = this;
    const { words, offsets } = token;
    for (let i = 0; i < words.length; i += 1) {
      if (view.getInt32(at + (offsets[i] ?? 0), true) !== words[i]) return false;
    }
    return true;
  }

  readString(): void {
    this.take(code.quote);
    const { bytes } = this;
    let at = this.at;
    let hasEscape = false;
    for (;;) {
      const byte = bytes[at] ?? 0;
      if (byte === code.quote) break;
      if (byte < 0x20) throw unusual; // The end of the buffer, too.
      if (byte === code.backslash) {
        hasEscape = true;
        at += 1;
      }
      at += 1;
    }
    this.start = this.at;
    this.end = at;
    this.at = at + 1;
    this.escaped = hasEscape ? this.unescape() : undefined;
  }

  private unescape(): string {
    try {
      return JSON.parse(this.bytes.toString('utf8', this.start - 1, this.end + 1)) as string;
    } catch {
      throw unusual;
    }
  }

  get hasEscape(): boolean {
    return this.escaped !== undefined;
  }

  /** Returns the text of the string that was read last. */
  text(): string {
    return this.escaped ?? this.bytes.toString('utf8', this.start, this.end);
  }

  readNumber(): number {
    const { bytes } = this;
    const start = this.at;
    const negative = bytes[start] === code.minus;
    let at = negative ? start + 1 : start;
    let mantissa = 0;
    let digits = 0;
    let fraction = -1;
    const first = bytes[at] ?? 0;
    for (; ; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 0x30);
        digits += 1;
        if (fraction >= 0) fraction += 1;
      } else if (byte === code.dot && fraction < 0 && digits > 0) fraction = 0;
      else break;
    }
    const leadingZero = first === 0x30 && digits - Math.max(fraction, 0) > 1;
    if (digits === 0 || digits > digitsExact || fraction === 0 || leadingZero || isExponent(bytes[at] ?? 0)) {
      return this.readLongNumber(start);
    }
    this.at = at;
    const value = fraction > 0 ? mantissa / (powersOfTen[fraction] ?? 1) : mantissa;
    return negative ? -value : value;
  }

  private readLongNumber(start: number): number {
    let at = start;
    while (isNumberByte(this.bytes[at] ?? 0)) at += 1;
    const text = this.bytes.toString('latin1', start, at);
    if (!numberForm.test(text)) throw unusual;
    this.at = at;
    return Number(text);
  }

  /** Passes `null`, `true` or `false`, and answers whether it was null. */
  readLiteral(): boolean {
    const word = literals[String.fromCharCode(this.peek()) as 't' | 'f' | 'n'];
    if (word === undefined) throw unusual;
    const end = this.at + word.length;
    // Comparing beyond the end of a body that was cut off throws an error of its own.
    if (end > this.bytes.length || this.bytes.compare(word, 0, word.length, this.at, end) !== 0)
      throw unusual;
    this.at = end;
    return word === literals.n;
  }

  /** Passes an object, of which only the braces outside strings are looked at, and gives its text. */
  readObjectText(): string {
    this.peek();
    const start = this.at;
    this.take(code.openBrace);
    for (let depth = 1; depth > 0; ) {
      const byte = this.bytes[this.at] ?? 0;
      if (byte === 0) throw unusual;
      if (byte === code.quote) this.readString();
      else {
        this.at += 1;
        if (byte === code.openBrace) depth += 1;
        else if (byte === code.closeBrace) depth -= 1;
      }
    }
    return this.bytes.toString('utf8', start, this.at);
  }
}

function isExponent(byte: number): boolean {
  return byte === 0x65 || byte === 0x45;
}

function isNumberByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    isExponent(byte) ||
    byte === 0x2b ||
    byte === code.minus ||
    byte === code.dot
  );
}
