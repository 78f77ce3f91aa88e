import { useMemo, useState } from 'preact/hooks';
import { useFormat } from '../../format.js';
import { useTexts } from '../../texts.js';
import type { Column } from '../table/column.js';
import { ChartFrame } from './chart-frame.js';
import { ChartTable } from './chart-table.js';
import { usePointed } from './crosshair.js';
import { type DrawnNotes, drawnNotes, stepText } from './kept.js';
import { Legend } from './legend.js';
import * as model from './model.js';
import type { TimeChartProps } from './props.js';
import { chartTexts } from './texts.js';
import { type PlacedSeries, TimePlot } from './time-plot.js';
import { useAxis } from './use-axis.js';

const colourOrder = ['1', '2', '3', '4', '5', '6'] as const;

/** The chart itself; see time-chart.tsx. */
export function TimeChartView(props: TimeChartProps) {
  const { title, times, stepSeconds, series } = props;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const axis = useAxis(props);
  const placed = useMemo(
    () =>
      series.map((one, place) => ({
        ...one,
        place,
        colour: one.colour ?? colourOrder[place % colourOrder.length] ?? '1',
      })),
    [series],
  );
  const shown = useMemo(() => placed.filter(({ key }) => !hidden.has(key)), [placed, hidden]);
  const toggle = (key: string) =>
    setHidden(
      (current) => new Set(current.has(key) ? [...current].filter((one) => one !== key) : [...current, key]),
    );
  const { keptFrom, unfinishedFrom } = props.notes ?? {};
  const notes = useMemo(() => drawnNotes(props.notes, axis), [keptFrom, unfinishedFrom, axis]);
  return (
    <ChartFrame
      {...{ title, notes, stepSeconds, points: times.length, onZoom: props.onZoom }}
      legend={<ChartLegend {...{ props, axis, notes, placed, hidden }} onToggle={toggle} />}
      table={<SeriesTable {...{ props, notes, placed }} />}
      picture={(picking) => <TimePlot {...{ props, axis, notes, shown, ...picking }} />}
    />
  );
}

type LegendPartProps = {
  props: TimeChartProps;
  axis: model.TimeAxis;
  notes: DrawnNotes;
  placed: readonly PlacedSeries[];
  hidden: ReadonlySet<string>;
  onToggle(key: string): void;
};

/** Values of the step that is pointed at in any chart, and of the newest one otherwise. */
function ChartLegend({ props: { unit }, axis, notes, placed, hidden, onToggle }: LegendPartProps) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const pointed = usePointed();
  const newest = useMemo(
    () =>
      model.newestIndex(
        axis,
        placed.map(({ values }) => values),
        Date.now(),
      ),
    [axis, placed],
  );
  const index = pointed === undefined ? newest : model.indexAt(axis, pointed.at);
  const at = index === undefined ? undefined : axis.times[index];
  const items = placed.map((one) => ({
    ...one,
    colour: model.colourOf(one, index),
    value: index === undefined ? '' : model.valueText(one, index, { format, unit, none: '–' }),
  }));
  return (
    <Legend
      time={at === undefined ? '' : texts.newest({ time: format.moment(at) })}
      items={items}
      unfinished={notes.unfinishedFrom}
      hidden={hidden}
      onToggle={onToggle}
    />
  );
}

type TableProps = Pick<LegendPartProps, 'props' | 'notes' | 'placed'>;

function SeriesTable({ props: { title, times, unit }, notes, placed }: TableProps) {
  const texts = useTexts(chartTexts);
  const format = useFormat();
  const columns: Column<number>[] = [
    {
      ...{ key: 'time', title: texts.time },
      value: (i) => new Date(times[i] ?? 0).toISOString(),
      cell: (i) => stepText(notes, times[i] ?? 0, { ...format, texts }),
    },
    ...placed.map(
      (one): Column<number> => ({
        ...{ key: one.key, title: one.label, isFigure: true },
        value: (i) => one.values[i] ?? null,
        cell: (i) => model.valueText(one, i, { format, unit, none: texts.noData }),
      }),
    ),
  ];
  return <ChartTable title={title} columns={columns} rows={times.map((_, i) => i)} />;
}
