/** The properties of an event as a calendar application reads them. */
export type ReadEvent = Readonly<Record<string, string>>;

/**
 * Reads a calendar as RFC 5545 says, and refuses what it forbids: another end of a line than CRLF, a line of more than 75
 * octets, a character that a fold divides, a component that is not closed or is empty, and events without what they must have.
 *
 * @throws Error
 */
export function readCalendar(text: string): { properties: Record<string, string>; events: ReadEvent[] } {
  if (!text.endsWith('\r\n') || /(?<!\r)\n|\r(?!\n)/.test(text)) throw new Error('Lines end with CRLF.');
  const raw = text.slice(0, -2).split('\r\n');
  const long = raw.find((line) => Buffer.byteLength(line) > 75);
  if (long !== undefined) throw new Error(`A line has more than 75 octets: ${long}`);
  if (!raw.every((line) => line.isWellFormed())) throw new Error('A fold divides a character.');
  const lines = raw
    .join('\r\n')
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n');
  const open: { name: string; values: Record<string, string>; parts: number }[] = [];
  const events: ReadEvent[] = [];
  let properties: Record<string, string> | undefined;
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z-]+)(?:;[A-Z-]+=[^":;,]+)*:(.*)$/.exec(line) ?? [];
    const inner = open.at(-1);
    if (name === 'BEGIN') {
      if (inner !== undefined) inner.parts += 1;
      open.push({ name: value, values: {}, parts: 0 });
    } else if (inner === undefined || name === '') {
      throw new Error(`This is no property: ${line}`);
    } else if (name === 'END') {
      if (inner.name !== value) throw new Error(`${inner.name} ends as ${value}.`);
      open.pop();
      if (value === 'VEVENT') events.push(checkEvent(inner.values));
      if (value === 'VCALENDAR' && inner.parts === 0) throw new Error('A calendar has a component.');
      if (value === 'VCALENDAR') properties = inner.values;
    } else {
      if (name in inner.values) throw new Error(`${name} is there twice.`);
      inner.values[name] = texts.has(name) ? unescapeText(value) : value;
    }
  }
  if (properties?.['VERSION'] !== '2.0' || open.length > 0) throw new Error('The calendar is not whole.');
  const ids = new Set(events.map(({ UID }) => UID));
  if (ids.size < events.length) throw new Error('Two events have one UID.');
  return { properties, events };
}

const time = /^\d{8}T\d{6}Z$/;

function checkEvent(event: Record<string, string>): ReadEvent {
  const { UID, DTSTAMP = '', DTSTART = '', DTEND = '' } = event;
  if (!UID || ![DTSTAMP, DTSTART, DTEND].every((one) => time.test(one)) || DTSTART >= DTEND) {
    throw new Error(`This is no event: ${JSON.stringify(event)}`);
  }
  return event;
}

const texts = new Set(['NAME', 'X-WR-CALNAME', 'SUMMARY']);

/** @throws Error for a character that stands for itself and must not */
function unescapeText(value: string): string {
  if (/\p{Cc}|(?<!\\)(?:\\\\)*[,;]/u.test(value)) {
    throw new Error(`A character of ${JSON.stringify(value)} must be escaped, or must not be.`);
  }
  return value.replaceAll(/\\([\\;,nN])/g, (_, one: string) => (/n/i.test(one) ? '\n' : one));
}
