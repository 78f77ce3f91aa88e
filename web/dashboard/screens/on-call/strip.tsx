import type { ManagedSchedule, ScheduleShifts } from '../../../../contract/manage/schedules.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { useTexts } from '../../texts.js';
import { Bars } from './calendar/bars.js';
import { dayOf, makeSpan, placeIn } from './calendar/span.js';
import { onCallTexts } from './texts.js';
import { useZoneTimes } from './use-zone-times.js';

const daysShown = 7;

type StripProps = { schedule: ManagedSchedule; colourOf(email: string): string };

/** The next days of a schedule on one line. The card says in words who is on call; the calendar has the rest. */
export function Strip({ schedule: { slug, timeZone }, colourOf }: StripProps) {
  const { slug: page } = usePage();
  const texts = useTexts(onCallTexts);
  // Days are dates, without a time that a zone could move.
  const { weekday } = useZoneTimes('UTC');
  const now = Date.now();
  const span = makeSpan(dayOf(now, timeZone), daysShown, timeZone);
  const query = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() };
  const read = useRead<ScheduleShifts>(
    pagePath(page, `/schedules/${encodeURIComponent(slug)}/shifts`, query),
    { everyMs: 60_000 },
  );
  const shifts = read.data?.shifts ?? [];
  return (
    <figure class="on-call-strip">
      <figcaption class="visually-hidden">{texts.nextDays({ count: daysShown })}</figcaption>
      <div class="on-call-track" aria-hidden="true">
        <Bars {...{ span, stretches: shifts, colourOf }} />
        <NowLine at={placeIn(span, { from: now, to: now + 1 })?.left} />
      </div>
      <div class="on-call-strip-days" aria-hidden="true">
        {span.days.map((day) => (
          <span key={day}>{weekday(Date.parse(day))}</span>
        ))}
      </div>
    </figure>
  );
}

/** Where the present is. */
export function NowLine({ at }: { at: number | undefined }) {
  return at === undefined ? null : <span class="on-call-now-line" style={{ insetInlineStart: `${at}%` }} />;
}
