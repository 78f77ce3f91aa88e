import fc from 'fast-check';
import t from 'tap';
import { Temporal } from 'temporal-polyfill';
import { formatMinute, parseMinute, quietUntil } from '../../../control/channels/quiet-hours.js';
import { hourMs, minuteMs } from '../../../lib/times.js';
import { propertyOf } from '../../support/property.js';

const at = (text: string, timeZone: string) =>
  Temporal.PlainDateTime.from(text).toZonedDateTime(timeZone).epochMilliseconds;
const night = { fromMinute: 22 * 60, toMinute: 7 * 60 };

t.test('a night that is quiet ends on the next morning', async (t) => {
  const timeZone = 'Europe/Berlin';
  const until = (text: string) => quietUntil(night, { timeZone, now: at(text, timeZone) });
  t.equal(until('2026-11-27T21:59:59'), undefined);
  t.equal(until('2026-11-27T22:00'), at('2026-11-28T07:00', timeZone));
  t.equal(until('2026-11-28T00:30'), at('2026-11-28T07:00', timeZone));
  t.equal(until('2026-11-28T07:00'), undefined);
});

t.test('hours of one day end on that day', async (t) => {
  const noon = { fromMinute: 12 * 60, toMinute: 13 * 60 + 30 };
  const until = (text: string) => quietUntil(noon, { timeZone: 'UTC', now: at(text, 'UTC') });
  t.equal(until('2026-11-27T11:59'), undefined);
  t.equal(until('2026-11-27T12:00'), at('2026-11-27T13:30', 'UTC'));
  t.equal(until('2026-11-27T13:30'), undefined);
});

t.test('where the clock skips the end, the hours end when it has skipped', async (t) => {
  const timeZone = 'Europe/Berlin';
  const hours = { fromMinute: 60, toMinute: 2 * 60 + 30 };
  // On 29 March 2026, 02:00 is followed by 03:00.
  t.equal(
    quietUntil(hours, { timeZone, now: at('2026-03-29T01:30', timeZone) }),
    at('2026-03-29T03:30', timeZone),
  );
});

t.test('where the clock shows the end twice, the hours end at the first', async (t) => {
  const timeZone = 'Europe/Berlin';
  const hours = { fromMinute: 60, toMinute: 2 * 60 + 30 };
  // On 25 October 2026, 02:59 of summer is followed by 02:00 of winter.
  const first = at('2026-10-25T02:30', timeZone);
  t.equal(quietUntil(hours, { timeZone, now: at('2026-10-25T01:30', timeZone) }), first);
  t.equal(
    quietUntil(hours, { timeZone, now: first + 45 * minuteMs }),
    undefined,
    '02:15 for the second time',
  );
});

t.test(
  'for any hours and time: quiet until an end that is at most a day away, and loud at that end',
  async () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia');
    const time = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2028, 0, 1) });
    fc.assert(
      fc.property(minute, minute, zone, time, (fromMinute, toMinute, timeZone, now) => {
        fc.pre(fromMinute !== toMinute);
        const hours = { fromMinute, toMinute };
        const until = quietUntil(hours, { timeZone, now });
        const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
        const minuteNow = local.hour * 60 + local.minute;
        const span = (toMinute - fromMinute + 1440) % 1440;
        const isInside = (minuteNow - fromMinute + 1440) % 1440 < span;
        if (until === undefined) return !isInside || local.hoursInDay !== 24;
        return (
          isInside &&
          until > now &&
          until - now <= 26 * hourMs &&
          quietUntil(hours, { timeZone, now: until }) === undefined
        );
      }),
      propertyOf(t, { few: 500, many: 10_000 }),
    );
  },
);

t.test('times are read and written as people do', async (t) => {
  t.equal(parseMinute('07:05'), 425);
  t.equal(parseMinute('7:05'), 425);
  for (const wrong of ['24:00', '7', '7:5', '07:60', '', 'noon'])
    t.equal(parseMinute(wrong), undefined, wrong);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1439 }), (minute) => parseMinute(formatMinute(minute)) === minute),
    propertyOf(t, { few: 50, many: 1_000 }),
  );
});
