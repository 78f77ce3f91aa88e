import { loadEndingNow } from '../../analytics/objectives/ending-now.js';
import {
  burnRate,
  type GoodAndTotal,
  listObjectivesOf,
  type Objective,
} from '../../control/objectives/index.js';
import { judgeBurnRate, type Rule, type RuleLook } from '../../control/rules/index.js';
import type { RuleId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { readObserved } from '../../rollups/series/read-observed.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { JobDeps } from './job.js';

type Deps = Pick<JobDeps, 'sql' | 'clickhouse' | 'clock'> & {
  /** The store of the requests of the pages. */
  reader: EventReader;
};

/**
 * Looks at rules about burn rates, of pages that share a store: one read answers all windows of all objectives about
 * requests, and one those of monitors. A rule whose objective is gone says so.
 *
 * @throws what the reads throw.
 */
export async function lookAtBurnRates(
  deps: Deps,
  rules: readonly Rule[],
  to: number,
): Promise<ReadonlyMap<RuleId, RuleLook>> {
  const objectives = await listObjectivesOf(deps.sql, [...new Set(rules.map(({ pageId }) => pageId))]);
  const windows = [...new Set(rules.flatMap(windowsOf))];
  const periods = windows.map((minutes) => ({ from: to - minutes * minuteMs, to }));
  const named = new Set(rules.map((rule) => keyOf(rule.pageId, rule.target.objective ?? '')));
  const asked = objectives.filter(({ pageId, slug }) => named.has(keyOf(pageId, slug)));
  const counts = await loadCounts(deps, asked, periods);
  const byKey = new Map(asked.map((objective) => [keyOf(objective.pageId, objective.slug), objective]));
  return new Map(
    rules.map((rule): [RuleId, RuleLook] => {
      const objective = byKey.get(keyOf(rule.pageId, rule.target.objective ?? ''));
      if (objective === undefined) return [rule.id, { error: 'The objective of the rule is gone.' }];
      const rateOver = (minutes: number | undefined) => {
        const found = counts.get(objective)?.[windows.indexOf(minutes ?? 0)];
        return found === undefined ? null : burnRate(found, objective.target);
      };
      const { longMinutes, shortMinutes } = rule.condition;
      const rates = { long: rateOver(longMinutes), short: rateOver(shortMinutes) };
      return [rule.id, { observations: judgeBurnRate(rule, rates) }];
    }),
  );
}

const keyOf = (pageId: string, slug: string): string => `${pageId} ${slug}`;

function windowsOf({ condition }: Rule): number[] {
  return [condition.longMinutes ?? 0, condition.shortMinutes ?? 0];
}

type Period = { from: number; to: number };

async function loadCounts(
  { sql, clickhouse, clock, reader }: Deps,
  objectives: readonly Objective[],
  periods: readonly Period[],
): Promise<ReadonlyMap<Objective, GoodAndTotal[]>> {
  const ofRequests = objectives.flatMap((objective) => {
    const { sli, pageId } = objective;
    return 'requests' in sli ? [{ objective, asked: { pageId, sli: sli.requests } }] : [];
  });
  const ofMonitors = objectives.flatMap((objective) => {
    const { pageId, monitorId } = objective;
    return monitorId === null ? [] : [{ objective, monitor: { pageId, monitorId } }];
  });
  const [requests, observed] = await Promise.all([
    loadEndingNow(
      reader,
      ofRequests.map(({ asked }) => asked),
      periods,
    ),
    readObserved(
      { sql, clickhouse },
      ofMonitors.map(({ monitor }) => monitor),
      { periods, now: clock.now() },
    ),
  ]);
  return new Map([
    ...ofRequests.map(({ objective }, i) => [objective, requests[i] ?? []] as const),
    ...ofMonitors.map(({ objective }, i) => [objective, observed[i] ?? []] as const),
  ]);
}
