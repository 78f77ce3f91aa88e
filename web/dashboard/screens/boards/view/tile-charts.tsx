import { useMemo } from 'preact/hooks';
import { type Format, useFormat } from '../../../format.js';
import type { ChartColour, ChartUnit } from '../../../kit/chart/model.js';
import { HeatMap, TimeChart } from '../../../kit/chart/time-chart.js';
import { useTexts } from '../../../texts.js';
import type { ShownTile } from '../known.js';
import { type BoardsTexts, boardsTexts } from '../texts.js';
import { useColumnName } from './column-name.js';
import {
  beginsBeforeKept,
  type DrawnLines,
  type Heat,
  notesFor,
  ownUnit,
  plotHeight,
  unitOf,
  writeNumber,
} from './draw.js';
import type { Sheet } from './sheet.js';

type LinesProps = { tile: ShownTile; sheet: Sheet; lines: DrawnLines; at: number };

/** Lines, or bars that stand on each other. */
export function TileLines({ tile, sheet, lines, at }: LinesProps) {
  const { title } = tile;
  const { names, times, stepSeconds, dropped } = lines;
  const unit = ownUnit(names, tile.unit);
  const texts = useTexts(boardsTexts);
  const nameOf = useColumnName(sheet);
  const format = useFormat();
  const series = useMemo(
    () =>
      lines.series.map((one) => {
        // Groups share the only column.
        const isColumn = names.includes(one.key);
        const column = isColumn ? one.key : (names[0] ?? '');
        return {
          ...one,
          label: isColumn ? nameOf(one.label) : one.label,
          colour: colourOf(one.key),
          text: (value: number) => writeNumber(value, column, { unit, format }),
        };
      }),
    [lines, unit, format, nameOf],
  );
  const notes = notesFor(sheet, lines, at);
  const hasDropped = dropped > 0;
  return (
    <>
      <TimeChart
        kind={tile.display === 'bar' ? 'bars' : 'lines'}
        {...{ title, series, times, stepSeconds, notes }}
        unit={chartUnit(lines, unit)}
        height={plotHeight(tile, Number(hasDropped) + Number(beginsBeforeKept(notes, times)))}
      />
      {hasDropped && (
        <p class="note chart-note">
          {texts.someSeries({
            shown: format.count(series.length),
            all: format.count(series.length + dropped),
          })}
        </p>
      )}
    </>
  );
}

/** Failures are red on every screen. */
function colourOf(key: string): ChartColour | undefined {
  if (key === 'errors' || key === 'failures') return 'bad';
  if (key === 'clientErrors') return 'warn';
  return undefined;
}

/** The unit of the axis: that of all columns, or none where they differ. */
function chartUnit({ names, series }: DrawnLines, unit: string | undefined): ChartUnit {
  const [first = 'number', ...others] = names.map((name) => unitOf(name, unit));
  if (first !== 'number' && others.every((one) => one === first)) return first;
  const isWhole = series.every(({ values }) => values.every((one) => one === null || Number.isInteger(one)));
  return isWhole ? 'count' : 'number';
}

type HeatProps = {
  tile: ShownTile;
  sheet: Sheet;
  heat: Heat;
  at: number;
  /** Pixels of the plot. */
  height: number;
};

/** Buckets over time. */
export function TileHeat({ tile, sheet, heat, at, height }: HeatProps) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const { times, stepSeconds, values } = heat;
  const rows = useMemo(() => rowsOf(heat, tile.unit, texts, format), [heat, tile.unit, texts, format]);
  return (
    <HeatMap
      {...{ title: tile.title, times, stepSeconds, values, rows, height }}
      counted={texts.counted}
      notes={notesFor(sheet, { ...heat, series: [], dropped: 0, times: [...times] }, at)}
    />
  );
}

function rowsOf({ rows, bucket }: Heat, unit: string | undefined, texts: BoardsTexts, format: Format) {
  const write = (value: number) => writeNumber(value, bucket, { unit, format });
  return rows.map(({ label, upTo }, i) => {
    const below = rows[i - 1]?.upTo ?? null;
    if (upTo !== null) return { axis: `≤ ${write(upTo)}`, label: texts.upTo({ value: write(upTo) }) };
    if (label !== '' || below === null) return { axis: label, label };
    return { axis: `> ${write(below)}`, label: texts.above({ value: write(below) }) };
  });
}
