export const encodings = ['br', 'gzip', 'identity'] as const;
export type Encoding = (typeof encodings)[number];

/**
 * The coding of an answer for an Accept-Encoding header (RFC 9110, section 12.5.3): of those that have the highest
 * weight the first of ours, which is the smallest. Identity, unless it is named, counts as just acceptable, and is
 * also sent when all are refused, which the RFC allows.
 */
export function negotiateEncoding(header: string | undefined): Encoding {
  if (header === undefined || header === '') return 'identity';
  if (!/[;*]/.test(header)) return firstNamed(header);
  const weights = readWeights(header);
  const any = weights.get('*');
  let best: Encoding = 'identity';
  let bestWeight = 0;
  for (const encoding of encodings) {
    const weight = weights.get(encoding) ?? (encoding === 'identity' ? leastWeight : (any ?? 0));
    if (weight > bestWeight) [best, bestWeight] = [encoding, weight];
  }
  return best;
}

/** Of a header without weights, as most clients send it. */
function firstNamed(header: string): Encoding {
  if (namesBrotli.test(header)) return 'br';
  return namesGzip.test(header) ? 'gzip' : 'identity';
}

const namesBrotli = /(?:^|[\s,])br(?:$|[\s,])/i;
const namesGzip = /(?:^|[\s,])(?:x-)?gzip(?:$|[\s,])/i;

/** Below every weight that a header can express and zero does not. */
const leastWeight = 0.0001;

const aliases: Readonly<Record<string, string>> = { 'x-gzip': 'gzip' };

/** Weights by coding in lower case; a malformed weight counts as 0. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const element of header.split(',')) {
    const [name = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
    if (name !== '') weights.set(aliases[name] ?? name, readWeight(parameters));
  }
  return weights;
}

/** What the parameters of an element (lower case, trimmed) weigh it with; 1 when they do not. */
export function readWeight(parameters: readonly string[]): number {
  const given = parameters.find((parameter) => parameter.startsWith('q='));
  if (given === undefined) return 1;
  return /^q=(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(given) ? Number(given.slice(2)) : 0;
}
