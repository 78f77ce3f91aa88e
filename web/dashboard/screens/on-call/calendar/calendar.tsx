import type { ManagedSchedule, ScheduleShifts } from '../../../../../contract/manage/schedules.js';
import { useAddress } from '../../../address/use-address.js';
import { Segments } from '../../../kit/form/choices.js';
import { Icon } from '../../../kit/icons.js';
import { Panel } from '../../../kit/panel.js';
import { ReadView, Skeleton } from '../../../kit/states.js';
import type { Read } from '../../../reads/use-read.js';
import { useTexts } from '../../../texts.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import { addDays, type Day, dayOf, makeSpan, mondayOf, type Span, type Stretch } from './span.js';
import { Week } from './week.js';

/** So many weeks at once. */
const weekCounts = ['1', '2', '4'] as const;
type WeekCount = (typeof weekCounts)[number];

/** The weeks that the address asks for; two from the present one by default. */
export function useWeeks(zone: string): {
  count: WeekCount;
  monday: Day;
  isPresent: boolean;
  whole: Span;
  weeks: Span[];
} {
  const { query } = useAddress();
  const present = mondayOf(dayOf(Date.now(), zone));
  const asked = query['week'] ?? '';
  const isDay = /^\d{4}-\d\d-\d\d$/.test(asked) && !Number.isNaN(Date.parse(asked));
  const monday = isDay ? mondayOf(asked) : present;
  const count = weekCounts.find((one) => one === query['weeks']) ?? '2';
  const weeks = Array.from({ length: Number(count) }, (_, at) => makeSpan(addDays(monday, 7 * at), 7, zone));
  const whole = makeSpan(monday, 7 * Number(count), zone);
  return { count, monday, isPresent: monday === present, whole, weeks };
}

type CalendarProps = {
  schedule: ManagedSchedule;
  read: Read<ScheduleShifts>;
  colourOf(email: string): string;
  onChoose: ((stretch: Stretch) => void) | undefined;
};

/** The weeks of a schedule by the clock of its time zone. */
export function Calendar({ schedule, read, colourOf, onChoose }: CalendarProps) {
  const texts = useTexts(onCallTexts);
  const { timeZone, overrides } = schedule;
  const { weeks } = useWeeks(timeZone);
  return (
    <Panel
      title={texts.calendar}
      note={`${texts.inZone({ zone: timeZone.replaceAll('_', ' ') })}${onChoose === undefined ? '' : ` ${texts.dragWhy}`}`}
      actions={<CalendarButtons zone={timeZone} />}
    >
      <ReadView read={read} skeleton={<Skeleton height={260} />}>
        {({ shifts, layers = [] }) => (
          <div class="on-call-weeks">
            {weeks.map((span) => (
              <Week key={span.days[0]} {...{ span, shifts, layers, overrides, colourOf, onChoose }} />
            ))}
          </div>
        )}
      </ReadView>
    </Panel>
  );
}

function CalendarButtons({ zone }: { zone: string }) {
  const texts = useTexts(onCallTexts);
  const { choose } = useAddress();
  const { count, monday, isPresent, whole } = useWeeks(zone);
  const { day } = useZoneTimes('UTC');
  const move = (weeks: number): void => choose({ week: addDays(monday, 7 * weeks) });
  const last = whole.days.at(-1) ?? monday;
  return (
    <div class="on-call-tools">
      <span class="on-call-range">{`${day(Date.parse(monday))} – ${day(Date.parse(last))}`}</span>
      <span class="on-call-move">
        <button type="button" class="icon-button" aria-label={texts.earlier} onClick={() => move(-1)}>
          <Icon name="left" />
        </button>
        <button
          type="button"
          class="button small"
          aria-disabled={isPresent}
          onClick={() => choose({ week: undefined })}
        >
          {texts.today}
        </button>
        <button type="button" class="icon-button" aria-label={texts.later} onClick={() => move(1)}>
          <Icon name="right" />
        </button>
      </span>
      <Segments
        label={texts.weeksShown}
        options={weekCounts.map((value) => ({ value, title: texts.weeks({ count: Number(value) }) }))}
        value={count}
        onChoose={(value) => choose({ weeks: value === '2' ? undefined : value })}
      />
    </div>
  );
}
