import t from 'tap';
import { lastPeriod, nextDay } from '../../../web/dashboard/screens/reports/last-period.js';
import { bodyOf, isForNobody, valuesOf } from '../../../web/dashboard/screens/reports/values.js';

const at = (text: string): number => Date.parse(text);

t.test('the last week and month end by the clock of the page', async (t) => {
  for (const [every, now, zone, first, last] of [
    ['week', '2026-11-30T12:00:00Z', 'UTC', '2026-11-23', '2026-11-29'],
    ['week', '2026-11-29T23:59:00Z', 'UTC', '2026-11-16', '2026-11-22'],
    ['week', '2026-11-29T23:30:00Z', 'Europe/Berlin', '2026-11-23', '2026-11-29'],
    ['week', '2027-01-01T12:00:00Z', 'UTC', '2026-12-21', '2026-12-27'],
    ['month', '2026-12-01T04:00:00Z', 'America/New_York', '2026-10-01', '2026-10-31'],
    ['month', '2026-12-01T06:00:00Z', 'America/New_York', '2026-11-01', '2026-11-30'],
    ['month', '2028-03-15T06:00:00Z', 'Asia/Kathmandu', '2028-02-01', '2028-02-29'],
  ] as const)
    t.strictSame(lastPeriod(every, at(now), zone), { first, last }, `${every} ${now} ${zone}`);
});

t.test('the next report is sent at eight of the first day after its period', async (t) => {
  for (const [every, now, zone, day] of [
    ['week', '2026-11-30T06:59:00Z', 'Europe/Berlin', '2026-11-30'],
    ['week', '2026-11-30T07:00:00Z', 'Europe/Berlin', '2026-12-07'],
    ['week', '2026-12-02T12:00:00Z', 'Europe/Berlin', '2026-12-07'],
    ['month', '2026-12-01T12:00:00Z', 'UTC', '2027-01-01'],
    ['month', '2026-12-01T07:59:00Z', 'UTC', '2026-12-01'],
    ['month', '2026-01-31T12:00:00Z', 'UTC', '2026-02-01'],
  ] as const)
    t.equal(nextDay(every, at(now), zone), day, `${every} ${now} ${zone}`);
});

t.test('the form has the whole settings, and knows when nobody would get a report', async (t) => {
  const saved = { every: null, recipients: ['bob@acme.example', 'ada@acme.example'], toSubscribers: false };
  const values = valuesOf(saved);
  t.strictSame(values.recipients, ['ada@acme.example', 'bob@acme.example']);
  t.strictSame(bodyOf(values), { ...saved, recipients: values.recipients });
  t.strictSame(bodyOf({ ...values, every: 'weekly', recipients: [' ada@acme.example ', ''] }), {
    ...{ every: 'weekly', recipients: ['ada@acme.example'], toSubscribers: false },
  });
  t.ok(isForNobody({ ...values, every: 'monthly', recipients: [''] }));
  t.notOk(isForNobody({ ...values, every: 'monthly', recipients: [], toSubscribers: true }));
  t.notOk(isForNobody({ ...values, every: 'off', recipients: [] }), 'nothing is sent');
});
