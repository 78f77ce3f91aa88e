import type { ObjectiveReport } from '../../../../../contract/manage/objective-report.js';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import { objectivesTexts } from '../texts.js';

/** Goes to the window before or after the one that is shown; the address keeps which one that is. */
export function WindowChoice({ report: { window } }: { report: ObjectiveReport }) {
  const texts = useTexts(objectivesTexts);
  const format = useFormat();
  const { choose } = useAddress();
  const [from, to] = [Date.parse(window.from), Date.parse(window.to)];
  // The last minute of a window is in it, and its end in the next one.
  const go = (at: number): void => {
    const isNow = at >= Date.now() - minuteMs;
    choose({ at: isNow ? undefined : new Date(at).toISOString(), zoom: undefined });
  };
  return (
    <div class="window-choice">
      <button
        type="button"
        class="icon-button"
        title={texts.earlier}
        aria-label={texts.earlier}
        onClick={() => go(from - minuteMs)}
      >
        <Icon name="left" />
      </button>
      <span>{texts.period({ from: format.day(from), to: format.day(to - 1) })}</span>
      <button
        type="button"
        class="icon-button"
        title={texts.later}
        aria-label={texts.later}
        aria-disabled={window.isCurrent}
        onClick={() => !window.isCurrent && go(to + (to - from))}
      >
        <Icon name="right" />
      </button>
      {!window.isCurrent && (
        <button type="button" class="button small" onClick={() => choose({ at: undefined, zoom: undefined })}>
          {texts.now}
        </button>
      )}
    </div>
  );
}

const minuteMs = 60_000;
