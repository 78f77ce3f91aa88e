import { documentedNames, documentedTables, sqlTables } from '../../contract/sql-documented.js';
import { grantedViews } from '../../contract/sql-tables.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import { findName, sqlErrorAt } from './sql-refusal.js';
import { isSymbol, type Token } from './tokens.js';

/** A statement as its caller wrote it, and how it was sent. */
export type Statement = {
  sql: string;
  tokens: readonly Token[];
  /** Database of the readable tables. */
  database: string;
  /** Bytes in front of the caller's text in the executed text. */
  shift: number;
};

const messageCharsMax = 500;
const expectedMax = 6;
/** Views have another name in the store than in the statement. */
const storedViewForm = new RegExp(String.raw`\b(?=(?:${grantedViews.join('|')})\b)sql_(\w+)`, 'g');
const closerOf: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/**
 * Describes an error in the text of a query that the server has found, with its place where the message names one. The
 * result shows nothing of what the service wraps around the statement.
 */
export function describeSqlError(message: string, statement: Statement): ServiceError {
  const byte = /\bfailed at position (\d+)/.exec(message)?.[1];
  return byte === undefined
    ? describeMeaning(message, statement)
    : describeSyntax(message, statement, Number(byte) - 1 - statement.shift);
}

function describeSyntax(message: string, { sql, tokens }: Statement, byte: number): ServiceError {
  const unbalanced = findUnbalanced(tokens);
  if (message.includes('Unmatched parentheses') && unbalanced !== undefined) {
    const fault = closerOf[unbalanced.text] === undefined ? 'closes nothing' : 'is never closed';
    return sqlErrorAt(sql, unbalanced.start, `"${unbalanced.text}" ${fault}`);
  }
  const index = Buffer.from(sql).subarray(0, Math.max(0, byte)).toString().length;
  const open = /\b([A-Z][\w ]{0,40} is not closed): Syntax error/.exec(message)?.[1];
  if (open !== undefined) return sqlErrorAt(sql, index, open);
  const end = tokens.at(-1)?.end ?? 0;
  const token = tokens.find(({ start, end }) => start <= index && index < end);
  if (token === undefined) return sqlErrorAt(sql, end, 'The statement ends too early', expectedIn(message));
  return sqlErrorAt(
    sql,
    index,
    `Syntax error at "${shorten(sql.slice(index, token.end))}"`,
    expectedIn(message),
  );
}

/** Returns the bracket that has no partner. */
function findUnbalanced(tokens: readonly Token[]): Token | undefined {
  const open: Token[] = [];
  for (const token of tokens) {
    if (token.kind !== 'symbol') continue;
    if (closerOf[token.text] !== undefined) open.push(token);
    else if (Object.values(closerOf).includes(token.text)) {
      const partner = open.pop();
      if (partner === undefined) return token;
      if (!isSymbol(token, closerOf[partner.text] ?? '')) return partner;
    }
  }
  return open.at(-1);
}

/** Returns the words that the server expected, when they are a short list. */
function expectedIn(message: string): string {
  const list = /\. Expected(?: one of:)? (.*?)(?:\. \(|\.?\s*$)/s.exec(message)?.[1] ?? '';
  const words = list.split(', ').filter((word) => /^[A-Z ]+$/.test(word) && !unavailable.has(word));
  return words.length === 0 || list.split(', ').length > expectedMax ? '' : `Expected ${listOr(words)}.`;
}

/** Words that may follow by ClickHouse's grammar, but are refused here. */
const unavailable: ReadonlySet<string> = new Set(['PARALLEL WITH', 'INTO OUTFILE', 'FORMAT', 'SETTINGS']);

function describeMeaning(message: string, { sql, tokens, database }: Statement): ServiceError {
  const text = withoutInternals(message, database);
  const name = nameIn(text);
  const token = name === undefined ? undefined : (findName(tokens, name) ?? findName(tokens, lastPart(name)));
  const advice = name === undefined ? '' : adviceFor(text, name);
  if (token !== undefined) return sqlErrorAt(sql, token.start, text, advice);
  return new ServiceError('invalidSql', { message: [`${text}.`, advice].filter(Boolean).join(' ') });
}

/** Returns the server's message without what it adds about its internals, and without a full stop. */
function withoutInternals(message: string, database: string): string {
  const text = message
    .replace(/\(version [^)]*\)/g, '')
    .replace(/[:,.]? ?\b(in scope|while executing|while processing|in query) [\s\S]*$/i, '')
    .replace(/[:,.]? ?Maybe you meant[\s\S]*$/, '')
    .replace(/^Unknown (?:expression(?: or function)?|identifier) identifier/, 'Unknown column')
    .replace(/^Unknown (?:expression or )?table expression identifier/, 'Unknown table')
    .replace(/\b__table\d+\./g, '')
    .replaceAll(`${database}.`, '')
    .replace(storedViewForm, '$1')
    .replace(/(?:\/[\w.@+-]+){2,}/g, '…')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\.$/, '');
  return shorten(text, messageCharsMax);
}

/** Returns the name that a message is about. */
function nameIn(text: string): string | undefined {
  const quoted = /[`'"]([\p{L}\p{N}_.]+)[`'"]/u.exec(text)?.[1];
  return quoted ?? /\bfunction (\w+)/.exec(text)?.[1];
}

function adviceFor(text: string, name: string): string {
  if (text.includes('not under aggregate function')) return 'Add it to GROUP BY, or aggregate it.';
  if (!text.startsWith('Unknown ')) return '';
  const column = lastPart(name);
  const tables = sqlTables.filter((table) =>
    documentedTables[table].columns.some((known) => known.name === column),
  );
  if (tables.length > 0) return `It is a column of ${tables.join(', ')}.`;
  const near = nearestNames(column, documentedNames);
  return near.length === 0 ? '' : `Did you mean ${listOr(near)}?`;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function shorten(text: string, charsMax = 40): string {
  return text.length > charsMax ? `${text.slice(0, charsMax).toWellFormed()}…` : text;
}
