import fc from 'fast-check';
import t from 'tap';
import { dayMs, hourMs, minuteMs, secondMs } from '../../../lib/times.js';
import { readObserved, readObservedSteps } from '../../../rollups/series/read-observed.js';
import { readObservedSums } from '../../../rollups/series/read-observed-sums.js';
import { propertyOf } from '../../support/property.js';
import { referencePoints } from '../../support/reference-points.js';
import { type Check, checksEvery, openUptime } from '../../support/uptime.js';

const uptime = await openUptime(t);
const { sql, clickhouse } = uptime;
const deps = { sql, clickhouse };
const hours = 8;
const second = fc.nat({ max: hours * 3_600 });
const minute = fc.nat({ max: hours * 60 });

const sample = fc.record({
  checks: fc.uniqueArray(
    fc.record({ after: second, intervalSeconds: fc.constantFrom(10, 60, 300, 3_600), up: fc.boolean() }),
    { selector: ({ after }) => after, minLength: 5, maxLength: 60 },
  ),
  excluded: fc.array(fc.record({ from: second, length: fc.integer({ min: 1, max: 5_000 }) }), {
    maxLength: 3,
  }),
  nowAfter: fc.integer({ min: 3_600, max: hours * 3_600 }),
  ends: fc.array(fc.tuple(minute, minute), { minLength: 1, maxLength: 5 }),
});

/** The observed time of a period, second by second. */
function countsIn(state: Parameters<typeof referencePoints>[0], { from, to }: { from: number; to: number }) {
  // Everything outside the period is excluded, so the reference counts what is inside.
  const outside = [
    { from: 0, to: from },
    { from: to, to: null },
  ];
  const points = Object.values(referencePoints({ ...state, excluded: [...state.excluded, ...outside] }));
  return {
    good: points.reduce((sum, { upMs }) => sum + upMs, 0),
    total: points.reduce((sum, { observedMs }) => sum + observedMs, 0),
  };
}

t.test('observed time is that of the reference, over any periods', async (t) => {
  let made = 0;
  await fc.assert(
    fc.asyncProperty(sample, async ({ checks: drawn, excluded: spans, nowAfter, ends }) => {
      made += 1;
      const begin = Date.parse('2025-04-09T06:00:00Z') + made * dayMs;
      const owner = await uptime.addMonitor(`api-${made}`);
      const silent = await uptime.addMonitor('silent', owner.pageId);
      const now = begin + nowAfter * secondMs;
      const checks = drawn.map(
        ({ after, up, intervalSeconds }): Check => ({
          ...{ at: begin + after * secondMs, intervalSeconds, up, ok: up, ms: null },
        }),
      );
      const excluded = spans.map(({ from, length }) => ({
        from: begin + from * secondMs,
        to: begin + (from + length) * secondMs,
      }));
      await uptime.addChecks(owner, checks);
      for (const { from, to } of excluded) await uptime.pause(owner, { from, to });
      await uptime.run(now);
      const periods = ends.map(([a, b]) => ({
        from: begin + Math.min(a, b) * minuteMs,
        to: Math.min(now, begin + (Math.max(a, b) + 1) * minuteMs),
      }));
      const state = { checks, excluded, now };
      const expected = periods.map((period) => countsIn(state, period));
      const [found, nothing] = await readObserved(deps, [owner, silent], { periods, now });
      if (JSON.stringify(found) !== JSON.stringify(expected))
        throw new Error(`${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
      if (nothing?.some(({ total }) => total > 0)) throw new Error('a monitor without checks was observed');
      const whole = periods.map(({ from, to }) => ({
        from: Math.floor(from / hourMs) * hourMs,
        to: Math.ceil(to / hourMs) * hourMs,
      }));
      const sums = await readObservedSums(deps, [silent, owner], whole);
      const ofHours = whole.map((span) => countsIn(state, span));
      if (JSON.stringify(sums) !== JSON.stringify([whole.map(() => ({ good: 0, total: 0 })), ofHours]))
        throw new Error(`sums ${JSON.stringify(sums)}, not ${JSON.stringify(ofHours)}`);
      const [period] = periods;
      if (period === undefined || period.from >= period.to) return;
      const steps = await readObservedSteps(deps, owner, { period, now });
      const sum = steps.reduce(
        (all, { good, total }) => ({ good: all.good + good, total: all.total + total }),
        { good: 0, total: 0 },
      );
      if (JSON.stringify(sum) !== JSON.stringify(expected[0]))
        throw new Error(`steps ${JSON.stringify(sum)}, not ${JSON.stringify(expected[0])}`);
    }),
    propertyOf(t, { few: 20, many: 200 }),
  );
});

t.test('days that another tool has observed are a part of a window', async (t) => {
  const begin = Date.parse('2026-02-01T00:00:00Z');
  const owner = await uptime.addMonitor('imported');
  await clickhouse.insert({
    table: 'monitor_days',
    format: 'JSONEachRow',
    values: [
      {
        ...{ page_id: owner.pageId, monitor_id: owner.monitorId, day: '2026-02-02', observed_ms: dayMs },
        ...{ up_ms: dayMs - hourMs, checks: 0, failed: 0, measured: 0, sum_ms: 0, version: 0 },
      },
    ],
  });
  await uptime.addChecks(owner, checksEvery(60, begin + 3 * dayMs, begin + 3 * dayMs + hourMs));
  const now = begin + 4 * dayMs;
  await uptime.run(now);
  const steps = await readObservedSteps(deps, owner, { period: { from: begin, to: now }, now });
  t.same(steps, [
    { at: begin + dayMs, good: dayMs - hourMs, total: dayMs },
    { at: begin + 3 * dayMs, good: hourMs, total: hourMs },
    // The last check stands for two intervals.
    { at: begin + 3 * dayMs + hourMs, good: minuteMs, total: minuteMs },
  ]);
  const sums = await readObservedSums(
    deps,
    [owner],
    [
      { from: begin, to: begin + 2 * dayMs },
      { from: begin + 2 * dayMs, to: now },
    ],
  );
  t.same(sums, [
    [
      { good: dayMs - hourMs, total: dayMs },
      { good: hourMs + minuteMs, total: hourMs + minuteMs },
    ],
  ]);
});
