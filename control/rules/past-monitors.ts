import { judgeMonitors, type MonitorStanding } from './judge-monitors.js';
import type { Observation } from './observation.js';
import type { Range } from './preview-rule.js';
import type { Rule } from './rule.js';

type State = { at: number; state: 'up' | 'down'; isDegraded: boolean };

/** A monitor with its states, oldest first, and the times at which nobody watched it. */
export type PastMonitor = Pick<MonitorStanding, 'slug' | 'name' | 'group'> & {
  changes: readonly State[];
  excluded: readonly Range[];
};

/** Returns the monitors that a rule looks at. */
export function monitorsOf<Monitor extends Pick<MonitorStanding, 'slug' | 'group'>>(
  { target }: Pick<Rule, 'target'>,
  monitors: readonly Monitor[],
): Monitor[] {
  const { monitor, group } = target;
  return monitors.filter(
    (one) => (monitor === undefined || one.slug === monitor) && (group === undefined || one.group === group),
  );
}

/**
 * Returns what a rule about the states of monitors would have found at each minute: 1 as the figure of a monitor for which the
 * condition holds, 0 for another, none for one that was not watched. The minutes have to come in their order.
 */
export function observeMonitors(
  rule: Rule,
  monitors: readonly PastMonitor[],
): (at: number) => readonly Observation[] {
  const past = monitors.map((monitor) => standingOf(rule, monitor));
  return (at) => past.flatMap((observe) => observe(at));
}

/** A monitor is judged once for each of its states: two weeks have 20,160 minutes. */
function standingOf(rule: Rule, { changes, excluded, ...names }: PastMonitor): (at: number) => Observation[] {
  let next = 0;
  let isWatched = true;
  let found: Observation[] | undefined;
  return (at) => {
    const before = next;
    for (let change = changes[next]; change !== undefined && change.at <= at; change = changes[next])
      next += 1;
    const watched = !excluded.some(({ from, to }) => from <= at && at < to);
    if (found !== undefined && before === next && watched === isWatched) return found;
    isWatched = watched;
    const last = changes[next - 1];
    const standing: MonitorStanding = {
      ...{ ...names, pageId: rule.pageId, unwatched: watched ? null : 'paused', state: last?.state ?? null },
      ...{ isDegraded: last?.isDegraded ?? false, stateSince: null, lastError: null, url: null },
      certificateEndsAt: null,
    };
    found = judgeMonitors(rule, [standing], at).map((one) => ({
      ...one,
      ...(one.look !== 'none' && { value: one.look === 'bad' ? 1 : 0 }),
    }));
    return found;
  };
}

/** Returns the monitors for which the condition of a rule held longest, at most `limit`. */
export function worstMonitors(
  rule: Rule,
  monitors: readonly PastMonitor[],
  { to }: Range,
  limit: number,
): PastMonitor[] {
  const isBad = ({ state, isDegraded }: State) =>
    state === 'down' || (rule.condition.is === 'degraded' && isDegraded);
  const badMs = ({ changes }: PastMonitor) =>
    changes.reduce((sum, one, i) => sum + (isBad(one) ? (changes[i + 1]?.at ?? to) - one.at : 0), 0);
  return [...monitors].sort((a, b) => badMs(b) - badMs(a)).slice(0, limit);
}
