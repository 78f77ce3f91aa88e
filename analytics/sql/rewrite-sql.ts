import { type ReadableView, readableViews, storedView } from '../../contract/sql-tables.js';
import { findTables } from './named-tables.js';
import { expandPageFunctions } from './page-functions.js';
import { type Part, replaceParts } from './replace-parts.js';
import { sqlErrorAt } from './sql-refusal.js';
import type { Token } from './tokens.js';

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
export function rewriteSql(sql: string, tokens: readonly Token[]): Rewritten | undefined {
  const functions = expandPageFunctions(sql, tokens);
  const parts = [...renameViews(tokens), ...functions];
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
function renameViews(tokens: readonly Token[]): Part[] {
  return findTables(tokens).flatMap(({ token, hasAlias }) => {
    if (!isView(token.text)) return [];
    const { start, end } = token;
    const stored = storedView(token.text);
    return { start, end, text: hasAlias ? stored : `${stored} AS ${token.text}` };
  });
}

function isView(name: string): name is ReadableView {
  return readableViews.some((view) => view === name);
}
