import { ruleLimits } from '../../contract/manage/rules.js';
import { normalizeAlias } from '../../lib/alias.js';
import type { PageId } from '../../lib/ids.js';
import type { Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** The figures of a pool over a window; null where none was measured. */
export type PoolFigures = {
  pageId: PageId;
  service: string;
  environment: string;
  target: string;
  pool: string;
  windowMinutes: number;
  waiting: number | null;
  utilization: number | null;
  acquisitionP95Ms: number | null;
  failures: number | null;
};

/**
 * Compares the figure of each pool of a rule with it. Each pool is a group; those that are worst come first, at most 50. A
 * rule without a report has no data.
 */
export function judgePools(rule: Rule, pools: readonly PoolFigures[]): Observation[] {
  const { figure = 'waiting', above = 0, windowMinutes = 1 } = rule.condition;
  const found = pools
    .filter((pool) => pool.windowMinutes === windowMinutes && isOfRule(rule, pool))
    .map((pool): Observation => {
      const value = pool[figure];
      const look: Look = value === null ? 'none' : value > above ? 'bad' : 'good';
      // The bucket of the longest times has no bound; the store of alerts has no number for that.
      const shown = value === null || Number.isFinite(value) ? value : ruleLimits.acquisitionMsMax;
      return {
        ...{ group: groupOf(pool), name: nameOf(pool), look, threshold: above },
        ...(shown !== null && { value: shown }),
      };
    });
  if (found.length === 0) return [{ group: '', look: 'none', threshold: above }];
  const bad = found.filter(({ look }) => look === 'bad').sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const rest = found.filter(({ look }) => look !== 'bad');
  // An alert that no pool reports ends once one does.
  return [...bad.slice(0, ruleLimits.groups), ...rest, { group: '', look: 'good' }];
}

/** Whether a rule looks at a pool. Names of pools are stored as aliases. */
export function isOfRule({ pageId, target }: Rule, pool: PoolFigures): boolean {
  const { service, database, pool: name } = target;
  return (
    pool.pageId === pageId &&
    (service === undefined || normalizeAlias(service) === pool.service) &&
    (database === undefined || normalizeAlias(database) === pool.target) &&
    (name === undefined || normalizeAlias(name) === pool.pool)
  );
}

function groupOf({ service, environment, target, pool }: PoolFigures): string {
  return `pool ${JSON.stringify([service, environment, target, pool])}`;
}

function nameOf({ service, environment, target, pool }: PoolFigures): string {
  return `${pool} of ${service} on ${target}${environment === '' ? '' : ` (${environment})`}`;
}
