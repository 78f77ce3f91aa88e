import fc from 'fast-check';
import t from 'tap';
import { burnPairsOf, burnRate, isBurning } from '../../../control/objectives/index.js';
import { propertyOf } from '../../support/property.js';

const anyTarget = fc.integer({ min: 1, max: 9_999_999 }).map((parts) => parts / 100_000);

t.test('28 days, 30 days and a month have the factors of the workbook', async (t) => {
  for (const window of [{ days: 28 }, { days: 30 }, { calendar: 'month' as const }]) {
    t.same(burnPairsOf(window), [
      { severity: 'page', factor: 14.4, longMinutes: 60, shortMinutes: 5 },
      { severity: 'page', factor: 6, longMinutes: 360, shortMinutes: 30 },
      { severity: 'ticket', factor: 3, longMinutes: 1_440, shortMinutes: 120 },
      { severity: 'ticket', factor: 1, longMinutes: 4_320, shortMinutes: 360 },
    ]);
  }
});

t.test('other windows have the factors at which the same share of the budget is spent', async (t) => {
  const factors = (window: Parameters<typeof burnPairsOf>[0]) =>
    burnPairsOf(window).map(({ factor }) => factor);
  t.same(factors({ days: 7 }), [3.36, 1.4, 0.7, 0.233333]);
  t.same(factors({ days: 90 }), [43.2, 18, 9, 3]);
  t.same(factors({ calendar: 'quarter' }), [43.2, 18, 9, 3]);
  const shares = [0.02, 0.05, 0.1, 0.1];
  const wrong = Array.from({ length: 90 }, (_, i) => i + 1)
    .filter((days) => days !== 28)
    .filter((days) =>
      burnPairsOf({ days }).some(({ factor, longMinutes }, i) => {
        const spent = (factor * longMinutes) / (days * 1_440);
        return Math.abs(spent / (shares[i] ?? 0) - 1) > 1e-5;
      }),
    );
  t.same(wrong, []);
});

t.test('a rate of 1 spends the budget of a window in that window', async (t) => {
  t.equal(burnRate({ good: 999, total: 1_000 }, 99.9), 1);
  t.equal(burnRate({ good: 9_999_999, total: 10_000_000 }, 99.99999), 1);
  t.equal(burnRate({ good: 0, total: 7 }, 99.9), 1_000);
  t.equal(burnRate({ good: 7, total: 7 }, 99.9), 0);
  t.equal(burnRate({ good: 0, total: 0 }, 99.9), null);
});

t.test('failures that are exactly as many as may be burn at exactly 1, at any target', (t) => {
  fc.assert(
    fc.property(anyTarget, fc.integer({ min: 1, max: 400_000 }), (target, times) => {
      const may = 10_000_000 - Math.round(target * 100_000);
      const total = times * 10_000_000;
      return burnRate({ good: total - times * may, total }, target) === 1;
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
  t.end();
});

t.test('more failures burn faster, and twice of everything burns alike', (t) => {
  fc.assert(
    fc.property(anyTarget, fc.nat(1e9), fc.nat(1e9), (target, good, bad) => {
      const rate = (counts: { good: number; total: number }) => burnRate(counts, target) ?? -1;
      const total = good + bad + 1;
      const one = rate({ good, total });
      const twice = rate({ good: 2 * good, total: 2 * total });
      return Math.abs(twice - one) <= 1e-12 * one && (good === 0 || rate({ good: good - 1, total }) > one);
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
  t.end();
});

t.test('a pair burns when both of its windows burn faster than the factor', async (t) => {
  const counts = (bad: number) => ({ good: 10_000 - bad, total: 10_000 });
  const burning = (long: number, short: number) =>
    isBurning({ factor: 14.4 }, { long: counts(long), short: counts(short) }, 99.9);
  t.same(
    [burning(145, 145), burning(144, 145), burning(145, 144), burning(0, 10_000)],
    [true, false, false, false],
  );
  const nothing = { good: 0, total: 0 };
  t.notOk(isBurning({ factor: 1 }, { long: counts(500), short: nothing }, 99.9));
});
