import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ReadyAnswer } from '../route.js';
import type { Encoding } from './negotiate-encoding.js';

const compressGzip = promisify(gzip);
const compressBrotli = promisify(brotliCompress);

/** Levels of compression. Of brotli's, 5 takes about as long as gzip's usual 6 and is still smaller. */
const levels = { quick: { gzip: 6, brotli: 5 }, best: { gzip: 9, brotli: 11 } } as const;

/** What is common to all answers of one kind. */
export type AnswerKind = {
  /** 200 when not given. */
  status?: number;
  contentType: string;
  cacheControl: string;
  /** Names and values in turn; `anyOrigin` when not given. */
  headers?: readonly string[];
};

/** A text, with headers (names and values in turn) where some are of this text alone. */
export type Rendering = string | { text: string; headers: readonly string[] };

/** One encoded form: its bytes, its strong entity tag, and the answers that are made of them. */
export type EncodedBody = { bytes: Buffer; etag: string; whole: ReadyAnswer; notModified: ReadyAnswer };

export type Representation = Readonly<Record<Encoding, EncodedBody>>;

/**
 * A text as it is served, in every encoding, with all that can be said of it beforehand. Entity tags are strong, so
 * each encoding has its own; they come from the text, so that instances agree and an unchanged text keeps its tag.
 */
export async function makeRepresentation(
  rendering: Rendering,
  kind: AnswerKind,
  effort: keyof typeof levels = 'quick',
): Promise<Representation> {
  const { text, headers } = typeof rendering === 'string' ? { text: rendering, headers: [] } : rendering;
  const bytes = Buffer.from(text);
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  const { gzip: level, brotli } = levels[effort];
  const [gzipped, brotlied] = await Promise.all([
    compressGzip(bytes, { level }),
    compressBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotli } }),
  ]);
  const ofAll = { ...kind, headers: [...(kind.headers ?? anyOrigin), ...headers] };
  return {
    identity: encode(bytes, `"${hash}"`, undefined, ofAll),
    gzip: encode(gzipped, `"${hash}-gzip"`, 'gzip', ofAll),
    br: encode(brotlied, `"${hash}-br"`, 'br', ofAll),
  };
}

/** What is compressed already, such as a picture: the same bytes whatever the client can read. */
export function makeOpaqueRepresentation(bytes: Buffer, kind: AnswerKind): Representation {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 27);
  const body = encode(bytes, `"${hash}"`, undefined, { ...kind, headers: kind.headers ?? anyOrigin });
  return { identity: body, gzip: body, br: body };
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
 * Gives representations the form in which they are answered where headers of the request chose them, such as
 * `Accept-Language`: the same bytes, with more in `Vary`. Each form is made once.
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
