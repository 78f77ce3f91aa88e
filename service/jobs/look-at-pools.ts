import { judgePools, type Rule, type RuleLook } from '../../control/rules/index.js';
import { loadPoolWindows } from '../../database-health/pool-windows.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import type { JobDeps } from './job.js';

/**
 * Looks at rules about pools of connections: one read for all pages and windows. Reports of pools are in the store of the
 * installation, wherever the events of a page are.
 *
 * @throws what the read throws.
 */
export async function lookAtPools(
  { clickhouse }: Pick<JobDeps, 'clickhouse'>,
  rules: readonly Rule[],
  to: number,
): Promise<(readonly [RuleId, RuleLook])[]> {
  const pageIds = [...new Set(rules.map(({ pageId }) => pageId))];
  const windowsMinutes = [...new Set(rules.map(({ condition }) => condition.windowMinutes ?? 1))];
  const pools = groupBy(await loadPoolWindows({ clickhouse }, { pageIds, windowsMinutes, to }), ofPage);
  return rules.map((rule) => [rule.id, { observations: judgePools(rule, pools.get(rule.pageId) ?? []) }]);
}

const ofPage = ({ pageId }: { pageId: PageId }): PageId => pageId;
