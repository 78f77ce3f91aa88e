import type { DayIncident } from '../../../contract/public/status-page.js';
import { clipText } from '../../../lib/clip-text.js';
import { minuteMs } from '../../../lib/times.js';
import { incidentPath } from '../../page-paths.js';
import { encodeIncidents, type PlacedIncident } from '../../state/day-incidents.js';
import { type DayAxis, type DayKind, type DayMark, encodeDays, kindOfDay } from '../../state/day-marks.js';
import { pickFor } from '../incident-parts.js';
import type { ViewContext } from '../view-context.js';

/** Units of the drawing, which stretches to the available width; strokes keep their width. */
const pitch = 10;
const height = 40;
const bottom = 36;

/** The top of each bar: a worse day has a taller bar, so that it shows without colour. */
const tops: Readonly<Record<DayKind, number>> = {
  good: 20,
  failed: 20,
  degraded: 20,
  'down-1': 14,
  'down-2': 9.5,
  'down-3': 5.5,
  'down-4': 2,
  unmeasured: bottom,
};

/** A day with failed checks but without downtime is a good one with a dot above it. */
const failedDot = 13;

/** A day with a problem, or the first day of an incident. */
type Told = { at: number; mark: DayMark; named: readonly DayIncident[] };

/**
 * A bar for each day: low and even for good days, striped for slow ones, taller and darker the longer a service was down, a dot for a day that
 * was not measured. All days of one kind are one path, so that a hundred services of ninety days are few
 * elements. The incidents of a day are named in words, and by the script beside the day.
 */
export function DayBars({ context, marks, axis, placed }: BarsProps) {
  const label = labelDays(context, marks, axis);
  const told = marks.flatMap((mark, at): Told[] => {
    const of = placed.filter(({ from, to }) => from <= at && at <= to).slice(0, namedMax);
    const isTold = isTroubled(mark) || of.some(({ from }) => from === at);
    return isTold ? [{ at, mark, named: of.map(({ incident }) => incident) }] : [];
  });
  return (
    <>
      <div
        class="days"
        data-days={encodeDays(marks)}
        data-from={marks[0]?.day}
        data-columns={axis.columns}
        data-incidents={placed.length > 0 ? encodeIncidents(placed) : undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move from day to day in it.
        tabIndex={0}
        role="img"
        aria-label={label}
        {...context.own}
      >
        <svg viewBox={`0 0 ${axis.columns * pitch} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {[...drawDays(marks)].map(([kind, path]) => (
            <path key={kind} class={kind} d={path} />
          ))}
        </svg>
      </div>
      {told.length > 0 && (
        <ul class="visually-hidden" {...context.own}>
          {told.map(({ at, mark, named }) => (
            <li key={at}>
              {describeDay(context, mark)}
              {named.map((incident) => (
                <span key={incident.id}>
                  {' '}
                  <IncidentLink context={context} incident={incident} tabIndex={-1} />
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** A day names at most as many incidents. */
const namedMax = 5;
const titleCharsMax = 80;

type LinkProps = { context: ViewContext; incident: DayIncident; tabIndex?: -1 };

/** In a text that only screen readers read, a link is not a stop of the Tab key: nobody would see where the focus is. */
export function IncidentLink({ context, incident, tabIndex }: LinkProps) {
  const title = pickFor(context, incident.title);
  return (
    <a href={incidentPath(context.view.language, incident.id)} tabIndex={tabIndex} {...title.mark}>
      {clipText(title.text, titleCharsMax)}
    </a>
  );
}

/** One mark for each day of the axis. */
type BarsProps = {
  context: ViewContext;
  marks: readonly DayMark[];
  axis: DayAxis;
  placed: readonly PlacedIncident[];
};

const isTroubled = ({ minutesDown, minutesDegraded, failedPercent }: DayMark): boolean =>
  minutesDown > 0 || minutesDegraded > 0 || failedPercent > 0;

/** A path for each kind. It moves from one day to the next of its kind: the repeated text compresses well. */
function drawDays(marks: readonly DayMark[]): Map<DayKind, string> {
  const paths = new Map<DayKind, string>();
  const lasts = new Map<DayKind, number>();
  for (const [at, mark] of marks.entries()) {
    const kind = kindOfDay(mark);
    if (kind === undefined) continue;
    const last = lasts.get(kind);
    paths.set(kind, `${paths.get(kind) ?? ''}${moveTo(kind, at, last)}${barOf(kind)}`);
    lasts.set(kind, at);
  }
  return paths;
}

/** To the top of the bar of a day, from the bottom of the one before it. */
function moveTo(kind: DayKind, at: number, last: number | undefined): string {
  const top = kind === 'failed' ? failedDot : tops[kind];
  if (last === undefined) return `M${at * pitch + pitch / 2} ${top}`;
  return `m${(at - last) * pitch}${top === bottom ? ' 0' : top - bottom}`;
}

/** A line without length is a dot. */
function barOf(kind: DayKind): string {
  const dot = kind === 'failed' ? `v0m0 ${tops.failed - failedDot}` : '';
  return `${dot}v${bottom - tops[kind]}`;
}

/** Such as `Last 90 days: downtime on 2 days; 3 days were not measured`, or `Since 21 November: no downtime`. */
function labelDays({ texts, format }: ViewContext, marks: readonly DayMark[], axis: DayAxis): string {
  const begun = marks.filter((mark) => mark.begun);
  const downDays = begun.filter(({ minutesDown }) => minutesDown > 0).length;
  const unmeasured = begun.filter(({ measured }) => !measured).length;
  if (unmeasured === begun.length) return texts.unmeasuredDays({ days: begun.length });
  const isWhole = axis.isWhole && begun.length === marks.length;
  const time = isWhole
    ? texts.lastDays({ days: marks.length })
    : texts.since({ day: format.day(begun[0]?.day ?? '') });
  const label = downDays === 0 ? texts.bars.good({ time }) : texts.bars.down({ time, downDays });
  return unmeasured === 0 ? label : `${label}; ${texts.unmeasuredDays({ days: unmeasured })}`;
}

/** Such as `12 November: 12 minutes down, 0.83% of checks failed`. */
function describeDay(
  { texts, format }: ViewContext,
  { day, measured, minutesDown, minutesDegraded, failedPercent }: DayMark,
): string {
  const duration = (minutes: number) => format.duration(minutes * minuteMs);
  const parts = [
    ...(minutesDown > 0 ? [texts.day.down({ duration: duration(minutesDown) })] : []),
    ...(minutesDegraded > 0 ? [texts.day.degraded({ duration: duration(minutesDegraded) })] : []),
    ...(failedPercent > 0 ? [texts.day.failed({ rate: format.percent(failedPercent) })] : []),
  ];
  if (parts.length === 0) parts.push(measured ? texts.day.good : texts.day.unmeasured);
  return `${format.day(day)}: ${parts.join(', ')}`;
}
