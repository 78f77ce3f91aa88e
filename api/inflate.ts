import { promisify } from 'node:util';
import {
  brotliDecompress,
  brotliDecompressSync,
  gunzip,
  gunzipSync,
  inflateSync,
  inflate as inflateZlib,
} from 'node:zlib';
import { ServiceError } from '../lib/service-error.js';

const inflaters = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
} as const;

const inflatersAside = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflateZlib),
  br: promisify(brotliDecompress),
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
 * The longest body, as sent, that the thread of all requests inflates. Input may take work and give no output: blocks of
 * 29 bytes that only describe their codes take 90 ms for 1 MiB, so this much takes 6 ms at most.
 */
export const atOnceBytesMax = 64 * 1024;
/** Bytes of output that take at most the time of a byte of input without any: 4 MiB of output take 2 to 10 ms. */
const bytesOutPerByteIn = 64;

/** Returns for how many bytes of output the work on a body counts. */
export function inflatingWork(bytesSent: number, bytesOut: number): number {
  return Math.max(bytesSent * bytesOutPerByteIn, bytesOut);
}

/**
 * Inflates a whole body in one call, which takes a third of the processor time of a stream: 7 µs for ten events, 90 µs
 * for a thousand. Takes at most `bytesMax` of output, however much a body inflates to.
 *
 * @throws ServiceError `bodyTooLarge`, `overloaded`, `bodyEncoding` for a body that is malformed or cut short
 */
export function inflateAtOnce(compressed: Compressed): Buffer {
  const options = optionsFor(compressed);
  try {
    return compact(inflaters[compressed.coding](compressed.bytes, options), options.chunkSize);
  } catch (error) {
    throw explain(error, compressed);
  }
}

/** Inflates as inflateAtOnce() does, with the same outcome, in the thread pool of Node.js. */
export async function inflateAside(compressed: Compressed): Promise<Buffer> {
  const options = optionsFor(compressed);
  try {
    return compact(await inflatersAside[compressed.coding](compressed.bytes, options), options.chunkSize);
  } catch (error) {
    throw explain(error, compressed);
  }
}

function outputMaxOf({ bytesMax, mayTake }: Compressed): number {
  return Math.max(1, Math.min(bytesMax, mayTake));
}

function optionsFor(compressed: Compressed): { maxOutputLength: number; chunkSize: number } {
  const { coding, bytes } = compressed;
  const outputMax = outputMaxOf(compressed);
  const expected = Math.max(pieceBytesMin, bytes.length, lengthOf(coding, bytes) + 1);
  const chunkSize = Math.max(pieceBytesMin, Math.min(outputMax + 1, expected));
  return { maxOutputLength: outputMax, chunkSize };
}

/** A short body must not hold a long piece: a body of 20 bytes may say that it inflates to 2 MiB. */
function compact(body: Buffer, pieceBytes: number): Buffer {
  return pieceBytes > pieceBytesMin && body.length * 2 < pieceBytes ? Buffer.from(body) : body;
}

function explain(error: unknown, compressed: Compressed): ServiceError {
  if (!isTooLarge(error)) return new ServiceError('bodyEncoding', { hint });
  if (outputMaxOf(compressed) < compressed.bytesMax) {
    return new ServiceError('overloaded', { retryAfterSeconds: 1 });
  }
  return new ServiceError('bodyTooLarge');
}

/** The length that gzip puts at the end (RFC 1952, section 2.3.1), which may be false. One piece then holds the output. */
function lengthOf(coding: Coding, bytes: Buffer): number {
  const saysLength = (coding === 'gzip' || coding === 'x-gzip') && bytes.length >= 4;
  return saysLength ? bytes.readUInt32LE(bytes.length - 4) : bytes.length * usualRatio;
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
