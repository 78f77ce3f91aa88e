import type { LayerCover, ScheduleOverride, Shift } from '../../../../../contract/manage/schedules.js';
import { useTexts } from '../../../texts.js';
import { NowLine } from '../strip.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import { Bars } from './bars.js';
import { FinalRow } from './final-row.js';
import { dayOf, placeIn, type Span, type Stretch } from './span.js';

type WeekProps = {
  span: Span;
  shifts: readonly Shift[];
  /** From the lowest to the highest. */
  layers: readonly LayerCover[];
  overrides: readonly ScheduleOverride[];
  colourOf(email: string): string;
  /** Asks who is to cover a stretch. Without it, people may only look. */
  onChoose: ((stretch: Stretch) => void) | undefined;
};

/** A week: who is on call in the end, the overrides, and each layer below them, the highest first. */
export function Week({ span, shifts, layers, overrides, colourOf, onChoose }: WeekProps) {
  const texts = useTexts(onCallTexts);
  const now = Date.now();
  const line = <NowLine at={placeIn(span, { from: now, to: now + 1 })?.left} />;
  const ofWeek = overrides.filter(({ from, to }) => Date.parse(from) < span.to && Date.parse(to) > span.from);
  const rows = [
    ...(ofWeek.length > 0 ? [{ name: texts.overrides, covers: ofWeek }] : []),
    ...layers.toReversed(),
  ];
  return (
    <div class="on-call-week">
      <DayHeads span={span} />
      <div class="on-call-row final">
        <span class="on-call-label">{texts.finalRow}</span>
        <FinalRow {...{ span, shifts, colourOf, onChoose }}>{line}</FinalRow>
      </div>
      {rows.map(({ name, covers }, at) => (
        <div key={`${at} ${name}`} class="on-call-row" aria-hidden="true">
          <span class="on-call-label" dir="auto" title={name}>
            {name}
          </span>
          <div class="on-call-track">
            <Bars {...{ span, stretches: covers, colourOf }} />
            {line}
          </div>
        </div>
      ))}
    </div>
  );
}

function DayHeads({ span }: { span: Span }) {
  const { day: full, date } = useZoneTimes('UTC');
  const today = dayOf(Date.now(), span.zone);
  return (
    <div class="on-call-row on-call-days" aria-hidden="true">
      <span class="on-call-label" />
      {span.days.map((day, at) => (
        <span key={day} class={day === today ? 'on-call-day today' : 'on-call-day'}>
          {at === 0 || day.endsWith('-01') ? full(Date.parse(day)) : date(Date.parse(day))}
        </span>
      ))}
    </div>
  );
}
