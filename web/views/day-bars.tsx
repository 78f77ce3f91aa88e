import { type DayAxis, type DayMark, encodeDays } from '../state/day-marks.js';
import type { ViewContext } from './view-context.js';

/** Units of the drawing, which stretches to the available width; strokes keep their width. */
const pitch = 10;
const height = 40;
const bottom = 36;

/** The top of each bar: a worse day has a taller bar, so that it shows without colour. */
const tops = { good: 14, failed: 9, down: 4, unmeasured: bottom };
type Kind = keyof typeof tops;

/**
 * A bar for each day: low and even for good days, taller for a day with a problem, a dot for a day that was not measured.
 * All days of one kind are one path, so that twenty services of ninety days are few elements.
 */
export function DayBars({ context, marks, axis }: BarsProps) {
  const label = labelDays(context, marks, axis);
  const troubled = marks.flatMap((mark, at) =>
    isTroubled(mark) ? [{ kind: kindOf(mark) ?? 'unmeasured', at, text: describeDay(context, mark) }] : [],
  );
  return (
    <>
      <div
        class="days"
        data-days={encodeDays(marks)}
        data-from={marks[0]?.day}
        data-columns={axis.columns}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from day to day in it.
        tabIndex={0}
        role="img"
        aria-label={label}
        {...context.own}
      >
        <svg viewBox={`0 0 ${axis.columns * pitch} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {(['unmeasured', 'good'] as const).map((kind) => {
            const path = drawDays(marks, kind);
            return path !== '' && <path key={kind} class={kind} d={path} />;
          })}
          {troubled.map(({ kind, at, text }) => (
            <path key={at} class={kind} d={drawDay(at, kind)}>
              <title>{text}</title>
            </path>
          ))}
        </svg>
      </div>
      {troubled.length > 0 && (
        <ul class="visually-hidden" {...context.own}>
          {troubled.map(({ at, text }) => (
            <li key={at}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The marks are those of the days of the axis. */
type BarsProps = { context: ViewContext; marks: readonly DayMark[]; axis: DayAxis };

/** Returns `undefined` for a day before the history of the service. */
function kindOf({ begun, measured, minutesDown, failedPercent }: DayMark): Kind | undefined {
  if (!begun) return undefined;
  if (!measured) return 'unmeasured';
  if (minutesDown > 0) return 'down';
  return failedPercent > 0 ? 'failed' : 'good';
}

const isTroubled = ({ minutesDown, failedPercent }: DayMark): boolean => minutesDown > 0 || failedPercent > 0;

const drawDay = (at: number, kind: Kind): string =>
  `M${at * pitch + pitch / 2} ${tops[kind]}v${bottom - tops[kind]}`;

/** All days of a kind in one path, with relative moves: the repeated text compresses well. */
function drawDays(marks: readonly DayMark[], kind: Kind): string {
  const length = bottom - tops[kind];
  let path = '';
  let last: number | undefined;
  for (const [at, mark] of marks.entries()) {
    if (kindOf(mark) !== kind) continue;
    path +=
      last === undefined
        ? drawDay(at, kind)
        : `m${(at - last) * pitch}${length === 0 ? ' 0' : -length}v${length}`;
    last = at;
  }
  return path;
}

/** Such as `Last 90 days: downtime on 2 days; 3 days were not measured`, or `Since 21 November: no downtime`. */
function labelDays({ texts, format }: ViewContext, marks: readonly DayMark[], axis: DayAxis): string {
  const begun = marks.filter((mark) => mark.begun);
  const downDays = begun.filter(({ minutesDown }) => minutesDown > 0).length;
  const unmeasured = begun.filter(({ measured }) => !measured).length;
  if (unmeasured === begun.length) return texts.unmeasuredDays(begun.length);
  const isWhole = axis.isWhole && begun.length === marks.length;
  const time = isWhole ? texts.lastDays(marks.length) : texts.since(format.day(begun[0]?.day ?? ''));
  const label = downDays === 0 ? texts.bars.good(time) : texts.bars.down(time, downDays);
  return unmeasured === 0 ? label : `${label}; ${texts.unmeasuredDays(unmeasured)}`;
}

/** Such as `12 November: 12 minutes down, 0.83% of checks failed`. */
function describeDay({ texts, format }: ViewContext, { day, minutesDown, failedPercent }: DayMark): string {
  const down = texts.day.down.replace('{duration}', format.duration(minutesDown * 60_000));
  const failed = texts.day.failed.replace('{rate}', format.percent(failedPercent));
  const parts = [...(minutesDown > 0 ? [down] : []), ...(failedPercent > 0 ? [failed] : [])];
  return `${format.day(day)}: ${parts.join(', ')}`;
}
