import { rulePreviewLimits } from '../../contract/manage/rule-preview.js';
import { minuteMs } from '../../lib/times.js';
import type { Observation } from './observation.js';
import { nameOfGroup } from './observation.js';
import type { Rule } from './rule.js';
import type { GroupState, RuleTimes } from './rule-state.js';
import { settleRule } from './settle-rule.js';

/** Whole minutes in milliseconds since the epoch. */
export type Range = { from: number; to: number };

/** An alert that a rule would have made. Times in milliseconds since the epoch; `endedAt` is null while it lasts. */
export type PastFiring = { group: string; startedAt: number; endedAt: number | null };

/** The past of a rule. `values` are the worst of each step, from the start of the range on. */
export type PastLooks = {
  stepMinutes: number;
  groups: { group: string; values: (number | null)[] }[];
  firings: PastFiring[];
  /** Added up over all alerts. */
  firingMs: number;
};

/**
 * Looks at a rule at each minute of a range as it would have been looked at then, with the states of its groups. Alerts come in
 * the order in which they began.
 *
 * @param observe returns what was found at a minute; the minutes come in their order.
 */
export function previewRule(
  rule: RuleTimes,
  { from, to }: Range,
  direction: 'above' | 'below',
  observe: (at: number) => readonly Observation[],
): PastLooks {
  const minutes = Math.max(0, (to - from) / minuteMs);
  const stepMinutes = Math.max(1, Math.ceil(minutes / rulePreviewLimits.steps));
  const steps = Math.ceil(minutes / stepMinutes);
  const states = new Map<string, GroupState>();
  const series = new Map<string, (number | null)[]>();
  const names = new Map<string, string>();
  const open = new Map<string, PastFiring>();
  const firings: PastFiring[] = [];
  const nameOf = (group: string) => names.get(group) ?? nameOfGroup(group);
  for (let minute = 0; minute < minutes; minute += 1) {
    const at = from + minute * minuteMs;
    const observations = observe(at);
    for (const { group, name, value } of observations) {
      if (!names.has(group)) names.set(group, name ?? nameOfGroup(group));
      const values = series.get(group) ?? Array.from({ length: steps }, () => null);
      series.set(group, values);
      const step = Math.floor(minute / stepMinutes);
      if (value !== undefined) values[step] = worse(values[step] ?? null, value, direction);
    }
    const { changed, started, ended } = settleRule(rule, states, { observations }, at);
    for (const [group, state] of changed) {
      if (state.state === 'ok') states.delete(group);
      else states.set(group, state);
    }
    for (const { group } of started) {
      const firing = { group: nameOf(group), startedAt: at, endedAt: null };
      open.set(group, firing);
      firings.push(firing);
    }
    for (const group of ended) {
      const firing = open.get(group);
      if (firing !== undefined) firing.endedAt = at;
      open.delete(group);
    }
  }
  const firingMs = firings.reduce((sum, { startedAt, endedAt }) => sum + (endedAt ?? to) - startedAt, 0);
  const measured = [...series].filter(([, values]) => values.some((value) => value !== null));
  // A rule with groups finds none of them in minutes without data, and is no group of its own.
  const shown = measured.length === 0 ? [...series] : measured;
  const groups = shown.map(([group, values]) => ({ group: nameOf(group), values }));
  return { stepMinutes, groups, firings, firingMs };
}

function worse(before: number | null, value: number, direction: 'above' | 'below'): number {
  if (before === null) return value;
  return direction === 'above' ? Math.max(before, value) : Math.min(before, value);
}

/** The line of a rule, or null when it moves with what is usual, and the side of it on which the rule fires. */
export function lineOf({ kind, condition }: Pick<Rule, 'kind' | 'condition'>): {
  unit: 'percent' | 'ms' | 'requests' | 'rate' | 'count';
  direction: 'above' | 'below';
  threshold: number | null;
} {
  switch (kind) {
    case 'failure-rate':
      return { unit: 'percent', direction: 'above', threshold: condition.percent ?? null };
    case 'latency':
      return { unit: 'ms', direction: 'above', threshold: condition.overMs ?? null };
    case 'traffic':
      return { unit: 'requests', direction: 'below', threshold: condition.belowRequests ?? null };
    case 'burn-rate':
      return { unit: 'rate', direction: 'above', threshold: condition.factor ?? null };
    default:
      return { unit: 'count', direction: 'above', threshold: condition.above ?? condition.value ?? null };
  }
}
