import t from 'tap';
import type { RuleCondition, RuleTarget } from '../../../contract/manage/rules.js';
import {
  judgeFailureRate,
  judgeLatency,
  judgeTraffic,
  levelOf,
  type Rule,
} from '../../../control/rules/index.js';
import { newId, type PageId, type RuleId } from '../../../lib/ids.js';

const pageId = newId<PageId>(0);

t.test('few failures are no evidence, and few successes are', async (t) => {
  const rule = ruleOf('failure-rate', { percent: 10, requestsMin: 100, windowMinutes: 5 });
  const lookOf = (requests: number, errors: number) =>
    judgeFailureRate(rule, [rowOf({ requests, errors })]).map(({ look, value }) => [look, value]);
  t.strictSame(lookOf(100, 10), [['bad', 10]]);
  t.strictSame(lookOf(99, 99), [['none', 100]]);
  t.strictSame(lookOf(1, 0), [['good', 0]]);
  t.strictSame(lookOf(1_000, 99), [['good', 9.9]]);
  t.strictSame(lookOf(0, 0), [['none', undefined]]);
  t.match(judgeFailureRate(rule, []), [{ group: '', look: 'none' }], 'a page without requests has a look');
});

t.test('a rule sums up what it looks at, and nothing else', async (t) => {
  const rows = [
    rowOf({ service: 'shop', endpoint: '/cart', method: 'GET', requests: 10, errors: 1 }),
    rowOf({ service: 'shop', endpoint: '/cart', method: 'POST', requests: 20, errors: 2 }),
    rowOf({ service: 'shop', endpoint: '/pay', requests: 40, errors: 4 }),
    rowOf({ service: 'blog', endpoint: '/cart', requests: 80, errors: 8 }),
    { ...rowOf({ service: 'shop', endpoint: '/cart', requests: 160, errors: 16 }), pageId: newId<PageId>(1) },
  ];
  const requestsOf = (target: RuleTarget) =>
    judgeFailureRate(ruleOf('failure-rate', { percent: 1, windowMinutes: 1 }, target), rows).map(
      ({ group, requests }) => [group, requests],
    );
  t.strictSame(requestsOf({}), [['', 150]]);
  t.strictSame(requestsOf({ service: 'Shop' }), [['', 70]], 'names of services of v1 are in lower case');
  t.strictSame(requestsOf({ service: 'shop', endpoint: '/cart' }), [['', 30]]);
  t.strictSame(requestsOf({ service: 'shop', endpoint: '/cart', method: 'POST' }), [['', 20]]);
});

t.test('a rule with groups looks at each, and alerts for the worst', async (t) => {
  const rule = ruleOf('failure-rate', { percent: 50, windowMinutes: 1 }, { by: 'endpoint' });
  const rows = Array.from({ length: 60 }, (_, i) =>
    rowOf({ service: 'shop', endpoint: `/${i}`, requests: 100, errors: 40 + i }),
  );
  const found = judgeFailureRate(rule, rows);
  const bad = found.filter(({ look }) => look === 'bad');
  t.equal(bad.length, 50);
  t.match(bad[0], { group: '["shop","/59"]', value: 99 });
  t.equal(found.filter(({ look }) => look === 'good').length, 10);
});

t.test('a percentile is compared where enough was measured', async (t) => {
  const rule = ruleOf('latency', { percentile: 'p95', overMs: 300, requestsMin: 20, windowMinutes: 5 });
  const lookOf = (measured: number, p95: number) =>
    judgeLatency(rule, [{ ...namesOf({}), measured, p50: 1, p95, p99: 10_000 }])[0]?.look;
  t.equal(lookOf(20, 300.5), 'bad');
  t.equal(lookOf(20, 300), 'good');
  t.equal(lookOf(19, 5_000), 'none');
  t.match(judgeLatency(rule, []), [{ group: '', look: 'none' }]);
});

t.test('traffic is compared with a number, or with what is usual', async (t) => {
  const fixed = ruleOf('traffic', { belowRequests: 10, windowMinutes: 5 });
  t.match(judgeTraffic(fixed, []), [{ look: 'bad', value: 0, threshold: 10 }], 'no requests are a figure');
  t.match(judgeTraffic(fixed, [rowOf({ requests: 10 })]), [{ look: 'good' }]);
  const usual = ruleOf('traffic', { belowPercentOfUsual: 50, windowMinutes: 5 });
  const lookOf = (requests: number, known?: number) =>
    judgeTraffic(usual, [{ ...rowOf({ requests }), ...(known !== undefined && { usual: known }) }])[0]?.look;
  t.equal(lookOf(49, 100), 'bad');
  t.equal(lookOf(50, 100), 'good');
  t.equal(lookOf(0), 'none', 'nothing is usual yet');
});

t.test('the level follows from the target', async (t) => {
  const levels = [
    [{}, 'page'],
    [{ service: 'a' }, 'service'],
    [{ by: 'service' }, 'service'],
    [{ service: 'a', by: 'endpoint' }, 'endpoint'],
    [{ service: 'a', endpoint: '/' }, 'endpoint'],
    [{ service: 'a', endpoint: '/', method: 'GET' }, 'method'],
  ] as const;
  for (const [target, level] of levels) t.equal(levelOf({ target }), level);
});

function ruleOf(kind: Rule['kind'], condition: RuleCondition, target: RuleTarget = {}): Rule {
  const at = new Date(0);
  return {
    ...{ id: newId<RuleId>(0), pageId, slug: 'rule', name: 'Rule', kind, target, condition },
    ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'keep', severity: 'page', policy: null },
    ...{ opensIncident: null, dependsOn: [], enabled: true, createdAt: at, updatedAt: at },
  };
}

type Names = { service: string; endpoint: string; method: string };

function namesOf(names: Partial<Names>) {
  return { pageId, service: '', endpoint: '', method: '', ...names };
}

function rowOf(row: Partial<Names & { requests: number; errors: number }>) {
  return { ...namesOf({}), requests: 0, errors: 0, ...row };
}
