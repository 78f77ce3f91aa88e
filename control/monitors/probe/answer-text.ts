import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { readStart } from '../../../lib/outbound/request.js';
import { CheckFailure } from './outcome.js';

/** Codings that are undone one after the other; a server applies one. */
const codingsMax = 3;
/** A compressed body that yields less than 64 KiB of text from more than this is of no use. */
const compressedBytesMax = 1024 * 1024;
/** Where a page names its encoding (HTML standard, "prescan a byte stream to determine its encoding"). */
const prescanBytes = 1024;

/**
 * Reads the first `bytesMax` bytes of a body as text. Content codings are undone, no further than that, although the
 * request asks for none: servers apply them all the same. The encoding comes from the byte order mark, of
 * `Content-Type`, or of the page itself, in this order (Encoding standard); UTF-8 without them.
 *
 * @throws CheckFailure `protocol` for a body that is not of its coding; the error of a body that ends too early.
 */
export async function readText(response: IncomingMessage, bytesMax: number): Promise<string> {
  const codings = codingsOf(response.headers['content-encoding']);
  const { bytes, error } = await readStart(undo(response, codings), bytesMax);
  if (error === undefined) return decode(bytes, response.headers['content-type']);
  const isOfCoding = 'code' in error && /^(Z_|ERR_.*BROTLI)/.test(String(error.code));
  if (isOfCoding) throw new CheckFailure('protocol', `The answer is not ${codings.join(', ')}, as it says.`);
  throw error;
}

function codingsOf(header: string | undefined): string[] {
  const codings = (header ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  return codings.filter((coding) => coding !== '' && coding !== 'identity');
}

/** @throws CheckFailure `protocol` for a coding that cannot be undone. */
function undo(response: IncomingMessage, codings: readonly string[]): Readable {
  if (codings.length === 0) return response;
  if (codings.length > codingsMax) {
    response.destroy();
    throw new CheckFailure('protocol', `The answer has more than ${codingsMax} content codings.`);
  }
  let body: Readable = pipeline(response, createCut(compressedBytesMax), () => {});
  // The last coding of the list is the outermost one (RFC 9110, section 8.4).
  for (const coding of codings.toReversed()) {
    const start = decoders[coding];
    if (start === undefined) {
      response.destroy();
      throw new CheckFailure(
        'protocol',
        `The answer has the content coding "${coding.slice(0, 40)}", which the check does not ask for and cannot undo.`,
      );
    }
    body = pipeline(body, createLateDecoder(start), () => {});
  }
  return body;
}

/** The part of an answer that has arrived counts, even when its coding ends too early, as in browsers. */
const zlibOptions = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const gunzip = () => createGunzip(zlibOptions);
const decoders: Record<string, (first: Buffer) => Transform> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  br: () =>
    createBrotliDecompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    }),
  // Some servers leave out the header of zlib (RFC 9110, section 8.4.1.2).
  deflate: (first) =>
    ((first[0] ?? 0) & 0x0f) === 8 ? createInflate(zlibOptions) : createInflateRaw(zlibOptions),
};

/** A body without a byte, as in an answer to HEAD, is of any coding. */
function createLateDecoder(start: (first: Buffer) => Transform): Transform {
  let decoder: Transform | undefined;
  const outer = new Transform({
    transform(part: Buffer, _encoding, done) {
      decoder ??= start(part)
        .on('data', (decoded) => {
          if (!outer.push(decoded)) decoder?.pause();
        })
        .on('error', (error) => outer.destroy(error));
      if (decoder.write(part)) done();
      else decoder.once('drain', () => done());
    },
    flush(done) {
      if (decoder === undefined) return done();
      decoder.once('end', () => done());
      decoder.end();
    },
    destroy(error, done) {
      decoder?.destroy();
      done(error);
    },
    read(size) {
      decoder?.resume();
      Transform.prototype._read.call(this, size);
    },
  });
  return outer;
}

/** Ends a body after this many bytes. */
function createCut(bytesMax: number): Transform {
  let left = bytesMax;
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      const kept = part.subarray(0, left);
      left -= kept.length;
      done(null, kept);
    },
  });
}

function decode(bytes: Buffer, contentType: string | undefined): string {
  const label =
    byteOrderMark(bytes) ??
    [charsetOf(contentType), namedInPage(bytes, contentType)].find(
      (one) => one !== undefined && isEncoding(one),
    );
  return new TextDecoder(label ?? 'utf-8').decode(bytes);
}

function byteOrderMark(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return undefined;
}

function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? '')?.[1];
}

/** Only HTML and XML name their encoding. */
function namedInPage(bytes: Buffer, contentType = 'text/html'): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined;
  const start = bytes.toString('latin1', 0, prescanBytes).replaceAll(/<!--.*?(-->|$)/gs, '');
  const declared = /^\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"']+)/i.exec(start)?.[1];
  const named = declared ?? /<meta[\s/][^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(start)?.[1];
  // The name was read as ASCII, so that the page cannot be in UTF-16.
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named;
}

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}
