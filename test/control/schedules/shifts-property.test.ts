import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { weekdays } from '../../../contract/manage/schedules.js';
import type { Layer, Override, Plan } from '../../../control/schedules/plan.js';
import { onCallAt, type PlannedShift, shiftsOf } from '../../../control/schedules/shifts.js';
import type { OverrideId, UserId } from '../../../lib/ids.js';
import { dayMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';
import { walkPlan } from './naive-plan.js';

/** Zones with the moments at which their clocks change; those without get any two moments. */
const changes: Readonly<Record<string, readonly string[]>> = {
  'Europe/Berlin': ['2026-03-29T01:00Z', '2026-10-25T01:00Z'],
  'America/New_York': ['2026-03-08T07:00Z', '2026-11-01T06:00Z'],
  'Australia/Lord_Howe': ['2026-04-04T15:00Z', '2026-10-03T15:30Z'],
  // Its clock skips midnight, and shows the last hour of a day twice.
  'America/Santiago': ['2026-04-05T03:00Z', '2026-09-06T04:00Z'],
  'Asia/Kathmandu': ['2026-02-28T18:15Z', '2027-01-01T00:00Z'],
  UTC: ['2026-12-31T00:00Z', '2028-02-29T00:00Z'],
};

const users = ['ada', 'bob', 'eve', 'kim'] as UserId[]; // Nothing looks at their form.
const person = fc.option(fc.constantFrom(...users), { freq: 5 });
/** Half of all times are in the hours that a clock skips or shows twice. */
const minuteOfDay = fc.oneof(
  fc.integer({ min: 0, max: 1_439 }),
  fc.constantFrom(0, 15, 60, 90, 105, 120, 135, 150, 179, 180, 1_380, 1_410, 1_439),
);
const hours = fc.record({
  fromMinute: minuteOfDay,
  toMinute: fc.oneof(minuteOfDay, fc.constant(1_440)),
  days: fc.option(fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 })),
});

const layerNear = (base: number) =>
  fc
    .record({
      people: fc.array(person, { minLength: 1, maxLength: 4 }),
      daysBefore: fc.integer({ min: -4, max: 40 }),
      minute: minuteOfDay,
      everyDays: fc.constantFrom(1, 1, 2, 7, 14),
      hours: fc.option(fc.array(hours, { minLength: 1, maxLength: 3 })),
    })
    .map(({ daysBefore, minute, ...layer }) => {
      const day = Math.floor(base / dayMs - daysBefore) * dayMs;
      return { ...layer, handoff: new Date(day + minute * minuteMs).toISOString().slice(0, 16) };
    });

const overridesNear = (base: number) =>
  fc
    .array(
      fc.record({
        userId: person,
        begin: fc.integer({ min: -4_000, max: 4_000 }),
        minutes: fc.integer({ min: 1, max: 3_000 }),
      }),
      { maxLength: 5 },
    )
    .map((rows) =>
      rows.map(({ userId, begin, minutes }, at): Override => {
        const from = base + begin * minuteMs;
        return { id: `override-${at}` as OverrideId, userId, from, to: from + minutes * minuteMs };
      }),
    );

const cases = fc
  .constantFrom(
    ...Object.entries(changes).flatMap(([timeZone, moments]) =>
      moments.map((at) => ({ timeZone, base: Date.parse(at) })),
    ),
  )
  .chain(({ timeZone, base }) =>
    fc.record({
      timeZone: fc.constant(timeZone),
      layers: fc.array(layerNear(base), { maxLength: 4 }),
      overrides: overridesNear(base),
      from: fc.integer({ min: -5_000, max: 1_000 }).map((minutes) => base + minutes * minuteMs),
      minutes: fc.integer({ min: 1, max: 6_000 }),
      moments: fc.array(fc.nat(), { maxLength: 20 }),
    }),
  )
  .map(({ from, minutes, moments, layers, ...plan }) => ({
    plan: {
      ...plan,
      layers: layers.map((layer, at): Layer => ({ ...layer, name: `layer ${at}` })),
    } satisfies Plan,
    range: { from, to: from + minutes * minuteMs },
    moments: moments.map((nat) => from + (nat % (minutes * minuteMs))),
  }));

const shown = (shifts: readonly PlannedShift[]) =>
  shifts.map(({ from, to, ...rest }) => ({ from: new Date(from), to: new Date(to), ...rest }));

t.test('shifts are those that a walk through every minute finds, whatever the clock does', async (t) => {
  fc.assert(
    fc.property(cases, ({ plan, range }) => {
      assert.deepEqual(shown(shiftsOf(plan, range)), shown(walkPlan(plan, range)));
    }),
    propertyOf(t, { few: 12, many: 2_000 }),
  );
});

t.test('every moment is in one shift, which is the one that onCallAt() finds', async (t) => {
  fc.assert(
    fc.property(cases, ({ plan, range, moments }) => {
      const shifts = shiftsOf(plan, range);
      assert.equal(shifts[0]?.from, range.from);
      assert.equal(shifts.at(-1)?.to, range.to);
      assert.ok(shifts.every(({ from }, at) => at === 0 || from === shifts[at - 1]?.to));
      const borders = shifts.flatMap(({ from, to }) => [from, to - 1]);
      const differ = [...moments, ...borders].filter((at) => {
        const shift = shifts.find(({ from, to }) => from <= at && at < to);
        const found = onCallAt(plan, at) ?? { userId: null, source: null };
        return (
          JSON.stringify([shift?.userId, shift?.source]) !== JSON.stringify([found.userId, found.source])
        );
      });
      assert.deepEqual(
        differ.map((at) => new Date(at)),
        [],
      );
    }),
    propertyOf(t, { few: 100, many: 5_000 }),
  );
});

t.test('a range gives the shifts of its parts', async (t) => {
  fc.assert(
    fc.property(cases, ({ plan, range, moments: [middle = range.from] }) => {
      const parts = [
        ...shiftsOf(plan, { from: range.from, to: middle }),
        ...shiftsOf(plan, { from: middle, to: range.to }),
      ];
      const cut = shiftsOf(plan, range).flatMap((shift) =>
        shift.from < middle && middle < shift.to
          ? [
              { ...shift, to: middle },
              { ...shift, from: middle },
            ]
          : [shift],
      );
      assert.deepEqual(shown(parts), shown(cut));
    }),
    propertyOf(t, { few: 100, many: 2_000 }),
  );
});
