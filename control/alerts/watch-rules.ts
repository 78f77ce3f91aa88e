import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadWatchedRules, type Observation, type Rule, type RuleLook } from '../rules/index.js';
import type { Evidence } from './evidence.js';
import { type LookedRule, loadStates, type StoredState, settleLooks } from './settle-looks.js';

/** Looks at rules of pages that share a store, at the minutes before `to`, and returns what it found by rule. */
export type LookAt = (rules: readonly Rule[], to: number) => Promise<ReadonlyMap<RuleId, RuleLook>>;

export type WatchDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Looks at rules of pages on the store of the installation. */
  lookAtShared: LookAt;
  /** Looks at rules of a page with a store of its own. */
  lookAtOwn(pageId: PageId, ...rules: Parameters<LookAt>): ReturnType<LookAt>;
  loadEvidence(rule: Rule, observation: Observation, to: number): Promise<Evidence>;
};

/** Reports of a minute arrive for some seconds after it: without them it would look quiet or clean. */
const lateMs = 15 * secondMs;
/** Pages of one read of the shared store: a few hundred take a read of some tens of milliseconds. */
const pagesTogether = 250;
/** Own stores that are looked at at once, so that up to seven that hang for 20 s delay no other one. */
const lanes = 8;

/**
 * Looks at every rule, and begins and ends alerts. Rules whose figures cannot be read keep their state and say since when.
 *
 * @throws Error for failures of single pages after all pages are done.
 */
export async function watchRules(deps: WatchDeps): Promise<void> {
  const rules = await loadWatchedRules(deps.sql);
  const to = Math.floor((deps.clock.now() - lateMs) / minuteMs) * minuteMs;
  const states = await loadStates(
    deps.sql,
    rules.map(({ rule }) => rule.id),
  );
  const run = { deps, to, states };
  const shared = byPage(rules.filter(({ hasOwnStore }) => !hasOwnStore).map(({ rule }) => rule));
  const own = byPage(rules.filter(({ hasOwnStore }) => hasOwnStore).map(({ rule }) => rule));
  const failed: PageId[] = [];
  const ownPages = own.values();

  async function watchOwn(): Promise<void> {
    for (const [pageId, some] of ownPages) {
      const found = await lookSafely(deps, some, () => deps.lookAtOwn(pageId, some, to));
      failed.push(...(await settleAll(run, [[pageId, some]], found)));
    }
  }

  async function watchShared(): Promise<void> {
    for (let at = 0; at < shared.length; at += pagesTogether) {
      const pages = shared.slice(at, at + pagesTogether);
      const some = pages.flatMap(([, ofPage]) => ofPage);
      const found = await lookSafely(deps, some, () => deps.lookAtShared(some, to));
      failed.push(...(await settleAll(run, pages, found)));
    }
  }

  await Promise.all([watchShared(), ...Array.from({ length: lanes }, watchOwn)]);
  if (failed.length > 0) throw new Error(`The rules of ${failed.length} pages could not be settled.`);
}

function byPage(rules: readonly Rule[]): [PageId, Rule[]][] {
  return [...groupBy(rules, ({ pageId }) => pageId)];
}

/** A store that fails is found out about all of its rules at once. */
async function lookSafely(
  { log }: WatchDeps,
  rules: readonly Rule[],
  look: () => ReturnType<LookAt>,
): Promise<ReadonlyMap<RuleId, RuleLook>> {
  try {
    return await look();
  } catch (err) {
    const error = err instanceof ServiceError ? err.message : 'The figures could not be read.';
    if (!(err instanceof ServiceError)) log.error({ err }, 'Rules could not be looked at.');
    return new Map(rules.map(({ id }) => [id, { error }]));
  }
}

type Run = { deps: WatchDeps; to: number; states: ReadonlyMap<RuleId, StoredState> };

/** Settles the rules of pages. Returns the pages that failed. */
async function settleAll(
  { deps, to, states }: Run,
  pages: readonly [PageId, Rule[]][],
  found: ReadonlyMap<RuleId, RuleLook>,
): Promise<PageId[]> {
  const failed: PageId[] = [];
  const loadEvidence = (rule: Rule, observation: Observation) => deps.loadEvidence(rule, observation, to);
  for (const [pageId, rules] of pages) {
    const looks = rules.flatMap((rule): LookedRule[] => {
      const look = found.get(rule.id);
      return look === undefined ? [] : [{ rule, look }];
    });
    try {
      await settleLooks({ ...deps, loadEvidence }, pageId, looks, states);
    } catch (err) {
      failed.push(pageId);
      deps.log.error({ pageId, err }, 'The rules of a page could not be settled.');
    }
  }
  return failed;
}
