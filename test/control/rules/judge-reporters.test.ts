import t from 'tap';
import type { RuleCondition, RuleTarget } from '../../../contract/manage/rules.js';
import { judgeReporters, type ReporterStanding, type Rule } from '../../../control/rules/index.js';
import { newId, type PageId, type RuleId } from '../../../lib/ids.js';

const pageId = newId<PageId>(0);
const reporters: ReporterStanding[] = [
  one('shop', { kind: 'service', reporting: 'clean' }),
  one('eu-1', { name: 'Frankfurt', region: 'eu', team: 'web', reporting: 'silent' }),
  one('eu-2', { region: 'eu', reporting: 'late' }),
  one('us-1', { region: 'us', team: 'web', reporting: 'stopped' }),
  one('new', { reporting: 'unknown' }),
  { ...one('eu-1', { reporting: 'silent' }), pageId: newId<PageId>(1) },
];

t.test('whoever is silent is late as well, and whoever said goodbye is neither', async (t) => {
  const badOf = (is: 'late' | 'silent', target: RuleTarget = {}) =>
    judgeReporters(ruleOf({ is }, target), reporters).flatMap(({ name, look }) =>
      look === 'bad' ? [name] : [],
    );
  t.strictSame(badOf('silent'), ['Frankfurt (eu-1)']);
  t.strictSame(badOf('late'), ['Frankfurt (eu-1)', 'eu-2']);
  t.strictSame(badOf('late', { team: 'web' }), ['Frankfurt (eu-1)']);
  t.strictSame(badOf('late', { region: 'us' }), []);
  t.strictSame(badOf('silent', { reporter: 'Frankfurt' }), ['Frankfurt (eu-1)']);
});

t.test('one that has hardly reported yet says nothing', async (t) => {
  t.match(judgeReporters(ruleOf({ is: 'silent' }, { reporter: 'new' }), reporters), [{ look: 'none' }]);
});

function one(id: string, fields: Partial<ReporterStanding>): ReporterStanding {
  return { pageId, id, name: id, kind: 'reporter', reporting: 'clean', region: null, team: null, ...fields };
}

function ruleOf(condition: RuleCondition, target: RuleTarget): Rule {
  const at = new Date(0);
  return {
    ...{ id: newId<RuleId>(0), pageId, slug: 'rule', name: 'Rule', kind: 'reporter', target, condition },
    ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'ok', severity: 'page', policy: null },
    ...{ opensIncident: null, dependsOn: [], enabled: true, createdAt: at, updatedAt: at },
  };
}
