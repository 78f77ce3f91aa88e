import fc from 'fast-check';
import t from 'tap';
import { Temporal } from 'temporal-polyfill';
import { daysOf, monthsUntil, windowAt } from '../../../control/objectives/index.js';
import { dayMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';

/** Zones whose clocks change by an hour, by half an hour, at midnight and not at all, and one that left out a day. */
const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['America/Santiago', 'Africa/Cairo', 'Pacific/Apia'],
];
const anyZone = fc.constantFrom(...zones);
const anyTime = fc.integer({ min: Date.UTC(2010, 0, 1), max: Date.UTC(2040, 0, 1) });
const anyCalendar = fc.constantFrom('month' as const, 'quarter' as const);
const iso = (time: number) => new Date(time).toISOString();
const local = (time: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);

t.test('a window of days ends at the time, and its days have 24 hours', async (t) => {
  const at = Date.parse('2026-10-26T09:30:00Z');
  t.same(windowAt({ days: 28 }, at, 'Europe/Berlin'), { from: at - 28 * dayMs, to: at });
});

t.test('a month and a quarter begin and end at local midnight', async (t) => {
  const cases = [
    [
      'month',
      '2026-10-31T22:59:59.999Z',
      'Europe/Berlin',
      '2026-09-30T22:00:00.000Z',
      '2026-10-31T23:00:00.000Z',
    ],
    [
      'month',
      '2026-10-31T23:00:00Z',
      'Europe/Berlin',
      '2026-10-31T23:00:00.000Z',
      '2026-11-30T23:00:00.000Z',
    ],
    [
      'quarter',
      '2026-12-31T22:59:00Z',
      'Europe/Berlin',
      '2026-09-30T22:00:00.000Z',
      '2026-12-31T23:00:00.000Z',
    ],
    [
      'month',
      '2024-02-29T12:00:00Z',
      'Asia/Kathmandu',
      '2024-01-31T18:15:00.000Z',
      '2024-02-29T18:15:00.000Z',
    ],
    [
      'quarter',
      '2026-05-01T00:00:00Z',
      'Australia/Lord_Howe',
      '2026-03-31T13:00:00.000Z',
      '2026-06-30T13:30:00.000Z',
    ],
  ] as const;
  for (const [calendar, at, zone, from, to] of cases) {
    const found = windowAt({ calendar }, Date.parse(at), zone);
    t.same([iso(found.from), iso(found.to)], [from, to], `${calendar} in ${zone} at ${at}`);
  }
});

t.test('months and quarters follow each other without a gap, and hold the time', (t) => {
  fc.assert(
    fc.property(anyCalendar, anyTime, anyZone, (calendar, at, zone) => {
      const { from, to } = windowAt({ calendar }, at, zone);
      const next = windowAt({ calendar }, to, zone);
      const before = windowAt({ calendar }, from - 1, zone);
      const first = local(from, zone);
      return (
        from <= at &&
        at < to &&
        next.from === to &&
        before.to === from &&
        first.day === 1 &&
        first.epochMilliseconds === first.startOfDay().epochMilliseconds &&
        (calendar === 'month' || [1, 4, 7, 10].includes(first.month)) &&
        local(to - 1, zone).month - first.month === (calendar === 'month' ? 0 : 2)
      );
    }),
    propertyOf(t, { few: 150, many: 20_000 }),
  );
  t.end();
});

t.test('days cover a period once, each of one date', (t) => {
  fc.assert(
    fc.property(anyTime, fc.integer({ min: 1, max: 95 * dayMs }), anyZone, (from, length, zone) => {
      const days = daysOf({ from, to: from + length }, zone);
      return (
        days[0]?.from === from &&
        days.at(-1)?.to === from + length &&
        days.every(({ to }, i) => i === days.length - 1 || days[i + 1]?.from === to) &&
        days.every(
          (day) =>
            local(day.from, zone).toPlainDate().toString() === day.day &&
            local(day.to - 1, zone)
              .toPlainDate()
              .toString() === day.day,
        )
      );
    }),
    propertyOf(t, { few: 30, many: 5_000 }),
  );
  t.end();
});

t.test('the days around a change of the clock have 23 and 25 hours', async (t) => {
  const hours = (date: string, zone: string) => {
    const from = Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
    return daysOf({ from, to: from + 3 * dayMs }, zone)
      .slice(0, 2)
      .map(({ from, to }) => (to - from) / 3_600_000);
  };
  t.same(hours('2026-10-24', 'Europe/Berlin'), [24, 25]);
  t.same(hours('2026-03-28', 'Europe/Berlin'), [24, 23]);
  t.same(hours('2026-10-03', 'Australia/Lord_Howe'), [24, 23.5]);
  t.same(
    daysOf(
      { from: Date.parse('2011-12-29T10:00:00Z'), to: Date.parse('2011-12-31T12:00:00Z') },
      'Pacific/Apia',
    ).map(({ day }) => day),
    ['2011-12-29', '2011-12-31', '2012-01-01'],
    'Apia had no 30 December 2011',
  );
});

t.test('the last months touch each other, and the last one has the time', async () => {
  fc.assert(
    fc.property(anyTime, anyZone, fc.integer({ min: 1, max: 14 }), (at, timeZone, count) => {
      const months = monthsUntil(at, { timeZone, count });
      const last = months.at(-1);
      if (months.length !== count || last === undefined) throw new Error(`${months.length}`);
      if (last.month !== local(at, timeZone).toPlainDate().toString().slice(0, 7))
        throw new Error(last.month);
      if (at < last.from || at >= last.to) throw new Error(iso(at));
      months.forEach(({ month, from, to }, i) => {
        const next = months[i + 1];
        if (next !== undefined && (to !== next.from || next.month <= month)) throw new Error(month);
        if (local(from, timeZone).toPlainDate().toString() !== `${month}-01`) throw new Error(iso(from));
      });
    }),
  );
});
