import fc from 'fast-check';
import t from 'tap';
import { budgetOf, burnDownOf, findWorst } from '../../../control/objectives/index.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';

const from = Date.parse('2026-10-20T00:00:00Z');
const budget = budgetOf({ good: 990, total: 1_000 }, 99);

t.test('hours of a short window and local days of a long one, the worst first', async (t) => {
  const steps = [
    { at: from + 30 * minuteMs, good: 8, total: 10 },
    { at: from + 23 * hourMs, good: 5, total: 10 },
    { at: from + 47 * hourMs, good: 5, total: 10 },
    { at: from + 50 * hourMs, good: 10, total: 10 },
  ];
  const options = { timeZone: 'Europe/Berlin', budget, limit: 2 };
  const iso = (time: number) => new Date(time).toISOString();
  const short = findWorst(steps, { from: from + 30 * minuteMs, to: from + 3 * dayMs }, options);
  t.same(
    short.items.map((one) => [iso(one.from), iso(one.to), one.spent, one.share]),
    [
      ['2026-10-20T23:00:00.000Z', '2026-10-21T00:00:00.000Z', 5, 50],
      ['2026-10-21T23:00:00.000Z', '2026-10-22T00:00:00.000Z', 5, 50],
    ],
  );
  const long = findWorst(steps, { from, to: from + 10 * dayMs }, { ...options, limit: 5 });
  t.equal(long.unit, 'day');
  t.same(
    long.items.map((one) => [iso(one.from), one.spent]),
    [
      ['2026-10-20T22:00:00.000Z', 5],
      ['2026-10-21T22:00:00.000Z', 5],
      ['2026-10-20T00:00:00.000Z', 2],
    ],
  );
  t.equal(findWorst([], { from, to: from }, options).items.length, 0);
});

t.test('a line has a point a step, counts everything once and ends with what is left', (t) => {
  const anySteps = fc
    .array(fc.tuple(fc.nat(92 * 24 - 1), fc.nat(50), fc.nat(50)), { maxLength: 60 })
    .map((all) => all.map(([hour, good, bad]) => ({ at: from + hour * hourMs, good, total: good + bad })));
  fc.assert(
    fc.property(anySteps, fc.integer({ min: 1, max: 92 }), (all, days) => {
      const period = { from, to: from + days * dayMs };
      const steps = all.filter(({ at }) => at < period.to).sort((a, b) => a.at - b.at);
      const total = steps.reduce((sum, step) => sum + step.total, 0);
      const good = steps.reduce((sum, step) => sum + step.good, 0);
      const whole = budgetOf({ good, total }, 99);
      const { stepMs, points } = burnDownOf(steps, period, whole);
      const worst = findWorst(steps, period, {
        timeZone: 'Australia/Lord_Howe',
        budget: whole,
        limit: 9_999,
      });
      const falls = points.every(
        ({ leftPercent }, i) => i === 0 || (leftPercent ?? 0) <= (points[i - 1]?.leftPercent ?? 100),
      );
      return (
        points.length === (days * dayMs) / stepMs &&
        points.length <= 168 &&
        points.reduce((sum, point) => sum + point.total, 0) === total &&
        worst.items.reduce((sum, one) => sum + one.spent, 0) === total - good &&
        falls &&
        points.at(-1)?.leftPercent === whole.leftPercent
      );
    }),
    propertyOf(t, { few: 100, many: 5_000 }),
  );
  t.end();
});
