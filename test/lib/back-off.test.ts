import t from 'tap';
import { dayOfAttempts, nextAttemptAt, pauseMsAfter } from '../../lib/back-off.js';

t.test('a pause doubles with every failure, up to the longest', async (t) => {
  const backOff = { firstMs: 100, maxMs: 2_000 };
  const pauses = [1, 2, 3, 4, 5, 6, 7, 5_000].map((failures) => pauseMsAfter(failures, backOff));
  t.strictSame(pauses, [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]);
});

t.test('the jitter is added to the pause, the longest one included', async (t) => {
  const backOff = { firstMs: 1_000, maxMs: 8_000, jitter: 0.2 };
  t.equal(
    pauseMsAfter(2, backOff, () => 0),
    2_000,
  );
  t.equal(
    pauseMsAfter(2, backOff, () => 0.5),
    2_200,
  );
  t.equal(
    pauseMsAfter(20, backOff, () => 1),
    9_600,
  );
});

t.test('an email is attempted eight times in about a day', async (t) => {
  const pauses = [1, 2, 3, 4, 5, 6, 7].map((attempts) => nextAttemptAt(dayOfAttempts, attempts, 0, () => 0));
  t.strictSame(pauses, [5_000, 60_000, 600_000, 3_600_000, 10_800_000, 21_600_000, 43_200_000]);
  t.equal(
    nextAttemptAt(dayOfAttempts, 1, 1_000, () => 1),
    7_000,
  );
  t.equal(nextAttemptAt(dayOfAttempts, 8, 0), undefined);
});
