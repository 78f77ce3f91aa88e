/** A part of a statement between white space and comments. */
export type Token = {
  kind: 'word' | 'quotedName' | 'string' | 'symbol';
  /** As written; without the quotes of a quoted name. */
  text: string;
  /** Indexes into the statement: the first character, and the one behind the last. */
  start: number;
  end: number;
};

const space = /[\s\0]+/y;
const lineComment = /(?:--|\/\/|#[ !])[^\n]*/y;
/** Numbers are words here. */
const word = /[\p{L}\p{N}_][\p{L}\p{N}_$]*/uy;
const string = /'(?:[^'\\]|\\[\s\S]?|'')*(?:'|$)|‘[^’]*(?:’|$)/y;
const quotedName = /`(?:[^`\\]|\\[\s\S]?|``)*(?:`|$)|"(?:[^"\\]|\\[\s\S]?|"")*(?:"|$)|“[^”]*(?:”|$)/y;
/** Begins and ends a string. */
const heredocTag = /\$\w*\$/y;

/**
 * Splits a statement as ClickHouse does, but for rare cases, such as white space without width. So only messages, and
 * the statements about tables, may depend on the caller's own text: what a SELECT may do is decided by the server's
 * syntax tree, and by the tokens of the statement as the server writes it.
 */
export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  const tags = lastTags(sql);
  let at = 0;
  while (at < sql.length) {
    const skipped = lengthOf(space, sql, at) || lengthOf(lineComment, sql, at) || commentLength(sql, at);
    const token = skipped > 0 ? undefined : readToken(sql, at, tags);
    if (token !== undefined) tokens.push(token);
    at = token?.end ?? at + skipped;
  }
  return tokens;
}

function readToken(sql: string, start: number, tags: LastTags): Token {
  const make = (kind: Token['kind'], length: number): Token => {
    const text = sql.slice(start, start + length);
    return { kind, text: kind === 'quotedName' ? text.slice(1, -1) : text, start, end: start + length };
  };
  const name = lengthOf(quotedName, sql, start);
  if (name > 0) return make('quotedName', name);
  const literal = lengthOf(string, sql, start) || heredocLength(sql, start, tags);
  if (literal > 0) return make('string', literal);
  const letters = lengthOf(word, sql, start);
  if (letters > 0) return make('word', letters);
  // The rest belongs to a comment that is not closed, which the server names.
  if (sql.startsWith('/*', start)) return make('symbol', sql.length - start);
  return make('symbol', (sql.codePointAt(start) ?? 0) > 0xffff ? 2 : 1);
}

function lengthOf(form: RegExp, sql: string, at: number): number {
  form.lastIndex = at;
  return form.exec(sql)?.[0].length ?? 0;
}

/** Comments of several lines nest. Returns 0 when none begins here, or when it is not closed. */
function commentLength(sql: string, start: number): number {
  if (!sql.startsWith('/*', start)) return 0;
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex - start;
  }
  return 0;
}

/** The last place of each tag of a heredoc. */
type LastTags = ReadonlyMap<string, number>;

/** Without it, every tag without an end costs a search to the end of the statement: 64 KB of them took 275 ms. */
function lastTags(sql: string): LastTags {
  const tags = new Map<string, number>();
  for (const { index, 1: tag = '' } of sql.matchAll(/(?=(\$\w*\$))\$/g)) tags.set(tag, index);
  return tags;
}

/** Returns 0 for one that is not closed, which is a part of a name for ClickHouse. */
function heredocLength(sql: string, start: number, tags: LastTags): number {
  const tagLength = lengthOf(heredocTag, sql, start);
  const tag = sql.slice(start, start + tagLength);
  const behind = start + tagLength;
  if (tagLength === 0 || (tags.get(tag) ?? 0) < behind) return 0;
  return sql.indexOf(tag, behind) + tagLength - start;
}

/** Returns the tokens without the semicolons at the end. */
export function withoutSemicolons(tokens: readonly Token[]): Token[] {
  const last = tokens.findLastIndex((token) => !isSymbol(token, ';'));
  return tokens.slice(0, last + 1);
}

export function isSymbol(token: Token | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}

export function isWord(token: Token | undefined, upper: string): boolean {
  return token?.kind === 'word' && token.text.toUpperCase() === upper;
}

/** Whether a token may be the name of a parameter. A number is none, so `{1: 'a'}` is a map. */
export function isParameterName(token: Token | undefined): token is Token {
  return token?.kind === 'word' && !/^\p{N}/u.test(token.text);
}

/** Returns a name in backticks. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}
