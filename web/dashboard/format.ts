import { useContext, useMemo } from 'preact/hooks';
import { durationFormat } from '../../lib/locale/time.js';
import { type Language, LanguageContext } from './texts.js';

/** Numbers and times as the reader writes them; times are in the zone of the browser. */
export type Format = {
  /** `12,345`; `1.2M` from a million. */
  count(value: number): string;
  /** `12,345`, `0.4217`: any number, with four digits that count. */
  number(value: number): string;
  /** `12.3/s`. */
  perSecond(value: number): string;
  /** `0.42 %` from 0.0042. Shares that are not 0 never read as 0. */
  share(value: number): string;
  /** `99.97 %` from 99.97, which the service has cut to two decimals: only a whole uptime reads as 100. */
  uptime(percent: number): string;
  /** `99.95 %` from 99.95, with as many of its decimals, up to five, as it has. */
  percent(value: number): string;
  /** `123 ms`, `1.2 s`. */
  ms(value: number): string;
  /** `+12 %` from 0.12. */
  change(value: number): string;
  /** `12:01:05`. */
  clock(at: number): string;
  /** `16:30`. */
  minute(at: number): string;
  /** `21 Nov`. */
  day(at: number): string;
  /** `21 Nov, 16:30`. */
  moment(at: number): string;
  /** `21 Nov 2026, 16:30:05`. */
  full(at: number): string;
  /** `3 minutes ago`. */
  ago(ms: number): string;
  /** `5 minutes`, `14 days`, from a whole number of seconds. */
  span(seconds: number): string;
  /** `2 hours 5 minutes` from 7,500 seconds, as the page writes it. */
  duration(seconds: number): string;
  /** `2 hours` from 7,300: a number of seconds in its largest unit alone, rounded down. */
  roughSpan(seconds: number): string;
  /** `1.2` from 1234: milliseconds in seconds, with one decimal. */
  seconds(ms: number): string;
  /** `4.57 MB` from 4573535, in steps of 1,000. */
  bytes(value: number): string;
};

/** Writes a figure that may be unknown; `undefined` then. */
export function writeKnown(value: number | null, write: (value: number) => string): string | undefined {
  return value === null ? undefined : write(value);
}

export function useFormat(): Format {
  const language = useContext(LanguageContext);
  return useMemo(() => makeFormat(language), [language]);
}

/** English without a region puts the day first and uses 24 hours. */
export function makeFormat(language: Language): Format {
  const locale = language === 'en' ? 'en-GB' : language;
  const number = (options: Intl.NumberFormatOptions) => {
    const format = new Intl.NumberFormat(locale, options);
    return (value: number) => format.format(value);
  };
  const time = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, options);
    return (at: number) => format.format(at);
  };
  const unit = (name: string, digits: number, unitDisplay: 'short' | 'long' = 'short') =>
    number({ style: 'unit', unit: name, unitDisplay, maximumSignificantDigits: digits });
  const whole = number({ maximumFractionDigits: 0 });
  // British English writes a million as m, which reads as milli.
  const compact = new Intl.NumberFormat(language === 'en' ? 'en-US' : locale, {
    notation: 'compact',
    maximumSignificantDigits: 3,
  }).format;
  const percent = number({ style: 'percent', maximumSignificantDigits: 3 });
  const smallPercent = number({ style: 'percent', maximumSignificantDigits: 2 });
  const uptime = number({ style: 'percent', maximumFractionDigits: 2 });
  const precise = number({ style: 'percent', maximumFractionDigits: 5 });
  const change = number({ style: 'percent', maximumSignificantDigits: 2, signDisplay: 'exceptZero' });
  const plain = number({ maximumSignificantDigits: 4 });
  const rate = number({ maximumSignificantDigits: 3 });
  const tenths = number({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
  const longUnits = (
    [
      ['day', 86_400],
      ['hour', 3_600],
      ['minute', 60],
      ['second', 1],
    ] as const
  ).map(([name, size]) => ({ size, format: unit(name, 3, 'long') }));
  const span = (total: number): string => {
    const found = longUnits.find(({ size }) => total >= size && total % size === 0) ?? longUnits.at(-1);
    return found === undefined ? '' : found.format(total / found.size);
  };
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const duration = durationFormat(locale);
  return {
    count: (value) => (Math.abs(value) >= 1_000_000 ? compact(value) : whole(value)),
    number: (value) =>
      Math.abs(value) >= 10_000
        ? Math.abs(value) >= 1_000_000
          ? compact(value)
          : whole(value)
        : plain(value),
    perSecond: (value) => `${value >= 1_000 ? compact(value) : rate(value)}/s`,
    share: (value) => (Math.abs(value) < 0.1 ? smallPercent(value) : percent(value)),
    uptime: (value) => uptime(value / 100),
    percent: (value) => precise(value / 100),
    ms: (value) => (value >= 1_000 ? `${rate(value / 1_000)} s` : `${rate(value)} ms`),
    change: (value) => change(value),
    clock: time({ hour: '2-digit', minute: '2-digit', second: '2-digit' }),
    minute: time({ hour: '2-digit', minute: '2-digit' }),
    day: time({ day: 'numeric', month: 'short' }),
    moment: time({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }),
    full: time({ dateStyle: 'medium', timeStyle: 'medium' }),
    ago: (elapsed) => formatAgo(ago, elapsed),
    span,
    duration: (seconds) => duration(seconds * 1_000),
    roughSpan: (total) => {
      const { size } = longUnits.find((unit) => total >= unit.size) ?? { size: 1 };
      return span(Math.floor(total / size) * size);
    },
    seconds: (ms) => tenths(ms / 1_000),
    bytes: (value) => {
      const step = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
      return `${rate(value / 1_000 ** step)} ${byteUnits[step]}`;
    },
  };
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

const agoUnits = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

function formatAgo(format: Intl.RelativeTimeFormat, elapsedMs: number): string {
  const [unit, size] = agoUnits.find(([, unitMs]) => Math.abs(elapsedMs) >= unitMs) ?? ['second', 1_000];
  return format.format(-Math.trunc(elapsedMs / size), unit);
}
