import { isSymbol, isWord, type Token } from './tokens.js';

/** A name in the place of a table. */
export type NamedTable = {
  /** The last part of the name; the part in front of it is the database. */
  token: Token;
  /** The other name that the statement gives the table. */
  alias: string | undefined;
};

/** Words that end the list of tables behind FROM. */
const clauses = `WHERE PREWHERE GROUP HAVING WINDOW QUALIFY ORDER LIMIT OFFSET FETCH SETTINGS FORMAT UNION EXCEPT INTERSECT
  INTO SELECT WITH`;
/** Words that may follow a table, and are no name for it. */
const followers = new Set(
  `${clauses} FINAL SAMPLE JOIN ON USING ARRAY INNER LEFT RIGHT FULL OUTER CROSS GLOBAL LOCAL ANY ALL ASOF SEMI ANTI PASTE AS`.split(
    /\s+/,
  ),
);
const endsOfTables = new Set(clauses.split(/\s+/));

/** The content of a pair of parentheses, as far as it was read. */
type Level = {
  /** A SELECT, or tables; otherwise arguments, where FROM is a word of a function: `extract(HOUR FROM minute)`. */
  isQuery: boolean;
  /** Whether a comma leads to the next table. */
  inTables: boolean;
};

/**
 * Finds the names of tables in a statement by its tokens: behind FROM and JOIN, and behind the commas between tables. A
 * name that the statement gives to a subquery in WITH is none. Nothing that confines a statement depends on this: a name
 * that is not found stays as it is, and the check of the syntax tree then refuses it.
 */
export function findTables(tokens: readonly Token[]): NamedTable[] {
  const named = namesInWith(tokens);
  const levels: Level[] = [{ isQuery: true, inTables: false }];
  const found: NamedTable[] = [];
  for (const [at, token] of tokens.entries()) {
    const level = levels.at(-1);
    if (level === undefined) return found;
    if (isSymbol(token, '(')) levels.push({ isQuery: beginsQuery(tokens, at, level), inTables: false });
    else if (isSymbol(token, ')')) levels.pop();
    else if (!level.isQuery) continue;
    else if (leadsToTable(tokens, at, level)) {
      level.inTables = true;
      const table = tableAt(tokens, at + 1);
      if (table !== undefined && !named.has(table.token.text)) found.push(table);
    } else if (token.kind === 'word' && endsTables(tokens, at)) level.inTables = false;
  }
  return found;
}

function leadsToTable(tokens: readonly Token[], at: number, { inTables }: Level): boolean {
  const token = tokens[at];
  if (isWord(token, 'FROM') || (isSymbol(token, ',') && inTables)) return true;
  return isWord(token, 'JOIN') && !isWord(tokens[at - 1], 'ARRAY');
}

/** Behind ARRAY JOIN and USING, commas are between columns. */
function endsTables(tokens: readonly Token[], at: number): boolean {
  const word = tokens[at]?.text.toUpperCase() ?? '';
  return endsOfTables.has(word) || word === 'ARRAY' || word === 'USING';
}

/** Whether a parenthesis holds a query or tables, and not arguments or values. */
function beginsQuery(tokens: readonly Token[], at: number, outer: Level): boolean {
  const next = tokens[at + 1];
  if (['SELECT', 'WITH', 'FROM'].some((word) => isWord(next, word))) return true;
  return isSymbol(next, '(') && (at === 0 || (outer.isQuery && outer.inTables));
}

function tableAt(tokens: readonly Token[], at: number): NamedTable | undefined {
  const isQualified = isSymbol(tokens[at + 1], '.');
  const place = isQualified ? at + 2 : at;
  const token = tokens[place];
  const next = tokens[place + 1];
  const isName = token?.kind === 'word' || token?.kind === 'quotedName';
  if (!isName || isSymbol(next, '(')) return undefined;
  if (isWord(next, 'AS')) return { token, alias: tokens[place + 2]?.text };
  const isAlias =
    next?.kind === 'quotedName' || (next?.kind === 'word' && !followers.has(next.text.toUpperCase()));
  return { token, alias: isAlias ? next.text : undefined };
}

/** Names of subqueries: `WITH name AS (SELECT …)`. An expression with a name, `WITH 1 AS name`, has them in the other order. */
function namesInWith(tokens: readonly Token[]): ReadonlySet<string> {
  const names = tokens.filter(
    (token, at) =>
      (token.kind === 'word' || token.kind === 'quotedName') &&
      isWord(tokens[at + 1], 'AS') &&
      isSymbol(tokens[at + 2], '(') &&
      (isWord(tokens[at - 1], 'WITH') ||
        isWord(tokens[at - 1], 'RECURSIVE') ||
        isSymbol(tokens[at - 1], ',')),
  );
  return new Set(names.map(({ text }) => text));
}
