import t from 'tap';
import { durationFormat } from '../../lib/locale/time.js';
import { makeFormat } from '../../web/dashboard/format.js';
import { formatIn } from '../../web/texts/format.js';

const seconds = [0, 1, 35, 59.4, 59.6, 90, 3_900, 7_500, 26 * 3_600, 26 * 3_600 + 300, 172_800, 200_000];

t.test('the page, status.txt and the dashboard say durations in the same words', async (t) => {
  const said = seconds.map((each) => makeFormat('en').duration(each));
  t.strictSame(said, [
    ...['1 second', '1 second', '35 seconds', '59 seconds', '1 minute', '2 minutes', '1 hour 5 minutes'],
    ...['2 hours 5 minutes', '1 day 2 hours', '1 day 2 hours', '2 days', '2 days 7 hours'],
  ]);
  for (const language of ['en', 'de'] as const) {
    t.strictSame(
      seconds.map((each) => makeFormat(language).duration(each)),
      seconds.map((each) => formatIn(language).duration(each * 1_000)),
    );
  }
  t.equal(durationFormat('de')(3_900_000), '1 Stunde, 5 Minuten');
});

t.test('times of the page are by the clock of its zone, which is named; days are those of UTC', async (t) => {
  const at = Date.parse('2026-11-21T23:30:00Z');
  const berlin = formatIn('en', 'Europe/Berlin');
  t.equal(berlin.dateTime(at), '22 Nov 2026, 00:30 CET');
  t.equal(formatIn('en').dateTime(at), '21 Nov 2026, 23:30 UTC');
  t.equal(berlin.moment(at, at + 3_600_000), '00:30 CET');
  t.equal(berlin.moment(at, at - 3_600_000), '22 Nov, 00:30 CET');
  t.strictSame([berlin.isSameDay(at, at + 3_600_000), berlin.isSameDay(at, at - 3_600_000)], [true, false]);
  t.equal(berlin.day('2026-11-21'), '21 November');
});
