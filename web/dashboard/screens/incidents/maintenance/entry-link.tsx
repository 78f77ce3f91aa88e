import { useTexts } from '../../../texts.js';
import type { Entry } from './month.js';
import { maintenanceTexts } from './texts.js';
import type { Dates } from './use-dates.js';

/** A maintenance in the calendar: when it begins, and what it is. */
export function EntryLink({ entry, dates }: { entry: Entry; dates: Dates }) {
  const texts = useTexts(maintenanceTexts);
  const { title, startsAt, endsAt, href, isPlanned } = entry;
  const span =
    endsAt === undefined ? dates.moment(startsAt) : `${dates.moment(startsAt)} – ${dates.moment(endsAt)}`;
  return (
    <a href={href} class={isPlanned ? 'month-entry planned' : 'month-entry'} title={`${title}\n${span}`}>
      <span class="month-time">{dates.time(startsAt)}</span>
      <span class="month-title" dir="auto">
        {title}
      </span>
      {isPlanned && <span class="visually-hidden">, {texts.planned}</span>}
    </a>
  );
}
