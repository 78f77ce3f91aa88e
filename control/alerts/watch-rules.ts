import type { RuleKind } from '../../contract/manage/rules.js';
import type { Clock } from '../../lib/clock.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import { createLimiter, type Limiter } from '../../lib/limiter.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { loadWatchedRules, type Observation, type Rule, type RuleLook, toPartial } from '../rules/index.js';
import type { Evidence } from './evidence.js';
import { loadStates, type StoredState } from './rule-states.js';
import { type LookedRule, settleLooks } from './settle-looks.js';

/** Looks at rules of some kinds, at the minutes before `to`, and returns what it found by rule. */
export type Looker = {
  kinds: readonly RuleKind[];
  /**
   * The second look of a minute: `running` looks at the minute that still runs for what is bad already, so that people hear of it
   * within a minute; `again` looks as the first one does; none when absent.
   */
  second?: 'running' | 'again';
  /** The kinds that the second look is at; all of them when absent. */
  secondKinds?: readonly RuleKind[];
  look(rules: readonly Rule[], to: number): Promise<Iterable<readonly [RuleId, RuleLook]>>;
};

export type WatchDeps = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** The only page whose rules are looked at, at minutes that are over; all pages without one. */
  only?: PageId | undefined;
  /** When all rules were last looked at by any instance, in milliseconds since the epoch; not known when absent. */
  lookedAt?: number | undefined;
  /** Returns what looks at the rules of a page with a store of its own; without one, of all pages on the store of the installation. */
  lookersOf(pageId?: PageId): readonly Looker[];
  loadEvidence(rule: Rule, observation: Observation, to: number): Promise<Evidence>;
  /** The kinds that are looked at; all when absent. */
  kinds?: readonly RuleKind[];
  /** Whether each page is looked at by itself, as those with a store of their own are. */
  isApart?: boolean;
};

/** Reports of a minute arrive for some seconds after it: without them it would look quiet or clean. */
const lateMs = 15 * secondMs;
/** From then on a look is the second one of the minute. */
const secondLookMs = 30 * secondMs;
/** Pages of one read of the shared store: a few hundred take a read of some tens of milliseconds. */
const pagesTogether = 250;
/** Own stores that are looked at at once, so that up to seven that hang for 20 s delay no other one. */
const lanes = 8;
/**
 * Pages of the shared store that are settled at once. The evidence of an alert takes five reads, some of which wait for others, and
 * a page loads it for five alerts at most. With eight pages, the four connections for background work are always busy, and no page
 * waits for a slow one.
 */
const settledAtOnce = 8;
/**
 * Transactions in which findings are stored at once, of the eight connections that requests use as well. With two, a page with
 * thousands of alerts does not hold up the others.
 */
const storedAtOnce = 2;

/**
 * Looks at every rule, and begins and ends alerts. Rules whose figures cannot be read keep their state and say since when.
 *
 * @throws Error for failures of single pages after all pages are done.
 */
export async function watchRules(deps: WatchDeps): Promise<void> {
  const settledMs = deps.clock.now() - lateMs;
  const to = Math.floor(settledMs / minuteMs) * minuteMs;
  if (deps.only !== undefined || settledMs - to < secondLookMs) return passAll(deps, { to, is: 'first' });
  // The first look is missed when it fails, or when its instance is killed and another one repeats the run 30 s later.
  const isMissed = (deps.lookedAt ?? 0) < to + lateMs;
  try {
    if (isMissed) await passAll(deps, { to, is: 'missed' });
  } finally {
    // A page that fails each time keeps no other from its second look.
    await passAll(deps, { to, is: 'second' });
  }
}

/** Looks are at the minutes before `to`. */
type Pass = { to: number; is: 'first' | 'second' | 'missed' };

async function passAll(deps: WatchDeps, pass: Pass): Promise<void> {
  const { only, kinds, isApart = false } = deps;
  const { to } = pass;
  const all = await loadWatchedRules(deps.sql);
  const rules = all.filter(
    ({ rule }) =>
      (only === undefined || rule.pageId === only) && (kinds === undefined || kinds.includes(rule.kind)),
  );
  const states = await loadStates(
    deps.sql,
    rules.map(({ rule }) => rule.id),
  );
  const storing = createLimiter<'store'>({ maxPerKey: storedAtOnce });
  const run = { deps, to, states, storing };
  const shared = byPage(rules.filter(({ hasOwnStore }) => !hasOwnStore && !isApart).map(({ rule }) => rule));
  const own = byPage(rules.filter(({ hasOwnStore }) => hasOwnStore || isApart).map(({ rule }) => rule));
  const failed: PageId[] = [];
  const ownPages = turned(own, to / minuteMs).values();

  async function watchOwn(): Promise<void> {
    for (const [pageId, some] of ownPages) {
      const found = await lookAt(deps, deps.lookersOf(pageId), some, pass);
      failed.push(...(await settleAll(run, [[pageId, some]], found)));
    }
  }

  async function watchShared(): Promise<void> {
    for (let at = 0; at < shared.length; at += pagesTogether) {
      const pages = shared.slice(at, at + pagesTogether);
      const some = pages.flatMap(([, ofPage]) => ofPage);
      const found = await lookAt(deps, deps.lookersOf(), some, pass);
      failed.push(...(await settleAll(run, pages, found)));
    }
  }

  await Promise.all([watchShared(), ...Array.from({ length: lanes }, watchOwn)]);
  if (failed.length > 0) throw new Error(`The rules of ${failed.length} pages could not be settled.`);
}

function byPage(rules: readonly Rule[]): [PageId, Rule[]][] {
  return [...groupBy(rules, ({ pageId }) => pageId)];
}

/** Begins with another page each minute, so that pages that take long are not in front of the same ones each time. */
function turned<Item>(items: readonly Item[], minute: number): Item[] {
  const first = items.length === 0 ? 0 : minute % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

type Found = readonly (readonly [RuleId, RuleLook])[];

/** Rules of one kind whose figures cannot be read keep no other kind from being looked at. */
async function lookAt(
  deps: WatchDeps,
  lookers: readonly Looker[],
  rules: readonly Rule[],
  { to, is }: Pass,
): Promise<ReadonlyMap<RuleId, RuleLook>> {
  const found = lookers.map(async (looker): Promise<Found> => {
    const kinds = is === 'second' ? (looker.secondKinds ?? looker.kinds) : looker.kinds;
    const some = rules.filter(({ kind }) => kinds.includes(kind));
    const isLeftOut =
      (is === 'second' && looker.second === undefined) || (is === 'missed' && looker.second === 'again');
    if (some.length === 0 || isLeftOut) return [];
    if (is !== 'second' || looker.second === 'again') return lookSafely(deps, looker, some, to);
    const looks = await lookSafely(deps, looker, some, to + minuteMs);
    return looks.map(([id, look]) => [id, toPartial(look)] as const);
  });
  return new Map((await Promise.all(found)).flat());
}

/** A store that fails is found out about all of its rules at once. */
async function lookSafely(
  { log }: WatchDeps,
  { look }: Looker,
  rules: readonly Rule[],
  to: number,
): Promise<Found> {
  try {
    return [...(await look(rules, to))];
  } catch (err) {
    const error = err instanceof ServiceError ? err.message : 'The figures could not be read.';
    if (!(err instanceof ServiceError)) log.error({ err }, 'Rules could not be looked at.');
    return rules.map(({ id }) => [id, { error }] as const);
  }
}

type Run = {
  deps: WatchDeps;
  to: number;
  states: ReadonlyMap<RuleId, StoredState>;
  storing: Limiter<'store'>;
};

/** Settles the rules of pages, some pages at once. Returns the pages that failed. */
async function settleAll(
  { deps, to, states, storing }: Run,
  pages: readonly [PageId, Rule[]][],
  found: ReadonlyMap<RuleId, RuleLook>,
): Promise<PageId[]> {
  const failed: PageId[] = [];
  // A look at a minute that still runs is one at its end.
  const endOf = (look: RuleLook | undefined) =>
    look !== undefined && 'observations' in look && look.isPartial ? to + minuteMs : to;
  const loadEvidence = (rule: Rule, observation: Observation) =>
    deps.loadEvidence(rule, observation, endOf(found.get(rule.id)));
  const left = pages.values();
  async function settleNext(): Promise<void> {
    for (const [pageId, rules] of left) {
      const looks = rules.flatMap((rule): LookedRule[] => {
        const look = found.get(rule.id);
        return look === undefined ? [] : [{ rule, look, to: endOf(look) }];
      });
      try {
        await settleLooks({ ...deps, loadEvidence, storing }, pageId, looks, states);
      } catch (err) {
        failed.push(pageId);
        deps.log.error({ pageId, err }, 'The rules of a page could not be settled.');
      }
    }
  }
  await Promise.all(Array.from({ length: settledAtOnce }, settleNext));
  return failed;
}
