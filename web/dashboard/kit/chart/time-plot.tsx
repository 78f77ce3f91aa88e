import { useCallback, useMemo, useRef } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import { type Drawn, drawChart } from './draw.js';
import { type DrawnNotes, unfinishedIndex, unfinishedText } from './kept.js';
import { Marker, shapeOf } from './legend.js';
import * as model from './model.js';
import { PlotMarks, PlotSpans, PlotUnfinished } from './plot-events.js';
import { chartHeight, type TimeChartProps } from './props.js';
import { type Place, Surface } from './surface.js';
import { chartTexts } from './texts.js';
import { useThemeColours } from './theme-colours.js';
import { TooltipText } from './tooltip-text.js';
import { useDrawn, useWidth } from './use-drawn.js';
import { useShaded } from './use-shaded.js';

/** Lines differ in more than their colour. */
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [5, 2], [1, 2]];
const dashOfBeside = [4, 4];
/** A series with what it has by its place: that stays when another one is left out. */
export type PlacedSeries = model.ChartSeries & { place: number; colour: model.ChartColour };

type TimePlotProps = {
  props: TimeChartProps;
  axis: model.TimeAxis;
  notes: DrawnNotes;
  /** The series that are not left out. */
  shown: readonly PlacedSeries[];
  isPicking: boolean;
  onZoom(from: number, to: number): void;
};

/** The picture of a time series, with what happened besides, the cursor and its words. */
export function TimePlot({ props, axis, notes, shown, isPicking, onZoom }: TimePlotProps) {
  const { title, kind = 'lines', marks = [], limit, height = chartHeight } = props;
  const box = useRef<HTMLDivElement>(null);
  const target = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const heights = useHeights(shown, kind);
  const runningFrom = unfinishedIndex(notes, axis);
  const draw = useDrawing({ props, axis, shown, heights, width, runningFrom });
  const drawn = useDrawn(target, width > 0 ? draw : undefined);
  const shaded = useShaded(props.shaded, notes, axis);
  const words = useStepWords({ ...props, shaded }, axis, { notes, shown });
  const start = model.newestIndex(
    axis,
    shown.map(({ values }) => values),
    Date.now(),
  );
  return (
    <div class="plot" ref={box} style={{ height: `${height}px` }}>
      {drawn !== undefined && <PlotSpans box={drawn.box} axis={axis} spans={shaded} />}
      <div class="plot-picture" ref={target} aria-hidden="true" />
      {drawn !== undefined && notes.unfinishedFrom !== undefined && (
        <PlotUnfinished box={drawn.box} axis={axis} from={unfinishedX(notes.unfinishedFrom, axis, kind)} />
      )}
      {drawn !== undefined && (
        <PlotMarks
          {...{ box: drawn.box, axis, marks }}
          limit={limit === undefined ? undefined : { label: limit.label, y: drawn.yOf(limit.value) }}
        />
      )}
      {drawn !== undefined && axis.times.length > 0 && (
        <Surface
          {...{ title, axis, isPicking, onZoom, start, box: drawn.box }}
          pointer={({ index }) => <Points {...{ axis, shown, heights, drawn, index }} />}
          {...words}
        />
      )}
    </div>
  );
}

/** Lines join the middles of steps, so the second half of the step before is not over either. */
function unfinishedX(from: number, { stepMs }: model.TimeAxis, kind: Kind): number {
  return kind === 'bars' ? from : from - stepMs / 2;
}

type Heights = readonly (readonly model.ChartValue[])[];
type Kind = TimeChartProps['kind'];

/** The values as they are drawn; a stack adds them up. */
function useHeights(shown: readonly PlacedSeries[], kind: Kind): Heights {
  return useMemo(() => {
    const rows = shown.map(({ values }) => values);
    if (kind !== 'bars' && kind !== 'areas') return rows;
    const own = shown.filter(({ isBeside }) => isBeside !== true).length;
    return [...model.stackValues(rows.slice(0, own)), ...rows.slice(own)];
  }, [shown, kind]);
}

type DrawingOptions = Pick<TimePlotProps, 'props' | 'axis' | 'shown'> & {
  heights: Heights;
  width: number;
  runningFrom: number | undefined;
};

/** Draws the series; another function whenever they look different. */
function useDrawing(options: DrawingOptions): (target: HTMLElement) => Drawn {
  const { props, axis, shown, heights, width, runningFrom } = options;
  const { unit, scale = 'linear', kind = 'lines', limit, height = chartHeight } = props;
  const format = useFormat();
  const colours = useThemeColours();
  const reach = limit?.value;
  return useCallback(
    (target) => {
      const series = shown.map(({ colour, levels, place, isBeside = false }, i) => ({
        ...{ colour, levels, place, isBeside, values: heights[i] ?? [] },
        dash: isBeside ? dashOfBeside : (dashes[place % dashes.length] ?? []),
      }));
      const size = { width, height };
      const data = { axis, series, runningFrom, reach };
      return drawChart(target, { kind, unit, scale, colours, format, size, ...data });
    },
    [kind, unit, scale, axis, shown, heights, runningFrom, colours, format, reach, width, height],
  );
}

/** The figures of a step, for the tooltip and for screen readers. */
function useStepWords(
  { unit, kind, marks = [], shaded = [], noteAt }: TimeChartProps,
  axis: model.TimeAxis,
  { notes, shown }: Pick<TimePlotProps, 'notes' | 'shown'>,
) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const timeOf = (index: number) => format.moment(axis.times[index] ?? 0);
  const values = (index: number, none: string) =>
    shown.map((one) => ({
      ...one,
      colour: model.colourOf(one, index),
      value: model.valueText(one, index, { format, unit, none }),
    }));
  const further = (index: number) => [
    ...model.eventsAt(axis, index, { marks, shaded }),
    ...unfinishedText(notes, axis.times[index], texts),
    ...[noteAt?.(index)].filter((note) => note !== undefined),
  ];
  // As in the picture: the top of a stack first.
  const inOrder = <T,>(rows: readonly T[]) =>
    kind === undefined || kind === 'lines' ? rows : rows.toReversed();
  return {
    tooltip: ({ index }: Place) => (
      <TooltipText time={timeOf(index)} further={further(index)}>
        {inOrder(values(index, '–')).map((one) => (
          <TooltipRow {...one} key={one.key} />
        ))}
      </TooltipText>
    ),
    speech: ({ index }: Place) =>
      model.speechOf(
        timeOf(index),
        values(index, texts.noData).map(({ label, value }) => `${label} ${value}`),
        further(index),
      ),
  };
}

type PointsProps = Pick<TimePlotProps, 'axis' | 'shown'> & { heights: Heights; drawn: Drawn; index: number };

/** The shapes of the series where the cursor is. */
function Points({ axis, shown, heights, drawn, index }: PointsProps) {
  const x = model.xOf(axis, drawn.box.width, model.middleOf(axis, index));
  return shown.map((one, i) => {
    const { key, place } = one;
    const value = heights[i]?.[index] ?? null;
    const y = value === null ? Number.NaN : drawn.yOf(value);
    // A logarithmic axis has no place for 0.
    if (!Number.isFinite(y)) return null;
    return (
      <path
        key={key}
        class={`plot-point chart-ink-${model.colourOf(one, index)}`}
        transform={`translate(${x} ${y})`}
        d={shapeOf(place)}
      />
    );
  });
}

function TooltipRow({ label, place, colour, value }: PlacedSeries & { value: string }) {
  return (
    <div>
      <dt>
        <Marker place={place} colour={colour} />
        <span dir="auto">{label}</span>
      </dt>
      <dd>{value}</dd>
    </div>
  );
}
