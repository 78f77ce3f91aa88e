import { findAlertRule, setAlertRule } from '../../control/alerts/index.js';
import { changePage, findPage } from '../../control/pages/index.js';
import { createQuery, listQueries } from '../../control/queries/index.js';
import { hourMs } from '../../lib/times.js';
import type { DemoDeps } from './demo-deps.js';
import type { FilledPage } from './fill.js';
import { demoQueries } from './queries.js';

/** When the people of the demo saved their first query, and each of the next ones. */
const firstQueryMs = 22 * hourMs;
const nextQueryMs = 3.7 * hourMs;
/** Far above what fails in the demo: its story has the incident that the rule would open. */
const rule = { thresholdPercent: 40, windowSeconds: 300, requestsMin: 500 };

/**
 * Turns database health on and gives a page shared queries and an alert rule where it has none, some hours before now, so
 * that its audit log of the last day has some changes. Keeps what is there.
 */
export async function writeSettings(deps: DemoDeps, { page }: Pick<FilledPage, 'page'>): Promise<void> {
  const now = deps.clock.now();
  const before = (ms: number): DemoDeps => ({ ...deps, clock: { now: () => now - ms } });
  if ((await findPage(deps, { id: page.id }))?.databaseHealthEnabled === false)
    await changePage(before(23 * hourMs), page.id, { databaseHealthEnabled: true });
  const reader = { pageId: page.id, userId: null };
  if ((await listQueries(deps, { ...reader, limit: 1 })).length === 0) {
    for (const [place, query] of demoQueries.entries())
      await createQuery(before(firstQueryMs - place * nextQueryMs), { ...reader, ...query, isShared: true });
  }
  if ((await findAlertRule(deps, page.id)) === undefined)
    await setAlertRule(before(2 * hourMs), { pageId: page.id, ...rule });
}
