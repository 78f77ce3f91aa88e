import t from 'tap';
import { addMonths, byDay, weeksOf } from '../../../web/dashboard/screens/incidents/maintenance/month.js';
import {
  noRecurrence,
  recurrenceOf,
  ruleOf,
} from '../../../web/dashboard/screens/incidents/maintenance/recurrence.js';

const zone = 'Europe/Berlin';
const startsAt = '2026-12-06T02:00';

t.test('presets are rules, and rules are presets again', async (t) => {
  const ways = [
    [{ repeat: 'weekly' }, 'FREQ=WEEKLY;BYDAY=SU'],
    [{ repeat: 'fortnightly', end: 'count', count: 5 }, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;COUNT=5'],
    [
      { repeat: 'monthly', end: 'date', lastDay: '2027-06-30' },
      'FREQ=MONTHLY;BYDAY=1SU;UNTIL=20270630T000000Z',
    ],
    [{ repeat: 'own', ownRule: 'FREQ=MONTHLY;BYMONTHDAY=1' }, 'FREQ=MONTHLY;BYMONTHDAY=1'],
  ] as const;
  for (const [fields, rule] of ways) {
    t.equal(ruleOf({ ...noRecurrence, ...fields }, startsAt, zone), rule);
    t.match(recurrenceOf({ rule, startsAt, timeZone: zone, noticeDays: 3 }), { ...fields, noticeDays: 3 });
  }
  t.equal(ruleOf(noRecurrence, startsAt, zone), undefined);
  t.equal(ruleOf({ ...noRecurrence, repeat: 'weekly' }, '', zone), undefined);
  t.equal(
    ruleOf({ ...noRecurrence, repeat: 'monthly' }, '2026-11-29T02:00', zone),
    'FREQ=MONTHLY;BYDAY=-1SU',
  );
  t.equal(ruleOf({ ...noRecurrence, repeat: 'weekly', end: 'date' }, startsAt, zone), undefined);
});

t.test('a month has whole weeks from Monday, and its days what they touch', async (t) => {
  const weeks = weeksOf('2026-12-24');
  t.strictSame([weeks.length, weeks[0]?.[0], weeks.at(-1)?.at(-1)], [5, '2026-11-30', '2027-01-03']);
  t.equal(addMonths('2027-01-31', 1), '2027-02-28');
  t.equal(addMonths('2027-01-31', -2), '2026-11-30');
  const entry = (key: string, from: string, to?: string) => ({
    ...{ key, title: key, href: '', isPlanned: false, startsAt: Date.parse(from) },
    endsAt: to === undefined ? undefined : Date.parse(to),
  });
  const days = byDay(
    [
      entry('late', '2026-12-06T20:00:00Z', '2026-12-06T23:00:00Z'),
      entry('night', '2026-12-05T22:00:00Z', '2026-12-06T03:00:00Z'),
      entry('open', '2026-12-07T00:00:00Z'),
      entry('months', '2026-09-01T00:00:00Z', '2027-03-01T00:00:00Z'),
      entry('over', '2026-10-01T00:00:00Z', '2026-12-04T22:00:00Z'),
    ],
    { zone, begin: '2026-12-05', end: '2026-12-09' },
  );
  const shown = [...days].map(([day, entries]) => [day, entries.map(({ key }) => key)]).sort();
  t.strictSame(shown, [
    ['2026-12-05', ['months', 'night']],
    ['2026-12-06', ['months', 'night', 'late']],
    ['2026-12-07', ['months', 'open']],
    ['2026-12-08', ['months']],
  ]);
});
