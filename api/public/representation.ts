import { createHash, subtle } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ReadyAnswer } from '../route.js';

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/** Smallest first. */
export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/** Compression levels. Brotli's 5 takes about as long as gzip's usual 6 and is still smaller. */
const levels = {
  quick: { gzip: 6, brotli: 5 },
  best: { gzip: 9, brotli: 11 },
  long: { gzip: 3, brotli: 3 },
} as const;
/** Longer texts are hashed in the thread pool: 500 kB take the event loop 0.3 ms. */
const inlineHashBytesMax = 500_000;
/** Longer texts are compressed at the levels of `long`: the page of 100 services has 0.5 MB, the largest answers 10. */
const quickBytesMax = 2_000_000;

/** The part that all answers of one kind have in common. */
export type AnswerKind = {
  /** 200 when not given. */
  status?: number;
  contentType: string;
  cacheControl: string;
  /** Names and values in turn. */
  headers?: readonly string[];
};

/** A text, with headers (names and values in turn) that belong to this text alone. A long one is given in UTF-8. */
export type Rendering = string | Buffer<ArrayBuffer> | { text: string; headers: readonly string[] };

/** One encoded form: its bytes, its strong entity tag, and the answers that are made of them. */
export type EncodedBody = { bytes: Buffer; etag: string; whole: ReadyAnswer; notModified: ReadyAnswer };

export type Representation = Readonly<Record<Encoding, EncodedBody>>;

/**
 * A text as it is served, in every encoding, with every answer made beforehand. Entity tags are strong, so each encoding
 * has its own. They come from the text, so that instances agree and an unchanged text keeps its tag.
 */
export async function makeRepresentation(
  rendering: Rendering,
  kind: AnswerKind,
  effort: 'quick' | 'best' = 'quick',
): Promise<Representation> {
  const isBare = typeof rendering === 'string' || Buffer.isBuffer(rendering);
  const { text, headers } = isBare ? { text: rendering, headers: [] } : rendering;
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const hash = await hashOfText(bytes);
  const { gzip: level, brotli } = levels[bytes.length > quickBytesMax ? 'long' : effort];
  const [gzipped, brotlied] = await Promise.all([
    compressGzip(bytes, { level }),
    compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } }),
  ]);
  const ofAll = { ...kind, headers: [...(kind.headers ?? []), ...headers] };
  return {
    identity: encode(bytes, `"${hash}"`, undefined, ofAll),
    gzip: encode(gzipped, `"${hash}-gzip"`, 'gzip', ofAll),
    br: encode(brotlied, `"${hash}-br"`, 'br', ofAll),
  };
}

/** Bytes that are compressed already, such as a picture: the same for every client. */
export function makeOpaqueRepresentation(bytes: Buffer, kind: AnswerKind): Representation {
  const { headers = [] } = kind;
  const body = encode(bytes, `"${hashOf(bytes)}"`, undefined, { ...kind, headers });
  return { identity: body, gzip: body, br: body };
}

/** A text that was compressed before, in its encodings. */
export function makePrecompressed(
  { identity, gzip, br }: Readonly<Record<Encoding, Buffer>>,
  kind: AnswerKind,
): Representation {
  const hash = hashOf(identity);
  const ofAll = { ...kind, headers: kind.headers ?? [] };
  return {
    identity: encode(identity, `"${hash}"`, undefined, ofAll),
    gzip: encode(gzip, `"${hash}-gzip"`, 'gzip', ofAll),
    br: encode(br, `"${hash}-br"`, 'br', ofAll),
  };
}

/** The same as `hashOf`, without blocking the event loop for the time that a long text takes. */
async function hashOfText(bytes: Buffer<ArrayBuffer>): Promise<string> {
  if (bytes.length <= inlineHashBytesMax) return hashOf(bytes);
  const digest = await subtle.digest('SHA-256', bytes);
  return Buffer.from(digest).toString('base64url').slice(0, hashChars);
}

/** An entity tag holds 162 bits of SHA-256, so that no two contents share one. */
const hashChars = 27;

/** The part of an entity tag that comes from the content. */
export function hashOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, hashChars);
}

/** Bytes that a representation takes in memory. */
export function bytesOf({ identity, gzip, br }: Representation): number {
  return identity.bytes.length + gzip.bytes.length + br.bytes.length;
}

function encode(
  bytes: Buffer,
  etag: string,
  encoding: string | undefined,
  { status = 200, contentType, cacheControl, headers }: AnswerKind & { headers: readonly string[] },
): EncodedBody {
  const ofBoth = ['cache-control', cacheControl, 'etag', etag, 'vary', 'Accept-Encoding', ...headers];
  const ofBody = ['content-type', contentType, 'content-length', String(bytes.length)];
  const ofEncoding = encoding === undefined ? [] : ['content-encoding', encoding];
  const whole = { status, headers: [...ofBody, ...ofEncoding, ...ofBoth], body: bytes };
  // Conditions count only where the answer would be 200 (RFC 9110, section 13.2.1).
  const notModified = status === 200 ? { status: 304, headers: ofBoth, body: undefined } : whole;
  return { bytes, etag, whole, notModified };
}

/**
 * Gives a representation the form that is served where headers of the request, such as `Accept-Language`, chose it: the
 * same bytes, with more in `Vary`. Each form is made once.
 */
export function createVaryingForms(headers: string): (representation: Representation) => Representation {
  const forms = new WeakMap<Representation, Representation>();
  return (representation) => {
    const form = forms.get(representation) ?? varyingBy(headers, representation);
    forms.set(representation, form);
    return form;
  };
}

function varyingBy(header: string, { identity, gzip, br }: Representation): Representation {
  const vary = (answer: ReadyAnswer): ReadyAnswer => {
    const at = answer.headers.indexOf('vary') + 1;
    return { ...answer, headers: answer.headers.with(at, `${answer.headers[at]}, ${header}`) };
  };
  const varied = ({ whole, notModified, ...rest }: EncodedBody): EncodedBody => ({
    ...rest,
    whole: vary(whole),
    notModified: vary(notModified),
  });
  return { identity: varied(identity), gzip: varied(gzip), br: varied(br) };
}

/** An answer that is served because no newer one can be made, with its age in `Age`. */
export function withAge(answer: ReadyAnswer, ageMs: number): ReadyAnswer {
  return { ...answer, headers: [...answer.headers, 'age', String(Math.floor(ageMs / 1000))] };
}
