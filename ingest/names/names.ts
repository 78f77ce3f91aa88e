import type { Reporter } from '../../contract/events.js';

/**
 * A name in the key of rows (an endpoint, a service or reporter, a method), held once for each page. Rows compare ids
 * instead of strings, and the bytes for ClickHouse are made once instead of once for each row.
 */
export type Name = {
  /** Unique in the process, never reused. */
  readonly id: number;
  readonly text: string;
  /** A String of RowBinary: the length as a varint, then UTF-8. */
  readonly encoded: Buffer;
  /** The last batch that this name was counted in: an endpoint by its guard, a source as its caller. */
  seenInBatch: number;
  /** The last record of the log that this name was written into, and its number there; see `EventRecord`. */
  record: number;
  numberInRecord: number;
};

let lastId = 0;

export function makeName(text: string): Name {
  lastId += 1;
  return { id: lastId, text, encoded: encodeString(text), seenInBatch: 0, record: 0, numberInRecord: 0 };
}

/** Stands in the endpoint and method columns of a source's own row. */
export const emptyName = makeName('');

/** Encodes a String of RowBinary: an unsigned LEB128 length, then the UTF-8 bytes. */
export function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const prefix: number[] = [];
  let length = bytes.length;
  while (length > 127) {
    prefix.push((length & 127) | 128);
    length >>>= 7;
  }
  prefix.push(length);
  return Buffer.concat([Buffer.from(prefix), bytes]);
}

export type SourceKind = 'service' | 'reporter';

/** A version of a service and its environment, which is empty for none. `encoded`: both as Strings of RowBinary. */
export type Release = { readonly version: string; readonly environment: string; readonly encoded: Buffer };

export function makeRelease(version: string, environment: string): Release {
  return { version, environment, encoded: Buffer.concat([encodeString(version), encodeString(environment)]) };
}

/**
 * A service (v1) or reporter (v2) of one page. With a release it is another source of the same name, so that rows tell
 * versions apart and an event costs the same with a version and without.
 */
export type Source = Name & {
  readonly kind: SourceKind;
  readonly pageBytes: Buffer;
  readonly release: Release | undefined;
};

/** A reporter with its last metadata. */
export type ReporterSource = Source & { readonly metadata: Reporter };

export function makeSource(pageId: string, kind: SourceKind, text: string): Source {
  return makeSourceOf(encodeUuid(pageId), kind, text);
}

/** `pageBytes` is the id of the page as a UUID of RowBinary. */
export function makeSourceOf(pageBytes: Buffer, kind: SourceKind, text: string, release?: Release): Source {
  return { ...makeName(text), kind, pageBytes, release };
}

/** Encodes a UUID of RowBinary: both halves of the 16 bytes as little-endian 64-bit numbers. */
function encodeUuid(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  return Buffer.concat([bytes.subarray(0, 8).reverse(), bytes.subarray(8).reverse()]);
}
