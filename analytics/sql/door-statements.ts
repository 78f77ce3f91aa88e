import { type SqlTable, sqlTables } from '../../contract/sql-documented.js';
import { ServiceError } from '../../lib/service-error.js';
import { unknownTable } from './check-tables.js';
import { checkSetting, plain, readOnly } from './door-settings.js';
import { locateRefusal } from './sql-refusal.js';
import { literal } from './table-statements.js';
import { isSymbol, isWord, type Token } from './tokens.js';

/** UNKNOWN_DATABASE of ClickHouse. */
const unknownDatabaseCode = 81;

/** Words that begin a statement which changes something. */
const changes: ReadonlySet<string> = new Set(
  `INSERT CREATE ALTER DROP TRUNCATE RENAME EXCHANGE DELETE UPDATE OPTIMIZE ATTACH DETACH UNDROP SYSTEM KILL GRANT REVOKE
  BACKUP RESTORE REPLACE MOVE`.split(/\s+/),
);

/** A statement that is answered with another one, or with nothing. */
export type DoorAnswer = { select: string } | 'nothing';

/**
 * Returns the answer to a statement that drivers send beside SELECT: about databases, tables and columns, and about the
 * session. Returns `undefined` for a SELECT, and for what the SQL of pages answers or refuses by itself.
 *
 * @throws ServiceError as ClickHouse answers a read-only user
 */
export function answerStatement(
  sql: string,
  tokens: readonly Token[],
  database: string,
): DoorAnswer | undefined {
  const [first, second] = tokens;
  const rest = tokens.slice(1);
  if (first?.kind !== 'word') return undefined;
  const word = first.text.toUpperCase();
  if (changes.has(word)) throw readOnly('Cannot execute query in readonly mode');
  if (word === 'USE') return useDatabase(rest, database);
  if (word === 'SET') return set(sql, rest);
  if (word === 'EXISTS') return exists(rest, database);
  if (word === 'SHOW' && !isWord(second, 'CREATE')) return show(rest, database);
  if (word !== 'DESCRIBE' && word !== 'DESC') return undefined;
  return describe(sql, tokens, isWord(second, 'TABLE') ? tokens.slice(2) : rest, database);
}

/** Every connection has the one database already. */
function useDatabase([name, more]: readonly Token[], database: string): DoorAnswer | undefined {
  if (name === undefined || more !== undefined) return undefined;
  checkDatabase(name.text, database);
  return 'nothing';
}

/** @throws ServiceError UNKNOWN_DATABASE unless the name is empty, `default`, or the name of the pages' database */
export function checkDatabase(name: string | undefined, database: string): void {
  if (name === undefined || ['', 'default', database].includes(name)) return;
  const message = `Database ${plain(name)} does not exist. It is called ${database}.`;
  throw new ServiceError('notAllowed', { message, storeCode: unknownDatabaseCode });
}

/** `SET name = value, name = value`, and `SET ROLE NONE`: nobody has a role. */
function set(sql: string, rest: readonly Token[]): DoorAnswer {
  if (isWord(rest[0], 'ROLE') && (isWord(rest[1], 'NONE') || isWord(rest[1], 'DEFAULT'))) return 'nothing';
  const commas = rest.flatMap((token, at) => (isSymbol(token, ',') ? [at] : []));
  const starts = [0, ...commas.map((at) => at + 1)];
  for (const [at, start] of starts.entries()) {
    const pair = rest.slice(start, commas[at] ?? rest.length);
    const [name, equals, value] = pair;
    const last = pair.at(-1);
    const text = value === undefined || last === undefined ? '' : sql.slice(value.start, last.end);
    checkSetting(name?.text ?? '', isSymbol(equals, '=') ? text.replace(/^'(.*)'$/s, '$1') : '');
  }
  return 'nothing';
}

/** A name, perhaps behind the name of its database. */
type Named = { schema: string | undefined; name: string; after: readonly Token[] };

function readName(tokens: readonly Token[]): Named {
  const [first, dot, second] = tokens;
  if (isSymbol(dot, '.') && second !== undefined)
    return { schema: first?.text, name: second.text, after: tokens.slice(3) };
  return { schema: undefined, name: first?.text ?? '', after: tokens.slice(1) };
}

function isOwn(schema: string | undefined, database: string): boolean {
  return schema === undefined || schema === database;
}

function exists(rest: readonly Token[], database: string): DoorAnswer | undefined {
  const kinds = ['TABLE', 'VIEW', 'DICTIONARY', 'DATABASE', 'TEMPORARY'];
  const at = rest.findIndex((token) => !kinds.some((kind) => isWord(token, kind)));
  const { schema, name, after } = readName(at === -1 ? [] : rest.slice(at));
  if (name === '' || after.length > 0) return undefined;
  const isThere = rest.slice(0, at).some((token) => isWord(token, 'DATABASE'))
    ? name === database
    : isOwn(schema, database) && sqlTables.some((table) => table === name);
  return { select: `SELECT toUInt8(${isThere ? 1 : 0}) AS result` };
}

function show(rest: readonly Token[], database: string): DoorAnswer | undefined {
  const isFull = isWord(rest[0], 'FULL') || isWord(rest[0], 'EXTENDED');
  const [what, ...clauses] = isFull ? rest.slice(1) : rest;
  const is = (...words: string[]): boolean => words.some((word) => isWord(what, word));
  if (is('DATABASES', 'SCHEMAS')) {
    return { select: `SELECT name FROM system.databases${filterOf(clauses)}` };
  }
  if (is('FUNCTIONS')) return { select: `SELECT * FROM system.functions${filterOf(clauses)}` };
  if (is('SETTINGS')) {
    return { select: `SELECT name, type, value FROM system.settings${filterOf(clauses)}` };
  }
  if (is('TABLES')) {
    const { schema, after } = readSource(clauses);
    const type = isFull ? ", 'BASE TABLE' AS table_type" : '';
    const select = `SELECT name${type} FROM system.tables`;
    if (isOwn(schema, database)) return { select: `${select}${filterOf(after)}` };
    return { select: `${select} WHERE 0` };
  }
  if (!is('COLUMNS', 'FIELDS')) return undefined;
  return showColumns(clauses, database);
}

function showColumns(clauses: readonly Token[], database: string): DoorAnswer {
  const { schema, name, after } = readName(clauses.slice(1));
  const table = ownTable(schema, name, database);
  if (table === undefined) throw unknownTable(schema === undefined ? name : `${schema}.${name}`);
  const columns = `SELECT name, type, position FROM system.columns WHERE table = ${literal(table)}`;
  return {
    select: `SELECT name AS field, type, if(startsWith(type, 'Nullable('), 'YES', 'NO') AS null, '' AS key, NULL AS default,
'' AS extra FROM (${columns})${filterOf(after, 'position')}`,
  };
}

function ownTable(schema: string | undefined, name: string, database: string): SqlTable | undefined {
  return isOwn(schema, database) ? sqlTables.find((known) => known === name) : undefined;
}

/** The database behind FROM or IN. */
function readSource(clauses: readonly Token[]): { schema: string | undefined; after: readonly Token[] } {
  const [first, name] = clauses;
  const isNamed = (isWord(first, 'FROM') || isWord(first, 'IN')) && name !== undefined;
  return isNamed ? { schema: name.text, after: clauses.slice(2) } : { schema: undefined, after: clauses };
}

/** `[NOT] LIKE 'pattern'` and `LIMIT number`. Other words are left for the check to refuse. */
function filterOf(clauses: readonly Token[], order = 'name'): string {
  const limit = clauses.findIndex((token) => isWord(token, 'LIMIT'));
  const condition = clauses.slice(0, limit === -1 ? undefined : limit).map(({ text }) => text);
  const where = condition.length === 0 ? '' : ` WHERE name ${condition.join(' ')}`;
  const count = limit === -1 ? '' : ` LIMIT ${clauses[limit + 1]?.text ?? ''}`;
  return `${where} ORDER BY ${order}${count}`;
}

function describe(
  sql: string,
  tokens: readonly Token[],
  rest: readonly Token[],
  database: string,
): DoorAnswer | undefined {
  const { schema, name, after } = readName(rest);
  // The SQL of pages refuses a subquery, and what is missing or too much.
  if (name === '' || after.length > 0 || isSymbol(rest[0], '(')) return undefined;
  const table = ownTable(schema, name, database);
  if (table === undefined) {
    throw locateRefusal(sql, tokens, unknownTable(schema === undefined ? name : `${schema}.${name}`));
  }
  return {
    select: `SELECT name, type, '' AS default_type, '' AS default_expression, comment, '' AS codec_expression,
'' AS ttl_expression FROM system.columns WHERE table = ${literal(table)} ORDER BY position`,
  };
}
