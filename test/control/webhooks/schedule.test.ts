import t from 'tap';
import { deliveryQueue } from '../../../control/webhooks/queue.js';
import { nextAskedAt } from '../../../lib/back-off.js';
import { hourMs, minuteMs, secondMs } from '../../../lib/times.js';

const { schedule } = deliveryQueue;

const pauses = [
  ...[5 * secondMs, 5 * minuteMs, 30 * minuteMs],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs),
];

t.test('a delivery is attempted ten times in about three days', async (t) => {
  const attempts = pauses.map((_, index) => index + 1);
  t.strictSame(
    attempts.map((attempt) => nextAskedAt(schedule, attempt, { now: 0, random: () => 0 })),
    pauses,
  );
  t.strictSame(
    attempts.map((attempt) => nextAskedAt(schedule, attempt, { now: 0, random: () => 1 })),
    pauses.map((ms) => (ms * 11) / 10),
  );
  t.equal(nextAskedAt(schedule, 10, { now: 0 }), undefined);
});

t.test('a receiver may ask for up to an hour more than the schedule, and not for less', async (t) => {
  const at = (askedAt: number) => nextAskedAt(schedule, 2, { now: 0, askedAt, random: () => 0 });
  t.equal(at(minuteMs), 5 * minuteMs);
  t.equal(at(20 * minuteMs), 20 * minuteMs);
  t.equal(at(2 * hourMs), hourMs + 5 * minuteMs);
  t.equal(nextAskedAt(schedule, 10, { now: 0, askedAt: hourMs }), undefined);
});
