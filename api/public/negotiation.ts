import type { IncomingHttpHeaders } from 'node:http';
import type { ReadyAnswer } from '../route.js';
import { type EncodedBody, type Encoding, encodings, type Representation } from './representation.js';

/**
 * The part of Accept-Encoding and Accept-Language that is parsed, in characters: no client names more codings or languages
 * than fit, and 15,000 characters took 2 ms.
 */
const headerCharsMax = 1_000;

/** The answer in the encoding that the client likes best; 304 when the client has the text already. */
export function chooseAnswer(headers: IncomingHttpHeaders, representation: Representation): ReadyAnswer {
  const accepted = headers['accept-encoding'];
  const best = representation[negotiateEncoding(Array.isArray(accepted) ? accepted.join() : accepted)];
  const asked = headers['if-none-match'];
  if (asked === undefined) return best.whole;
  return findMatching(asked, best, representation)?.notModified ?? best.whole;
}

/**
 * The form that the client has: the best one, or the same text in another encoding. The answer then repeats the tag of
 * that form, so that caches know which of their copies is meant.
 */
function findMatching(
  asked: string,
  best: EncodedBody,
  representation: Representation,
): EncodedBody | undefined {
  if (asked === best.etag) return best;
  const tags = parseEntityTags(asked);
  if (tags === '*' || tags.has(best.etag)) return best;
  return encodings.map((encoding) => representation[encoding]).find(({ etag }) => tags.has(etag));
}

/** An ETag of RFC 9110, section 8.8.3. `W/` does not count in the weak comparison that If-None-Match uses. */
const entityTag = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Parses If-None-Match (RFC 9110, section 13.1.2): `*` for any representation, else the opaque tags in their quotes.
 * Whatever is no entity tag matches nothing.
 */
function parseEntityTags(header: string): '*' | ReadonlySet<string> {
  if (header.trim() === '*') return '*';
  return new Set([...header.matchAll(entityTag)].map(([, tag = '']) => tag));
}

/** Whether the client of a request has the text with this strong entity tag already. */
export function hasCurrent(headers: IncomingHttpHeaders, etag: string): boolean {
  const known = parseEntityTags(headers['if-none-match'] ?? '');
  return known === '*' || known.has(etag);
}

/**
 * The coding of an answer for an Accept-Encoding header (RFC 9110, section 12.5.3): the first of `encodings`, which is the
 * smallest, among those of the highest weight. Identity counts as just acceptable unless the header names it. It is also
 * sent when the header refuses everything, which the RFC allows.
 */
export function negotiateEncoding(header: string | undefined): Encoding {
  if (header === undefined || header === '') return 'identity';
  if (!/[;*]/.test(header)) return firstNamed(header);
  const weights = parseWeights(header);
  const any = weights.get('*');
  let best: Encoding = 'identity';
  let bestWeight = 0;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? (encoding === 'identity' ? leastWeight : (any ?? 0));
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return best;
}

/** For a header without weights, as most clients send it. */
function firstNamed(header: string): Encoding {
  if (namesBrotli.test(header)) return 'br';
  return namesGzip.test(header) ? 'gzip' : 'identity';
}

const namesBrotli = /(?:^|[\s,])br(?:$|[\s,])/i;
const namesGzip = /(?:^|[\s,])(?:x-)?gzip(?:$|[\s,])/i;

/** Above zero, and below every weight that a header can express. */
const leastWeight = 0.0001;

const aliases: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** Weights by coding in lower case; a malformed weight counts as 0. */
function parseWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.slice(0, headerCharsMax).split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    if (name !== '') weights.set(aliases[name] ?? name, parseWeight(parameters));
  }
  return weights;
}

/** The weight in the parameters of an element, which are in lower case and trimmed; 1 when they have none. */
function parseWeight(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}

/** Languages by their tags in lower case, in the order in which they are preferred. */
export type Languages = { languages: ReadonlyMap<string, string>; defaultLanguage: string };

/**
 * The language for an Accept-Language header: the one with the highest weight, and the first of several that have it. A
 * range finds a language as in the lookup of RFC 4647, section 3.4 (`de-AT` finds `de`). When that finds none, it finds
 * another variety of the same language (`pt` and `pt-PT` find `pt-BR`). The default language when nothing matches.
 */
export function negotiateLanguage(header: string | undefined, offered: Languages): string {
  if (header === undefined || offered.languages.size === 1) return offered.defaultLanguage;
  let best: string | undefined;
  let bestWeight = 0;
  for (const element of header.slice(0, headerCharsMax).split(',')) {
    const [range = '', ...parameters] = element.toLowerCase().split(';');
    const weight = parseWeight(parameters.map((parameter) => parameter.trim()));
    const language = weight > bestWeight ? matchRange(range.trim(), offered) : undefined;
    if (language === undefined) continue;
    if (weight === 1) return language; // Browsers send what is wanted most first.
    [best, bestWeight] = [language, weight];
  }
  return best ?? offered.defaultLanguage;
}

function matchRange(range: string, { languages, defaultLanguage }: Languages): string | undefined {
  if (range === '*') return defaultLanguage;
  let rest = range;
  for (;;) {
    const language = languages.get(rest);
    if (language !== undefined) return language;
    const end = rest.lastIndexOf('-');
    if (end < 1) break;
    rest = rest.slice(0, end);
  }
  if (rest === '') return undefined;
  for (const [tag, language] of languages) if (tag.startsWith(`${rest}-`)) return language;
  return undefined;
}
