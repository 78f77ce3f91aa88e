import { useMemo } from 'preact/hooks';
import { MarkdownText } from '../../../kit/markdown-text.js';
import type { ShownTile } from '../known.js';
import { beginsBeforeKept, plotHeight, tileHeat, tileLines } from './draw.js';
import { Nothing } from './nothing.js';
import { type Sheet, sheetOf } from './sheet.js';
import { TileBars } from './tile-bars.js';
import { TileHeat, TileLines } from './tile-charts.js';
import { TileNumber } from './tile-number.js';
import type { TileData } from './tile-reads.js';
import { TileTable } from './tile-table.js';

type ContentProps = {
  tile: ShownTile;
  data: TileData;
  /** When the data was read. */
  at: number;
};

/** Draws an answer in the display of its tile. */
export function TileContent({ tile, data, at }: ContentProps) {
  if (data.kind === 'text') {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark for each tile.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
      <div class="board-tile-text" role="group" aria-label={tile.title} tabIndex={0}>
        <MarkdownText text={data.text} />
      </div>
    );
  }
  return <TileFigures {...{ tile, data, at }} />;
}

type FiguresProps = ContentProps & { data: Exclude<TileData, { kind: 'text' }> };

function TileFigures({ tile, data, at }: FiguresProps) {
  const sheet = useMemo(() => sheetOf(data, tile.display), [data, tile.display]);
  const { display } = tile;
  if (sheet.result.data.length === 0) return <Nothing />;
  if (display === 'number') return <TileNumber {...{ tile, sheet, at }} />;
  if (display === 'line' || display === 'bar') return <Chart {...{ tile, sheet, at }} />;
  if (display === 'heatmap') return <Heat {...{ tile, sheet, at }} />;
  return <TileTable {...{ tile, sheet }} />;
}

type SheetProps = { tile: ShownTile; sheet: Sheet; at: number };

/** Lines or bars over time; the rows as bars or as a table where time is no axis. */
function Chart({ tile, sheet, at }: SheetProps) {
  const lines = useMemo(() => tileLines(sheet, tile), [sheet, tile.value]);
  if (lines === undefined) {
    return tile.display === 'bar' ? <TileBars {...{ tile, sheet }} /> : <TileTable {...{ tile, sheet }} />;
  }
  if (lines.series.every(({ values }) => values.every((value) => value === null))) return <Nothing />;
  return <TileLines {...{ tile, sheet, lines, at }} />;
}

/** Pixels of the time axis with the padding, and of a row, which has a name beside it. */
const [axisPx, heatRowPx] = [48, 15] as const;

function Heat({ tile, sheet, at }: SheetProps) {
  const { notes, buckets } = sheet;
  const hasNote = notes !== undefined && beginsBeforeKept(notes, buckets?.times ?? []);
  const height = plotHeight(tile, Number(hasNote));
  const rowsMax = Math.max(2, Math.floor((height - axisPx) / heatRowPx));
  const heat = useMemo(() => tileHeat(sheet, tile, rowsMax), [sheet, tile.value, rowsMax]);
  if (heat === undefined) return <TileTable {...{ tile, sheet }} />;
  if (heat.values.every((counts) => counts === null)) return <Nothing />;
  return <TileHeat {...{ tile, sheet, heat, at, height }} />;
}
