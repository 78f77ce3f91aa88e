import fc from 'fast-check';
import t from 'tap';
import {
  absoluteRange,
  endsOf,
  presetsSeconds,
  rangeBefore,
  rangeUpToNow,
  timeOf,
  widerRange,
} from '../../../web/dashboard/address/range.js';
import { propertyOf } from '../../support/property.js';

const now = Date.parse('2026-05-04T10:00:00.000Z');

t.test('relative times are before now', async (t) => {
  t.equal(timeOf('from', 'now', now), now);
  t.equal(timeOf('from', 'now-15m', now), now - 900_000);
  t.equal(timeOf('from', 'now-6h', now), now - 6 * 3_600_000);
  t.equal(timeOf('from', 'now-14d', now), now - 14 * 86_400_000);
  t.equal(timeOf('from', '2026-05-01T08:30:00Z', now), Date.parse('2026-05-01T08:30:00Z'));
  for (const text of [
    '',
    'now+1h',
    'now-',
    'now-1w',
    'now-1',
    'now-7202s',
    'now-1000000m',
    '2026-05-01T08:30:00',
    '2026-02-30',
    'yesterday',
    'now-99999999d',
    '<b>',
  ]) {
    t.equal(timeOf('from', text, now), undefined, text);
  }
});

t.test('a date is its whole day in UTC, as the service reads it', async (t) => {
  const ends = endsOf({ from: '2026-05-01', to: '2026-05-01' }, now);
  t.same(ends, { from: Date.parse('2026-05-01T00:00Z'), to: Date.parse('2026-05-02T00:00Z') });
});

t.test('presets are written in the largest unit, and have their length', async (t) => {
  t.same(
    presetsSeconds.map((seconds) => rangeUpToNow(seconds).from),
    [
      ...['now-15m', 'now-1h', 'now-6h', 'now-1d', 'now-3d', 'now-7d', 'now-14d'],
      ...['now-30d', 'now-90d', 'now-365d'],
    ],
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20_160 }), (minutes) => {
      const ends = endsOf(rangeUpToNow(minutes * 60), now);
      return ends !== undefined && ends.to - ends.from === minutes * 60_000;
    }),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});

t.test('a range that is empty or unreadable has no ends', async (t) => {
  t.equal(endsOf({ from: 'now', to: 'now' }, now), undefined);
  t.equal(endsOf({ from: 'now', to: 'now-1h' }, now), undefined);
  t.equal(endsOf({ from: 'now-1h', to: 'tomorrow' }, now), undefined);
});

t.test('the range before ends where the range begins, and is as long', async (t) => {
  const range = absoluteRange(now - 7_200_000, now - 3_600_000);
  t.same(rangeBefore(range, now), absoluteRange(now - 10_800_000, now - 7_200_000));
  t.same(
    rangeBefore({ from: 'now-1h', to: 'now' }, now),
    { from: 'now-2h', to: 'now-1h' },
    'and moves as well',
  );
  t.same(
    rangeBefore({ from: 'now-1h', to: 'now-30m' }, now),
    absoluteRange(now - 5_400_000, now - 3_600_000),
  );
});

t.test('a wider range is twice as long, and ends now at the latest', async (t) => {
  const hour = 3_600_000;
  t.same(widerRange({ from: 'now-6h', to: 'now' }, now), { from: 'now-12h', to: 'now' });
  t.same(widerRange({ from: 'now-14d', to: 'now' }, now), { from: 'now-28d', to: 'now' });
  t.same(widerRange({ from: 'now-300d', to: 'now' }, now), { from: 'now-365d', to: 'now' });
  t.same(
    widerRange(absoluteRange(now - 10 * hour, now - 8 * hour), now),
    absoluteRange(now - 11 * hour, now - 7 * hour),
  );
  t.same(widerRange(absoluteRange(now - 2 * hour, now), now), absoluteRange(now - 4 * hour, now));
  const sinceShortlyBefore = { from: new Date(now - hour - 1_000).toISOString(), to: 'now' };
  t.same(widerRange(sinceShortlyBefore, now), { from: 'now-2h', to: 'now' }, 'in whole minutes');
  t.equal(widerRange({ from: 'now', to: 'now' }, now), undefined);
});
