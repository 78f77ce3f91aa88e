import { selectDoorTable } from './door-tables.js';
import { findTables } from './named-tables.js';
import type { Part } from './replace-parts.js';
import { isSymbol, quoted, type Token } from './tokens.js';

/**
 * Returns the parts that name tables about tables, with the subqueries that these stand for, and the parts that name
 * columns with such a table in front. A subquery stands at every place: with a name in WITH, which not every place of a
 * UNION sees, the check of the syntax tree would take more names for tables.
 */
export function answerTables(tokens: readonly Token[], database: string): Part[] {
  const aliases = new Map<string, string>();
  const places = new Set<number>();
  const placeOf = new Map(tokens.map((token, at) => [token, at]));
  const parts = findTables(tokens).flatMap(({ token, alias }) => {
    const at = placeOf.get(token) ?? 0;
    const schema = tokens[at - 2];
    if (schema === undefined || !isSymbol(tokens[at - 1], '.')) return [];
    const select = selectDoorTable(schema.text, token.text, database);
    if (select === undefined) return [];
    aliases.set(keyOf(schema, token), alias ?? token.text);
    places.add(at - 2);
    const own = alias !== undefined ? '' : ` AS ${quoted(token.text)}`;
    return [{ start: schema.start, end: token.end, text: `(${select})${own}` }];
  });
  return aliases.size === 0 ? parts : [...parts, ...renameColumns(tokens, aliases, places)];
}

function renameColumns(
  tokens: readonly Token[],
  aliases: ReadonlyMap<string, string>,
  places: ReadonlySet<number>,
): Part[] {
  return tokens.flatMap((schema, at) => {
    const [dot, table, second] = tokens.slice(at + 1, at + 4);
    if (places.has(at) || table === undefined || !isSymbol(dot, '.') || !isSymbol(second, '.')) return [];
    const alias = aliases.get(keyOf(schema, table));
    if (alias === undefined) return [];
    return [{ start: schema.start, end: table.end, text: quoted(alias) }];
  });
}

function keyOf(schema: Token, table: Token): string {
  return `${schema.text}.${table.text}`.toLowerCase();
}
