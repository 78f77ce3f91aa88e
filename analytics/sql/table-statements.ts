import { documentedTables, type SqlTable, sqlTables } from '../../contract/sql-documented.js';
import { unknownTable } from './check-tables.js';
import { SqlRefusal } from './sql-refusal.js';
import { isSymbol, isWord, type Token } from './tokens.js';

const forms =
  'Write SELECT …, SHOW TABLES, DESCRIBE TABLE requests_minute or SHOW CREATE TABLE requests_minute.';

/**
 * Returns the SELECT that answers a statement about tables from their documentation, or `undefined` for a statement that
 * is not about tables. As a SELECT over literals it takes the way of any other statement: every format, the same limits,
 * and nothing of the server's own description of a table, which has its engine and settings.
 *
 * @throws SqlRefusal for an unknown table, and for a statement of another kind.
 */
export function selectAboutTables(tokens: readonly Token[], database: string): string | undefined {
  const [first, second, third] = tokens;
  if (first === undefined) throw new SqlRefusal('The statement is empty', '', forms);
  if (isSymbol(first, '(') || ['SELECT', 'WITH', 'FROM'].some((word) => isWord(first, word)))
    return undefined;
  if (isWord(first, 'SHOW') && isWord(second, 'TABLES')) return selectTables(tokens.slice(2));
  if (isWord(first, 'SHOW') && isWord(second, 'CREATE')) {
    return selectDefinition(tableOf(tokens.slice(isWord(third, 'TABLE') ? 3 : 2), database));
  }
  if (isWord(first, 'DESCRIBE') || isWord(first, 'DESC')) {
    // A table may be called "table", but none here is.
    return selectColumns(tableOf(tokens.slice(isWord(second, 'TABLE') ? 2 : 1), database));
  }
  const words = isWord(first, 'SHOW') && second !== undefined ? `SHOW ${second.text}` : first.text;
  throw new SqlRefusal(`${words.slice(0, 40).toUpperCase()} is not available here`, first.text, forms);
}

function selectTables(rest: readonly Token[]): string {
  refuseRest(rest);
  return selectRows(
    ['name', 'comment'],
    sqlTables.map((name) => [name, documentedTables[name].comment]),
  );
}

function selectColumns(table: SqlTable): string {
  return selectRows(
    ['name', 'type', 'comment'],
    documentedTables[table].columns.map(({ name, type, comment }) => [name, type, comment]),
  );
}

function selectDefinition(table: SqlTable): string {
  return selectRows(['statement'], [[definitionOf(table)]]);
}

/** Returns the statement that would create the table, without what is the server's own. */
export function definitionOf(table: SqlTable): string {
  const { columns, comment } = documentedTables[table];
  const lines = columns.map(
    ({ name, type, comment }) => `    \`${name}\` ${type} COMMENT ${literal(comment)}`,
  );
  return `CREATE TABLE ${table}\n(\n${lines.join(',\n')}\n)\nCOMMENT ${literal(comment)}`;
}

/** @throws SqlRefusal unless the tokens are the name of a readable table, perhaps behind the name of its database. */
function tableOf(tokens: readonly Token[], database: string): SqlTable {
  const qualified = isSymbol(tokens[1], '.');
  const named = tokens.slice(0, qualified ? 3 : 1);
  const name = named.map(({ text }) => text).join('');
  if (name === '') throw new SqlRefusal('The name of a table is missing', '', forms);
  const table = sqlTables.find((known) => name === known || name === `${database}.${known}`);
  if (table === undefined) throw unknownTable(name);
  refuseRest(tokens.slice(named.length));
  return table;
}

function refuseRest([token]: readonly Token[]): void {
  if (token !== undefined) {
    throw new SqlRefusal(`The statement goes on at "${token.text.slice(0, 40)}"`, token.text, forms);
  }
}

/** The rows stand in an array of tuples, which needs no table function and keeps their order. */
function selectRows(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const tuples = rows.map((row) => `tuple(${row.map(literal).join(', ')})`);
  const fields = columns.map((column, at) => `row.${at + 1} AS ${column}`);
  return `SELECT ${fields.join(', ')} FROM (SELECT arrayJoin([${tuples.join(', ')}]) AS row)`;
}

/** Returns the text as a string literal. */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
