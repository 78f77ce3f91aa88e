import type { noDataChoices } from '../../contract/manage/rules.js';
import { secondMs } from '../../lib/times.js';

/**
 * The finding of a look at a group of a rule: the condition holds, it does not, nothing was measured, or the figures could not
 * be read.
 */
export type Look = 'bad' | 'good' | 'none' | 'unread';

/** How long a condition must hold, and how long it must not, before an alert begins and ends. */
export type RuleTimes = {
  forSeconds: number;
  resolveForSeconds: number;
  noData: (typeof noDataChoices)[number];
};

/** The state of a group of a rule. Times are in milliseconds since the epoch. */
export type GroupState =
  | { state: 'ok' }
  | { state: 'pending'; since: number }
  /** `clearSince` is when the condition stopped to hold; null while it holds. */
  | { state: 'firing'; since: number; clearSince: number | null };

export const okState: GroupState = { state: 'ok' };

/**
 * Returns the state after a look. A condition that holds for `forSeconds` fires; one that does not hold for
 * `resolveForSeconds` is over, and one that holds again before that is the same alert. Figures that could not be read
 * change nothing, and a window without data is what the rule says.
 */
export function nextState(before: GroupState, look: Look, rule: RuleTimes, now: number): GroupState {
  const seen = look === 'none' ? withoutData[rule.noData] : look;
  if (seen === 'unread') return before;
  return seen === 'bad' ? afterBad(before, rule, now) : afterGood(before, rule, now);
}

const withoutData = { ok: 'good', keep: 'unread', alert: 'bad' } as const satisfies Record<
  RuleTimes['noData'],
  Look
>;

function afterBad(before: GroupState, { forSeconds }: RuleTimes, now: number): GroupState {
  if (before.state === 'firing') return before.clearSince === null ? before : { ...before, clearSince: null };
  const since = before.state === 'pending' ? before.since : now;
  if (now - since >= forSeconds * secondMs) return { state: 'firing', since: now, clearSince: null };
  return before.state === 'pending' ? before : { state: 'pending', since };
}

function afterGood(before: GroupState, { resolveForSeconds }: RuleTimes, now: number): GroupState {
  if (before.state !== 'firing') return okState;
  const clearSince = before.clearSince ?? now;
  if (now - clearSince >= resolveForSeconds * secondMs) return okState;
  return before.clearSince === null ? { ...before, clearSince } : before;
}
