/** Somebody's time on call. Times are in milliseconds since the epoch. */
export type CalendarEvent = { id: string; title: string; from: number; to: number };

export type Calendar = { name: string; events: readonly CalendarEvent[] };

export const calendarMediaType = 'text/calendar';

/**
 * Draws a calendar in the form of RFC 5545, with times in UTC. Sixty lines take the place of a package, whose escaping and
 * folding would have to be tested as well.
 *
 * @param now when it is drawn, in milliseconds since the epoch.
 */
export function drawCalendar({ name, events }: Calendar, now: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Heartline//On call//EN',
    `NAME:${escapeText(name)}`,
    // Most applications know the older name alone.
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...(events.length === 0 ? noEvents : events.flatMap((event) => drawEvent(event, now))),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

/** A calendar has at least one component; this one shows nothing. */
const noEvents = [
  'BEGIN:VTIMEZONE',
  'TZID:UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
];

function drawEvent({ id, title, from, to }: CalendarEvent, now: number): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${id}`,
    `DTSTAMP:${utc(now)}`,
    `DTSTART:${utc(from)}`,
    `DTEND:${utc(to)}`,
    `SUMMARY:${escapeText(title)}`,
    // Being on call leaves one free for meetings.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20261207T080000Z`; a part of a second is cut, because the form has none. */
function utc(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** A text as the value of a property (section 3.3.11). Control characters, which it cannot have, become spaces. */
function escapeText(text: string): string {
  return text
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll(/\r\n|[\n\r]/g, '\\n')
    .replaceAll(/\p{Cc}/gu, ' ');
}

const octetsMax = 75;

/** A line in parts of at most 75 octets (section 3.1), which never divide a character. */
function fold(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > octetsMax) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}
