import { positionAt } from '../../lib/mistakes/text-position.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Token } from './tokens.js';

/** A refusal of a part of the statement, before it is known where that part is. */
export class SqlRefusal extends ServiceError {
  /** The mistake, without a full stop. */
  readonly what: string;
  /** The part as the syntax tree writes it. */
  readonly word: string;
  /** A sentence that follows, or nothing. */
  readonly advice: string;

  constructor(what: string, word: string, advice = '', storeCode?: number) {
    super('invalidSql', { message: [`${what}.`, advice].filter(Boolean).join(' '), storeCode });
    this.what = what;
    this.word = word;
    this.advice = advice;
  }
}

/** Adds the place of the refused part to a refusal, where the statement shows that part. */
export function locateRefusal(sql: string, tokens: readonly Token[], refusal: SqlRefusal): ServiceError {
  const token = findName(tokens, refusal.word);
  const { what, advice, storeCode } = refusal;
  return token === undefined ? refusal : sqlErrorAt(sql, token.start, what, advice, storeCode);
}

/**
 * Returns the error for a place in the caller's statement. `what` names the mistake, without a full stop; `advice` is a
 * sentence that follows, and `storeCode` what ClickHouse has for it where that is not SYNTAX_ERROR.
 */
export function sqlErrorAt(
  sql: string,
  index: number,
  what: string,
  advice = '',
  storeCode?: number,
): ServiceError {
  const position = positionAt(sql, index);
  const place = `line ${position.line}, column ${position.column}`;
  const message = [`${what} (${place}).`, advice].filter(Boolean).join(' ');
  return new ServiceError('invalidSql', { message, position, storeCode });
}

/** Longest name that is looked for: each of its parts is compared with each token, and there are thousands of these. */
const nameLengthMax = 200;

/** Returns the first tokens that spell a name, such as `m.endpoint`. Case counts, unless only another one is there. */
export function findName(tokens: readonly Token[], name: string): Token | undefined {
  if (name.length > nameLengthMax) return undefined;
  const parts = name.split('.');
  const same = (a: string, b: string | undefined) => a === b;
  const sameInAnyCase = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();
  for (const equals of [same, sameInAnyCase]) {
    const found = tokens.find((_, at) => parts.every((part, i) => isPart(tokens, at + 2 * i, part, equals)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isPart(
  tokens: readonly Token[],
  at: number,
  part: string,
  equals: (a: string, b: string | undefined) => boolean,
): boolean {
  const token = tokens[at];
  return (token?.kind === 'word' || token?.kind === 'quotedName') && equals(token.text, part);
}

/** Shortens the caller's own text for a message, and replaces unusual characters. */
export function shorten(text: string): string {
  const plain = text.replace(/ \(alias .*/s, '').replace(/[^\p{L}\p{N}_.:$ ]/gu, '?');
  return plain.length > 60 ? `${plain.slice(0, 60)}…` : plain;
}
