import t from 'tap';
import { type Period, sixHoursMs, splitPeriod } from '../../../analytics/figures/periods.js';
import { hourMs, minuteMs } from '../../../lib/times.js';

const lengthOf = (periods: readonly Period[]): number =>
  periods.reduce((sum, { from, to }) => sum + to - from, 0);

t.test('the parts of a period are the period', async (t) => {
  for (let i = 0; i < 2_000; i += 1) {
    const from = Math.floor(Math.random() * 3_000) * minuteMs;
    const to = from + Math.ceil(Math.random() * 6_000) * minuteMs;
    const missing = [0, 1, 2, 3, 4, 5, 9].filter(() => Math.random() < 0.2).map((step) => step * sixHoursMs);
    const { sixHours, hours, minutes } = splitPeriod({ from, to }, { missing, unitMs: sixHoursMs });
    const all = [...sixHours, ...hours, ...minutes].sort((a, b) => a.from - b.from);
    const said = JSON.stringify({ from, to, missing, all });
    if (all[0]?.from !== from || all.at(-1)?.to !== to) t.fail(said);
    if (all.slice(1).some((part, at) => part.from !== all[at]?.to)) t.fail(said);
    for (const part of sixHours) {
      if (part.from % sixHoursMs !== 0 || part.to % sixHoursMs !== 0) t.fail(said);
      if (missing.some((step) => step >= part.from && step < part.to)) t.fail(said);
    }
    if (hours.some((part) => part.from % hourMs !== 0 || part.to % hourMs !== 0)) t.fail(said);
  }
});

t.test('what no coarser table has in full is at the edges', async (t) => {
  const period = { from: 30 * minuteMs, to: 2 * sixHoursMs + 90 * minuteMs };
  t.same(splitPeriod(period, { missing: [], unitMs: sixHoursMs }), {
    sixHours: [{ from: sixHoursMs, to: 2 * sixHoursMs }],
    hours: [
      { from: hourMs, to: sixHoursMs },
      { from: 2 * sixHoursMs, to: 2 * sixHoursMs + hourMs },
    ],
    minutes: [
      { from: 30 * minuteMs, to: hourMs },
      { from: 2 * sixHoursMs + hourMs, to: period.to },
    ],
  });
});

t.test('a part divides the steps that the caller tells apart', async (t) => {
  const day = { from: 0, to: 24 * hourMs };
  t.equal(lengthOf(splitPeriod(day, { missing: [], unitMs: 2 * hourMs }).hours), 24 * hourMs);
  t.equal(lengthOf(splitPeriod(day, { missing: [], unitMs: 30 * minuteMs }).minutes), 24 * hourMs);
  t.equal(lengthOf(splitPeriod(day, { missing: null, unitMs: sixHoursMs }).hours), 24 * hourMs);
});
