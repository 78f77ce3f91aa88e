import t from 'tap';
import type { RuleCondition, RuleTarget } from '../../../contract/manage/rules.js';
import { judgeReporters, type ReporterStanding, type Rule } from '../../../control/rules/index.js';
import { newId, type PageId, type RuleId } from '../../../lib/ids.js';

const pageId = newId<PageId>(0);
const now = 3_600_000;
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
    judgeReporters(ruleOf({ is }, target), reporters, now).flatMap(({ name, look }) =>
      look === 'bad' ? [name] : [],
    );
  t.strictSame(badOf('silent'), ['Frankfurt (eu-1)']);
  t.strictSame(badOf('late'), ['Frankfurt (eu-1)', 'eu-2']);
  t.strictSame(badOf('late', { team: 'web' }), ['Frankfurt (eu-1)']);
  t.strictSame(badOf('late', { region: 'us' }), []);
  t.strictSame(badOf('silent', { reporter: 'Frankfurt' }), ['Frankfurt (eu-1)']);
});

t.test('one that has hardly reported yet says nothing', async (t) => {
  t.match(judgeReporters(ruleOf({ is: 'silent' }, { reporter: 'new' }), reporters, now), [{ look: 'none' }]);
});

t.test('an observation says what people ask first, and how it is over', async (t) => {
  const look = (fields: Partial<ReporterStanding>) =>
    judgeReporters(ruleOf({ is: 'silent' }, {}), [one('checkout', { reporting: 'silent', ...fields })], now);
  t.match(look({ kind: 'service' }), [
    {
      ...{ group: 'service checkout', name: 'checkout', look: 'bad', since: now - 600_000 },
      text: 'It last reported 10 minutes ago.',
      facts: [{ name: 'Service', value: 'checkout' }, { name: 'Last report' }],
    },
  ]);
  const twin = { name: 'Checkout', region: 'eu', expectedEverySeconds: 60, requests: 200, errors: 50 };
  t.match(look(twin), [
    {
      ...{ group: 'reporter checkout', name: 'Checkout (checkout)' },
      text: 'It last reported 10 minutes ago. It promises to report every 60 seconds.',
      facts: [
        { name: 'Instance', value: 'checkout' },
        { name: 'Region', value: 'eu' },
        { name: 'Last report' },
        { name: 'Errors, last hour', value: '50 of 200 requests' },
      ],
    },
  ]);
  t.match(look({ service: 'shop' }), [
    { name: 'checkout of shop', facts: [{ name: 'Instance' }, { name: 'Service', value: 'shop' }] },
  ]);
  const titles = (['clean', 'stopped', 'unknown'] as const).map(
    (reporting) => look({ reporting, service: 'shop' })[0]?.ending?.title,
  );
  t.strictSame(titles, ['checkout reports again', 'checkout has stopped', 'checkout is no longer watched']);
  t.match(look({ lastReportAt: null }), [{ look: 'none' }], 'one that never reported');
});

function one(id: string, fields: Partial<ReporterStanding>): ReporterStanding {
  return {
    ...{ pageId, id, name: id, kind: 'reporter', reporting: 'clean', region: null, team: null },
    ...{ lastReportAt: new Date(now - 600_000), expectedEverySeconds: null, requests: 0, errors: 0 },
    ...fields,
  };
}

function ruleOf(condition: RuleCondition, target: RuleTarget): Rule {
  const at = new Date(0);
  return {
    ...{ id: newId<RuleId>(0), pageId, slug: 'rule', name: 'Rule', kind: 'reporter', target, condition },
    ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'ok', severity: 'page', policy: null },
    ...{ opensIncident: null, dependsOn: [], enabled: true, createdAt: at, updatedAt: at },
  };
}
