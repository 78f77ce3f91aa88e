import { listPagesWithSources, loadReportersOf } from '../../analytics/reporters.js';
import { analyticsLimits } from '../../contract/analytics/limits.js';
import type { ReporterHealth } from '../../contract/analytics/reporters.js';
import {
  judgeReporters,
  type ReporterStanding,
  type Rule,
  type RuleLook,
} from '../../control/rules/index.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import type { JobDeps } from './job.js';

/** Pages of one read: each may have 2,200 sources, whose reports are in memory together. */
const pagesTogether = 50;

type Deps = Pick<JobDeps, 'sql' | 'clock'> & {
  /** The store of the events of the pages. */
  reader: EventReader;
};

/**
 * Looks at rules about services and reporters that should report, of pages that share a store: a few reads for 50 of them.
 *
 * @throws as loadReportersOf() does.
 */
export async function lookAtReporters(
  { sql, clock, reader }: Deps,
  rules: readonly Rule[],
): Promise<(readonly [RuleId, RuleLook])[]> {
  const pageIds = await listPagesWithSources(sql, [...new Set(rules.map(({ pageId }) => pageId))]);
  const standings = new Map<PageId, ReporterStanding[]>();
  const query = { windowSeconds: analyticsLimits.windowSecondsDefault };
  for (let at = 0; at < pageIds.length; at += pagesTogether) {
    const some = pageIds.slice(at, at + pagesTogether);
    const found = await loadReportersOf({ sql, clock, clickhouse: reader }, some, query);
    for (const [pageId, reporters] of found) standings.set(pageId, standingsOf(pageId, reporters));
  }
  const now = clock.now();
  return rules.map((rule) => {
    return [rule.id, { observations: judgeReporters(rule, standings.get(rule.pageId) ?? [], now) }];
  });
}

/** Reporters that name a service are looked at one by one, and the service is not. */
function standingsOf(pageId: PageId, reporters: readonly ReporterHealth[]): ReporterStanding[] {
  return reporters
    .filter(({ instances }) => instances === undefined)
    .map(({ lastReportAt, ...one }) => ({
      ...{ ...one, pageId },
      lastReportAt: lastReportAt === null ? null : new Date(lastReportAt),
    }));
}
