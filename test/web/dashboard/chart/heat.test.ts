import fc from 'fast-check';
import t from 'tap';
import {
  heatLevel,
  heatLevels,
  heatParts,
  heatThresholds,
  largestCount,
} from '../../../../web/dashboard/kit/chart/heat.js';
import { mixColours } from '../../../../web/dashboard/kit/chart/theme-colours.js';
import { propertyOf } from '../../../support/property.js';

t.test('each level begins at a multiple of the one before', async (t) => {
  t.same(heatThresholds(1_000_000), [1, 10, 100, 1_000, 10_000, 100_000]);
  t.same(heatThresholds(3), [1, 2]);
  t.same(heatThresholds(1), [1]);
  t.same(heatThresholds(0), [1], 'a legend without counts');
});

t.test('more is never weaker, none has no colour, and the largest has the strongest', async (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000_000 }), fc.nat(), fc.nat(), (max, a, b) => {
      const thresholds = heatThresholds(max);
      const [low = 0, high = 0] = [a % (max + 1), b % (max + 1)].sort((x, y) => x - y);
      return (
        heatLevel(low, thresholds) <= heatLevel(high, thresholds) &&
        heatLevel(0, thresholds) === 0 &&
        heatLevel(1, thresholds) > 0 &&
        heatLevel(max, thresholds) === heatLevels
      );
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
  t.equal(heatParts.length, heatLevels);
});

t.test('the largest count ignores steps without a report', async (t) => {
  t.equal(largestCount([[1, 5], null, [3]]), 5);
  t.equal(largestCount([null]), 0);
  t.equal(largestCount([]), 0);
});

t.test('a tint is between its two colours', async (t) => {
  t.equal(mixColours('#ffffff', '#000000', 0.5), '#808080');
  t.equal(mixColours('#2f4bc9', '#ffffff', 1), '#2f4bc9');
  t.equal(mixColours('#2f4bc9', '#fff', 0), '#ffffff');
});
