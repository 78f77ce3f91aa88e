import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Encoding } from './negotiate-encoding.js';
import type { ReadyAnswer } from './route.js';

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);
// Of brotli's levels the one that takes about as long as gzip and is still smaller.
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** What is common to all answers of one kind. */
export type AnswerKind = { contentType: string; cacheControl: string };

/** One encoded form: its bytes, its strong entity tag, and the answers that are made of them. */
export type EncodedBody = { bytes: Buffer; etag: string; whole: ReadyAnswer; notModified: ReadyAnswer };

export type Representation = Readonly<Record<Encoding, EncodedBody>>;

/**
 * A text as it is served, in every encoding, with all that can be said of it beforehand. Entity tags are strong, so
 * each encoding has its own; they come from the text, so that instances agree and an unchanged text keeps its tag.
 */
export async function makeRepresentation(text: string, kind: AnswerKind): Promise<Representation> {
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  const [gzipped, brotlied] = await Promise.all([compressGzip(bytes), compressBrotli(bytes, brotliOptions)]);
  return {
    identity: encode(bytes, `"${hash}"`, undefined, kind),
    gzip: encode(gzipped, `"${hash}-gzip"`, 'gzip', kind),
    br: encode(brotlied, `"${hash}-br"`, 'br', kind),
  };
}

/** Bytes that a representation takes in memory. */
export function bytesOf({ identity, gzip, br }: Representation): number {
  return identity.bytes.length + gzip.bytes.length + br.bytes.length;
}

/** On every answer of a public read, also on errors: a widget on another site is then told what is wrong. */
export const anyOrigin = ['access-control-allow-origin', '*'] as const;

function encode(
  bytes: Buffer,
  etag: string,
  encoding: string | undefined,
  { contentType, cacheControl }: AnswerKind,
): EncodedBody {
  const ofBoth = ['cache-control', cacheControl, 'etag', etag, 'vary', 'Accept-Encoding', ...anyOrigin];
  const ofBody = ['content-type', contentType, 'content-length', String(bytes.length)];
  const ofEncoding = encoding === undefined ? [] : ['content-encoding', encoding];
  return {
    bytes,
    etag,
    whole: { status: 200, headers: [...ofBody, ...ofEncoding, ...ofBoth], body: bytes },
    notModified: { status: 304, headers: ofBoth, body: undefined },
  };
}
