import type { AstNode } from './parse-ast.js';
import { SqlRefusal } from './sql-refusal.js';
import { isWord, type Token } from './tokens.js';

/**
 * Functions over a window whose work for each row does not grow with the frame, while the frame grows at its end.
 * Others, such as quantileExact, compute their result from the whole frame for every row, and ClickHouse cannot stop in
 * the middle of a block: 30,000 rows of `uniqExact` over a frame that shrinks took more than 40 s.
 */
const overWindows: ReadonlySet<string> = new Set(
  `row_number rank dense_rank denserank percent_rank percentrank cume_dist ntile nth_value lag lead laginframe
  leadinframe first_value last_value first_value_respect_nulls last_value_respect_nulls firstvaluerespectnulls
  lastvaluerespectnulls any any_respect_nulls any_value anylast anylast_respect_nulls count sum sumwithoverflow sumkahan
  sumcount avg avgweighted min max argmin argmax min_by max_by stddevpop stddevsamp stddev_pop stddev_samp stddev std
  varpop varsamp var_pop var_samp covarpop covarsamp covar_pop covar_samp corr deltasum exponentialmovingaverage
  nonnegativederivative`
    .trim()
    .split(/\s+/),
);
/**
 * Rows, or values of the sort key, between the current row and an end of a frame that moves. A comparison of long texts
 * takes 125 ns: with 10,000 of them for each row, a block takes some 10 s.
 */
const frameOffsetMax = 10_000;

/** Checks a function with a window, or one that may have a window by its name, which the tree does not show. */
export function checkWindowFunction(name: string): void {
  if (overWindows.has(name.toLowerCase().replace(/(if|ornull|ordefault)$/, ''))) return;
  throw new SqlRefusal(
    `${name} is not available over a window`,
    name,
    'Available are sum, count, avg, min, max, any, argMin, argMax, first_value, last_value, lag, lead, ranks and deviations; for others, use GROUP BY.',
  );
}

/** Checks the offsets of a frame: every frame that moves is computed from its start for each row. */
export function checkWindow(window: AstNode): void {
  for (const child of window.children) {
    if (child.kind === 'ExpressionList') continue;
    const offset = child.kind === 'Literal' ? Number(/^\w+?_([\d.]+)$/.exec(child.text)?.[1]) : Number.NaN;
    if (offset <= frameOffsetMax) continue;
    throw new SqlRefusal(
      `A frame of a window may reach at most ${frameOffsetMax.toLocaleString('en')} rows or values away, as a plain number`,
      'BETWEEN',
      'Aggregate to longer steps with GROUP BY first.',
    );
  }
}

/** Whether a statement may contain what `checkFrames` refuses. */
export function mayHaveFrames(sql: string): boolean {
  return /unbounded/i.test(sql) && /following/i.test(sql);
}

/**
 * Refuses a frame from a moving start to the end of its partition, whose work is quadratic. The tree does not show these
 * words, so the tokens must be those of the statement as the server writes it: in the caller's own text a name such as
 * `$a$`, curly quotes or white space without width could hide them.
 */
export function checkFrames(tokens: readonly Token[]): void {
  const isPhrase = (at: number, ...words: string[]) => words.every((word, i) => isWord(tokens[at + i], word));
  for (const [at] of tokens.entries()) {
    if (!isPhrase(at, 'AND', 'UNBOUNDED', 'FOLLOWING') || isPhrase(at - 2, 'UNBOUNDED', 'PRECEDING'))
      continue;
    throw new SqlRefusal(
      'A frame that ends with UNBOUNDED FOLLOWING must begin with UNBOUNDED PRECEDING',
      'FOLLOWING',
      'Sort the other way round, and end the frame with the current row.',
    );
  }
}
