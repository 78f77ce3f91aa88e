import { useRef, useState } from 'preact/hooks';
import type { Shift } from '../../../../../contract/manage/schedules.js';
import { type Span, type Stretch, stepMs, stepOf, stepsOfDay, timeOfStep } from './span.js';

type UseChoice = { span: Span; shifts: readonly Shift[]; onChoose(stretch: Stretch): void };

/** A choice of a time within some days, in steps. */
export type Choice = {
  /** The step at which the keys are. */
  cursor: number;
  /** The chosen steps: from `start` up to `stop`. */
  start: number;
  stop: number;
  chosen: Stretch;
  /** Whether there is something to draw. */
  isShown: boolean;
  /** Takes a key, and says whether it is one of the choice. */
  press(event: Pick<KeyboardEvent, 'key' | 'shiftKey'>): boolean;
  begin(step: number): void;
  drag(step: number): void;
  end(): void;
  cancel(): void;
};

/** By keys, an hour at a time; Home, End and the page keys go further. */
const keySteps: Readonly<Record<string, number>> = {
  ...{ ArrowRight: 2, ArrowUp: 2, ArrowLeft: -2, ArrowDown: -2 },
  ...{ PageUp: stepsOfDay, PageDown: -stepsOfDay },
};

/** Keeps which time is being chosen, by a pointer or by keys. Times that are over are not chosen. */
export function useChoice({ span, shifts, onChoose }: UseChoice): Choice {
  const last = span.days.length * stepsOfDay;
  const clamp = (step: number, max = last): number => Math.min(max, Math.max(0, step));
  const now = Date.now();
  const [cursor, setCursor] = useState(() => clamp(stepOf(span, now), last - 2));
  const [anchor, setAnchor] = useState<number>();
  const isDragged = useRef(false);
  const [start, stop] =
    anchor === undefined || anchor === cursor
      ? [cursor, Math.min(last, cursor + 2)]
      : [Math.min(anchor, cursor), Math.max(anchor, cursor)];
  const chosen = { from: timeOfStep(span, start), to: timeOfStep(span, stop) };
  const clear = (): void => {
    isDragged.current = false;
    setAnchor(undefined);
  };
  /** The choice; without one the shift that is there. */
  const take = (): void => {
    const shift = shifts.find(
      ({ from, to }) => Date.parse(from) <= chosen.from && chosen.from < Date.parse(to),
    );
    const whole =
      anchor !== undefined && anchor !== cursor
        ? chosen
        : { from: Date.parse(shift?.from ?? ''), to: Date.parse(shift?.to ?? '') };
    clear();
    // Whoever stands in from now on begins with the step that runs.
    const from = Math.max(whole.from, now - (now % stepMs));
    if (whole.to > now && from < whole.to) onChoose({ from, to: whole.to });
  };
  return {
    ...{ cursor, start, stop, chosen, isShown: anchor !== undefined },
    press({ key, shiftKey }) {
      if (key === 'Enter' || key === ' ') take();
      else if (key === 'Escape' && anchor !== undefined) clear();
      else {
        const step = keySteps[key];
        const to = key === 'Home' ? 0 : key === 'End' ? last : step === undefined ? undefined : cursor + step;
        if (to === undefined) return false;
        setAnchor(shiftKey ? (anchor ?? cursor) : undefined);
        setCursor(clamp(to, shiftKey ? last : last - 2));
      }
      return true;
    },
    begin(step) {
      isDragged.current = true;
      setCursor(clamp(step));
      setAnchor(clamp(step));
    },
    drag(step) {
      if (isDragged.current) setCursor(clamp(step + (step >= (anchor ?? step) ? 1 : 0)));
    },
    end() {
      if (isDragged.current) take();
    },
    cancel: clear,
  };
}
