import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import type { RulePreview } from '../../../contract/manage/rule-preview.js';
import type { ManagedRule } from '../../../contract/manage/rules.js';
import { ruleKinds } from '../../../contract/manage/rules.js';
import { makeFormat } from '../../../web/dashboard/format.js';
import { sliceSeries } from '../../../web/dashboard/kit/chart/slice-series.js';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { checkRule, explainRule } from '../../../web/dashboard/screens/rules/form/check.js';
import { labelsOf, wordValue } from '../../../web/dashboard/screens/rules/form/labels.js';
import { formTexts } from '../../../web/dashboard/screens/rules/form/texts.js';
import {
  bodyOf,
  changesOf,
  slugOf,
  usualValues,
  valuesOf,
  valuesOfAddress,
} from '../../../web/dashboard/screens/rules/form/values.js';
import { FiringStrip } from '../../../web/dashboard/screens/rules/preview/firing-strip.js';
import { suggestThreshold } from '../../../web/dashboard/screens/rules/preview/suggest.js';
import { rulesTexts } from '../../../web/dashboard/screens/rules/texts.js';
import { sayCondition, sayTarget } from '../../../web/dashboard/screens/rules/words.js';

const texts = formTexts.en;
const words = { texts: rulesTexts.en, format: makeFormat('en') };

const rule: ManagedRule = {
  ...{ slug: 'pay', name: 'Pay fails', kind: 'failure-rate', severity: 'page', policy: null },
  target: { service: 'checkout', endpoint: '/pay', method: 'POST' },
  condition: { percent: 5, windowMinutes: 10, requestsMin: 50 },
  ...{ forSeconds: 60, resolveForSeconds: 300, noData: 'keep', opensIncident: { template: null } },
  ...{ dependsOn: [{ monitor: 'website' }, { rule: 'database' }], enabled: true },
  ...{ state: 'ok', since: null, error: null, alerts: 0, createdAt: '', updatedAt: '' },
};

/** A target and a condition of each kind, and how they are said. */
const kinds: Record<(typeof ruleKinds)[number], [ManagedRule['target'], ManagedRule['condition'], string]> = {
  'failure-rate': [
    { by: 'service' },
    { percent: 5, windowMinutes: 5 },
    'each service · 5% or more fail in 5 minutes',
  ],
  latency: [
    { service: 'shop' },
    { percentile: 'p99', overMs: 1_500, windowMinutes: 60, requestsMin: 1 },
    'shop · p99 above 1.5 s in 1 hour',
  ],
  traffic: [
    {},
    { belowPercentOfUsual: 30, windowMinutes: 15 },
    'all of the page · less than 30% of what is usual in 15 minutes',
  ],
  reporter: [{ team: 'core', region: 'eu' }, { is: 'late' }, 'team core, region eu · late'],
  monitor: [{ group: 'shop' }, { certificateDays: 14 }, 'group shop · certificate ends within 14 days'],
  pool: [
    { service: 'shop', database: 'main', pool: 'read' },
    { figure: 'waiting', above: 3, windowMinutes: 5 },
    'shop › main › read · waiting callers above 3 in 5 minutes',
  ],
  'burn-rate': [
    { objective: 'checkout' },
    { factor: 14.4, longMinutes: 60, shortMinutes: 5 },
    'checkout · 14.4× over 1 hour and 5 minutes',
  ],
  query: [{ query: 'q1' }, { operator: '>', value: 10 }, 'q1 · the number is > 10'],
};

t.test('the form of each kind sends what it was filled with, and the list says it', async (t) => {
  for (const kind of ruleKinds) {
    const [target, condition, said] = kinds[kind];
    const one = { ...rule, kind, target, condition };
    const { slug: _, state, since, error, alerts, createdAt, updatedAt, ...fields } = one;
    t.same(bodyOf(valuesOf(one)), fields, kind);
    t.equal(`${sayTarget(one, words)} · ${sayCondition(one, words)}`, said);
    t.strictSame(checkRule({ ...valuesOf(one), template: 'outage' }, texts), {}, kind);
  }
});

t.test('a change sends the part that it is in', async (t) => {
  const values = valuesOf(rule);
  t.strictSame(changesOf({ percent: 7 }, { ...values, percent: 7 }), {
    condition: { percent: 7, windowMinutes: 10, requestsMin: 50 },
  });
  t.strictSame(changesOf({ endpoint: '' }, { ...values, endpoint: '' }), { target: { service: 'checkout' } });
  t.strictSame(changesOf({ opensIncident: false }, { ...values, opensIncident: false }), {
    opensIncident: null,
  });
  const off = { ...values, enabled: false, requestsMin: null };
  t.strictSame(changesOf({ enabled: false, requestsMin: null }, off), {
    ...{ enabled: false, condition: { percent: 5, windowMinutes: 10 } },
  });
});

t.test('an address fills the form, and a kind of another age is the usual one', async (t) => {
  t.match(valuesOfAddress({ new: 'latency', service: 'shop', endpoint: '/a', method: 'GET' }), {
    ...{ kind: 'latency', service: 'shop', endpoint: '/a', method: 'GET', noData: 'keep' },
  });
  t.match(valuesOfAddress({ new: 'monitor', monitor: 'web' }), { watched: 'monitor:web', noData: 'ok' });
  t.match(valuesOfAddress({ new: 'burn-rate', objective: 'a' }), { kind: 'burn-rate', objective: 'a' });
  t.equal(valuesOfAddress({ new: 'nonsense', by: 'all' }).kind, 'failure-rate');
  t.equal(slugOf({ name: 'Zahlung scheitert!', slug: '' }), 'zahlung-scheitert');
});

t.test('wrong fields are named, by what the kind has', async (t) => {
  const wrong = (fields: object) => Object.keys(checkRule({ ...usualValues, name: 'A', ...fields }, texts));
  t.strictSame(wrong({}), []);
  t.strictSame(wrong({ percent: 0, windowMinutes: 0, requestsMin: 0.5 }), [
    'percent',
    'requestsMin',
    'windowMinutes',
  ]);
  t.strictSame(wrong({ kind: 'latency', overMs: null, percent: null }), ['overMs']);
  t.strictSame(wrong({ kind: 'traffic', belowPercentOfUsual: 100, requestsMin: 0 }), ['belowPercentOfUsual']);
  t.strictSame(wrong({ kind: 'traffic', below: 'requests', belowPercentOfUsual: 100 }), []);
  t.strictSame(wrong({ endpoint: '/pay' }), ['service']);
  t.strictSame(wrong({ kind: 'monitor', monitorIs: 'certificate', certificateDays: 400 }), [
    'certificateDays',
  ]);
  t.strictSame(wrong({ kind: 'burn-rate', shortMinutes: 60 }), ['objective', 'shortMinutes']);
  t.strictSame(wrong({ kind: 'query', value: null }), ['query', 'value']);
  t.strictSame(wrong({ kind: 'latency', opensIncident: true }), ['template']);
  t.strictSame(wrong({ forSeconds: 90_000, resolveForSeconds: null }), ['forSeconds', 'resolveForSeconds']);
  t.strictSame(wrong({ slug: 'a--b' }), ['slug']);
});

t.test('a refusal stands at its field', async (t) => {
  const refusal = (message: string, body: Record<string, unknown> = {}, status = 400) =>
    explainRule(new ReadError(status, message, body), texts);
  t.strictSame(refusal('/condition/percent must be less.', { field: '/condition/percent' }), {
    percent: 'Must be less.',
  });
  t.strictSame(refusal('/target/monitor is gone.'), { watched: 'Is gone.' });
  t.strictSame(refusal('/opensIncident/template is missing: x.'), { opensIncident: 'Is missing: x.' });
  t.strictSame(refusal('', {}, 412), { slug: texts.slugTaken });
  t.equal(refusal('No such thing.'), undefined);
});

t.test('a choice between two versions says every value in words', async (t) => {
  const labels = labelsOf(texts, rulesTexts.en);
  t.strictSame(Object.keys(labels).sort(), Object.keys(usualValues).sort());
  const say = (field: keyof typeof usualValues, value: Parameters<typeof wordValue>[1]) =>
    wordValue(field, value, { texts, rules: rulesTexts.en, format: words.format });
  t.equal(say('forSeconds', 90), '90 seconds');
  t.equal(say('windowMinutes', 120), '2 hours');
  t.equal(say('noData', 'alert'), 'It fires');
  t.equal(say('watched', 'group:shop'), 'shop');
  t.equal(say('dependsOn', ['rule:a', 'monitor:b']), 'a, b');
  t.equal(say('policy', ''), 'none');
  t.equal(say('enabled', true), 'Yes');
});

const preview: RulePreview = {
  ...{ from: '2026-11-15T00:00:00Z', to: '2026-11-29T00:00:00Z', stepMinutes: 60, unit: 'percent' },
  ...{ direction: 'above', threshold: 5, count: 1, firingSeconds: 600, unknown: null },
  groups: [{ group: '', values: Array.from({ length: 336 }, (_, i) => (i === 7 ? 40 : (i % 10) / 10)) }],
  firings: [{ group: '', startedAt: '2026-11-15T07:00:00Z', endedAt: '2026-11-15T07:10:00Z' }],
};

t.test('a suggested threshold is beyond nearly all that was measured', async (t) => {
  const of = (fields: object, given: Partial<RulePreview> = {}) =>
    suggestThreshold({ ...usualValues, ...fields }, { ...preview, ...given });
  t.match(of({}), { field: 'percent', value: 1.5 }, 'one peak does not lift it');
  const quiet = [{ group: '', values: Array.from({ length: 100 }, () => 0) }];
  t.match(of({}, { groups: quiet }), { value: 1 }, 'a page without failures');
  const slow = [{ group: '', values: Array.from({ length: 100 }, (_, i) => 200 + i) }];
  t.match(of({ kind: 'latency' }, { groups: slow, unit: 'ms' }), { field: 'overMs', value: 400 });
  const below = { unit: 'requests', direction: 'below', groups: slow } as const;
  t.match(of({ kind: 'traffic', below: 'requests' }, below), { field: 'belowRequests', value: 100 });
  t.equal(of({ kind: 'traffic' }, below), undefined, 'what is usual needs none');
  t.equal(of({}, { groups: [{ group: '', values: [1, null] }] }), undefined, 'too few figures');
});

t.test('the strip has a mark for each alert, and says how many', async (t) => {
  const html = renderToString(h(FiringStrip, { preview }));
  t.match(html, /aria-label="Time line of 14 days with 1 alert"/);
  t.equal(html.match(/class="mark"/g)?.length, 1);
  const lasting = {
    ...preview,
    firings: [{ group: 'api', startedAt: '2026-11-28T23:00:00Z', endedAt: null }],
  };
  t.match(renderToString(h(FiringStrip, { preview: lasting })), /– lasts api/);
});

t.test('a part of a chart has the step that its first time is in', async (t) => {
  const lines = { times: [0, 10, 20, 30], series: [{ key: 'a', label: 'a', values: [1, 2, 3, 4] }] };
  t.match(sliceSeries(lines, 15, 30), { times: [10, 20], series: [{ values: [2, 3] }] });
  t.match(sliceSeries(lines, -5, 99), { times: [0, 10, 20, 30] });
});
