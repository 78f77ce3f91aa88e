import t from 'tap';
import { drawCalendar } from '../../web/feeds/calendar.js';
import { readCalendar } from '../support/read-calendar.js';

const now = Date.parse('2026-11-29T12:00:00.123Z');
const event = {
  id: 'a1',
  title: 'Ada',
  from: Date.parse('2026-12-07T08:00:00Z'),
  to: Date.parse('2026-12-14T08:00:00Z'),
};

t.test('an event has its times in UTC, and says when it was drawn', async (t) => {
  const { properties, events } = readCalendar(drawCalendar({ name: 'Backend', events: [event] }, now));
  t.match(properties, { VERSION: '2.0', PRODID: /./, NAME: 'Backend', 'X-WR-CALNAME': 'Backend' });
  t.strictSame(events, [
    {
      ...{ UID: 'a1', DTSTAMP: '20261129T120000Z', SUMMARY: 'Ada', TRANSP: 'TRANSPARENT' },
      ...{ DTSTART: '20261207T080000Z', DTEND: '20261214T080000Z' },
    },
  ]);
});

t.test('texts come back as they were, however long and whatever is in them', async (t) => {
  const titles = [
    'Ada; Bob, \\ and "Eve": all',
    'x'.repeat(300),
    'ü'.repeat(200),
    `${'x'.repeat(61)}🚒🚒🚒`,
    'two\nlines',
    'BEGIN:VEVENT',
  ];
  const events = titles.map((title, at) => ({ ...event, id: String(at), title }));
  const drawn = readCalendar(drawCalendar({ name: titles[0] ?? '', events }, now));
  t.strictSame(
    drawn.events.map(({ SUMMARY }) => SUMMARY),
    titles,
  );
  t.equal(drawn.properties['NAME'], titles[0]);
  const { events: tamed } = readCalendar(
    drawCalendar({ name: 'x', events: [{ ...event, title: 'a\0b\u0007c\r\nEND:VCALENDAR' }] }, now),
  );
  t.equal(tamed[0]?.SUMMARY, 'a b c\nEND:VCALENDAR');
});

t.test('a calendar without events has a component, as RFC 5545 demands', async (t) => {
  const text = drawCalendar({ name: 'Backend', events: [] }, now);
  t.strictSame(readCalendar(text).events, []);
  t.match(text, /BEGIN:VTIMEZONE\r\nTZID:UTC\r\n/);
});
