import { loadWindowCounts, loadWindowPercentiles } from '../../analytics/rules/load-windows.js';
import { type RuleKind, requestRuleKinds, ruleKinds } from '../../contract/manage/rules.js';
import { escalate, holdBack, type Looker, tellAlerts, watchRules } from '../../control/alerts/index.js';
import { listStandingMonitors } from '../../control/monitors/index.js';
import {
  judgeMonitors,
  lookAtRequests,
  type RequestReads,
  type Rule,
  type RuleLook,
} from '../../control/rules/index.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { JobDeps } from './job.js';
import { findFinishedAt } from './lease.js';
import { loadEvidence } from './load-evidence.js';
import { lookAtBurnRates } from './look-at-burn-rates.js';
import { lookAtPools } from './look-at-pools.js';
import { lookAtReporters } from './look-at-reporters.js';

/** The name of the job that looks at rules. */
export const watchRulesJob = 'watch-rules';

/** Looks at the rules of all pages, then tells of the alerts that began and ended. */
export async function lookAtRules(deps: JobDeps): Promise<void> {
  try {
    await watch(deps, { lookedAt: await findFinishedAt(deps, watchRulesJob) });
  } finally {
    // Findings are told, also when some pages failed.
    await holdBack(deps.sql, deps.clock.now());
    await tellAlerts(deps);
    await escalate(deps);
  }
}

/**
 * Looks at the rules of one page about requests, at the time of the clock, which may be long ago. Tells nobody. Monitors and
 * reporters are known as they are now, so that their rules are left out.
 */
export function lookAtRulesOf(deps: JobDeps, pageId: PageId): Promise<void> {
  return watch(deps, { only: pageId, kinds: requestRuleKinds });
}

type Watched = { only?: PageId; kinds?: readonly RuleKind[]; lookedAt?: number | undefined };

function watch(deps: JobDeps, { only, kinds = ruleKinds, lookedAt }: Watched): Promise<void> {
  return watchRules({
    ...{ ...deps, only, lookedAt },
    lookersOf(pageId) {
      const all = lookersOf(deps, pageId === undefined ? deps.clickhouse : deps.clickhouseOf(pageId));
      return all.filter((looker) => looker.kinds.some((kind) => kinds.includes(kind)));
    },
    loadEvidence: (rule, observation, to) => loadEvidence(deps, { rule, observation, to }),
  });
}

/** Looks at the rules of pages whose requests are in one store. */
function lookersOf(deps: JobDeps, reader: EventReader): Looker[] {
  return [
    {
      kinds: requestRuleKinds,
      second: 'running',
      // A minute that still runs is quiet until it is over, but a share or a time that is too high is so already.
      secondKinds: ['failure-rate', 'latency'],
      look: lookAtRequestsOf(reader),
    },
    { kinds: ['burn-rate'], look: (rules, to) => lookAtBurnRates({ ...deps, reader }, rules, to) },
    { kinds: ['monitor'], second: 'again', look: (rules) => lookAtMonitors(deps, rules) },
    { kinds: ['reporter'], look: (rules) => lookAtReporters({ ...deps, reader }, rules) },
    { kinds: ['pool'], look: (rules, to) => lookAtPools(deps, rules, to) },
  ];
}

async function lookAtMonitors(
  { sql, clock }: JobDeps,
  rules: readonly Rule[],
): Promise<[RuleId, RuleLook][]> {
  const now = clock.now();
  const pageIds = [...new Set(rules.map(({ pageId }) => pageId))];
  const monitors = groupBy(await listStandingMonitors(sql, { pageIds, now }), ({ pageId }) => pageId);
  return rules.map((rule) => {
    return [rule.id, { observations: judgeMonitors(rule, monitors.get(rule.pageId) ?? [], now) }];
  });
}

function lookAtRequestsOf(reader: EventReader): Looker['look'] {
  const reads: RequestReads = {
    counts: (asked) => loadWindowCounts(reader, asked),
    percentiles: (asked) => loadWindowPercentiles(reader, asked),
  };
  return (rules, to) => lookAtRequests(reads, rules, to);
}
