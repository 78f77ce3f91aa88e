import { ServiceError } from '../../lib/service-error.js';
import type { AstNode } from './parse-ast.js';

/**
 * Searches whose work is the product of both sides, or the work of a regular expression. The pattern is bounded, so that one
 * call, which ClickHouse cannot interrupt, stays short.
 */
const searches =
  /like$|^match$|^regexp_?(?!quotemeta)|^extract(all.*|groups)?$|^(countmatches|countsubstrings|position|instr|multisearch)|^replace(one|all|regexp.*)?$/i;
/** Searches with the pattern as the first argument. */
const splits = /^splitby(string|regexp)$/i;
const patternCharsMax = 200;
const patternStepsMax = 1_000;

/** Checks the pattern of a function that searches texts. Other functions have none. @throws ServiceError `invalidSql` */
export function checkPatterns(name: string, args: readonly AstNode[]): void {
  if (searches.test(name)) checkPattern(name, args[1]);
  else if (splits.test(name)) checkPattern(name, args[0]);
}

function checkPattern(name: string, pattern: AstNode | undefined): void {
  if (pattern?.kind !== 'Literal' || pattern.text.length > patternCharsMax) {
    throw invalid(`The pattern in ${name} must be a literal of at most ${patternCharsMax} characters.`);
  }
  if (patternSteps(pattern.text) > patternStepsMax) {
    throw invalid(`The counted repetitions in the pattern of ${name} are too large.`);
  }
}

/**
 * Returns a high estimate of the size of a regular expression: counted characters add up, counted groups multiply. With
 * `((a?){1,30}){1,30}b`, which stands for 900 copies, ClickHouse searched 23 kB of text a second.
 */
function patternSteps(pattern: string): number {
  let characters = pattern.length;
  let copies = 1;
  for (const [, group, from = '', to = ''] of pattern.matchAll(/(\))?\{(\d+)(?:,(\d*))?\}/g)) {
    const times = Math.max(1, Number(from), Number(to));
    if (group === undefined) characters += times;
    else copies *= times;
  }
  return characters * copies;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalidSql', { message });
}
