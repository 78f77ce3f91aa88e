import fc from 'fast-check';
import t from 'tap';
import { budgetEnd, budgetOf, compliancePercent, isMet } from '../../../control/objectives/index.js';
import { dayMs, hourMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';

const anyTarget = fc.integer({ min: 1, max: 9_999_999 }).map((parts) => parts / 100_000);
const anyCount = fc.nat(1e12);

t.test('a budget is what may fail', async (t) => {
  t.same(budgetOf({ good: 99_950, total: 100_000 }, 99.9), {
    ...{ total: 100, spent: 50, left: 50, leftPercent: 50 },
  });
  t.same(budgetOf({ good: 99_750, total: 100_000 }, 99.9), {
    ...{ total: 100, spent: 250, left: -150, leftPercent: -150 },
  });
  t.same(budgetOf({ good: 0, total: 0 }, 99.9), { total: 0, spent: 0, left: 0, leftPercent: null });
  t.equal(budgetOf({ good: 10, total: 10 }, 99.9, 990).total, 1, 'with the time that is still to come');
});

t.test('what is spent and what is left is the budget', (t) => {
  fc.assert(
    fc.property(anyTarget, anyCount, anyCount, (target, good, bad) => {
      const { total, spent, left, leftPercent } = budgetOf({ good, total: good + bad }, target);
      return (
        spent === bad &&
        Math.abs(left + spent - total) <= 1e-12 * (total + spent) &&
        (leftPercent === null ? good + bad === 0 : Math.sign(leftPercent) === Math.sign(left))
      );
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
  t.end();
});

t.test('a compliance that looks like the target meets it', (t) => {
  t.equal(compliancePercent({ good: 9_999_999, total: 10_000_000 }), 99.99999);
  t.equal(compliancePercent({ good: 99_999_999, total: 100_000_000 }), 99.99999, 'it is cut');
  t.equal(compliancePercent({ good: 3, total: 3 }), 100);
  t.equal(compliancePercent({ good: 0, total: 0 }), null);
  fc.assert(
    fc.property(anyTarget, anyCount, anyCount, (target, good, bad) => {
      const counts = { good, total: good + bad };
      const compliance = compliancePercent(counts);
      const met = isMet(counts, target);
      if (compliance === null) return met === null;
      return met === compliance >= target;
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
  t.end();
});

t.test('when the budget ends', async (t) => {
  const now = Date.UTC(2026, 10, 29);
  const recent = { good: 90, total: 100 };
  const present = { recent, ms: hourMs, now, isAhead: false };
  const end = (left: number, more: object = {}) => budgetEnd({ ...present, budget: { left }, ...more }, 99);
  t.equal(end(0), now, 'a budget that is spent has ended');
  t.equal(end(-5), now);
  t.equal(end(100), now + 10 * hourMs, '10 failures an hour');
  t.equal(end(100, { recent: { good: 100, total: 100 } }), null);
  t.equal(end(100, { recent: { good: 0, total: 0 } }), null);
  const windowEnd = now + dayMs;
  t.equal(end(90, { windowEnd }), now + 10 * hourMs, 'each hour adds 1 to the budget of a calendar window');
  t.equal(end(90, { windowEnd, isAhead: true }), now + 9 * hourMs, 'unless the time to come is in it');
  t.equal(end(900, { windowEnd }), null, 'it lasts for the rest of the window');
  t.equal(end(90, { windowEnd, recent: { good: 99, total: 100 } }), null, 'at exactly the allowed rate');
  t.equal(end(1e15, { recent: { good: 1e9 - 1, total: 1e9 } }), null, 'no Date holds that end');
});

t.test('at the present rate, the budget is spent when it ends', (t) => {
  const count = fc.integer({ min: 1, max: 1e9 });
  fc.assert(
    fc.property(anyTarget, count, count, count, (target, left, good, bad) => {
      const recent = { good, total: good + bad };
      const end = budgetEnd({ budget: { left }, recent, ms: hourMs, now: 0, isAhead: false }, target);
      if (end === null) return (left * hourMs) / bad >= 8.64e15;
      // The end is cut to a millisecond.
      const spentUntil = (ms: number) => (bad * ms) / hourMs;
      return spentUntil(end) <= left * (1 + 1e-12) && spentUntil(end + 1) >= left * (1 - 1e-12);
    }),
    propertyOf(t, { few: 500, many: 50_000 }),
  );
  t.end();
});
