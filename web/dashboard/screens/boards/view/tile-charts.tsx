import { useMemo } from 'preact/hooks';
import { type Format, useFormat } from '../../../format.js';
import type { ChartNotes } from '../../../kit/chart/kept.js';
import type { ChartColour } from '../../../kit/chart/model.js';
import { HeatMap, TimeChart } from '../../../kit/chart/time-chart.js';
import { useTexts } from '../../../texts.js';
import { type Lines, notesOf } from '../../sql/result-shape.js';
import type { ShownTile } from '../known.js';
import { type BoardsTexts, boardsTexts } from '../texts.js';
import { useColumnName } from './column-name.js';
import { type Heat, plotHeight, unitOf, writeNumber } from './draw.js';
import type { Sheet } from './sheet.js';

type LinesProps = { tile: ShownTile; sheet: Sheet; lines: Lines; at: number };

/** Lines, or bars that stand on each other. */
export function TileLines({ tile, sheet, lines, at }: LinesProps) {
  const { display, title, unit } = tile;
  const nameOf = useColumnName(sheet);
  const format = useFormat();
  const series = useMemo(
    () =>
      lines.series.map((one) => ({
        ...one,
        label: nameOf(one.label),
        colour: colourOf(one.key),
        ...(unit !== undefined &&
          unit !== 'ms' && { text: (value: number) => writeNumber(value, one.key, { unit, format }) }),
      })),
    [lines, unit, format, nameOf],
  );
  return (
    <TimeChart
      kind={display === 'bar' ? 'bars' : 'lines'}
      {...{ title, series, times: lines.times, stepSeconds: lines.stepSeconds }}
      unit={chartUnit(lines, tile)}
      notes={notesFor(sheet, lines, at)}
      height={plotHeight(tile)}
    />
  );
}

/** Failures are red on every screen. */
function colourOf(key: string): ChartColour | undefined {
  if (key === 'errors' || key === 'failures') return 'bad';
  if (key === 'clientErrors') return 'warn';
  return undefined;
}

function chartUnit({ series }: Lines, { unit, value }: ShownTile): ReturnType<typeof unitOf> {
  const known = unitOf(value ?? series[0]?.key ?? '', unit);
  if (known !== 'number') return known;
  const isWhole = series.every(({ values }) => values.every((one) => one === null || Number.isInteger(one)));
  return isWhole ? 'count' : 'number';
}

function notesFor({ notes }: Sheet, lines: Lines, at: number): ChartNotes {
  return notes ?? notesOf(lines, at);
}

type HeatProps = { tile: ShownTile; sheet: Sheet; heat: Heat; at: number };

/** Buckets over time. */
export function TileHeat({ tile, sheet, heat, at }: HeatProps) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const { times, stepSeconds, values } = heat;
  const rows = useMemo(() => rowsOf(heat, tile.unit, texts, format), [heat, tile.unit, texts, format]);
  return (
    <HeatMap
      {...{ title: tile.title, times, stepSeconds, values, rows }}
      counted={texts.counted}
      notes={notesFor(sheet, { ...heat, series: [], dropped: 0, times: [...times] }, at)}
      height={plotHeight(tile)}
    />
  );
}

function rowsOf({ rows }: Heat, unit: string | undefined, texts: BoardsTexts, format: Format) {
  const write = (value: number) => writeNumber(value, '', { unit, format });
  return rows.map(({ label, upTo }, i) => {
    const below = rows[i - 1]?.upTo ?? null;
    if (upTo !== null) return { axis: `≤ ${write(upTo)}`, label: texts.upTo({ value: write(upTo) }) };
    if (label !== '' || below === null) return { axis: label, label };
    return { axis: `> ${write(below)}`, label: texts.above({ value: write(below) }) };
  });
}
