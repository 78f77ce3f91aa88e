import { useContext, useMemo } from 'preact/hooks';
import { type Language, LanguageContext } from '../../texts.js';

/** Times as the reader writes them, by the clock of a time zone. */
export type ZoneTimes = {
  /** `Mon 7 Dec, 09:00`. */
  moment(at: number): string;
  /** `09:00`. */
  time(at: number): string;
  /** `Mon 7 Dec`. */
  day(at: number): string;
  /** `Mon 7`. */
  date(at: number): string;
  /** `Mon`. */
  weekday(at: number): string;
  /** `Mon 7 Dec, 20:00 – 08:00` within a day and a night, both days otherwise. */
  span(from: number, to: number): string;
};

/** @param zone IANA name. */
export function useZoneTimes(zone: string): ZoneTimes {
  const language = useContext(LanguageContext);
  return useMemo(() => makeZoneTimes(zone, language), [zone, language]);
}

export function makeZoneTimes(zone: string, language: Language): ZoneTimes {
  const by = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
      ...options,
      timeZone: zone,
    });
    return (at: number) => format.format(at);
  };
  const time = by({ hour: '2-digit', minute: '2-digit' });
  const day = by({ weekday: 'short', day: 'numeric', month: 'short' });
  const moment = (at: number): string => `${day(at)}, ${time(at)}`;
  const nightMs = 24 * 3_600_000;
  return {
    ...{ time, day, moment, weekday: by({ weekday: 'short' }) },
    date: by({ weekday: 'short', day: 'numeric' }),
    span: (from, to) => `${moment(from)} – ${to - from < nightMs ? time(to) : moment(to)}`,
  };
}
