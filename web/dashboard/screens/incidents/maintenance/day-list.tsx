import { useTexts } from '../../../texts.js';
import { EntryLink } from './entry-link.js';
import { type Day, type Entry, startOf } from './month.js';
import { maintenanceTexts } from './texts.js';
import type { Dates } from './use-dates.js';

type DayListProps = {
  days: ReadonlyMap<Day, Entry[]>;
  dates: Dates;
  today: Day;
  /** Such as `2026-12`. */
  month: string;
  zone: string;
};

/** The month as a list of the days that have something, for screens that are too narrow for a table. */
export function DayList({ days, dates, today, month, zone }: DayListProps) {
  const texts = useTexts(maintenanceTexts);
  const shown = [...days].filter(([day]) => day.startsWith(month)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (shown.length === 0) return <p class="month-list note">{texts.nothing}</p>;
  return (
    <ol class="month-list">
      {shown.map(([day, entries]) => (
        <li key={day}>
          <h3 {...(day === today && { 'aria-current': 'date' as const })}>
            {dates.weekday(new Date(`${day}T00:00:00Z`).getUTCDay())}, {dates.day(startOf(day, zone))}
          </h3>
          <ul>
            {entries.map((entry) => (
              <li key={entry.key}>
                <EntryLink entry={entry} dates={dates} />
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}
