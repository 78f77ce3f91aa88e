import { type ReadableView, readableViews, storedView } from '../../contract/sql-tables.js';
import { findTables } from './named-tables.js';
import { expandPageFunctions } from './page-functions.js';
import { type Part, replaceParts } from './replace-parts.js';
import { sqlErrorAt } from './sql-refusal.js';
import { isSymbol, quoted, type Token } from './tokens.js';

/** A statement in words of the server. */
export type Rewritten = {
  sql: string;
  /** Calls of functions of pages that became expressions. */
  pageFunctions: number;
};

/**
 * Returns a statement in words of the server: names of views as they are stored, and the functions of pages as the
 * expressions that they stand for. Returns `undefined` when the server knows every word of it.
 *
 * @throws ServiceError `invalidSql` for arguments of a page function that it does not take.
 */
export function rewriteSql(sql: string, tokens: readonly Token[], database: string): Rewritten | undefined {
  const functions = expandPageFunctions(sql, tokens);
  const isInCall = ({ start }: Part) => functions.some((call) => start > call.start && start < call.end);
  const parts = [...renameViews(tokens, database).filter((part) => !isInCall(part)), ...functions];
  if (parts.length === 0) return undefined;
  refuseHeredocs(sql, tokens);
  const text = replaceParts(sql.slice(0, tokens.at(-1)?.end), parts);
  return { sql: text, pageFunctions: functions.length };
}

/** Versions of ClickHouse take other tags of heredocs. What is a text for one of them must not be code for another. */
function refuseHeredocs(sql: string, tokens: readonly Token[]): void {
  const sign = tokens.find(({ text, kind }) => kind === 'symbol' && text.includes('$'));
  if (sign === undefined) return;
  throw sqlErrorAt(sql, sign.start, 'A $ outside of a text is not available here');
}

/** A view keeps the name that the statement calls it by, so that `checks.up` means what it says. */
function renameViews(tokens: readonly Token[], database: string): Part[] {
  const tables = findTables(tokens);
  const names = new Map<string, string>();
  const parts = tables.flatMap(({ token: { text, start, end }, alias }) => {
    if (!isView(text)) return [];
    if (alias === undefined || !names.has(text)) names.set(text, alias ?? text);
    const stored = storedView(text);
    return [{ start, end, text: alias === undefined ? `${stored} AS ${text}` : stored }];
  });
  const taken = new Set(tables.flatMap(({ alias }) => alias ?? []));
  return [...parts, ...renameColumns(tokens, { names, taken, database })];
}

/**
 * Columns with a view in front, `heartline.checks.up`, and `checks.up` where the statement calls the view by another name:
 * the server knows tables by their stored names, and tools name every column like this.
 */
function renameColumns(
  tokens: readonly Token[],
  {
    names,
    taken,
    database,
  }: { names: ReadonlyMap<string, string>; taken: ReadonlySet<string>; database: string },
): Part[] {
  return tokens.flatMap((token, at) => {
    const name = names.get(token.text);
    if (name === undefined || token.kind === 'string' || !isSymbol(tokens[at + 1], '.')) return [];
    const { start, end } = token;
    if (!isSymbol(tokens[at - 1], '.'))
      return name === token.text || taken.has(token.text) ? [] : [{ start, end, text: quoted(name) }];
    const schema = tokens[at - 2];
    if (schema?.text !== database || isSymbol(tokens[at - 3], '.')) return [];
    return [{ start: schema.start, end, text: quoted(name) }];
  });
}

function isView(name: string): name is ReadableView {
  return readableViews.some((view) => view === name);
}
