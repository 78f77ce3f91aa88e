import { formerColumn } from '../../contract/sql-columns.js';
import type { AstNode } from './parse-ast.js';
import { SqlRefusal } from './sql-refusal.js';

/** Every user may read these databases, or parts of them, without a grant. */
const systemDatabase = /^(system|information_schema)\./i;
/** `_part`, `_part_offset` and the like reveal how much other pages store. */
const hiddenColumn = /(^|\.)_/;

const formerColumnForm = new RegExp(String.raw`^(?:.*\.)?${formerColumn}(?: \(alias .*\))?$`, 's');
const formerColumnRefusal = [
  `The column ${formerColumn} is empty in new rows`,
  formerColumn,
  'Read latency_buckets: percentile(latency_buckets, 0.95) is in milliseconds, at most 2.5 % off.',
] as const;

/** Functions that read a state of an aggregate function. */
const stateReaders = /Merge|^finalizeAggregation$/i;
/** `*` and `COLUMNS('…')`, of which the tree does not show which columns they stand for. */
const matcher = /^(Qualified)?(Asterisk|Columns\w+Matcher)$/;

/** Refuses the text of an identifier that names a column of a system table, or a hidden one. @throws SqlRefusal */
export function checkColumnName(text: string): void {
  if (systemDatabase.test(text)) throw new SqlRefusal('System tables are not available here', text);
  if (hiddenColumn.test(text))
    throw new SqlRefusal('Names that begin with an underscore are not available here', text);
}

/** Refuses to read the former column by its name. @throws SqlRefusal */
export function checkFormerColumn(node: AstNode): void {
  if (node.kind === 'Identifier' && formerColumnForm.test(node.text))
    throw new SqlRefusal(...formerColumnRefusal);
}

/** Refuses a function that reads the former column where a pattern may stand for its name. @throws SqlRefusal */
export function checkStates(name: string, node: AstNode): void {
  if (stateReaders.test(name) && hasMatcher(node)) {
    throw new SqlRefusal(`The arguments of ${name} must be named, without * and COLUMNS`, name);
  }
}

function hasMatcher({ kind, children }: AstNode): boolean {
  return matcher.test(kind) || children.some(hasMatcher);
}
