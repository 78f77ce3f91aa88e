import t from 'tap';
import { type MinuteCounts, previewAlertRule } from '../../../control/alerts/index.js';
import { minuteMs } from '../../../lib/times.js';

const rule = { thresholdPercent: 10, windowSeconds: 120, requestsMin: 10 };
const minutes = (...counts: [requests: number, errors: number][]): MinuteCounts[] =>
  counts.flatMap(([requests, errors], at) =>
    requests === 0 ? [] : [{ at: at * minuteMs, requests, errors }],
  );
const preview = (counts: MinuteCounts[], to: number) =>
  previewAlertRule(rule, counts, { from: 0, to: to * minuteMs }).map(({ from, to }) => [
    from / minuteMs,
    to === null ? null : to / minuteMs,
  ]);

t.test('an incident opens after the minute that is bad, and ends when the window is good', async (t) => {
  t.same(preview(minutes([10, 0], [10, 2], [10, 0], [10, 0]), 4), [[2, 4]]);
});

t.test('a window without requests is neither good nor bad', async (t) => {
  t.same(preview(minutes([10, 5]), 9), [[1, null]]);
});

t.test('too few requests open nothing, but end nothing either while they fail', async (t) => {
  t.same(preview(minutes([9, 9]), 1), []);
  t.same(preview(minutes([20, 9], [1, 1], [1, 1], [1, 1], [5, 0], [5, 0]), 6), [[1, 6]]);
});

t.test('the newest comes first', async (t) => {
  t.same(preview(minutes([10, 9], [90, 0], [10, 0], [10, 9], [90, 0], [200, 0]), 6), [
    [4, 5],
    [1, 2],
  ]);
});
