import type { SqlEstimate } from '../../contract/analytics/sql.js';
import { documentedTables, type SqlTable, sqlTables } from '../../contract/sql-documented.js';
import type { PageId } from '../../lib/ids.js';
import { findTables } from './named-tables.js';
import { type PageSqlDeps, type PageSqlInput, runPageSql } from './run-sql.js';
import { isSymbol, isWord, type Token, tokensOf } from './tokens.js';

/** Bytes of a value before compression, by the beginning of its type. Texts and buckets as measured on a busy page. */
const bytesByType: readonly (readonly [RegExp, number])[] = [
  [/Map\(|Array\(|^AggregateFunction/, 160],
  [/Tuple\(/, 80],
  [/String/, 20],
  [/UUID/, 16],
  [/64/, 8],
  [/UInt16|Int16/, 2],
  [/Enum8|UInt8/, 1],
];
const bytesOfOthers = 4;

/**
 * Columns with the time of a row. A table has at most one of them. Monitors and incidents, which a statement reads whatever
 * its range is, count as a whole.
 */
const timeColumns: ReadonlySet<string> = new Set(['minute', 'hour', 'day', 'at']);

/**
 * Estimates what a statement of a page reads: the rows of the page in each table that it names, in the range where the
 * statement asks for one, and their bytes in the columns that it names. Conditions of other kinds may leave out more.
 *
 * It counts rows as the page itself could, and asks neither EXPLAIN nor the statistics of the server, which know the rows
 * of all pages.
 *
 * @throws ServiceError as runPageSql()
 */
export async function estimateSql(
  deps: PageSqlDeps,
  pageId: PageId,
  { sql, times = {} }: Pick<PageSqlInput, 'sql' | 'times'>,
  signal?: AbortSignal,
): Promise<SqlEstimate> {
  const tokens = tokensOf(sql);
  const named = new Set(findTables(tokens).map(({ token }) => token.text));
  const tables = sqlTables.filter((table) => named.has(table));
  if (tables.length === 0) return { tables: [], rows: 0, bytes: 0 };
  const range = rangeIn(tokens);
  const counts = tables.map((table, at) => `(${countStatement(table, range)}) AS t${at}`);
  const input = { sql: `SELECT ${counts.join(', ')}`, format: 'JSONEachRow', times };
  const row: Record<string, number> = JSON.parse((await runPageSql(deps, pageId, input, signal)).toString());
  const rowsOf = tables.map((name, at) => ({ name, rows: Number(row[`t${at}`]) }));
  const bytes = rowsOf.map(({ name, rows }) => rows * bytesOfRow(name, tokens));
  return { tables: rowsOf, rows: sum(rowsOf.map(({ rows }) => rows)), bytes: sum(bytes) };
}

/** The ends of the range that a statement has. */
type Range = { from: boolean; to: boolean };

function rangeIn(tokens: readonly Token[]): Range {
  const has = (name: string): boolean =>
    tokens.some((token, at) => token.text === name && isSymbol(tokens[at - 1], '{'));
  return { from: has('from'), to: has('to') };
}

function countStatement(table: SqlTable, range: Range): string {
  const time = documentedTables[table].columns.find(({ name }) => timeColumns.has(name))?.name;
  const conditions =
    time === undefined
      ? []
      : [
          ...(range.from ? [`${time} >= {from:DateTime}`] : []),
          ...(range.to ? [`${time} < {to:DateTime}`] : []),
        ];
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `SELECT count() FROM ${table}${where}`;
}

/** Counts the columns that the statement names; all of them when it asks for `*`. */
function bytesOfRow(table: SqlTable, tokens: readonly Token[]): number {
  const words = new Set(tokens.map(({ text }) => text));
  const { columns } = documentedTables[table];
  const read = tokens.some((_, at) => isAllColumns(tokens, at))
    ? columns
    : columns.filter(({ name }) => words.has(name));
  return sum(read.map(({ type }) => bytesByType.find(([form]) => form.test(type))?.[1] ?? bytesOfOthers));
}

/** `SELECT *`, `, *` and `t.*`, and no multiplication. */
function isAllColumns(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  const begins = isWord(before, 'SELECT') || isWord(before, 'DISTINCT') || isSymbol(before, ',');
  return isSymbol(tokens[at], '*') && (begins || isSymbol(before, '.'));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
