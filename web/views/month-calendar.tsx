import type { ShownIncident } from '../../contract/public/status-page.js';
import { clipText } from '../../lib/clip-text.js';
import { dayMs } from '../../lib/times.js';
import { formatDay } from '../state/day-marks.js';
import { endOf, pickFor } from './incident-parts.js';
import type { ViewContext } from './view-context.js';

const weekDays = 7;
const titleCharsMax = 60;
/** More incidents of a day are in the list below. */
const namedMax = 5;

/** The id of the heading of a day in the list of the month. */
export const dayId = (day: string): string => `day-${day}`;

type CalendarProps = { context: ViewContext; month: string; incidents: readonly ShownIncident[] };

/**
 * A month of UTC as a calendar, whose weeks begin on Monday (ISO 8601). Days on which something began lead to the list
 * below; those that it lasted through are marked as well.
 *
 * @param month `YYYY-MM`
 * @param incidents those that began in the month
 */
export function MonthCalendar({ context, month, incidents }: CalendarProps) {
  const { format, own } = context;
  const weeks = weeksOf(month);
  return (
    <table class="calendar" {...own}>
      <caption class="visually-hidden">{format.month(month)}</caption>
      <thead>
        <tr>
          {weeks[1]?.map((day) => (
            <th key={day} scope="col">
              {format.tick.weekday(Date.parse(day ?? ''))}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeks.map((week, at) => (
          <tr key={week.find((day) => day !== undefined) ?? at}>
            {week.map((day, place) => (
              <td key={day ?? place}>
                {day !== undefined && <DayCell context={context} day={day} incidents={incidents} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DayCell({
  context,
  day,
  incidents,
}: {
  context: ViewContext;
  day: string;
  incidents: readonly ShownIncident[];
}) {
  const { view } = context;
  const on = incidents.filter((entry) => tookSomeOf(entry, day, view.now));
  const number = <time datetime={day}>{Number(day.slice(8))}</time>;
  const [first] = on;
  if (first === undefined) return number;
  const kind = on.some(({ type }) => type === 'incident') ? 'incident' : 'maintenance';
  const titles = on
    .slice(0, namedMax)
    .map((entry) => clipText(pickFor(context, entry.title).text, titleCharsMax));
  // The list has an incident under the day on which it began.
  const target = on.find(({ startedAt }) => startedAt.startsWith(day)) ?? first;
  return (
    <a class={kind} href={`#${dayId(target.startedAt.slice(0, 10))}`} title={titles.join('\n')}>
      {number}
      <span class="visually-hidden">: {titles.join(', ')}</span>
    </a>
  );
}

/** Whether an incident took some of a day; one that ended at midnight took nothing of the day that began then. */
function tookSomeOf(entry: ShownIncident, day: string, now: number): boolean {
  const from = entry.startedAt.slice(0, 10);
  if (day < from) return false;
  const end = Math.min(Date.parse(endOf(entry) ?? '9999'), Math.max(now, Date.parse(entry.startedAt) + 1));
  const isFuture = Date.parse(entry.startedAt) > now;
  const until = isFuture ? Date.parse(endOf(entry) ?? entry.startedAt) : end;
  return day <= formatDay(Math.max(Date.parse(entry.startedAt), until - 1));
}

/** The days of a month in weeks; places outside the month are `undefined`. */
function weeksOf(month: string): (string | undefined)[][] {
  const first = Date.parse(`${month}-01`);
  const before = (new Date(first).getUTCDay() + 6) % weekDays;
  const places = Array.from({ length: 6 * weekDays }, (_, at) => formatDay(first + (at - before) * dayMs));
  const inMonth = places.map((day) => (day.startsWith(month) ? day : undefined));
  const weeks = Array.from({ length: 6 }, (_, week) => inMonth.slice(week * weekDays, (week + 1) * weekDays));
  return weeks.filter((week) => week.some((day) => day !== undefined));
}
