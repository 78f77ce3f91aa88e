import { LRUCache } from 'lru-cache';
import { durationFormat } from '../../lib/locale/time.js';

/** Numbers and times in the form of a language; times are by the clock of a zone, days are days of UTC. */
export type Format = {
  /** The tag that scripts pass to `Intl`, so that they write as the server does. */
  locale: string;
  direction: 'ltr' | 'rtl';
  /** `21 Nov 2026, 16:30 UTC`, with the zone. */
  dateTime(at: number): string;
  /** `16:30 UTC`. */
  time(at: number): string;
  /** `16:30 UTC` for a time of the same day as `now`, else `21 Nov, 16:30 UTC`. */
  moment(at: number, now: number): string;
  /** Whether two times are on one day in the zone. */
  isSameDay(a: number, b: number): boolean;
  /** `21 November`, from `YYYY-MM-DD`. */
  day(day: string): string;
  /** `8 – 11 November`. */
  days(from: string, to: string): string;
  /** `November 2026`, from `YYYY-MM`. */
  month(month: string): string;
  /** `Nov 26`, from `YYYY-MM`. */
  shortMonth(month: string): string;
  /** `90 days ago`, `Today`. */
  daysAgo(days: number): string;
  /** As durationFormat(). */
  duration(ms: number): string;
  /** `12,000`. */
  count(value: number): string;
  /** From a number between 0 and 100. */
  percent(value: number): string;
  /** The same with up to five decimals. */
  exactPercent(value: number): string;
  /** From `99.98%`, the form of the summary. */
  writtenPercent(text: string): string;
  ms(value: number): string;
  /** `7 days`, or `7d` when it is narrow. */
  span(value: number, unit: 'hour' | 'day', form: 'long' | 'narrow'): string;
  /** The times below a chart: `06:00`, `Sun`, `2 Nov`. */
  tick: Record<'clock' | 'weekday' | 'day', (at: number) => string>;
  list(texts: readonly string[]): string;
};

/** A set of formatters takes some milliseconds to make and a few kilobytes; the languages in use are few. */
const made = new LRUCache<string, Format>({ max: 64 });

/** @param timeZone IANA name of the zone of the page. */
export function formatIn(language: string, timeZone = 'UTC'): Format {
  const key = `${language} ${timeZone}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const format = makeFormat(language, timeZone);
  made.set(key, format);
  return format;
}

/** English without a region puts the day first and uses 24 hours, as most of its readers outside one country do. */
function makeFormat(language: string, timeZone: string): Format {
  const locale = language === 'en' ? 'en-GB' : language;
  const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const;
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    return (at: number | string) => format.format(typeof at === 'string' ? Date.parse(at) : at);
  };
  const time = dates({ timeZone, ...clock });
  const dayAndTime = dates({ timeZone, day: 'numeric', month: 'short', ...clock });
  const dayInZone = dates({ timeZone, day: 'numeric', month: 'numeric', year: 'numeric' });
  const isSameDay = (a: number, b: number) => dayInZone(a) === dayInZone(b);
  const range = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'long' });
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const count = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  const exact = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 5 });
  const uptime = new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: 2 });
  const ms = unitFormat(locale, 'millisecond', 'short');
  const spanForms = (unit: 'hour' | 'day') => ({
    long: unitFormat(locale, unit, 'long'),
    narrow: unitFormat(locale, unit, 'narrow'),
  });
  const spans = { hour: spanForms('hour'), day: spanForms('day') };
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  return {
    locale,
    direction: directionOf(language),
    dateTime: dates({ timeZone, day: 'numeric', month: 'short', year: 'numeric', ...clock }),
    time,
    moment: (at, now) => (isSameDay(at, now) ? time(at) : dayAndTime(at)),
    isSameDay,
    day: remember(dates({ day: 'numeric', month: 'long' })),
    days: (from, to) => range.formatRange(Date.parse(from), Date.parse(to)),
    month: dates({ month: 'long', year: 'numeric', calendar: calendarOfMonths(locale) }),
    // Made on demand: few pages show months like this.
    shortMonth: remember((month) =>
      dates({ month: 'short', year: '2-digit', calendar: calendarOfMonths(locale) })(month),
    ),
    daysAgo: (days) => capitalise(ago.format(days === 0 ? 0 : -days, 'day'), locale),
    duration: durationFormat(locale),
    count: (value) => count.format(value),
    percent: (value) => percent.format(value / 100),
    exactPercent: (value) => exact.format(value / 100),
    writtenPercent: (text) => uptime.format(Number.parseFloat(text) / 100),
    ms: (value) => ms(Math.round(value)),
    span: (value, unit, form) => spans[unit][form](value),
    tick: {
      clock: dates({ hour: '2-digit', minute: '2-digit' }),
      weekday: dates({ weekday: 'short' }),
      day: dates({ day: 'numeric', month: 'short' }),
    },
    list: (texts) => list.format(texts),
  };
}

/** Calendars with the months of the Gregorian one; at most their years differ. */
const calendarsOfTheseMonths = ['gregory', 'buddhist', 'japanese', 'roc'];

/** The calendar of the language, unless its months differ from those that divide a history, as in Persian. */
function calendarOfMonths(locale: string): string {
  const { calendar } = new Intl.DateTimeFormat(locale).resolvedOptions();
  return calendarsOfTheseMonths.includes(calendar) ? calendar : 'gregory';
}

/** A view names a day once for each service with a problem on that day; different days are few. */
function remember(format: (day: string) => string): (day: string) => string {
  const known = new LRUCache<string, string>({ max: 400 });
  return (day) => {
    const remembered = known.get(day);
    if (remembered !== undefined) return remembered;
    const text = format(day);
    known.set(day, text);
    return text;
  };
}

function unitFormat(
  locale: string,
  unit: string,
  unitDisplay: 'long' | 'short' | 'narrow',
): (value: number) => string {
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
  return (value) => format.format(value);
}

const rightToLeft = new Set([
  'ar',
  'arc',
  'ckb',
  'dv',
  'fa',
  'he',
  'iw',
  'ji',
  'ks',
  'ps',
  'sd',
  'syr',
  'ug',
  'ur',
  'yi',
]);
const rightToLeftScripts = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Mend',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);

/** The direction of a language's writing, from the script in its tag if there is one. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { language: base, script } = new Intl.Locale(language);
  const isRightToLeft = script === undefined ? rightToLeft.has(base) : rightToLeftScripts.has(script);
  return isRightToLeft ? 'rtl' : 'ltr';
}

const namesKnown = new LRUCache<string, string>({ max: 1_000 });

/** A language's name for itself, such as `Deutsch`. Every view names all languages of its page, most of them unused. */
export function nameOfLanguage(language: string): string {
  const known = namesKnown.get(language);
  if (known !== undefined) return known;
  const given = new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
  const name = capitalise(given, language);
  namesKnown.set(language, name);
  return name;
}

const capitalise = (text: string, locale: string): string =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1);
