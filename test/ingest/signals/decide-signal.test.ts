import t from 'tap';
import {
  afterPoints,
  afterSpans,
  type Choice,
  isDecidedForPoint,
  isDecidedForSpan,
  isPointCounted,
  metricsCount,
  silentMs,
} from '../../../ingest/signals/decide-signal.js';
import { minuteMs, secondMs } from '../../../lib/times.js';

const start = Date.UTC(2026, 0, 1);
const at = (seconds: number): number => start + seconds * secondMs;
const from = (begin: number, end: number) => ({ from: at(begin), to: at(end) });

t.test('a service that sends one signal counts by it at once', async (t) => {
  const spans = afterSpans({}, from(0, 5), at(5));
  t.notOk(metricsCount(spans, at(5)));
  t.ok(isDecidedForSpan(spans, at(35)), 'spans count ahead for 30 seconds');
  t.notOk(isDecidedForSpan(spans, at(36)));
  const metrics = afterPoints({}, from(0, 60));
  t.ok(isPointCounted(metrics, from(0, 60)));
  t.ok(isPointCounted(metrics, from(-300, -240)), 'late points, too');
});

t.test('spans count until the end of an interval, and metrics from there on', async (t) => {
  const both = afterPoints(afterSpans({}, from(40, 55), at(55)), from(0, 60));
  t.equal(both.metricsFrom, at(120), 'the first end of an interval that was not promised to spans');
  t.notOk(isPointCounted(both, from(0, 60)));
  t.notOk(isPointCounted(both, from(60, 120)));
  t.ok(isPointCounted(both, from(120, 180)));
  t.notOk(metricsCount(both, at(119.9)));
  t.ok(metricsCount(both, at(120)));
  const late = { from: at(120) - 4, to: at(180) - 2 };
  t.ok(isPointCounted(both, late), 'an interval that is some milliseconds early is on its side');
});

t.test('of a process that ends at once, the signal that came first counts', async (t) => {
  const spansFirst = afterPoints(afterSpans({}, from(0, 20), at(20)), from(0, 20));
  t.notOk(isPointCounted(spansFirst, from(0, 20)));
  t.notOk(metricsCount(spansFirst, at(20)));
  const metricsFirst = afterSpans(afterPoints({}, from(0, 20)), from(0, 20), at(20));
  t.ok(isPointCounted(metricsFirst, from(0, 20)));
  t.ok(metricsCount(metricsFirst, at(1)));
});

t.test('spans that stopped long before do not keep metrics from counting', async (t) => {
  const stopped = afterSpans({}, from(0, 5), at(5));
  const choice = afterPoints(stopped, from(60, 120));
  t.equal(choice.metricsFrom, stopped.spansUntil);
  t.ok(isPointCounted(choice, from(60, 120)));
});

t.test('spans count again when metrics are silent for five minutes', async (t) => {
  const metrics = afterPoints({}, from(0, 60));
  const before = at(60) + silentMs - 1;
  t.ok(metricsCount(afterSpans(metrics, { from: before, to: before }, before), before));
  const after = at(60) + silentMs;
  t.notOk(
    isDecidedForSpan(metrics, after),
    'an instance asks first, because it may not know the newest point',
  );
  const again = afterSpans(metrics, { from: after, to: after }, after);
  t.equal(again.metricsFrom, undefined);
  t.notOk(isPointCounted(again, from(60, 120)), 'a point that comes late does not count beside them');
  t.notOk(isDecidedForPoint(again, after));
});

t.test('the end of the newest point is written once a minute', async (t) => {
  const metrics = afterPoints({}, from(0, 60));
  t.ok(isDecidedForPoint(metrics, at(60) + minuteMs));
  t.notOk(isDecidedForPoint(metrics, at(60) + minuteMs + 1));
});

t.test('no request counts twice or never, whatever two instances know', async (t) => {
  // A process with a span each second, sent each five, and a point each 60 seconds: every instance learns at its own time.
  for (const offset of [0, 7, 31, 59]) {
    let held: Choice = {};
    const known: Choice[] = [{}, {}];
    let bySpans = 0;
    let byMetrics = 0;
    const seen = (instance: number) => known[instance] ?? {};
    for (let second = 5; second <= 600; second += 5) {
      const instance = (second / 5) % 2;
      const ends = [1, 2, 3, 4, 5].map((i) => at(second - 5 + i) - 500);
      const last = ends.at(-1) ?? 0;
      if (ends.some((end) => !isDecidedForSpan(seen(instance), end))) {
        held = afterSpans(held, { from: ends[0] ?? 0, to: last }, at(second));
        known[instance] = held;
      }
      bySpans += ends.filter((end) => !metricsCount(seen(instance), end)).length;
      if (second % 60 !== 0) continue;
      const other = (second / 60 + offset) % 2;
      const interval = from(second - 60, second);
      if (!isDecidedForPoint(seen(other), interval.to)) {
        held = afterPoints(held, interval);
        known[other] = held;
      }
      if (isPointCounted(seen(other), interval)) byMetrics += 60;
    }
    t.equal(bySpans + byMetrics, 600, `${bySpans} by spans, ${byMetrics} by metrics`);
    t.ok(bySpans <= 180, 'spans count for three minutes at most');
  }
});
