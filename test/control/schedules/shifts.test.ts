import t from 'tap';
import type { Layer, Plan } from '../../../control/schedules/plan.js';
import { onCallAt, shiftsOf, standingAt } from '../../../control/schedules/shifts.js';
import type { OverrideId, UserId } from '../../../lib/ids.js';
import { dayMs } from '../../../lib/times.js';

const [ada, bob, kim] = ['ada', 'bob', 'kim'] as [UserId, UserId, UserId]; // Nothing looks at their form.
const daily = (handoff: string): Layer => ({
  ...{ name: 'Daily', people: [ada, bob], handoff, everyDays: 1, hours: null },
});
const plan = (timeZone: string, ...layers: Layer[]): Plan => ({ timeZone, layers, overrides: [] });
const at = (time: string) => Date.parse(time);
/** The hand-overs of a day and a half. */
const handOvers = (of: Plan, from: string) =>
  shiftsOf(of, { from: at(from), to: at(from) + 1.5 * dayMs })
    .slice(1)
    .map((shift) => new Date(shift.from).toISOString().slice(0, 16));

t.test('a hand-over at an hour that the clock skips happens when it has skipped', async (t) => {
  const berlin = plan('Europe/Berlin', daily('2027-03-01T02:30'));
  t.strictSame(handOvers(berlin, '2027-03-27T12:00Z'), ['2027-03-28T01:00']);
  t.strictSame(handOvers(berlin, '2027-03-28T12:00Z'), ['2027-03-29T00:30'], 'the next day as usual');
  const lordHowe = plan('Australia/Lord_Howe', daily('2026-09-01T02:15'));
  t.strictSame(handOvers(lordHowe, '2026-10-03T00:00Z'), ['2026-10-03T15:30']);
  const newYork = plan('America/New_York', daily('2026-03-01T02:00'));
  t.strictSame(handOvers(newYork, '2026-03-07T18:00Z'), ['2026-03-08T07:00']);
});

t.test('a hand-over at an hour that the clock shows twice happens the first time', async (t) => {
  const berlin = plan('Europe/Berlin', daily('2026-10-01T02:30'));
  t.strictSame(handOvers(berlin, '2026-10-24T12:00Z'), ['2026-10-25T00:30']);
  t.equal(
    onCallAt(berlin, at('2026-10-25T01:29Z'))?.userId,
    onCallAt(berlin, at('2026-10-25T00:31Z'))?.userId,
  );
  const lordHowe = plan('Australia/Lord_Howe', daily('2026-03-01T01:45'));
  t.strictSame(handOvers(lordHowe, '2026-04-04T00:00Z'), ['2026-04-04T14:45']);
});

t.test('weeks keep the local hour over the changes of a year', async (t) => {
  const weekly = { ...daily('2026-01-05T09:00'), everyDays: 7 };
  const shifts = shiftsOf(plan('Europe/Berlin', weekly), {
    from: at('2026-01-05T08:00Z'),
    to: at('2027-01-04T08:00Z'),
  });
  t.equal(shifts.length, 52);
  const hours = new Set(
    shifts.map(({ from }) => new Date(from).toLocaleTimeString('sv-SE', { timeZone: 'Europe/Berlin' })),
  );
  t.strictSame([...hours], ['09:00:00']);
  const kathmandu = shiftsOf(plan('Asia/Kathmandu', weekly), {
    from: at('2026-01-05T00:00Z'),
    to: at('2026-01-06T00:00Z'),
  });
  t.strictSame(
    kathmandu.map(({ from, userId }) => [new Date(from).toISOString(), userId]),
    [
      ['2026-01-05T00:00:00.000Z', null],
      ['2026-01-05T03:15:00.000Z', 'ada'],
    ],
  );
});

t.test('the last layer decides, overrides beat it, and the newer override counts', async (t) => {
  const upper = { ...daily('2026-01-02T00:00'), name: 'Upper', people: [kim] };
  const id = (text: string) => text as OverrideId; // Nothing looks at its form.
  const of: Plan = {
    ...plan('UTC', daily('2026-01-01T00:00'), upper),
    overrides: [
      { id: id('older'), userId: ada, from: at('2026-01-02T10:00Z'), to: at('2026-01-02T14:00Z') },
      { id: id('newer'), userId: bob, from: at('2026-01-02T11:00Z'), to: at('2026-01-02T12:00Z') },
      { id: id('nobody'), userId: null, from: at('2026-01-02T13:00Z'), to: at('2026-01-02T15:00Z') },
    ],
  };
  const shifts = shiftsOf(of, { from: at('2026-01-01T23:00Z'), to: at('2026-01-02T16:00Z') });
  t.strictSame(
    shifts.map(({ from, userId, source }) => [
      new Date(from).getUTCHours(),
      userId,
      Object.values(source ?? {})[0],
    ]),
    [
      [23, ada, 'Daily'],
      [0, kim, 'Upper'],
      [10, ada, 'older'],
      [11, bob, 'newer'],
      [12, ada, 'older'],
      [14, kim, 'Upper'],
    ],
  );
});

t.test('somebody who is on call for another reason stays; next is somebody else', async (t) => {
  const of: Plan = {
    ...plan('UTC', { ...daily('2026-01-01T00:00'), everyDays: 300 }),
    overrides: [
      { id: 'x' as OverrideId, userId: ada, from: at('2026-01-02T00:00Z'), to: at('2026-01-03T00:00Z') },
    ],
  };
  const begin = at('2026-01-01T12:00Z');
  const end = at('2026-01-01T00:00Z') + 300 * dayMs;
  t.match(standingAt(of, begin), { now: { userId: ada, until: end }, next: { userId: bob, from: end } });
  t.strictSame(standingAt(plan('UTC'), begin), { now: null, next: null });
  const alone = plan('UTC', { ...daily('2026-01-01T00:00'), people: [ada] });
  t.match(standingAt(alone, begin), { now: { userId: ada, until: null }, next: null });
  const office = plan('UTC', {
    ...daily('2026-01-01T00:00'),
    people: [ada],
    hours: [{ fromMinute: 540, toMinute: 1_020, days: null }],
  });
  const evening = at('2026-01-01T17:00Z');
  t.match(standingAt(office, begin), {
    now: { until: evening },
    next: { userId: ada, from: at('2026-01-02T09:00Z') },
  });
  t.match(standingAt(office, evening), { now: null, next: { userId: ada, from: at('2026-01-02T09:00Z') } });
});

t.test('the largest schedule has no more shifts than its hours and overrides make', async (t) => {
  const hours = Array.from({ length: 2 }, (_, one) => ({
    fromMinute: one * 700,
    toMinute: one * 700 + 50,
    days: null,
  }));
  const layers = Array.from({ length: 10 }, (_, one) => ({
    ...daily('2020-01-01T00:00'),
    ...{ name: `Layer ${one}`, people: Array(50).fill(one % 2 === 0 ? ada : bob) },
    hours: hours.map(({ fromMinute, toMinute }) => ({
      fromMinute: fromMinute + one,
      toMinute: toMinute + one,
      days: null,
    })),
  }));
  const from = at('2026-01-01T00:00Z');
  const overrides = Array.from({ length: 1_000 }, (_, one) => ({
    ...{
      id: String(one) as OverrideId,
      userId: kim,
      from: from + one * dayMs * 0.4,
      to: from + one * dayMs * 0.4 + 3_600_000,
    },
  }));
  const shifts = shiftsOf({ timeZone: 'Europe/Berlin', layers, overrides }, { from, to: from + 400 * dayMs });
  t.ok(shifts.length < 2 * (400 * 2 * 10 + 1_000), String(shifts.length));
  t.equal(
    shifts.reduce((sum, shift) => sum + shift.to - shift.from, 0),
    400 * dayMs,
  );
});
