import type { Part } from './replace-parts.js';
import { sqlErrorAt } from './sql-refusal.js';
import { literal } from './table-statements.js';
import { isParameterName, isSymbol, type Token, tokensOf } from './tokens.js';

/** BAD_QUERY_PARAMETER, UNKNOWN_QUERY_PARAMETER and SYNTAX_ERROR of ClickHouse. */
const [badValueCode, noValueCode, syntaxCode] = [457, 456, 62];

/** Values of a type: which texts are one, and how it stands in a statement. */
type Form = { accepts: RegExp; write(value: string, type: string): string };

const cast = (accepts: RegExp): Form => ({
  accepts,
  write: (value, type) => `CAST(${literal(value)}, ${literal(type)})`,
});
const decimal = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i;
/** Numbers whose literals are the same in a value and in a statement, with the texts that are one. */
const numbers: readonly (readonly [type: RegExp, accepts: RegExp])[] = [
  [/^UInt(8|16|32|64|128|256)$/, /^\+?\d{1,78}$/],
  [/^Int(8|16|32|64|128|256)$/, /^[-+]?\d{1,78}$/],
  [/^Float(32|64)$/, new RegExp(`${decimal.source}|^[-+]?(nan|inf|infinity)$`, 'i')],
];
/** A quote inside of a text is behind a backslash, or there twice. */
const quotedText = /^'(?:[^'\\]|\\[\s\S]|'')*'$/;
const day = String.raw`\d{4}-\d\d-\d\d`;
const time = String.raw`${day}[ T]\d\d:\d\d:\d\d`;

const forms: readonly (readonly [type: RegExp, form: Form])[] = [
  ...numbers.map(([type, accepts]) => [type, cast(accepts)] as const),
  [/^Decimal(32|64|128)?\(\d+(, *\d+)?\)$/, cast(decimal)],
  [
    /^Bool(ean)?$/,
    { accepts: /^(true|false|1|0)$/i, write: (value) => (/^(true|1)$/i.test(value) ? 'true' : 'false') },
  ],
  [/^(String|FixedString\(\d+\))$/, { accepts: /^/, write: (value) => literal(value) }],
  [/^Date(32)?$/, cast(new RegExp(`^${day}$`))],
  // A count of seconds since 1970 is a time as well.
  [/^DateTime(\('UTC'\))?$/, cast(new RegExp(String.raw`^(${time}|\d{5,10})$`))],
  [/^DateTime64\(\d(, *'UTC')?\)$/, cast(new RegExp(String.raw`^(${time}|\d{5,10})(\.\d{1,9})?$`))],
  [/^UUID$/, cast(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i)],
];

/** ClickHouse has no bound for either. Tools write a few, and the longest type that is known here has 15 tokens. */
const [parametersMax, typeTokensMax] = [100, 40];

/** A parameter as it is written, from its brace to the one that closes it. */
type Parameter = { name: Token; type: string; start: number; end: number };

/**
 * Returns the parts of a statement that are parameters, `{name:Type}`, with the values of the request as literals: the
 * statement is then checked as if its author had written them. Texts cannot leave their quotes, and numbers are numbers.
 *
 * @throws ServiceError `invalidSql` for a parameter without a value, a type that is not known here, a value that is none
 *   of its type, for one that is not closed, and for too many parameters
 */
export function fillParameters(
  sql: string,
  tokens: readonly Token[],
  given: ReadonlyMap<string, string>,
): Part[] {
  const parts: Part[] = [];
  for (const [at, token] of tokens.entries()) {
    const parameter = isSymbol(token, '{') ? readParameter(sql, tokens, at) : undefined;
    if (parameter === undefined) continue;
    if (parts.length === parametersMax) {
      const advice = `At most ${parametersMax} are available; send a list as an Array.`;
      throw sqlErrorAt(sql, token.start, 'The statement has too many parameters', advice, badValueCode);
    }
    parts.push({ start: parameter.start, end: parameter.end, text: ` ${fill(sql, parameter, given)} ` });
  }
  return parts;
}

function readParameter(sql: string, tokens: readonly Token[], at: number): Parameter | undefined {
  const [open, name, colon, ...rest] = tokens.slice(at, at + 3 + typeTokensMax);
  if (open === undefined || !isParameterName(name) || !isSymbol(colon, ':')) return undefined;
  const [first] = rest;
  const close = rest.find((token) => isSymbol(token, '}'));
  if (first === undefined || close === undefined) {
    const what = `The parameter ${name.text.slice(0, 60)} is not closed`;
    throw sqlErrorAt(sql, open.start, what, 'Write {name:Type}.', syntaxCode);
  }
  return { name, type: sql.slice(first.start, close.start).trim(), start: open.start, end: close.end };
}

function fill(sql: string, { name, type, start }: Parameter, given: ReadonlyMap<string, string>): string {
  const value = given.get(name.text);
  if (value === undefined) {
    const what = `Substitution \`${name.text.slice(0, 60)}\` is not set`;
    throw sqlErrorAt(sql, name.start, what, 'Send it as param_NAME.', noValueCode);
  }
  const text = write(type, value);
  if (text !== undefined) return text;
  const what = `The value of the parameter ${name.text.slice(0, 60)} cannot be read as ${type.slice(0, 60)}`;
  throw sqlErrorAt(sql, start, what, available, badValueCode);
}

const available =
  'Types are String, integers, Float64, Decimal, Bool, Date, DateTime, DateTime64, UUID, Nullable of these, and Array of texts and numbers.';

/** Returns `undefined` for a type that is not known here, and for a value that is none of it. */
function write(type: string, value: string): string | undefined {
  const [, outer, inner = ''] = /^(Nullable|LowCardinality|Array)\((.*)\)$/s.exec(type) ?? [];
  if (outer === 'Array') return writeArray(inner, value);
  if (outer === 'Nullable' && value === String.raw`\N`) return 'NULL';
  if (outer !== undefined) return write(inner, value);
  const form = forms.find(([known]) => known.test(type))?.[1];
  const text = withoutEscapes(value);
  return form?.accepts.test(text) ? form.write(text, type.replace(/\(?(, *)?'UTC'\)?$/, closing)) : undefined;
}

/** The zone of the session is UTC, so the type needs no zone. */
function closing(zone: string): string {
  return zone.startsWith(',') ? ')' : '';
}

/** Texts and numbers in brackets, separated by commas, as ClickHouse writes arrays. */
function writeArray(inner: string, value: string): string | undefined {
  const element = inner === 'String' ? quotedText : numbers.find(([known]) => known.test(inner))?.[1];
  if (element === undefined) return undefined;
  const tokens = tokensOf(value);
  if (!isSymbol(tokens[0], '[') || !isSymbol(tokens.at(-1), ']') || tokens.length < 2) return undefined;
  if (tokens.length === 2) return `CAST([], ${literal(`Array(${inner})`)})`;
  const ends = [0, ...tokens.flatMap((token, at) => (isSymbol(token, ',') ? [at] : [])), tokens.length - 1];
  const elements = ends.slice(1).map((end, at) => {
    const [first, last] = [tokens[(ends[at] ?? 0) + 1], tokens[end - 1]];
    return first === undefined || last === undefined ? '' : value.slice(first.start, last.end);
  });
  if (!elements.every((one) => element.test(one))) return undefined;
  return `CAST([${elements.join(', ')}], ${literal(`Array(${inner})`)})`;
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', 0: '\0' },
  ...{ '\\': '\\', "'": "'", '"': '"', '`': '`', '/': '/', '=': '=' },
};

/**
 * Values come escaped as in TabSeparated. The backslash in front of any other letter stays, as in ClickHouse's
 * parseComplexEscapeSequence(): patterns for LIKE and match() have them.
 */
function withoutEscapes(value: string): string {
  return value.replace(/\\(x[\da-f]{2}|[\s\S])/gi, (written, letter: string) =>
    letter.length === 3
      ? String.fromCharCode(Number.parseInt(letter.slice(1), 16))
      : (escapes[letter] ?? written),
  );
}
