import { ruleLimits } from '../../contract/manage/rules.js';
import type { Observation } from './observation.js';
import { type GroupState, nextState, okState, type RuleTimes } from './rule-state.js';

/** The states of the groups of a rule that pend or fire, by the key of the group. */
export type GroupStates = ReadonlyMap<string, GroupState>;

/** The changes that a look at a rule makes. */
export type Settled = {
  /** Groups whose state is another; `ok` for those that pend and fire no more. */
  changed: ReadonlyMap<string, GroupState>;
  /** Groups that fire from now on, in the order of the observations. */
  started: readonly Observation[];
  /** Keys of groups that fire no more. */
  ended: readonly string[];
};

/**
 * Applies what a look found to the states of a rule. A group that a whole look did not find has no data. A rule has a bounded
 * number of groups that pend or fire: further ones wait until some end.
 */
export function settleRule(
  rule: RuleTimes,
  states: GroupStates,
  { observations, isPartial = false }: { observations: readonly Observation[]; isPartial?: boolean },
  now: number,
): Settled {
  const changed = new Map<string, GroupState>();
  const started: Observation[] = [];
  const ended: string[] = [];
  let kept = states.size;

  function apply(observation: Observation): void {
    const { group, look } = observation;
    const before = states.get(group) ?? okState;
    const after = nextState(before, look, rule, now);
    if (after === before || (after.state === 'ok' && before.state === 'ok')) return;
    if (before.state === 'ok') {
      if (kept >= ruleLimits.groups) return;
      kept += 1;
    }
    if (after.state === 'ok') kept -= 1;
    changed.set(group, after);
    if (after.state === 'firing' && before.state !== 'firing') started.push(observation);
    if (before.state === 'firing' && after.state === 'ok') ended.push(group);
  }

  const found = new Set(observations.map(({ group }) => group));
  // Groups that end make room for those that begin.
  const gone = isPartial ? [] : [...states.keys()].filter((group) => !found.has(group));
  for (const group of gone) apply({ group, look: 'none' });
  const known = observations.filter(({ group }) => states.has(group));
  const others = observations.filter(({ group }) => !states.has(group));
  for (const one of [...known, ...others]) apply(one);
  return { changed, started, ended };
}
