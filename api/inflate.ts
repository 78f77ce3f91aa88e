import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { ServiceError } from '../lib/service-error.js';

const inflaters = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
} as const;

/** A value of Content-Encoding that names a compression. */
export type Coding = keyof typeof inflaters;

export function isCoding(encoding: string): encoding is Coding {
  return Object.hasOwn(inflaters, encoding);
}

/** Bytes as they were sent, and bounds of the inflated ones; `mayTake` are those that the memory has left for them. */
export type Compressed = { coding: Coding; bytes: Buffer; bytesMax: number; mayTake: number };

const hint = 'Compress the body as Content-Encoding says, or leave that header out.';
/** The shortest piece of output; a body that says that it is short and is not takes many of them. */
const pieceBytesMin = 1024;
/** Output as a multiple of the input, for codings that do not say it. Events inflate to some ten times. */
const usualRatio = 12;

/**
 * Inflates a whole body in one call, which takes a third of the processor time of a stream: 7 µs for ten events, 90 µs
 * for a thousand, 2 ms for 2 MiB. Takes at most `bytesMax` of output, however much a body inflates to.
 *
 * @throws ServiceError `bodyTooLarge`, `overloaded`, `bodyEncoding` for a body that is malformed or cut short
 */
export function inflate({ coding, bytes, bytesMax, mayTake }: Compressed): Buffer {
  const outputMax = Math.max(1, Math.min(bytesMax, mayTake));
  const expected = Math.max(pieceBytesMin, bytes.length, lengthOf(coding, bytes) + 1);
  const chunkSize = Math.max(pieceBytesMin, Math.min(outputMax + 1, expected));
  try {
    return inflaters[coding](bytes, { maxOutputLength: outputMax, chunkSize });
  } catch (error) {
    if (!isTooLarge(error)) throw new ServiceError('bodyEncoding', { hint });
    if (outputMax < bytesMax) throw new ServiceError('overloaded', { retryAfterSeconds: 1 });
    throw new ServiceError('bodyTooLarge');
  }
}

/** The length that gzip puts at the end (RFC 1952, section 2.3.1), which may be false. One piece then holds the output. */
function lengthOf(coding: Coding, bytes: Buffer): number {
  const saysLength = (coding === 'gzip' || coding === 'x-gzip') && bytes.length >= 4;
  return saysLength ? bytes.readUInt32LE(bytes.length - 4) : bytes.length * usualRatio;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
