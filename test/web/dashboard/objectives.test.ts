import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import t from 'tap';
import type { ObjectiveReport } from '../../../contract/manage/objective-report.js';
import type { ManagedObjective } from '../../../contract/manage/objectives.js';
import { makeFormat } from '../../../web/dashboard/format.js';
import { ReadError } from '../../../web/dashboard/reads/fetch-json.js';
import { formTexts } from '../../../web/dashboard/screens/objectives/form/texts.js';
import {
  bodyOf,
  changesOf,
  checkObjective,
  explainObjective,
  newObjective,
  slugOf,
  valuesOf,
} from '../../../web/dashboard/screens/objectives/form/values.js';
import { BurnRates } from '../../../web/dashboard/screens/objectives/one/burn-rates.js';
import { BudgetFigures } from '../../../web/dashboard/screens/objectives/one/figures.js';
import { objectivesTexts } from '../../../web/dashboard/screens/objectives/texts.js';
import {
  sayAmount,
  sayCompliance,
  sayEnd,
  sayLeft,
  shareOf,
} from '../../../web/dashboard/screens/objectives/words.js';

const words = { texts: objectivesTexts.en, format: makeFormat('en') };
const textOf = (html: string) => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

const report: ObjectiveReport = {
  ...{ slug: 'checkout', unit: 'requests', target: 99.9, underMsUsed: null },
  window: { from: '2026-11-01T00:00:00Z', to: '2026-11-29T00:00:00Z', isCurrent: true },
  counted: { from: '2026-11-01T00:00:00Z', to: '2026-11-29T00:00:00Z' },
  ...{ keptFrom: null, notKept: null, good: 199_936, total: 200_000, compliance: 99.968, isMet: true },
  budget: { total: 200, spent: 64, left: 136, leftPercent: 68 },
  burnRates: [{ minutes: 60, good: 990, total: 1_000, rate: 10 }],
  endsAt: null,
  worst: { unit: 'day', items: [] },
  endpoints: { from: null, items: [] },
  burnDown: { step: 3_600, points: [] },
  ...{ incidents: [], deployments: [] },
};
const figures = (fields: Partial<ObjectiveReport>) =>
  textOf(renderToString(h(BudgetFigures, { report: { ...report, ...fields } })));

t.test('figures never read better than they are', async (t) => {
  t.equal(sayCompliance(99.8999, 99.9, words.format), '99.89%');
  t.equal(sayCompliance(99.93, 99.9, words.format), '99.93%');
  t.equal(sayCompliance(99.999999, 99.99, words.format), '99.999%');
  t.equal(sayCompliance(100, 99.9, words.format), '100%');
  t.equal(shareOf(99.99, words.format), '99.99%');
  t.equal(shareOf(0.04, words.format), '0.04%');
  t.equal(sayLeft(-12.4, words), '12% over');
  t.equal(sayLeft(null, words), 'nothing measured');
});

t.test('amounts have the unit of the objective', async (t) => {
  t.equal(sayAmount('requests', 1, words), '1 request');
  t.equal(sayAmount('requests', 12_345.4, words), '12,345 requests');
  t.equal(sayAmount('requests', 2.46, words), '2.5 requests', 'a budget may be a fraction');
  t.equal(sayAmount('minutes', 125, words), '2 hours 5 minutes');
  t.equal(sayAmount('minutes', 0, words), 'no time');
});

t.test('when a budget ends', async (t) => {
  const end = (leftPercent: number | null, endsAt: string | null) =>
    sayEnd({ endsAt, budget: { ...report.budget, leftPercent } }, words);
  t.equal(end(68, null), 'lasts');
  t.match(end(10, '2026-12-01T10:00:00Z'), /1 Dec/);
  t.equal(end(-3, '2026-11-01T10:00:00Z'), 'spent');
  t.equal(end(null, null), 'nothing measured');
});

t.test('the figures of a budget: met, spent, and nothing measured', async (t) => {
  t.match(figures({}), /99\.96%.*Target 99\.9%, met.*68%.*136 of 200 requests.*10×.*lasts/);
  const spent = { total: 95, spent: 851, left: -756, leftPercent: -795 };
  t.match(figures({ budget: spent, isMet: false }), /missed.*-795%.*756 over 95 requests.*Budget ends spent/);
  const none = { total: 0, spent: 0, left: 0, leftPercent: null };
  const unmeasured = figures({ budget: none, isMet: null, compliance: null, burnRates: [] });
  t.match(unmeasured, /Good –.*Burn rate –/);
  t.notMatch(unmeasured, /met|missed/);
  t.match(figures({ keptFrom: '2026-11-10T00:00:00Z' }), /Figures begin on 10 Nov/);
  const over = { window: { ...report.window, isCurrent: false } };
  t.notMatch(figures(over), /Burn rate|ends/, 'a window that is over burns nothing');
});

t.test('burn rates of a window that is over', async (t) => {
  const rates = (burnRates: ObjectiveReport['burnRates']) =>
    textOf(renderToString(h(BurnRates, { report: { ...report, burnRates } })));
  t.match(rates([]), /does not burn any more/);
  t.match(rates([{ minutes: 5, good: 0, total: 0, rate: null }]), /5 minutes nothing measured/);
});

const saved: ManagedObjective = {
  ...{ slug: 'pay', name: 'Pay', target: 99.5, window: { calendar: 'month' }, isPublic: false },
  sli: { requests: { service: 'checkout', endpoint: '/pay', method: 'POST', underMs: 301 } },
  ...{ underMsUsed: 300, burnPairs: [], createdAt: '', updatedAt: '' },
};

t.test('the form sends what it was filled with, and a change sends the part that it is in', async (t) => {
  const values = valuesOf(saved);
  const { name, target, window, sli, isPublic } = saved;
  t.same(bodyOf(values), { name, target, window, sli, isPublic });
  t.strictSame(changesOf({ underMs: null }, { ...values, underMs: null }), {
    sli: { requests: { service: 'checkout', endpoint: '/pay', method: 'POST' } },
  });
  t.strictSame(changesOf({ days: 7, windowKind: 'days' }, { ...values, days: 7, windowKind: 'days' }), {
    window: { days: 7 },
  });
  const monitor = { ...values, measure: 'monitor', monitor: 'website' } as const;
  t.strictSame(bodyOf(monitor).sli, { monitor: { slug: 'website' } });
  t.equal(slugOf({ name: 'Checkout — works!', slug: '' }), 'checkout-works');
});

t.test('wrong fields are named, and a refusal stands at its field', async (t) => {
  const texts = formTexts.en;
  const wrong = (fields: object) =>
    Object.keys(checkObjective({ ...newObjective, name: 'A', ...fields }, texts));
  t.strictSame(wrong({}), []);
  t.strictSame(wrong({ target: 100 }), ['target']);
  t.strictSame(wrong({ target: 99.9999999 }), ['target']);
  t.strictSame(wrong({ days: 91 }), ['days']);
  t.strictSame(wrong({ days: null, windowKind: 'month' }), []);
  t.strictSame(wrong({ endpoint: '/pay' }), ['service']);
  t.strictSame(wrong({ measure: 'monitor' }), ['monitor']);
  t.strictSame(wrong({ slug: '-a' }), ['slug']);
  const refusal = (field: string, status = 400) =>
    explainObjective(new ReadError(status, `${field} must be another.`, { field }), texts);
  t.strictSame(refusal('/sli/requests/endpoint'), { endpoint: 'Must be another.' });
  t.strictSame(refusal('/sli/monitor/slug'), { monitor: 'Must be another.' });
  t.strictSame(refusal('/window/days'), { days: 'Must be another.' });
  t.strictSame(refusal('', 412), { slug: texts.slugTaken });
  t.equal(refusal('/elsewhere'), undefined);
});
