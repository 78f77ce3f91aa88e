/**
 * Writes fields of protobuf (https://protobuf.dev/programming-guides/encoding/): each function returns the bytes of one
 * field with this number, below 16.
 */

/** Writes a whole number of 0 and above. */
export function varintField(number: number, value: number): Buffer {
  return Buffer.from([number * 8, ...varint(value)]);
}

/** Writes a whole number of the types sint32 and sint64. */
export function signedField(number: number, value: number): Buffer {
  return varintField(number, value < 0 ? -2 * value - 1 : 2 * value);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(9);
  bytes[0] = number * 8 + 1;
  bytes.writeDoubleLE(value, 1);
  return bytes;
}

export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text));
}

/** Writes a message, or bytes. */
export function bytesField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, ...varint(bytes.length)]), bytes]);
}

export function messageField(number: number, fields: readonly Buffer[]): Buffer {
  return bytesField(number, Buffer.concat(fields));
}

/** Writes a message behind its length. */
export function delimited(fields: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(fields);
  return Buffer.concat([Buffer.from(varint(bytes.length)), bytes]);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  bytes.push(rest);
  return bytes;
}
