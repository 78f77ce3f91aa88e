import { ServiceError } from '../service-error.js';

/**
 * A field of a message: how its value is written. `time` is a fixed64 of nanoseconds, returned as a bigint; `count` is an
 * unsigned whole number of up to 2^53, and `packed` lists may come one value at a time as well. `bytes` are a part of the
 * body, which keeps the body in memory.
 */
export type Field = { name: string; isRepeated?: true } & (
  | { kind: 'text' | 'bytes' | 'flag' | 'int' | 'zigzag' | 'time' | 'count' | 'double' | 'varintCount' }
  | { kind: 'message'; schema: Schema }
);

/** The fields of a message that are read, by number. Others are skipped. A message never contains itself. */
export type Schema = ReadonlyMap<number, Field>;

export type Message = Record<string, unknown>;

/** Kinds whose values have eight bytes each. */
const fixedKinds: ReadonlySet<Field['kind']> = new Set(['time', 'count', 'double']);

/** Wire types of protobuf. Groups (3, 4) are obsolete, and OTLP has none. */
const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Reads a message of protobuf (https://protobuf.dev/programming-guides/encoding/) into an object of the form that its JSON
 * has. Reads each byte once.
 *
 * @param noteMessages gets the number of messages that were read, which take the time: an empty one has two bytes. Called once,
 *   before an error, too.
 * @throws ServiceError `bodyNotProtobuf` when the bytes end within a field, or have a field of another type;
 *   `bodyTooLarge` for more than 250,000 messages.
 */
export function decode(
  bytes: Buffer,
  schema: Schema,
  noteMessages: (count: number) => void = () => {},
): Message {
  const reader = new Reader(bytes);
  try {
    return reader.message(bytes.length, schema);
  } finally {
    noteMessages(reader.messages);
  }
}

/**
 * Objects of a body. 4 MiB of empty messages are two million, which hold the process for a second; the same of ordinary
 * spans are some 210,000, which take 60 ms.
 */
export const messagesMax = 250_000;

/** Kinds whose lists have one value a field. */
const unpacked: ReadonlySet<Field['kind']> = new Set(['message', 'text', 'bytes']);

class Reader {
  private at = 0;
  messages = 0;

  constructor(private readonly bytes: Buffer) {}

  message(end: number, schema: Schema): Message {
    this.messages += 1;
    if (this.messages > messagesMax) throw tooLarge();
    const message: Message = {};
    while (this.at < end) {
      const tag = this.varint();
      const field = schema.get(Math.floor(tag / 8));
      const type = tag & 7;
      if (field === undefined) this.skip(type, end);
      else this.field(message, field, type, end);
    }
    if (this.at !== end) throw malformed();
    return message;
  }

  private field(message: Message, field: Field, type: number, end: number): void {
    if (field.isRepeated !== true) {
      message[field.name] = this.value(field, type, end);
      return;
    }
    message[field.name] ??= [];
    const list = message[field.name] as unknown[];
    const isPacked = type === wire.bytes && !unpacked.has(field.kind);
    if (!isPacked) {
      list.push(this.value(field, type, end));
      return;
    }
    const stop = this.lengthOf(end);
    const single = fixedKinds.has(field.kind) ? wire.fixed64 : wire.varint;
    while (this.at < stop) list.push(this.value(field, single, stop));
    if (this.at !== stop) throw malformed();
  }

  private value(field: Field, type: number, end: number): unknown {
    switch (field.kind) {
      case 'message':
        expect(type, wire.bytes);
        return this.message(this.lengthOf(end), field.schema);
      case 'text':
        expect(type, wire.bytes);
        return this.text(this.lengthOf(end));
      case 'bytes': {
        expect(type, wire.bytes);
        const stop = this.lengthOf(end);
        return this.bytes.subarray(this.advance(stop - this.at, end), stop);
      }
      case 'time':
        expect(type, wire.fixed64);
        return this.bytes.readBigUInt64LE(this.advance(8, end));
      case 'count':
        expect(type, wire.fixed64);
        return Number(this.bytes.readBigUInt64LE(this.advance(8, end)));
      case 'double':
        expect(type, wire.fixed64);
        return this.bytes.readDoubleLE(this.advance(8, end));
      default:
        expect(type, wire.varint);
        return field.kind === 'int' ? this.signedVarint() : fromVarint(field.kind, this.varint());
    }
  }

  private text(end: number): string {
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end;
    return text;
  }

  /** Reads a length, and returns where the field that has it ends. */
  private lengthOf(end: number): number {
    const stop = this.varint() + this.at;
    if (!(stop <= end)) throw malformed();
    return stop;
  }

  private skip(type: number, end: number): void {
    if (type === wire.varint) this.varint();
    else if (type === wire.fixed64) this.advance(8, end);
    else if (type === wire.bytes) this.at = this.lengthOf(end);
    else if (type === wire.fixed32) this.advance(4, end);
    else throw malformed();
  }

  /** Passes over so many bytes, and returns where they begin. */
  private advance(count: number, end: number): number {
    const start = this.at;
    this.at += count;
    if (this.at > end) throw malformed();
    return start;
  }

  /** A number of 64 bits without a sign; beyond 2^53 it loses its last digits. */
  private varint(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10; i += 1) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw malformed();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
    throw malformed();
  }

  /** The same in two's complement. Every negative number takes ten bytes. */
  private signedVarint(): number {
    const start = this.at;
    const value = this.varint();
    if (this.at - start < 10) return value;
    let exact = 0n;
    for (let at = this.at - 1; at >= start; at -= 1)
      exact = (exact << 7n) | BigInt((this.bytes[at] ?? 0) & 0x7f);
    return Number(BigInt.asIntN(64, exact));
  }
}

function fromVarint(kind: string, value: number): number | boolean {
  if (kind === 'flag') return value !== 0;
  if (kind === 'zigzag') return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  return value;
}

function expect(type: number, expected: number): void {
  if (type !== expected) throw malformed();
}

function malformed(): ServiceError {
  return new ServiceError('bodyNotProtobuf');
}

function tooLarge(): ServiceError {
  return new ServiceError('bodyTooLarge', {
    message: `The request body has more than ${messagesMax} messages.`,
  });
}
