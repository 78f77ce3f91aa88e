import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useTexts } from '../../../texts.js';
import { EntryLink } from './entry-link.js';
import { addDays, addMonths, type Day, type Entry, startOf } from './month.js';
import { maintenanceTexts } from './texts.js';
import type { Dates } from './use-dates.js';

type GridProps = {
  weeks: readonly (readonly Day[])[];
  days: ReadonlyMap<Day, Entry[]>;
  dates: Dates;
  today: Day;
  /** A day of the month. */
  month: Day;
  zone: string;
  /** Shows the month of a day. */
  onMonth(day: Day): void;
};

/** Entries of a day that are drawn; the others unfold below them. */
const shownMax = 4;
const weekdays = [1, 2, 3, 4, 5, 6, 0];

/** The month as a table. One day is reached by Tab, the others from there by the arrow keys. */
export function MonthGrid({ weeks, days, dates, today, month, zone, onMonth }: GridProps) {
  const texts = useTexts(maintenanceTexts);
  const table = useRef<HTMLTableElement>(null);
  const isIn = (day: Day) => day.slice(0, 7) === month.slice(0, 7);
  const [chosen, setChosen] = useState<Day>(today);
  const [wanted, setWanted] = useState<Day>();
  const current = isIn(chosen) ? chosen : isIn(today) ? today : `${month.slice(0, 7)}-01`;
  // Before the next key: a focus that comes later would take the choice of that key back.
  useLayoutEffect(() => {
    if (wanted === undefined || wanted !== current) return;
    table.current?.querySelector<HTMLElement>(`[data-day="${current}"]`)?.focus();
    setWanted(undefined);
  }, [wanted, current]);
  const goTo = (day: Day): void => {
    setChosen(day);
    setWanted(day);
    if (!isIn(day)) onMonth(day);
  };
  return (
    <table
      ref={table}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells take arrow keys is a grid.
      role="grid"
      class="month-grid"
      aria-label={dates.month(startOf(month, zone))}
      onKeyDown={(event) => {
        const next =
          event.target instanceof HTMLTableCellElement
            ? dayAfterKey(event.key, wanted ?? current)
            : undefined;
        if (next === undefined) return;
        event.preventDefault();
        goTo(next);
      }}
    >
      <caption class="visually-hidden">{texts.gridHint}</caption>
      <thead>
        <tr>
          {weekdays.map((index) => (
            <th key={index} scope="col">
              <abbr title={dates.weekday(index)}>{dates.shortWeekday(index)}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week) => (
          <tr key={week[0]}>
            {week.map((day) => (
              <DayCell
                key={day}
                {...{ day, dates, zone }}
                entries={days.get(day) ?? []}
                isToday={day === today}
                isOther={!isIn(day)}
                isCurrent={day === current}
                onFocus={() => isIn(day) && setChosen(day)}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function dayAfterKey(key: string, day: Day): Day | undefined {
  const column = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1);
    case 'ArrowRight':
      return addDays(day, 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'Home':
      return addDays(day, -column);
    case 'End':
      return addDays(day, 6 - column);
    case 'PageUp':
      return addMonths(day, -1);
    case 'PageDown':
      return addMonths(day, 1);
    default:
      return undefined;
  }
}

type CellProps = {
  day: Day;
  dates: Dates;
  zone: string;
  entries: readonly Entry[];
  isToday: boolean;
  isOther: boolean;
  isCurrent: boolean;
  onFocus(): void;
};

function DayCell({ day, dates, zone, entries, isToday, isOther, isCurrent, onFocus }: CellProps) {
  const texts = useTexts(maintenanceTexts);
  const label = [
    dates.day(startOf(day, zone)),
    ...(isToday ? [texts.today] : []),
    ...(entries.length > 0 ? [texts.entries({ count: entries.length })] : []),
  ].join(', ');
  return (
    <td
      class={`month-day${isOther ? ' other' : ''}${isToday ? ' today' : ''}`}
      data-day={day}
      tabIndex={isCurrent ? 0 : -1}
      {...(isToday && { 'aria-current': 'date' as const })}
      onFocus={onFocus}
    >
      <span class="visually-hidden">{label}</span>
      <span class="month-date" aria-hidden="true">
        {Number(day.slice(8))}
      </span>
      {entries.length > 0 && (
        <ul>
          {entries.slice(0, shownMax).map((entry) => (
            <li key={entry.key}>
              <EntryLink entry={entry} dates={dates} />
            </li>
          ))}
          {entries.length > shownMax && (
            <li>
              <details class="month-more">
                <summary class="note">{texts.more({ count: entries.length - shownMax })}</summary>
                <ul>
                  {entries.slice(shownMax).map((entry) => (
                    <li key={entry.key}>
                      <EntryLink entry={entry} dates={dates} />
                    </li>
                  ))}
                </ul>
              </details>
            </li>
          )}
        </ul>
      )}
    </td>
  );
}
