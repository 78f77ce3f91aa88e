import t from 'tap';
import { loadPast, loadWorstGroups } from '../../../analytics/rules/load-past.js';
import { loadWindowCounts, loadWindowPercentiles } from '../../../analytics/rules/load-windows.js';
import type { RuleCondition, RuleTarget } from '../../../contract/manage/rules.js';
import { levelOf, lookAtRequests, observeRequests, type Rule } from '../../../control/rules/index.js';
import { newId, type RuleId } from '../../../lib/ids.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { insertRequests, type LandingRow, newPageId } from '../../analytics/support.js';
import { openTestClickHouse } from '../../support/stores.js';

const { clickhouse } = await openTestClickHouse(t);
const pageId = newPageId();
/** A whole hour of yesterday. */
const end = Math.floor(Date.now() / hourMs - 24) * hourMs;
const weekMs = 7 * 24 * hourMs;

// Three hours of traffic, and the same hours one and two weeks before, with times, failures and gaps.
const rows: LandingRow[] = [0, 1, 2].flatMap((weeks) =>
  ['shop', 'blog'].flatMap((service, s) =>
    ['/cart', '/pay'].flatMap((endpoint, e) =>
      Array.from({ length: 120 }, (_, i) => ({
        ...{ service, endpoint, at: end - weeks * weekMs - (i * 3 + s + e) * minuteMs },
        ...{ status: i % 11 < 3 ? 503 : 200, method: i % 2 === 0 ? 'GET' : 'POST' },
        latencyMs: Array.from({ length: 1 + ((i + s) % 4) }, (_, k) => 20 + ((i * 37 + k * 91 + e) % 900)),
      })),
    ),
  ),
);
await insertRequests(clickhouse, pageId, rows);

const rules: [Rule['kind'], RuleCondition, RuleTarget][] = [
  ['failure-rate', { percent: 20, windowMinutes: 5, requestsMin: 3 }, {}],
  ['failure-rate', { percent: 30, windowMinutes: 1 }, { by: 'endpoint' }],
  ['failure-rate', { percent: 30, windowMinutes: 75 }, { service: 'Shop' }],
  ['latency', { percentile: 'p95', overMs: 500, windowMinutes: 10 }, { by: 'service' }],
  ['latency', { percentile: 'p50', overMs: 300, windowMinutes: 7 }, { service: 'blog', endpoint: '/pay' }],
  [
    ...(['latency', { percentile: 'p99', overMs: 800, windowMinutes: 64 }] as const),
    { service: 'shop', endpoint: '/cart', method: 'GET' },
  ],
  ['traffic', { belowRequests: 12, windowMinutes: 5 }, {}],
  ['traffic', { belowPercentOfUsual: 90, windowMinutes: 20 }, { by: 'service' }],
];

t.test('the past of a rule is what looks found then', async (t) => {
  const wrong: unknown[] = [];
  let bad = 0;
  for (const [kind, condition, target] of rules) {
    const rule = ruleOf(kind, condition, target);
    const observe = await observerOf(rule);
    for (let minutes = 180; minutes >= 0; minutes -= 13) {
      const at = end - minutes * minuteMs;
      const looks = await lookAtRequests(
        {
          counts: (asked) => loadWindowCounts(clickhouse, asked),
          percentiles: (asked) => loadWindowPercentiles(clickhouse, asked),
        },
        [rule],
        at,
      );
      const look = looks.get(rule.id);
      const expected = look !== undefined && 'observations' in look ? look.observations : [];
      // A look knows groups without requests in its window from no row; the past knows them all.
      const found = observe(at).filter(({ group, look }) => look !== 'none' || group === '');
      const known = expected.filter(({ group, look }) => look !== 'none' || group === '');
      bad += known.filter((one) => one.look === 'bad').length;
      if (textOf(found) !== textOf(known))
        wrong.push({ rule: [kind, condition, target], minutes, found, known });
    }
  }
  t.strictSame(wrong.slice(0, 3), []);
  t.ok(bad > 20, `${bad} bad looks`);
});

/** The order of groups that are equally bad is open. */
function textOf(observations: readonly { group: string; look: string; value?: number }[]): string {
  const lines = observations.map(({ group, look, value }) => `${group} ${look} ${value?.toPrecision(9)}`);
  return lines.sort().join('\n');
}

async function observerOf(rule: Rule) {
  const asked = { pageId, level: levelOf(rule), target: rule.target };
  const range = { from: end - 6 * hourMs, to: end };
  const groups = await loadWorstGroups(clickhouse, { ...asked, ...range }, { by: 'requests', limit: 5 });
  const isTimed = rule.kind === 'latency';
  const minutes = await loadPast(clickhouse, { ...asked, ...range, groups, step: 'minute', isTimed });
  const past = { from: end - 5 * weekMs, to: end + hourMs };
  const hours = await loadPast(clickhouse, { ...asked, ...past, groups, step: 'hour', isTimed: false });
  const of = (steps: typeof minutes, { service, endpoint, method }: (typeof groups)[number]) =>
    steps.filter((one) => one.service === service && one.endpoint === endpoint && one.method === method);
  return observeRequests(
    rule,
    groups.map((names) => ({ ...names, minutes: of(minutes, names), hours: of(hours, names) })),
  );
}

function ruleOf(kind: Rule['kind'], condition: RuleCondition, target: RuleTarget): Rule {
  const at = new Date(0);
  return {
    ...{ id: newId<RuleId>(0), pageId, slug: 'rule', name: 'Rule', kind, target, condition },
    ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'keep', severity: 'page', policy: null },
    ...{ opensIncident: null, dependsOn: [], enabled: true, createdAt: at, updatedAt: at },
  };
}
