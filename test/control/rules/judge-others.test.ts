import t from 'tap';
import type { RuleCondition, RuleKind, RuleTarget } from '../../../contract/manage/rules.js';
import {
  judgePools,
  judgeQuery,
  type PoolFigures,
  type QueryAnswer,
  type Rule,
} from '../../../control/rules/index.js';
import { newId, type PageId, type RuleId } from '../../../lib/ids.js';

const pageId = newId<PageId>(0);

t.test('the figure of each pool of a rule is compared with it', (t) => {
  const pools = [
    poolOf('shop', 'orders', {
      waiting: 12,
      utilization: 90,
      acquisitionP95Ms: Number.POSITIVE_INFINITY,
      failures: 0,
    }),
    poolOf('shop', 'stock', { waiting: 3, utilization: 40, acquisitionP95Ms: 25, failures: 7 }),
    poolOf('mail', 'orders', { waiting: null, utilization: null, acquisitionP95Ms: null, failures: null }),
    { ...poolOf('shop', 'orders', { waiting: 99 }), windowMinutes: 60 },
    { ...poolOf('shop', 'orders', { waiting: 99 }), pageId: newId<PageId>(1) },
  ];
  const badOf = (condition: RuleCondition, target: RuleTarget = {}) =>
    judgePools(ruleOf('pool', { windowMinutes: 5, ...condition }, target), pools).flatMap(
      ({ look, name, value }) => (look === 'bad' ? [`${name}: ${value}`] : []),
    );
  t.strictSame(badOf({ figure: 'waiting', above: 2 }), [
    'main of shop on orders (production): 12',
    'main of shop on stock (production): 3',
  ]);
  t.strictSame(badOf({ figure: 'waiting', above: 12 }), []);
  t.strictSame(badOf({ figure: 'utilization', above: 80 }), ['main of shop on orders (production): 90']);
  t.strictSame(badOf({ figure: 'failures', above: 0 }), ['main of shop on stock (production): 7']);
  t.strictSame(badOf({ figure: 'acquisitionP95Ms', above: 5_000 }), [
    'main of shop on orders (production): 5000',
  ]);
  t.strictSame(badOf({ figure: 'waiting', above: 0 }, { service: 'shop', database: ' stock ' }), [
    'main of shop on stock (production): 3',
  ]);
  t.strictSame(badOf({ figure: 'waiting', above: 0 }, { pool: 'other' }), []);
  t.end();
});

t.test('pools without a measurement, and no pool at all, are no data', (t) => {
  const rule = ruleOf('pool', { figure: 'waiting', above: 1, windowMinutes: 5 }, {});
  t.strictSame(judgePools(rule, []), [{ group: '', look: 'none', threshold: 1 }]);
  t.match(judgePools(rule, [poolOf('mail', 'orders', {})]), [{ look: 'none' }, { group: '', look: 'good' }]);
  const many = Array.from({ length: 60 }, (_, at) => poolOf(`service-${at}`, 'orders', { waiting: 2 + at }));
  const bad = judgePools(rule, many).filter(({ look }) => look === 'bad');
  t.match([bad.length, bad[0]?.value, bad.at(-1)?.value], [50, 61, 12], 'the worst first');
  t.end();
});

t.test('the answer of a query is a number, or labels with numbers', (t) => {
  const judge = (answer: QueryAnswer, condition: RuleCondition = { operator: '>', value: 5 }) =>
    judgeQuery(ruleOf('query', condition, {}), answer);
  const one = (value: unknown, type = 'UInt64') => ({ meta: [{ name: 'n', type }], data: [[value]] });
  t.strictSame(judge(one('6')), { observations: [{ group: '', look: 'bad', value: 6, threshold: 5 }] });
  t.match(judge(one(5.5, 'Float64')), { observations: [{ look: 'bad', value: 5.5 }] });
  t.match(judge(one('5.00', 'Decimal(9, 2)')), { observations: [{ look: 'good', value: 5 }] });
  for (const none of [one(null, 'Nullable(UInt8)'), { meta: one(1).meta, data: [] }])
    t.strictSame(judge(none), { observations: [{ group: '', look: 'none', threshold: 5 }] });
  const operators = { '>': 'good', '>=': 'bad', '<': 'good', '<=': 'bad', '=': 'bad', '!=': 'good' } as const;
  for (const [operator, look] of Object.entries(operators))
    t.match(judge(one(5), { operator: operator as keyof typeof operators, value: 5 }), {
      observations: [{ look }],
    });

  const meta = [
    { name: 'label', type: 'String' },
    { name: 'n', type: 'UInt8' },
  ];
  t.strictSame(
    judge({
      meta,
      data: [
        ['[a]', 9],
        ['b', 1],
      ],
    }),
    {
      observations: [
        { group: 'row [a]', name: '[a]', look: 'bad', value: 9, threshold: 5 },
        { group: 'row b', name: 'b', look: 'good', value: 1, threshold: 5 },
        { group: '', look: 'good' },
      ],
    },
  );
  t.end();
});

t.test('an answer of another form is an error that says what is wrong', (t) => {
  const judge = (types: string[], data: unknown[][]) =>
    judgeQuery(ruleOf('query', { operator: '>', value: 5 }, {}), {
      ...{ meta: types.map((type, at) => ({ name: `c${at}`, type })), data },
    });
  const wrong = [
    [['String'], [['x']], /"c0" is of the type String, and no number/],
    [['String', 'DateTime'], [], /"c1" is of the type DateTime/],
    [['Array(UInt8)'], [], /Array\(UInt8\), and no number/],
    [['UInt8', 'UInt8', 'UInt8'], [], /returns 3 columns/],
    [[], [], /returns 0 columns/],
    [['UInt8'], [[1], [2]], /returns 2 numbers; give each a label/],
    [
      ['String', 'UInt8'],
      Array.from({ length: 51 }, (_, at) => [String(at), at]),
      /51 rows; a rule takes at most 50/,
    ],
    [
      ['String', 'UInt8'],
      [
        ['a', 1],
        ['a', 2],
      ],
      /the same label/,
    ],
  ] as const;
  for (const [types, data, error] of wrong)
    t.match(
      judge(
        [...types],
        data.map((row) => [...row]),
      ),
      { error },
      String(error),
    );
  t.end();
});

function poolOf(service: string, target: string, figures: Partial<PoolFigures>): PoolFigures {
  return {
    ...{ pageId, service, environment: 'production', target, pool: 'main', windowMinutes: 5 },
    ...{ waiting: null, utilization: null, acquisitionP95Ms: null, failures: null, ...figures },
  };
}

function ruleOf(kind: RuleKind, condition: RuleCondition, target: RuleTarget): Rule {
  const at = new Date(0);
  return {
    ...{ id: newId<RuleId>(0), pageId, slug: 'rule', name: 'Rule', kind, target, condition },
    ...{ forSeconds: 0, resolveForSeconds: 0, noData: 'keep', severity: 'page', policy: null },
    ...{ opensIncident: null, dependsOn: [], enabled: true, createdAt: at, updatedAt: at },
  };
}
