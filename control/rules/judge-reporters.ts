import type { PageId } from '../../lib/ids.js';
import type { Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** Whether a service or reporter of a page still reports. */
export type ReporterStanding = {
  pageId: PageId;
  id: string;
  name: string;
  kind: 'service' | 'reporter';
  reporting: 'silent' | 'late' | 'clean' | 'stopped' | 'unknown';
  region: string | null;
  team: string | null;
};

/** Looks at each service and reporter of a rule. One that has said goodbye is no trouble. */
export function judgeReporters(rule: Rule, reporters: readonly ReporterStanding[]): Observation[] {
  const { pageId, target, condition } = rule;
  const chosen = reporters.filter(
    ({ id, name, region, team, ...one }) =>
      one.pageId === pageId &&
      (target.reporter === undefined || target.reporter === id || target.reporter === name) &&
      (target.region === undefined || target.region === region) &&
      (target.team === undefined || target.team === team),
  );
  return chosen.map(({ id, name, kind, reporting }) => ({
    group: `${kind} ${id}`,
    name: name === id ? name : `${name} (${id})`,
    look: lookOf(reporting, condition.is ?? 'silent'),
  }));
}

/** Whoever is silent is late as well. */
function lookOf(reporting: ReporterStanding['reporting'], is: string): Look {
  if (reporting === 'unknown') return 'none';
  return reporting === 'silent' || (is === 'late' && reporting === 'late') ? 'bad' : 'good';
}
