import { useContext, useMemo } from 'preact/hooks';
import { LanguageContext } from '../../../texts.js';

/** Days and times as the reader writes them, by the clock of a zone. */
export type Dates = {
  /** `6 December 2026`. */
  day(at: number): string;
  /** `December 2026`. */
  month(at: number): string;
  /** `Sun, 6 Dec 2026, 02:00`. */
  moment(at: number): string;
  /** `6 Dec 2026, 02:00 CET`, as the page writes it. */
  dateTime(at: number): string;
  /** `02:00`. */
  time(at: number): string;
  /** `Mon`, and `Monday`; 0 is Sunday. */
  shortWeekday(index: number): string;
  weekday(index: number): string;
};

/** @param zone IANA name. */
export function useDates(zone: string): Dates {
  const language = useContext(LanguageContext);
  return useMemo(() => {
    const locale = language === 'en' ? 'en-GB' : language;
    const by = (options: Intl.DateTimeFormatOptions, timeZone = zone) => {
      const format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
      return (at: number) => format.format(at);
    };
    const [short, long] = [by({ weekday: 'short' }, 'UTC'), by({ weekday: 'long' }, 'UTC')];
    // The fourth day of 1970 was a Sunday.
    const atWeekday = (index: number) => (index + 3) * 86_400_000;
    return {
      day: by({ day: 'numeric', month: 'long', year: 'numeric' }),
      month: by({ month: 'long', year: 'numeric' }),
      moment: by({
        ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
        ...{ hour: '2-digit', minute: '2-digit' },
      }),
      dateTime: by({
        ...{ day: 'numeric', month: 'short', year: 'numeric' },
        ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
      }),
      time: by({ hour: '2-digit', minute: '2-digit' }),
      shortWeekday: (index: number) => short(atWeekday(index)),
      weekday: (index: number) => long(atWeekday(index)),
    };
  }, [language, zone]);
}
