import t from 'tap';
import { levelsOf } from '../../../analytics/figures/levels.js';
import { type Part, type Period, sixHoursMs, splitPeriod } from '../../../analytics/figures/periods.js';
import type { Question } from '../../../analytics/figures/question.js';
import { seeded } from '../../../bench/support/batches.js';
import { dayMs, hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';

const { seed } = propertyOf(t, { few: 1, many: 1 });
const random = seeded(seed);
const nothing = { pages: [], days: [], sixHours: [], hours: [], minutes: [] };
/** All tables have the first days of the epoch. */
const kept = { now: 10 * dayMs, since: { hoursFrom: 0, daysFrom: 0 } };
const ofEndpoints: Question = { filters: {}, by: 'endpoint', search: '' };
const ofPage: Question = { filters: {}, by: null, search: '' };

const byTable = (parts: readonly Part[]): Record<string, Period[]> =>
  Object.fromEntries(parts.map(({ level, periods }) => [level.table, periods]));

t.test('the parts of a period are the period', async (t) => {
  const wrong: string[] = [];
  for (let i = 0; i < 2_000; i += 1) {
    const from = Math.floor(random() * 6_000) * minuteMs;
    const period = { from, to: from + Math.ceil(random() * 9_000) * minuteMs };
    const gaps = (stepMs: number): Period[] =>
      [0, 1, 2, 3, 4, 5, 9]
        .filter(() => random() < 0.2)
        .map((step) => ({ from: step * stepMs, to: (step + 1) * stepMs }));
    const missing = {
      pages: gaps(sixHoursMs),
      days: gaps(dayMs),
      sixHours: gaps(sixHoursMs),
      hours: gaps(sixHoursMs),
      minutes: gaps(sixHoursMs),
    };
    const question = random() < 0.5 ? ofEndpoints : { ...ofPage, filters: { method: 'GET' } };
    const parts = splitPeriod(period, levelsOf(question, missing, kept), dayMs);
    const all = parts.flatMap(({ periods }) => periods).sort((a, b) => a.from - b.from);
    const isAll = all[0]?.from === period.from && all.at(-1)?.to === period.to;
    const isGapless = all.slice(1).every((part, at) => part.from === all[at]?.to);
    const areWhole = parts.every(({ level: { stepMs, missing: gapsOf }, periods }) =>
      periods.every(
        ({ from: start, to: end }) =>
          start % stepMs === 0 &&
          end % stepMs === 0 &&
          gapsOf.every((gap) => gap.to <= start || gap.from >= end),
      ),
    );
    if (!isAll || !isGapless || !areWhole) wrong.push(JSON.stringify({ period, missing, all }));
  }
  t.same(wrong, []);
});

t.test('what no coarser table has in full is at the edges', async (t) => {
  const period = { from: 30 * minuteMs, to: 2 * dayMs + sixHoursMs + 90 * minuteMs };
  t.same(byTable(splitPeriod(period, levelsOf(ofEndpoints, nothing, kept), dayMs)), {
    endpoint_requests_day: [{ from: dayMs, to: 2 * dayMs }],
    endpoint_requests_6h: [
      { from: sixHoursMs, to: dayMs },
      { from: 2 * dayMs, to: 2 * dayMs + sixHoursMs },
    ],
    endpoint_requests_hour: [
      { from: hourMs, to: sixHoursMs },
      { from: 2 * dayMs + sixHoursMs, to: 2 * dayMs + sixHoursMs + hourMs },
    ],
    endpoint_requests_minute: [
      { from: 30 * minuteMs, to: hourMs },
      { from: 2 * dayMs + sixHoursMs + hourMs, to: period.to },
    ],
  });
});

t.test(
  'what the tables of a page lack is read from the services, or from the endpoints for a method',
  async (t) => {
    const period = { from: 0, to: dayMs + hourMs };
    const missing = { ...nothing, pages: [{ from: 0, to: dayMs }] };
    const since = { hoursFrom: 0, daysFrom: dayMs };
    const partsOf = (question: Question) =>
      byTable(splitPeriod(period, levelsOf(question, missing, { ...kept, since }), dayMs));
    const page_requests_hour = [{ from: dayMs, to: dayMs + hourMs }];
    t.same(partsOf(ofPage), { page_requests_hour, service_requests_hour: [{ from: 0, to: dayMs }] });
    const endpoint_requests_day = [{ from: 0, to: dayMs }];
    t.same(partsOf({ ...ofPage, by: 'method' }), { page_requests_hour, endpoint_requests_day });
  },
);

t.test('a table takes part where its steps divide the steps that the caller tells apart', async (t) => {
  const day = { from: 0, to: dayMs };
  const tablesOf = (question: Question, unitMs: number) =>
    Object.keys(byTable(splitPeriod(day, levelsOf(question, nothing, kept), unitMs)));
  t.same(tablesOf(ofEndpoints, dayMs), ['endpoint_requests_day']);
  t.same(tablesOf(ofEndpoints, 2 * sixHoursMs), ['endpoint_requests_6h']);
  t.same(tablesOf(ofEndpoints, 2 * hourMs), ['endpoint_requests_hour']);
  t.same(tablesOf(ofEndpoints, 30 * minuteMs), ['endpoint_requests_minute']);
  const ofOne = { ...ofEndpoints, filters: { endpoint: '/a' } };
  t.same(tablesOf(ofOne, 2 * hourMs), ['requests_hour'], 'one endpoint is found by its name');
  t.same(tablesOf(ofOne, 30 * minuteMs), ['requests_minute']);
  t.same(tablesOf(ofPage, 30 * minuteMs), ['page_requests_minute']);
  t.same(tablesOf(ofPage, sixHoursMs), ['page_requests_hour']);
  t.same(tablesOf(ofPage, 7 * dayMs), ['page_requests_day']);
  t.same(tablesOf({ ...ofPage, by: 'status' }, 7 * dayMs), ['service_requests_day']);
});

t.test('a table that goes after two weeks has the steps in which they begin, and none before', async (t) => {
  const now = 20 * dayMs + 30 * minuteMs;
  const period = { from: 6 * dayMs - sixHoursMs, to: 7 * dayMs };
  const partsOf = (stepMs: number, since = kept.since) =>
    byTable(splitPeriod(period, levelsOf(ofEndpoints, nothing, { now, since }), stepMs));
  const hours = [{ from: 6 * dayMs - hourMs, to: 6 * dayMs }];
  t.same(partsOf(sixHoursMs), {
    endpoint_requests_6h: [{ from: 6 * dayMs, to: 7 * dayMs }],
    endpoint_requests_hour: hours,
    requests_hour: [{ from: period.from, to: 6 * dayMs - hourMs }],
  });
  const upgraded = { hoursFrom: 10 * dayMs, daysFrom: 0 };
  t.same(
    partsOf(2 * hourMs, upgraded),
    {
      endpoint_requests_hour: [{ from: 6 * dayMs + hourMs, to: 7 * dayMs }],
      requests_hour: [{ from: period.from, to: 6 * dayMs + hourMs }],
    },
    'an earlier version has dropped an hour sooner',
  );
});

t.test('a question is answered from the smallest table that tells its requests apart', async (t) => {
  const first = (question: Partial<Question>) =>
    levelsOf({ ...ofPage, ...question }, nothing, kept)[0]?.table;
  const service = { services: ['cart'], reporter: 'cart' };
  t.same(
    [
      first({ filters: { method: 'GET' } }),
      first({ by: 'service' }),
      first({ filters: { service } }),
      first({ filters: { status: 500 } }),
      first({ by: 'status', search: 'a' }),
      first({ filters: { status: 500 }, by: 'method' }),
      first({ filters: { endpoint: '/a' } }),
      first({ filters: { service, method: 'GET' } }),
      first({ by: 'method', search: 'a' }),
    ],
    [
      'page_requests_day',
      'service_requests_day',
      'service_requests_day',
      'service_requests_day',
      'requests_hour',
      'requests_hour',
      'endpoint_requests_day',
      'endpoint_requests_day',
      'endpoint_requests_day',
    ],
  );
});
