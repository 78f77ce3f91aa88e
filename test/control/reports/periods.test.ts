import t from 'tap';
import { periodAt, periodBefore } from '../../../control/reports/index.js';
import { hourMs } from '../../../lib/times.js';

const at = (time: string) => Date.parse(time);
const of = (every: 'week' | 'month', timeZone: string, time: string) => {
  const { from, to, ...days } = periodAt(at(time), { every, timeZone });
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), ...days };
};

t.test('a week begins on Monday, and a month with its first day, by the clock of the zone', async (t) => {
  t.strictSame(of('week', 'Asia/Kathmandu', '2026-11-29T18:14:59.999Z'), {
    ...{ from: '2026-11-22T18:15:00.000Z', to: '2026-11-29T18:15:00.000Z' },
    ...{ firstDay: '2026-11-23', lastDay: '2026-11-29' },
  });
  t.match(of('week', 'Asia/Kathmandu', '2026-11-29T18:15:00.000Z'), { firstDay: '2026-11-30' });
  t.strictSame(of('month', 'America/New_York', '2026-12-01T04:59:59.999Z'), {
    ...{ from: '2026-11-01T04:00:00.000Z', to: '2026-12-01T05:00:00.000Z' },
    ...{ firstDay: '2026-11-01', lastDay: '2026-11-30' },
  });
  t.match(of('month', 'America/New_York', '2026-12-01T05:00:00.000Z'), { firstDay: '2026-12-01' });
  t.match(of('month', 'UTC', '2028-02-10T00:00:00.000Z'), { lastDay: '2028-02-29' });
});

t.test('a changed clock makes a period shorter or longer', async (t) => {
  const hours = (every: 'week' | 'month', timeZone: string, time: string) => {
    const { from, to } = periodAt(at(time), { every, timeZone });
    return (to - from) / hourMs;
  };
  t.same(
    [
      hours('month', 'Europe/Berlin', '2026-03-15T00:00:00Z'),
      hours('month', 'Europe/Berlin', '2026-10-15T00:00:00Z'),
      hours('week', 'Europe/Berlin', '2026-10-25T00:00:00Z'),
      hours('week', 'Australia/Lord_Howe', '2026-04-04T00:00:00Z'),
      hours('week', 'Australia/Lord_Howe', '2026-10-02T00:00:00Z'),
    ],
    [31 * 24 - 1, 31 * 24 + 1, 7 * 24 + 1, 7 * 24 + 0.5, 7 * 24 - 0.5],
  );
  // Samoa left out 30 December 2011, a Friday.
  t.equal(hours('week', 'Pacific/Apia', '2011-12-27T12:00:00Z'), 6 * 24);
});

t.test('a month whose first midnight the clock skips begins with its first moment', async (t) => {
  // Asunción went from 23:59 on 30 September 2017 to 01:00 on 1 October.
  t.equal(of('month', 'America/Asuncion', '2017-10-15T00:00:00Z').from, '2017-10-01T04:00:00.000Z');
});

t.test('periods follow each other without a gap, in many zones, over years', async (t) => {
  const gaps: string[] = [];
  for (const timeZone of [
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'America/Santiago',
  ]) {
    for (const every of ['week', 'month'] as const) {
      let period = periodAt(at('2026-11-29T12:00:00Z'), { every, timeZone });
      for (let n = 0; n < 60; n += 1) {
        const before = periodBefore(period.from, { every, timeZone });
        const isSame = periodAt(before.to - 1, { every, timeZone }).from === before.from;
        if (before.to !== period.from || !isSame) gaps.push(`${timeZone} ${every} ${period.firstDay}`);
        period = before;
      }
    }
  }
  t.same(gaps, []);
});
