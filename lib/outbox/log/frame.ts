import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * A record in a file of the log: a header of 24 bytes, then the payload. Numbers are little-endian.
 *
 * | bytes | what |
 * |---|---|
 * | 0 to 7 | the marker of the file, by which a reader finds the next record behind a damaged one |
 * | 8 to 11 | the version of the payload's format |
 * | 12 to 15 | the length of the payload |
 * | 16 to 19 | the CRC-32 of the payload |
 * | 20 to 23 | the CRC-32 of the twenty bytes before it |
 */
const headerBytes = 24;
export const markerBytes = 8;

/**
 * Follows the last record of a file that has space behind it: zeros, or records of the events that the file held under
 * its last name. The next record replaces it, so that a reader tells the end from a record that was not written whole.
 */
export const endMark = Buffer.alloc(markerBytes);

/** A whole record. */
export type Frame = { version: number; payload: Buffer };

/** Bytes of a file of the log that hold no whole record. */
export type Unread = {
  /** Stretches between whole records that cannot be read: the disk changed them. */
  damaged: number;
  /**
   * Bytes behind the last whole record, of a record that was being written when the process or the machine stopped, or is
   * damaged; 0 when an end mark follows, or nothing.
   */
  tailBytes: number;
  /** Where the last whole record ends. */
  end: number;
};

/** The first eight bytes of the SHA-256 of the file's name: the content of a tenant's event cannot contain it by chance. */
export function markerOf(path: string): Buffer {
  return createHash('sha256').update(basename(path)).digest().subarray(0, markerBytes);
}

/** Returns the header of a record whose payload is these chunks, one after another. */
export function encodeHeader(marker: Buffer, version: number, chunks: readonly Buffer[]): Buffer {
  const header = Buffer.allocUnsafe(headerBytes);
  let length = 0;
  let sum = 0;
  for (const chunk of chunks) {
    length += chunk.length;
    sum = crc32(chunk, sum);
  }
  marker.copy(header);
  header.writeUInt32LE(version, 8);
  header.writeUInt32LE(length, 12);
  header.writeUInt32LE(sum, 16);
  header.writeUInt32LE(crc32(header.subarray(0, 20)), 20);
  return header;
}

/**
 * Reads every whole record, in order. What cannot be read is skipped up to the next marker. One record at a time: checking
 * the sums of 64 MiB keeps a process busy for tens of milliseconds.
 */
export function* scanFrames(bytes: Buffer, marker: Buffer): Generator<Frame, Unread> {
  let damaged = 0;
  let at = 0;
  let end = 0;
  while (at < bytes.length) {
    const frame = readFrame(bytes, at, marker);
    if (frame === undefined) {
      const next = bytes.indexOf(marker, at + 1);
      if (next === -1) break;
      at = next;
      continue;
    }
    if (at > end) damaged += 1;
    at += headerBytes + frame.payload.length;
    end = at;
    yield frame;
  }
  return { damaged, tailBytes: isEnd(bytes, end) ? 0 : bytes.length - end, end };
}

/** Whether an end mark, or what the file has room for of one, is at this place. */
function isEnd(bytes: Buffer, at: number): boolean {
  const found = bytes.subarray(at, at + markerBytes);
  return found.equals(endMark.subarray(0, found.length));
}

function readFrame(bytes: Buffer, at: number, marker: Buffer): Frame | undefined {
  if (at + headerBytes > bytes.length || bytes.compare(marker, 0, markerBytes, at, at + markerBytes) !== 0) {
    return undefined;
  }
  if (crc32(bytes.subarray(at, at + 20)) !== bytes.readUInt32LE(at + 20)) return undefined;
  const end = at + headerBytes + bytes.readUInt32LE(at + 12);
  if (end > bytes.length) return undefined;
  const payload = bytes.subarray(at + headerBytes, end);
  if (crc32(payload) !== bytes.readUInt32LE(at + 16)) return undefined;
  return { version: bytes.readUInt32LE(at + 8), payload };
}
