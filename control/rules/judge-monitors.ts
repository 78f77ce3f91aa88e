import type { PageId } from '../../lib/ids.js';
import { dayMs } from '../../lib/times.js';
import type { Observation } from './observation.js';
import type { Rule } from './rule.js';
import type { Look } from './rule-state.js';

/** How a monitor is that is watched. */
export type MonitorStanding = {
  pageId: PageId;
  slug: string;
  name: string;
  group: string | null;
  /** null before its first check. */
  state: 'up' | 'down' | null;
  isDegraded: boolean;
  certificateEndsAt: Date | null;
};

/** Looks at each monitor of a rule. One that is not watched has no data. `now` is in milliseconds since the epoch. */
export function judgeMonitors(rule: Rule, monitors: readonly MonitorStanding[], now: number): Observation[] {
  const { pageId, target, condition } = rule;
  const { monitor, group } = target;
  const chosen = monitors.filter(
    (one) =>
      one.pageId === pageId &&
      (monitor === undefined || one.slug === monitor) &&
      (group === undefined || one.group === group),
  );
  const { certificateDays } = condition;
  return chosen.map((one) => ({
    group: one.slug,
    name: one.name,
    ...(certificateDays === undefined
      ? { look: lookAtState(one, condition.is ?? 'down') }
      : lookAtCertificate(one, certificateDays, now)),
  }));
}

/** A monitor that is down is no better than one that is slow. */
function lookAtState({ state, isDegraded }: MonitorStanding, is: string): Look {
  if (state === null) return 'none';
  return state === 'down' || (is === 'degraded' && isDegraded) ? 'bad' : 'good';
}

function lookAtCertificate(
  { certificateEndsAt }: MonitorStanding,
  days: number,
  now: number,
): Pick<Observation, 'look' | 'value' | 'threshold'> {
  if (certificateEndsAt === null) return { look: 'none', threshold: days };
  const left = (certificateEndsAt.getTime() - now) / dayMs;
  return { look: left < days ? 'bad' : 'good', value: Math.max(0, Math.floor(left)), threshold: days };
}
