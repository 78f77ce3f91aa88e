import { useCallback, useMemo, useRef } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import type { Column } from '../table/column.js';
import { ChartFrame } from './chart-frame.js';
import { ChartTable } from './chart-table.js';
import { drawHeat } from './draw-heat.js';
import { heatLevel, heatThresholds, largestCount } from './heat.js';
import { type DrawnNotes, drawnNotes, stepText, unfinishedText } from './kept.js';
import { UnfinishedItem } from './legend.js';
import { eventsAt, middleOf, newestIndex, speechOf, type TimeAxis, xOf } from './model.js';
import { PlotMarks, PlotSpans, PlotUnfinished } from './plot-events.js';
import { chartHeight, type HeatMapProps } from './props.js';
import { type Place, Surface } from './surface.js';
import { chartTexts } from './texts.js';
import { useThemeColours } from './theme-colours.js';
import { TooltipText } from './tooltip-text.js';
import { useAxis } from './use-axis.js';
import { useDrawn, useWidth } from './use-drawn.js';
import { useShaded } from './use-shaded.js';

/** The heat map itself; see time-chart.tsx. */
export function HeatMapView(props: HeatMapProps) {
  const { title, values } = props;
  const axis = useAxis(props);
  const thresholds = useMemo(() => heatThresholds(largestCount(values)), [values]);
  const { keptFrom, unfinishedFrom } = props.notes ?? {};
  const notes = useMemo(() => drawnNotes(props.notes, axis), [keptFrom, unfinishedFrom, axis]);
  return (
    <ChartFrame
      {...{ title, notes, onZoom: props.onZoom }}
      legend={
        <HeatLegend counted={props.counted} thresholds={thresholds} unfinished={notes.unfinishedFrom} />
      }
      table={<BucketTable {...{ props, notes }} />}
      picture={(picking) => <Plot {...{ props, axis, notes, thresholds, ...picking }} />}
    />
  );
}

/** The legend of the strengths of the colour. */
type HeatLegendProps = { counted: string; thresholds: readonly number[]; unfinished: number | undefined };

function HeatLegend({ counted, thresholds, unfinished }: HeatLegendProps) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  return (
    <ul class="chart-legend heat-legend" aria-label={texts.colours}>
      <li>{counted}</li>
      {thresholds.map((threshold, i) => (
        <li key={threshold}>
          <Swatch level={heatLevel(threshold, thresholds)} />
          {i === thresholds.length - 1
            ? texts.many({ count: format.count(threshold) })
            : format.count(threshold)}
        </li>
      ))}
      <li>
        <Swatch level={0} />
        {texts.gap}
      </li>
      <UnfinishedItem from={unfinished} />
    </ul>
  );
}

function Swatch({ level }: { level: number }) {
  return (
    <svg class={`heat-swatch heat-${level}`} viewBox="0 0 14 14" aria-hidden="true">
      <rect width="14" height="14" />
      {level === 0 && <path d="M0 7 7 0M0 14 14 0M7 14l7-7" />}
    </svg>
  );
}

type PlotProps = {
  props: HeatMapProps;
  axis: TimeAxis;
  notes: DrawnNotes;
  thresholds: readonly number[];
  isPicking: boolean;
  onZoom(from: number, to: number): void;
};

function Plot({ props, axis, notes, thresholds, isPicking, onZoom }: PlotProps) {
  const { title, rows, values, marks = [], height = chartHeight } = props;
  const shaded = useShaded(props.shaded, notes, axis);
  const format = useFormat();
  const colours = useThemeColours();
  const box = useRef<HTMLDivElement>(null);
  const target = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const draw = useCallback(
    (element: HTMLElement) =>
      drawHeat(element, { axis, rows, values, thresholds, colours, format, size: { width, height } }),
    [axis, rows, values, thresholds, colours, format, width, height],
  );
  const drawn = useDrawn(target, width > 0 ? draw : undefined);
  const describe = useCellWords({ ...props, shaded }, axis, notes);
  const totals = useMemo(() => values.map((counts) => counts?.length ?? null), [values]);
  return (
    <div class="plot" ref={box} style={{ height: `${height}px` }}>
      {drawn !== undefined && <PlotSpans box={drawn.box} axis={axis} spans={shaded} />}
      <div class="plot-picture" ref={target} aria-hidden="true" />
      {drawn !== undefined && notes.unfinishedFrom !== undefined && (
        <PlotUnfinished box={drawn.box} axis={axis} from={notes.unfinishedFrom} />
      )}
      {drawn !== undefined && <PlotMarks {...{ box: drawn.box, axis, marks }} limit={undefined} />}
      {drawn !== undefined && axis.times.length > 0 && (
        <Surface
          {...{ title, axis, isPicking, onZoom, box: drawn.box, rows: rows.length }}
          start={newestIndex(axis, [totals], Date.now())}
          pointer={({ index, row }) => {
            if (row < 0) return null;
            const left = xOf(axis, drawn.box.width, middleOf(axis, index) - axis.stepMs / 2);
            const right = xOf(axis, drawn.box.width, middleOf(axis, index) + axis.stepMs / 2);
            const top = drawn.yOf(row + 1);
            return (
              <rect
                class="heat-cell"
                x={left - 1}
                y={top - 1}
                width={Math.max(3, right - left + 1)}
                height={drawn.yOf(row) - top + 1}
              />
            );
          }}
          tooltip={(place) => {
            const { time, cell, further } = describe(place);
            return (
              <TooltipText time={time} further={further}>
                <div>
                  <dt>{cell.label}</dt>
                  <dd>{cell.value}</dd>
                </div>
              </TooltipText>
            );
          }}
          speech={(place) => {
            const { time, cell, further } = describe(place);
            return speechOf(time, [`${cell.label} ${cell.value}`], further);
          }}
        />
      )}
    </div>
  );
}

/** The words for a cell: its bucket and count, its share of the step, and the total of the step. */
function useCellWords(
  { times, rows, values, counted, marks = [], shaded = [] }: HeatMapProps,
  axis: TimeAxis,
  notes: DrawnNotes,
) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  return ({ index, row }: Place) => {
    const time = format.moment(times[index] ?? 0);
    const counts = values[index] ?? null;
    const label = rows[row]?.label ?? '';
    const events = [
      ...eventsAt(axis, index, { marks, shaded }),
      ...unfinishedText(notes, times[index], texts),
    ];
    if (counts === null) return { time, cell: { label, value: texts.gap }, further: events };
    const count = counts[row] ?? 0;
    const all = counts.reduce((sum, one) => sum + one, 0);
    return {
      time,
      cell: { label, value: format.count(count) },
      further: [
        texts.partOf({
          share: all === 0 ? format.share(0) : format.share(count / all),
          all: `${format.count(all)} ${counted}`,
        }),
        ...events,
      ],
    };
  };
}

function BucketTable({ props, notes }: Pick<PlotProps, 'props' | 'notes'>) {
  const { title, times, rows, values } = props;
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const columns: Column<number>[] = [
    {
      ...{ key: 'time', title: texts.time },
      value: (i) => new Date(times[i] ?? 0).toISOString(),
      cell: (i) => stepText(notes, times[i] ?? 0, { ...format, texts }),
    },
    ...rows.map(
      ({ axis }, row): Column<number> => ({
        ...{ key: axis, title: axis, isFigure: true },
        value: (i) => values[i]?.[row] ?? null,
        cell: (i) => (values[i] == null ? texts.gap : format.count(values[i][row] ?? 0)),
      }),
    ),
  ];
  return <ChartTable title={title} columns={columns} rows={times.map((_, i) => i)} />;
}
