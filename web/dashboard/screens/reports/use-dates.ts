import { useContext, useMemo } from 'preact/hooks';
import { LanguageContext } from '../../texts.js';
import type { Days } from './last-period.js';

/** Days as the reader writes them; given as `YYYY-MM-DD`, of whatever zone. */
export type Dates = {
  /** `16–22 November 2026`. */
  days(days: Days): string;
  /** `November 2026`. */
  month(day: string): string;
  /** `Monday 30 November`. */
  weekday(day: string): string;
};

export function useDates(): Dates {
  const language = useContext(LanguageContext);
  return useMemo(() => {
    // English without a region puts the month first.
    const locale = language === 'en' ? 'en-GB' : language;
    const formatOf = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
    const range = formatOf({ dateStyle: 'long' });
    const month = formatOf({ year: 'numeric', month: 'long' });
    const weekday = formatOf({ weekday: 'long', day: 'numeric', month: 'long' });
    return {
      days: ({ first, last }) => range.formatRange(Date.parse(first), Date.parse(last)),
      month: (day) => month.format(Date.parse(day)),
      weekday: (day) => weekday.format(Date.parse(day)),
    };
  }, [language]);
}
