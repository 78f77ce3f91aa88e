import { sqlLimits } from '../../contract/sql-tables.js';
import { listOr, nearestNames } from '../../lib/mistakes/nearest.js';
import { ServiceError } from '../../lib/service-error.js';
import { checkPatterns } from './check-patterns.js';
import { checkMembers, checkSizes } from './check-sizes.js';
import { asWritten, checkTable, type Wording } from './check-tables.js';
import { checkWindow, checkWindowFunction } from './check-windows.js';
import { functionsPerCallMax, mergesPerCallMax, pageFunctionNames } from './page-functions.js';
import { type AstNode, parseAst } from './parse-ast.js';
import { checkColumnName, checkFormerColumn, checkStates } from './refused-columns.js';
import { allowedFunctions, isAggregate, isAllowedFunction, isAllowedTableFunction } from './sql-functions.js';
import { isParameter, type SqlTimes } from './sql-parameters.js';
import { SqlRefusal, shorten } from './sql-refusal.js';

/** Nodes that mean what their children mean, which are checked in turn. */
const structure: ReadonlySet<string> = new Set([
  'SelectWithUnionQuery',
  'SelectIntersectExceptQuery',
  'SelectQuery',
  'ExpressionList',
  'WithElement',
  'Subquery',
  'TablesInSelectQuery',
  'TablesInSelectQueryElement',
  'TableExpression',
  'TableJoin',
  'ArrayJoin',
  'Asterisk',
  'QualifiedAsterisk',
  'ColumnsRegexpMatcher',
  'ColumnsListMatcher',
  'QualifiedColumnsRegexpMatcher',
  'QualifiedColumnsListMatcher',
  'ColumnsTransformerList',
  'ColumnsExceptTransformer',
  'ColumnsReplaceTransformer',
  'ColumnsReplaceTransformer::Replacement',
  'OrderByElement',
  'WindowListElement',
  'InterpolateElement',
]);

/** The meaning of a node, and the word that makes it. */
const refusedNodes: Readonly<Record<string, [what: string, word: string]>> = {
  Set: ['A SETTINGS clause is not available here', 'SETTINGS'],
  // The tree does not show which function or lambda APPLY calls.
  ColumnsApplyTransformer: ['APPLY is not available here; write the columns out', 'APPLY'],
  SampleRatio: ['SAMPLE is not available here', 'SAMPLE'],
};

const functionName = /^(\w+)(?: \(alias .*\))?$/s;
const functionsOfPages: ReadonlySet<string> = new Set(pageFunctionNames);

const casts: ReadonlySet<string> = new Set([
  'cast',
  'accuratecast',
  'accuratecastornull',
  'accuratecastordefault',
  'jsonextract',
  'jsonextractcaseinsensitive',
  'jsonextractkeysandvalues',
  'jsonextractkeysandvaluescaseinsensitive',
]);
/** A type as the tree prints it: a string literal in which only single quotes are escaped. */
const typeLiteral = /^'(?:[\p{L}\p{N}_ ,.()=/+-]|\\')*'(?: \(alias .*\))?$/su;

/**
 * Functions whose first argument, if there are more, is a function. A bare name, as in
 * `arrayMap(file, ['/etc/passwd'])`, would look like the name of a column.
 */
const higherOrder =
  /^(array(map|filter|exists|all|count|sum|avg|min|max|product|first.*|last.*|(reverse)?sort|cumsum.*|compact|difference)|map(all|apply|exists|filter|(reverse)?sort))$/i;

/** UNKNOWN_FUNCTION of ClickHouse. */
const unknownFunctionCode = 46;

const memberships = /^(global)?(not)?(null)?in$/i;

const weightedArraysMax = 10;

export type SqlToCheck = {
  /** Database of the readable tables. */
  database: string;
  /** Values of the parameters. */
  times?: SqlTimes;
  wording?: Wording;
};

/**
 * Checks that a statement may run for a page, by its syntax tree as `EXPLAIN AST` prints it. Everything is allowed by
 * list: kinds of nodes, functions, table functions, tables.
 *
 * @throws ServiceError `invalidSql`, whose message names what is not available.
 */
export function checkSql(
  lines: readonly string[],
  { database, times = {}, wording = asWritten }: SqlToCheck,
): void {
  const root = parseAst(lines);
  if (root?.kind !== 'SelectWithUnionQuery') throw refuse('Only one SELECT statement is available.');
  // Each further child of the root is a FORMAT or INTO OUTFILE.
  if (root.children.length !== 1) {
    throw new SqlRefusal(
      'FORMAT and INTO OUTFILE are not available in a statement',
      'FORMAT',
      'Give the name of the format next to the statement.',
    );
  }
  const has = (kind: string) => lines.some((text) => text.trimStart().startsWith(kind));
  checkCalls(lines, wording);
  const tables = lines.filter((text) => text.trimStart().startsWith('TableIdentifier ')).length;
  if (tables > sqlLimits.tables) {
    throw refuse(`The statement names ${tables} tables; at most ${sqlLimits.tables} are available.`);
  }
  checkWeightedArrays(lines);
  const scope = { database, times, wording };
  checkNode(root, { ...scope, named: has('WithElement'), windows: has('WindowListElement') });
}

const functionNode = /^ *Function (\w*)/;

/**
 * Counts calls in the tree and not in the text, of which ClickHouse may have another view. The functions of pages add what they
 * stand for, and nothing more.
 */
function checkCalls(lines: readonly string[], wording: Wording): void {
  const names = lines.flatMap((text) => functionNode.exec(text)?.[1] ?? []);
  const { pageFunctions } = wording;
  const max = sqlLimits.functions + pageFunctions * functionsPerCallMax;
  if (names.length > max) {
    throw refuse(
      `The statement has ${names.length} functions and operators; at most ${sqlLimits.functions} are available. Use lists with IN, or several statements.`,
    );
  }
  const merges = names.filter((name) => name === 'sumMap').length;
  if (merges > pageFunctions * mergesPerCallMax) throw unavailableFunction('Function', 'sumMap', []);
}

const weightedArray = /^ *Function (quantiles?ExactWeightedArray\w*)/i;

/** ClickHouse checks the time between blocks of rows, and each call may take some seconds for one. */
function checkWeightedArrays(lines: readonly string[]): void {
  const names = lines.flatMap((text) => weightedArray.exec(text)?.[1] ?? []);
  const [name] = names;
  if (name === undefined || names.length <= weightedArraysMax) return;
  throw new SqlRefusal(
    `The statement has ${names.length} percentiles of arrays; at most ${weightedArraysMax} are available`,
    name,
    'quantilesExactWeightedArray computes several at once.',
  );
}

/**
 * `named` is whether the statement names subqueries in a WITH clause, which then stand in the place of tables, and
 * `windows` whether it names windows, which any of its aggregate functions may use.
 */
type Scope = Required<SqlToCheck> & { named: boolean; windows: boolean };

function checkNode(node: AstNode, scope: Scope): void {
  if (node.kind === 'Function') checkFunction(node, scope);
  else if (node.kind === 'Identifier') checkIdentifier(node);
  else if (node.kind === 'TableIdentifier') {
    checkLeaf(node);
    checkTable(node.text, scope);
  } else if (node.kind === 'Literal') checkLeaf(node);
  else if (node.kind === 'WindowDefinition') checkWindow(node);
  else if (!structure.has(node.kind)) {
    const refused = refusedNodes[node.kind];
    if (refused !== undefined) throw new SqlRefusal(...refused);
    throw refuse(`This part of SQL is not available here: ${shorten(node.kind)}.`);
  }
  for (const child of node.children) {
    // EXCEPT leaves a column out.
    if (node.kind !== 'ColumnsExceptTransformer') checkFormerColumn(child);
    if (node.kind === 'TableExpression' && child.kind === 'Function') checkTableFunction(child, scope);
    else checkNode(child, scope);
  }
}

function checkFunction(node: AstNode, scope: Scope): void {
  const name = functionName.exec(node.text)?.[1];
  if (name !== undefined) checkStates(name, node);
  if (name === '_CAST' && isParameter(argumentsOf(node), scope.times)) return;
  if (name === undefined || !(isAllowedFunction(name) || isOfPage(name, node, scope))) {
    throw unavailableFunction('Function', name ?? node.text, [...pageFunctionNames, ...allowedFunctions]);
  }
  if (/^lambda$/i.test(name) && node.text !== name) throw namedLambda(node.text);
  const args = argumentsOf(node);
  const hasWindow = node.children.some(({ kind }) => kind === 'WindowDefinition');
  if (hasWindow || (scope.windows && isAggregate(name))) checkWindowFunction(name);
  checkSizes(name, args);
  if (higherOrder.test(name) && args.length > 1) checkLambda(name, args[0]);
  else if (casts.has(name.toLowerCase())) checkCast(name, args.at(-1));
  else if (memberships.test(name)) checkMembers(name, args[1]);
  else checkPatterns(name, args);
}

/** Functions of pages, and the one behind some of them: it reads each map of a group once, and takes a column alone. */
function isOfPage(name: string, node: AstNode, { wording }: Scope): boolean {
  if (wording.of === 'caller') return functionsOfPages.has(name);
  const [first, ...rest] = argumentsOf(node);
  return name === 'sumMap' && first?.kind === 'Identifier' && rest.length === 0;
}

function checkTableFunction(node: AstNode, scope: Scope): void {
  const name = functionName.exec(node.text)?.[1];
  if (name === undefined || !isAllowedTableFunction(name)) {
    throw unavailableFunction('Table function', name ?? node.text, []);
  }
  argumentsOf(node);
  for (const child of node.children) checkNode(child, scope);
}

/** Returns the arguments of a function: always its first child. Parameters and a window may follow. */
function argumentsOf(node: AstNode): AstNode[] {
  const list = node.children[0];
  if (list?.kind !== 'ExpressionList') throw unreadable();
  return list.children;
}

function checkIdentifier(node: AstNode): void {
  checkLeaf(node);
  checkColumnName(node.text);
}

/** Refuses children of a leaf: they would come from a line break in a quoted name. */
function checkLeaf(node: AstNode): void {
  if (node.children.length > 0) throw unreadable();
}

/**
 * Requires a type that is written out and is not a state of an aggregate function: such a state would be read from bytes
 * of the caller's choice, which aggregate functions do not expect.
 */
function checkCast(name: string, type: AstNode | undefined): void {
  if (type?.kind !== 'Literal' || !typeLiteral.test(type.text)) {
    throw refuse(`The type in ${name} must be written out as a plain type name.`);
  }
  if (/AggregateFunction/i.test(type.text))
    throw refuse('A cast to AggregateFunction is not available here.');
  // Every access to a map reads all of it.
  if (/\bMap\(/i.test(type.text)) throw refuse('A cast to Map is not available here; use arrays.');
}

function checkLambda(name: string, first: AstNode | undefined): void {
  if (first?.kind === 'Function' && /^lambda( |$)/.test(first.text)) return;
  throw refuse(`The first argument of ${name} must be written as a lambda, such as x -> x + 1.`);
}

/** ClickHouse calls a lambda by its alias, even where that is the name of a function: rules about names would be void. */
function namedLambda(text: string): SqlRefusal {
  const alias = /\(alias (.*)\)$/s.exec(text)?.[1] ?? '';
  return new SqlRefusal('A lambda cannot have a name here', alias, 'Write it where it is used.');
}

function unavailableFunction(kind: string, name: string, known: readonly string[]): SqlRefusal {
  const advice = adviceFor(name, known);
  return new SqlRefusal(`${kind} ${shorten(name)} is not available here`, name, advice, unknownFunctionCode);
}

function adviceFor(name: string, known: readonly string[]): string {
  // Case matters: groupBitmap has no suffix -Map.
  if (/Map(If)?$/.test(name)) return 'Use GROUP BY with the key.';
  const near = nearestNames(name, known);
  return near.length === 0 ? '' : `Did you mean ${listOr(near)}?`;
}

function unreadable(): ServiceError {
  return refuse('The statement could not be understood; leave out unusual characters in quoted names.');
}

function refuse(detail: string): ServiceError {
  return new ServiceError('invalidSql', { message: detail });
}
