import fc from 'fast-check';
import t from 'tap';
import {
  occurrencesAfter,
  parseSchedule,
  type Schedule,
} from '../../../control/maintenance-series/recurrence.js';
import { propertyOf } from '../../support/property.js';

const berlin = { timeZone: 'Europe/Berlin', durationMinutes: 60 };
const starts = (schedule: Schedule, after: string, count: number) =>
  occurrencesAfter(schedule, Date.parse(after), { count }).map(({ startsAt }) => startsAt.toISOString());

/** The time on the clock of a zone. */
const wallOf = (at: Date, timeZone: string) =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' })
    .format(at)
    .replace(' ', 'T');

t.test('a start that the clock skips has no occurrence', async (t) => {
  const weekly = { ...berlin, startsAt: '2026-03-15T02:30', rule: 'FREQ=WEEKLY;BYDAY=SU;COUNT=3' };
  t.strictSame(starts(weekly, '2026-03-01T00:00:00Z', 10), [
    '2026-03-15T01:30:00.000Z',
    '2026-03-22T01:30:00.000Z',
    '2026-04-05T00:30:00.000Z',
  ]);
});

t.test('of a start that the clock shows twice, the first counts', async (t) => {
  const daily = { ...berlin, startsAt: '2026-10-24T02:30', rule: 'FREQ=DAILY' };
  t.strictSame(starts(daily, '2026-10-24T00:00:00Z', 3), [
    '2026-10-24T00:30:00.000Z',
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
});

t.test('the start counts only where the rule names it; what lasts is still there', async (t) => {
  const monthly = { ...berlin, startsAt: '2026-12-06T02:00', rule: 'FREQ=MONTHLY;BYDAY=-1SU' };
  t.strictSame(starts(monthly, '2026-11-01T00:00:00Z', 2), [
    '2026-12-27T01:00:00.000Z',
    '2027-01-31T01:00:00.000Z',
  ]);
  t.equal(starts(monthly, '2026-12-27T01:59:00Z', 1)[0], '2026-12-27T01:00:00.000Z');
  t.equal(starts(monthly, '2026-12-27T02:00:00Z', 1)[0], '2027-01-31T01:00:00.000Z');
});

t.test('an end by UNTIL counts the last start; a leap day comes every four years', async (t) => {
  const until = { ...berlin, startsAt: '2026-12-06T02:00', rule: 'FREQ=DAILY;UNTIL=20261208T010000Z' };
  t.equal(starts(until, '2026-12-01T00:00:00Z', 10).length, 3);
  const leap = { ...berlin, startsAt: '2028-02-29T02:00', rule: 'FREQ=YEARLY' };
  t.strictSame(starts(leap, '2026-12-01T00:00:00Z', 2), [
    '2028-02-29T01:00:00.000Z',
    '2032-02-29T01:00:00.000Z',
  ]);
});

const two = (value: number) => String(value).padStart(2, '0');
const schedules = fc
  .record({
    startsAt: fc
      .record({
        year: fc.integer({ min: 2015, max: 2035 }),
        month: fc.integer({ min: 1, max: 12 }),
        day: fc.integer({ min: 1, max: 31 }),
        hour: fc.integer({ min: 0, max: 23 }),
        minute: fc.constantFrom(0, 30),
      })
      .map(
        ({ year, month, day, hour, minute }) =>
          `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`,
      ),
    timeZone: fc.constantFrom(
      ...[
        'Europe/Berlin',
        'America/New_York',
        'Australia/Lord_Howe',
        'America/Santiago',
        'Asia/Kolkata',
        'UTC',
      ],
    ),
    durationMinutes: fc.integer({ min: 1, max: 1_200 }),
    freq: fc.constantFrom('DAILY', 'WEEKLY', 'WEEKLY;BYDAY=SU,WE', 'MONTHLY', 'MONTHLY;BYDAY=2SU', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 4 }),
    end: fc.constantFrom('', ';COUNT=5', ';UNTIL=20360101T000000Z'),
  })
  .map(({ freq, interval, end, ...times }) => ({
    ...times,
    rule: `FREQ=${freq};INTERVAL=${interval}${end}`,
  }));

t.test('every occurrence keeps the hour of its zone, and they rise', async () => {
  fc.assert(
    fc.property(schedules, fc.integer({ min: 0, max: 7_000 }), (schedule, days) => {
      const after = Date.parse('2015-01-01T00:00:00Z') + days * 86_400_000;
      const found = occurrencesAfter(schedule, after, { count: 12 });
      const walls = found.map(({ startsAt }) => wallOf(startsAt, schedule.timeZone));
      return (
        walls.every((wall) => wall.slice(11) === schedule.startsAt.slice(11) && wall >= schedule.startsAt) &&
        found.every(({ startsAt }, i) => i === 0 || startsAt > (found[i - 1]?.startsAt ?? startsAt)) &&
        found.every(
          ({ startsAt, endsAt }) => Number(endsAt) - Number(startsAt) === schedule.durationMinutes * 60_000,
        ) &&
        found.every(({ endsAt }) => Number(endsAt) > after)
      );
    }),
    propertyOf(t, { few: 37, many: 750 }),
  );
});

t.test('a later look finds the same occurrences, and bounds cut the list', async () => {
  fc.assert(
    fc.property(schedules, fc.integer({ min: 0, max: 20 }), (schedule, skipped) => {
      const all = occurrencesAfter(schedule, 0, { count: 30 }).map(({ startsAt }) => Number(startsAt));
      const [from = 0, to = 0] = [all[skipped], all[skipped + 3]];
      const later = occurrencesAfter(schedule, 0, { count: 30, from, before: to || 1 });
      return (
        to === 0 ||
        JSON.stringify(later.map(({ startsAt }) => Number(startsAt))) ===
          JSON.stringify(all.slice(skipped, skipped + 3))
      );
    }),
    propertyOf(t, { few: 25, many: 400 }),
  );
});

t.test('whatever is sent as a rule is taken or refused, soon', async (t) => {
  const part = fc.constantFrom(
    ...[
      'FREQ=DAILY',
      'FREQ=YEARLY',
      'FREQ=MONTHLY',
      'BYDAY=5SU',
      'BYDAY=-1FR',
      'BYDAY=53MO',
      'BYMONTH=2',
      'BYMONTHDAY=31',
    ],
    ...[
      'BYMONTHDAY=-31',
      'BYYEARDAY=366',
      'BYWEEKNO=53',
      'BYSETPOS=-1',
      'BYSETPOS=366',
      'INTERVAL=1000',
      'COUNT=1000',
    ],
    ...[
      'UNTIL=99991231T235959Z',
      'WKST=SU',
      'BYHOUR=1',
      'RSCALE=HEBREW',
      '=',
      'FREQ=',
      'UNTIL=20261399T990000Z',
    ],
  );
  const rules = fc.oneof(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join(';')),
    fc.string(),
  );
  fc.assert(
    fc.property(rules, (rule) => {
      const begin = performance.now();
      try {
        parseSchedule({ ...berlin, startsAt: '2026-12-06T02:00', rule }, Date.parse('2026-11-01T00:00:00Z'));
      } catch (error) {
        t.match(error, { kind: 'invalidBody' }, rule);
      }
      t.ok(performance.now() - begin < 5_000, rule);
    }),
    propertyOf(t, { few: 37, many: 750 }),
  );
});
