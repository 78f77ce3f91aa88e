import { runPageSql } from '../../analytics/sql/run-sql.js';
import { ruleLimits } from '../../contract/manage/rules.js';
import { watchRules } from '../../control/alerts/index.js';
import { findQuery } from '../../control/queries/index.js';
import { judgeQuery, type QueryAnswer, type Rule, type RuleLook } from '../../control/rules/index.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { startDeadline } from '../../lib/timeout.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { JobDeps } from './job.js';

/** A query may run for 10 s, and waits for its turn before. */
const pageMsMax = 12 * secondMs;
/**
 * No page begins later. Eight pages run at a time, so 32 whose queries hang delay no other one by a minute; which pages
 * come first differs from minute to minute.
 */
const beginMsMax = 48 * secondMs;

/**
 * Looks at the rules of all pages that run a query, page by page and apart from all other rules, which wait for none of them.
 * Without SQL of pages, as in the command line, nothing is looked at.
 *
 * @throws Error for failures of single pages after all pages are done.
 */
export async function watchQueries(deps: JobDeps): Promise<void> {
  const began = deps.clock.now();
  const isLate = () => deps.clock.now() - began > beginMsMax;
  await watchRules({
    ...deps,
    kinds: ['query'],
    isApart: true,
    lookersOf: () => [
      {
        kinds: ['query'],
        second: 'again',
        look: async (rules, to) => (isLate() ? [] : lookAtQueries(deps, rules, to)),
      },
    ],
    loadEvidence: async () => ({}),
  });
}

/**
 * Looks at rules that run a query, one after the other: through the checks and limits of the page's SQL, and in its turns. Each
 * query runs once, however many rules compare it.
 */
async function lookAtQueries(
  deps: JobDeps,
  rules: readonly Rule[],
  to: number,
): Promise<(readonly [RuleId, RuleLook])[]> {
  const { pageSql } = deps;
  if (pageSql === undefined) return [];
  const deadline = startDeadline(pageMsMax, undefined, tooLong);
  const found: (readonly [RuleId, RuleLook])[] = [];
  try {
    for (const same of groupBy(rules, keyOf).values()) {
      const [first] = same;
      if (first === undefined) continue;
      const answer = await runQuery({ ...deps, pageSql }, first, to, deadline.signal);
      for (const rule of same) found.push([rule.id, 'error' in answer ? answer : judgeQuery(rule, answer)]);
    }
  } finally {
    deadline.end();
  }
  return found;
}

const tooLong = () =>
  new ServiceError('sqlTooExpensive', {
    message: `The queries that rules of the page run take longer than ${pageMsMax / secondMs} s together.`,
  });

const windowOf = ({ windowMinutes = ruleLimits.queryWindowMinutes }: Rule['condition']): number =>
  windowMinutes;

const keyOf = ({ pageId, target, condition }: Rule): string =>
  `${pageId} ${target.query} ${windowOf(condition)}`;

type Deps = JobDeps & { pageSql: NonNullable<JobDeps['pageSql']> };

async function runQuery(
  deps: Deps,
  { pageId, target, condition }: Rule,
  to: number,
  signal: AbortSignal,
): Promise<QueryAnswer | { error: string }> {
  const windowMs = windowOf(condition) * minuteMs;
  try {
    signal.throwIfAborted();
    // A page with a store of its own runs its SQL there.
    if ('loadRows' in deps.clickhouseOf(pageId)) throw new ServiceError('ownEventStore');
    const statement = await loadStatement(deps, pageId, target.query ?? '');
    if (statement === undefined) return { error: 'The query of the rule is gone, or is shared no more.' };
    const times = { from: to - windowMs, to };
    const input = { sql: statement, format: 'JSONCompact', times };
    const answer = await runPageSql(deps.pageSql, pageId, input, signal);
    return JSON.parse(answer.toString());
  } catch (err) {
    if (err instanceof ServiceError) return { error: err.message };
    deps.log.error({ pageId, err }, 'The query of a rule could not be run.');
    return { error: 'The query could not be run.' };
  }
}

async function loadStatement({ sql }: Deps, pageId: PageId, id: string): Promise<string | undefined> {
  try {
    return (await findQuery({ sql }, { pageId, userId: null, id })).sql;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
    throw error;
  }
}
