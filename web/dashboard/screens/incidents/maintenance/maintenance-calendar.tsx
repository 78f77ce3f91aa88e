import { useAddress } from '../../../address/use-address.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { FailedAddition, ReadView, Skeleton } from '../../../kit/states.js';
import { useTexts } from '../../../texts.js';
import { DayList } from './day-list.js';
import { addDays, addMonths, byDay, dayOf, startOf, weeksOf } from './month.js';
import { MonthGrid } from './month-grid.js';
import { OneSeries } from './one-series.js';
import { SeriesList } from './series-list.js';
import { maintenanceTexts } from './texts.js';
import { useDates } from './use-dates.js';
import { useEntries } from './use-entries.js';

type CalendarProps = {
  slug: string;
  /** IANA name of the zone of the page. */
  zone: string;
};

/**
 * A month of maintenance, with the occurrences of series that are not published yet, and the series below. The address
 * says which month, `?month=2026-12`; with `?series=ID` one series stands in their place.
 */
export function MaintenanceCalendar({ slug, zone }: CalendarProps) {
  const { query } = useAddress();
  const open = query['series'];
  if (open !== undefined) return <OneSeries key={open} slug={slug} id={open} />;
  return (
    <>
      <Calendar slug={slug} zone={zone} />
      <SeriesList slug={slug} />
    </>
  );
}

function Calendar({ slug, zone }: CalendarProps) {
  const texts = useTexts(maintenanceTexts);
  const dates = useDates(zone);
  const { query, choose } = useAddress();
  const today = dayOf(Date.now(), zone);
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/.test(query['month'] ?? '') ? `${query['month']}-01` : today;
  const weeks = weeksOf(month);
  const [first = month, last = month] = [weeks[0]?.[0], weeks.at(-1)?.at(-1)];
  const end = addDays(last, 1);
  const { incidents, occurrences, entries } = useEntries(slug, startOf(first, zone), startOf(end, zone));
  const days = byDay(entries, { zone, begin: first, end });
  const go = (day: string): void =>
    choose({ month: day.slice(0, 7) === today.slice(0, 7) ? undefined : day.slice(0, 7) });
  return (
    <Panel
      title={dates.month(startOf(month, zone))}
      note={texts.calendarWhy({ zone })}
      actions={<MonthButtons onGo={(count) => go(count === 0 ? today : addMonths(month, count))} />}
    >
      <FailedAddition read={occurrences}>{texts.series}</FailedAddition>
      <ReadView read={incidents} skeleton={<Skeleton height={420} />}>
        {() => (
          <>
            <MonthGrid {...{ weeks, days, dates, today, month, zone }} onMonth={go} />
            <DayList {...{ days, dates, today, zone }} month={month.slice(0, 7)} />
          </>
        )}
      </ReadView>
    </Panel>
  );
}

function MonthButtons({ onGo }: { onGo(count: -1 | 0 | 1): void }) {
  const texts = useTexts(maintenanceTexts);
  return (
    <>
      <button type="button" class="icon-button" aria-label={texts.previous} onClick={() => onGo(-1)}>
        <Icon name="left" />
      </button>
      <button type="button" class="button small" onClick={() => onGo(0)}>
        {texts.today}
      </button>
      <button type="button" class="icon-button" aria-label={texts.next} onClick={() => onGo(1)}>
        <Icon name="right" />
      </button>
    </>
  );
}
