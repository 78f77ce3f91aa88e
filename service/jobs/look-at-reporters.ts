import { listPagesWithSources, loadReporters } from '../../analytics/reporters.js';
import { analyticsLimits } from '../../contract/analytics/limits.js';
import {
  judgeReporters,
  type ReporterStanding,
  type Rule,
  type RuleLook,
} from '../../control/rules/index.js';
import { groupBy } from '../../lib/group-by.js';
import type { PageId, RuleId } from '../../lib/ids.js';
import type { JobDeps } from './job.js';

/** Pages whose reporters are loaded at once: a page takes several reads. */
const lanes = 8;

/**
 * Looks at rules about services and reporters that should report, page by page.
 *
 * @throws as loadReporters() does.
 */
export async function lookAtReporters(
  deps: JobDeps,
  rules: readonly Rule[],
): Promise<(readonly [RuleId, RuleLook])[]> {
  const pages = groupBy(rules, ({ pageId }) => pageId);
  const known = new Set(await listPagesWithSources(deps.sql, [...pages.keys()]));
  const left = pages.entries();
  const found: (readonly [RuleId, RuleLook])[] = [];
  async function lookNext(): Promise<void> {
    for (const [pageId, ofPage] of left) {
      const reporters = known.has(pageId) ? await loadStandings(deps, pageId) : [];
      for (const rule of ofPage)
        found.push([rule.id, { observations: judgeReporters(rule, reporters, deps.clock.now()) }]);
    }
  }
  await Promise.all(Array.from({ length: lanes }, lookNext));
  return found;
}

/** Reporters that name a service are looked at one by one, and the service is not. */
async function loadStandings(deps: JobDeps, pageId: PageId): Promise<ReporterStanding[]> {
  const query = { windowSeconds: analyticsLimits.windowSecondsDefault };
  const reader = { ...deps, clickhouse: deps.clickhouseOf(pageId) };
  const { reporters } = await loadReporters(reader, pageId, query);
  return reporters
    .filter(({ instances }) => instances === undefined)
    .map(({ lastReportAt, ...one }) => ({
      ...{ ...one, pageId },
      lastReportAt: lastReportAt === null ? null : new Date(lastReportAt),
    }));
}
