import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import {
  type GroupState,
  type Look,
  nextState,
  okState,
  type RuleTimes,
} from '../../../control/rules/rule-state.js';
import { propertyOf } from '../../support/property.js';

const looks = ['bad', 'good', 'none', 'unread'] as const satisfies readonly Look[];

t.test('a condition fires once it has held for so long', async (t) => {
  const rule: RuleTimes = { forSeconds: 60, resolveForSeconds: 0, noData: 'keep' };
  const states = follow(rule, ['bad', 'bad', 'bad', 'good']);
  t.strictSame(
    states.map(({ state }) => state),
    ['pending', 'pending', 'firing', 'ok'],
  );
});

t.test('one that flaps is one alert', async (t) => {
  const rule: RuleTimes = { forSeconds: 0, resolveForSeconds: 60, noData: 'keep' };
  const states = follow(rule, ['bad', 'good', 'bad', 'good', 'good', 'good']);
  t.strictSame(
    states.map((one) => [one.state, 'since' in one ? one.since : null]),
    [...Array(5).fill(['firing', 0]), ['ok', null]],
  );
});

t.test('figures that cannot be read change nothing', async (t) => {
  for (const before of [
    okState,
    { state: 'pending', since: 0 },
    { state: 'firing', since: 0, clearSince: 5 },
  ] as const)
    t.equal(nextState(before, 'unread', { forSeconds: 0, resolveForSeconds: 0, noData: 'alert' }, 9), before);
});

t.test('every sequence is as its history says', async (t) => {
  const rules = fc.record({
    forSeconds: fc.integer({ min: 0, max: 4 }).map((looks) => 30 * looks),
    resolveForSeconds: fc.integer({ min: 0, max: 4 }).map((looks) => 30 * looks),
    noData: fc.constantFrom('ok', 'keep', 'alert'),
  });
  const histories = fc.array(fc.constantFrom(...looks), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(rules, histories, (rule, history) => {
      const found = follow(rule, history).map(({ state }) => state);
      const wanted = history.map((_, i) => stateAfter(rule, history.slice(0, i + 1)));
      assert.deepEqual(found, wanted);
    }),
    propertyOf(t, { few: 300, many: 20_000 }),
  );
});

/** The states after each look, 30 s apart. */
function follow(rule: RuleTimes, history: readonly Look[]): GroupState[] {
  let state: GroupState = okState;
  return history.map((look, i) => {
    state = nextState(state, look, rule, i * 30_000);
    return state;
  });
}

/** The state by the runs of the whole history: when the last alert began, and whether it is over since. */
function stateAfter(rule: RuleTimes, history: readonly Look[]): GroupState['state'] {
  const meaning = { ok: 'good', keep: 'unread', alert: 'bad' } as const;
  const seen = history.map((look) => (look === 'none' ? meaning[rule.noData] : look));
  let firing = false;
  let [badSince, goodSince]: (number | undefined)[] = [];
  for (const [i, look] of seen.entries()) {
    if (look === 'unread') continue;
    badSince = look === 'bad' ? (badSince ?? i) : undefined;
    goodSince = look === 'good' ? (goodSince ?? i) : undefined;
    if (badSince !== undefined && (i - badSince) * 30 >= rule.forSeconds) firing = true;
    if (firing && goodSince !== undefined && (i - goodSince) * 30 >= rule.resolveForSeconds) firing = false;
  }
  if (firing) return 'firing';
  return badSince === undefined ? 'ok' : 'pending';
}
