import type { AstNode } from './parse-ast.js';
import { SqlRefusal } from './sql-refusal.js';

/**
 * Searches in arrays and maps, whose work is the product of both sides, or of the number of rows and a constant array.
 * ClickHouse cannot stop them: `hasAny` of two arrays of 900,000 numbers burned a core for minutes.
 */
const arraySearches =
  /^(has(any|all|substr)?|indexof(assumesorted)?|countequal|array_?remove|array(except|intersect|union|symmetricdifference)|mapcontains.*)$/i;
/** These count from the start of the text for each row. Their kin without UTF8 go straight to the byte. */
const countsCharacters = /^(substring|left|right|overlay|substringindex)utf8$/i;
/** Functions that read their first argument again for each row when another argument differs by row. */
const repeatedReads = new RegExp(
  [
    '^json(?!_array_length|arraylength)|^(simplejson|visitparam)',
    '^(position|instr|countsubstrings|extracturlparameter|cuturlparameter)(caseinsensitive)?(utf8)?$',
    countsCharacters.source,
    '^regexp_?(extract|instr|substr|position)$',
  ].join('|'),
  'i',
);
const writtenOutMax = 100;
/** Functions of one value, which do not make an array. */
const ofOneValue = /^(array|tuple|map|to[A-Z]\w*|today|yesterday|now|now64|lower|upper)(?: |$)/;

/** Checks the arguments of a function whose work may grow with the product of their sizes. */
export function checkSizes(name: string, args: readonly AstNode[]): void {
  if (repeatedReads.test(name) && !args.slice(1).every(isWrittenOut)) {
    const inBytes = name.replace(/utf8$/i, '');
    const advice = countsCharacters.test(name) ? `Use ${inBytes}, which counts bytes.` : '';
    throw new SqlRefusal(`Every argument of ${name} but the first must be written out`, name, advice);
  }
  if (arraySearches.test(name) && args.filter((arg) => !isWrittenOut(arg)).length > 1) {
    throw new SqlRefusal(
      `The arguments of ${name} but one must be written out, with at most ${writtenOutMax} values each`,
      name,
      'Use IN with a subquery, or a JOIN, to search a longer list.',
    );
  }
}

/**
 * Checks the right side of IN. Inside a lambda, ClickHouse compares an array there for each row. A name may belong to
 * an array, too: a column shadows a table, and the tree does not show every way to name a column.
 */
export function checkMembers(name: string, members: AstNode | undefined): void {
  const isList =
    members?.kind === 'Function' ? ofOneValue.test(members.text) : members?.kind !== 'Identifier';
  if (isList) return;
  throw new SqlRefusal(
    'The right side of IN must be a list or a subquery',
    name === 'in' ? 'IN' : name,
    'Write IN (SELECT … FROM few) for a subquery with a name, = for one value, and has() for a short array.',
  );
}

/** Whether a value stands in the statement itself: a literal, a list of them, or one converted, such as toDate('…'). */
function isWrittenOut(node: AstNode): boolean {
  // Counts commas in texts, too.
  if (node.kind === 'Literal') return node.text.split(',').length <= writtenOutMax;
  if (node.kind !== 'Function' || !ofOneValue.test(node.text)) return false;
  const values = node.children[0]?.children ?? [];
  return values.length <= writtenOutMax && values.every(isWrittenOut);
}
