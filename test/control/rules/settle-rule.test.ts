import t from 'tap';
import type { Observation } from '../../../control/rules/index.js';
import type { GroupState, RuleTimes } from '../../../control/rules/rule-state.js';
import { settleRule } from '../../../control/rules/settle-rule.js';

const atOnce: RuleTimes = { forSeconds: 0, resolveForSeconds: 0, noData: 'ok' };
const bad = (group: string): Observation => ({ group, look: 'bad' });
const good = (group: string): Observation => ({ group, look: 'good' });

t.test('groups begin and end on their own', async (t) => {
  const first = settleRule(atOnce, new Map(), { observations: [bad('a'), good('b')] }, 1);
  t.strictSame(
    first.started.map(({ group }) => group),
    ['a'],
  );
  t.strictSame([...first.changed], [['a', { state: 'firing', since: 1, clearSince: null }]]);
  const second = settleRule(atOnce, first.changed, { observations: [good('a'), bad('b')] }, 2);
  t.strictSame(second.ended, ['a']);
  t.strictSame(
    second.started.map(({ group }) => group),
    ['b'],
  );
});

t.test('a group that is not found has no data', async (t) => {
  const states = new Map<string, GroupState>([['a', { state: 'firing', since: 1, clearSince: null }]]);
  t.strictSame(settleRule(atOnce, states, { observations: [] }, 2).ended, ['a']);
  const kept = settleRule({ ...atOnce, noData: 'keep' }, states, { observations: [] }, 2);
  t.strictSame([kept.ended, kept.changed.size], [[], 0]);
});

t.test('a rule has a bounded number of groups, and room again when some end', async (t) => {
  const all = Array.from({ length: 60 }, (_, i) => bad(`${i}`));
  const first = settleRule(atOnce, new Map(), { observations: all }, 1);
  t.equal(first.started.length, 50);
  t.equal(settleRule(atOnce, first.changed, { observations: all }, 2).started.length, 0);
  const some = all.map((one, i) => (i < 5 ? good(one.group) : one));
  const next = settleRule(atOnce, first.changed, { observations: some }, 3);
  t.strictSame([next.ended.length, next.started.length], [5, 5]);
});
