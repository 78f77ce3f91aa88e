import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { Shift } from '../../../../../contract/manage/schedules.js';
import { useTexts } from '../../../texts.js';
import { onCallTexts } from '../texts.js';
import { useZoneTimes } from '../use-zone-times.js';
import { Bars } from './bars.js';
import { type Span, type Stretch, stepsOfDay } from './span.js';
import { useChoice } from './use-choice.js';

type FinalRowProps = {
  span: Span;
  shifts: readonly Shift[];
  colourOf(email: string): string;
  onChoose: ((stretch: Stretch) => void) | undefined;
  /** Drawn above the bars. */
  children: ComponentChildren;
};

/**
 * Who is on call in the end. Dragging over it chooses a time; so do the arrow keys with Shift, and a press or Enter takes
 * the shift that is there.
 */
export function FinalRow({ span, shifts, colourOf, onChoose, children }: FinalRowProps) {
  const bars = <Bars {...{ span, stretches: shifts, colourOf }} />;
  if (onChoose === undefined) {
    return (
      <div class="on-call-track" aria-hidden="true">
        {bars}
        {children}
      </div>
    );
  }
  return (
    <Chooser {...{ span, shifts, onChoose }}>
      {bars}
      {children}
    </Chooser>
  );
}

type ChooserProps = Pick<FinalRowProps, 'span' | 'shifts' | 'children'> & {
  onChoose(stretch: Stretch): void;
};

function Chooser({ span, shifts, onChoose, children }: ChooserProps) {
  const texts = useTexts(onCallTexts);
  const times = useZoneTimes(span.zone);
  const track = useRef<HTMLDivElement>(null);
  const hint = useId();
  const choice = useChoice({ span, shifts, onChoose });
  const { cursor, chosen, isShown } = choice;
  const last = span.days.length * stepsOfDay;
  const stepAt = (x: number): number => {
    const box = track.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.floor((last * (x - box.left)) / box.width);
  };
  const at = shifts.find(({ from, to }) => Date.parse(from) <= chosen.from && chosen.from < Date.parse(to));
  const who = at?.person == null ? texts.nobody : at.person.name;
  return (
    <>
      <div
        ref={track}
        class="on-call-track choosable"
        role="slider"
        tabIndex={0}
        aria-label={texts.chooser}
        aria-describedby={hint}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={cursor}
        aria-valuetext={`${times.span(chosen.from, chosen.to)}: ${who}`}
        onKeyDown={(event) => {
          if (choice.press(event)) event.preventDefault();
        }}
        onPointerDown={(event) => {
          // A finger scrolls; it has the list below, and the form.
          if (event.button !== 0 || event.pointerType === 'touch') return;
          event.currentTarget.setPointerCapture(event.pointerId);
          choice.begin(stepAt(event.clientX));
        }}
        onPointerMove={(event) => choice.drag(stepAt(event.clientX))}
        onPointerUp={choice.end}
        onPointerCancel={choice.cancel}
        onBlur={choice.cancel}
      >
        {children}
        {isShown && (
          <span
            class="on-call-choice"
            style={{
              insetInlineStart: `${(100 * choice.start) / last}%`,
              width: `${(100 * (choice.stop - choice.start)) / last}%`,
            }}
          >
            <span class={choice.start > last / 2 ? 'on-call-choice-time before' : 'on-call-choice-time'}>
              {times.span(chosen.from, chosen.to)}
            </span>
          </span>
        )}
      </div>
      <span id={hint} class="visually-hidden">
        {texts.chooserWhy}
      </span>
    </>
  );
}
