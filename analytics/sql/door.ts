import { positionAt, type TextPosition } from '../../lib/mistakes/text-position.js';
import { ServiceError } from '../../lib/service-error.js';
import { answerFunctions, type DoorSession } from './door-functions.js';
import { fillParameters } from './door-parameters.js';
import { answerTables } from './door-references.js';
import { answerStatement } from './door-statements.js';
import { type Part, replaceParts } from './replace-parts.js';
import { isSymbol, isWord, type Token, tokensOf, withoutSemicolons } from './tokens.js';

/** A statement of a tool as the SQL of pages takes it. */
export type DoorStatement = {
  /** `undefined` for a statement that has nothing to answer. */
  sql: string | undefined;
  /** The name behind FORMAT, which the SQL of pages takes next to the statement. */
  format: string | undefined;
  /** Returns an error about `sql` with its place in the statement of the tool. */
  locate(error: ServiceError): ServiceError;
};

/** ClickHouse's max_query_size and max_ast_elements, with SYNTAX_ERROR and TOO_BIG_AST for what exceeds them. */
const [bytesMax, tooLongCode] = [262_144, 62];
const [tokensMax, tooBigCode] = [50_000, 168];

/**
 * Translates a statement of a tool: values for its parameters, literals for functions about the server, and subqueries
 * of literals for the tables about tables, which so show the page's own tables and nothing of the server. The result is
 * checked as any other statement of the page: nothing that confines it depends on this.
 *
 * @throws ServiceError as ClickHouse answers a read-only user
 */
export function translateForTools(
  text: string,
  session: DoorSession,
  given: ReadonlyMap<string, string>,
): DoorStatement {
  const all = withoutSemicolons(tokensOf(text));
  assertFewTokens(all);
  const format = formatOf(all);
  const tokens = format === undefined ? all : withoutSemicolons(all.slice(0, -2));
  const answer = answerStatement(text, tokens, session.database);
  if (answer === 'nothing') return { sql: undefined, format, locate: (error) => error };
  if (answer !== undefined) {
    const { sql } = translateForTools(answer.select, session, given);
    return { sql, format, locate: (error) => error };
  }
  const written = text.slice(0, tokens.at(-1)?.end ?? 0);
  const parts = [
    ...fillParameters(written, tokens, given),
    ...answerFunctions(tokens, session),
    ...answerTables(tokens, session.database),
  ].sort((one, other) => one.start - other.start);
  const sql = replaceAll(written, parts);
  return { sql, format, locate: (error) => relocate(error, { sql, written, parts }) };
}

/** The name behind the last word FORMAT, unless that is a column: `ORDER BY format DESC`. */
function formatOf(tokens: readonly Token[]): string | undefined {
  const [before, word, name] = tokens.slice(-3);
  if (!isWord(word, 'FORMAT') || name?.kind !== 'word') return undefined;
  const isColumn = isWord(before, 'BY') || isSymbol(before, ',') || isSymbol(before, '.');
  return isColumn ? undefined : name.text;
}

/**
 * Returns the statement with its parts replaced. Their lengths are added up first: a long value or a subquery may stand
 * at thousands of places.
 *
 * @throws ServiceError `invalidSql` for a text that ClickHouse would not read
 */
function replaceAll(written: string, parts: readonly Part[]): string {
  const length = parts.reduce(
    (sum, { start, end, text }) => sum + text.length - (end - start),
    written.length,
  );
  if (length > bytesMax) throw tooLong();
  const sql = replaceParts(written, parts);
  if (Buffer.byteLength(sql) > bytesMax) throw tooLong();
  return sql;
}

function tooLong(): ServiceError {
  const message = `Max query size exceeded: with its parameters and its tables about tables, the statement has more than ${bytesMax} bytes.`;
  return new ServiceError('invalidSql', { message, storeCode: tooLongCode });
}

/** @throws ServiceError `invalidSql` */
function assertFewTokens(tokens: readonly Token[]): void {
  if (tokens.length <= tokensMax) return;
  const message = `AST is too big. The statement has ${tokens.length} words and symbols; at most ${tokensMax} are available.`;
  throw new ServiceError('invalidSql', { message, storeCode: tooBigCode });
}

type Translated = { sql: string; written: string; parts: readonly Part[] };

/** A place inside of what took the place of a part is the beginning of that part. */
function relocate(error: ServiceError, { sql, written, parts }: Translated): ServiceError {
  const { kind, message, position, hint, retryAfterSeconds, storeCode } = error;
  if (position === undefined || parts.length === 0) return error;
  const index = indexOf(sql, position.offset);
  let shift = 0;
  let at: number | undefined;
  for (const { start, end, text } of parts) {
    if (index < start + shift) break;
    if (index < start + shift + text.length) at ??= start;
    shift += text.length - (end - start);
  }
  const place = positionAt(written, at ?? index - shift);
  const said = message.replace(describe(position), describe(place));
  return new ServiceError(kind, { message: said, position: place, hint, retryAfterSeconds, storeCode });
}

function describe({ line, column }: TextPosition): string {
  return `(line ${line}, column ${column})`;
}

/** Returns the index of a character that is counted in code points. */
function indexOf(text: string, offset: number): number {
  return [...text].slice(0, offset).join('').length;
}
