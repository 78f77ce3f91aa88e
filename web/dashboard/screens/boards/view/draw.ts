import type { Format } from '../../../format.js';
import type { ChartNotes } from '../../../kit/chart/kept.js';
import type { ChartUnit } from '../../../kit/chart/model.js';
import {
  columnsOf,
  type Lines,
  linesOf,
  notesOf,
  numberOf,
  type ResultColumn,
  type SqlResult,
  textOf,
  timeOfCell,
} from '../../sql/result-shape.js';
import type { ShownTile } from '../known.js';
import type { Buckets, Sheet } from './sheet.js';

/** Pixels of a row of the grid, and between two; the styles have the same. */
export const [rowPx, gapPx] = [56, 12] as const;
/** Pixels of the head of a tile with its border, of the legend of a chart with the padding, and of a note below it. */
const [headPx, legendPx, notePx] = [42, 46, 22] as const;
const plotPxMin = 72;

/** Returns the fewest rows of the grid in which a display is readable. */
export function leastHeight(display: ShownTile['display']): number {
  return display === 'line' || display === 'bar' || display === 'heatmap' ? 3 : 2;
}

/** Returns the pixels of the plot of a tile, which leaves room for some notes below it. */
export function plotHeight({ height }: Pick<ShownTile, 'height'>, notes = 0): number {
  return Math.max(plotPxMin, height * rowPx + (height - 1) * gapPx - headPx - legendPx - notes * notePx);
}

/** Whether a chart begins before its figures are kept, which it says in a note below it. */
export function beginsBeforeKept({ keptFrom }: ChartNotes, times: readonly number[]): boolean {
  return keptFrom !== null && Date.parse(keptFrom) > (times[0] ?? 0);
}

/** The columns of numbers that a tile draws: the one that it names, or all. */
export function onlyValue({ meta, data, rows }: SqlResult, value: string | undefined): SqlResult {
  const columns = columnsOf({ meta });
  if (!columns.some(({ name, kind }) => name === value && kind === 'number')) return { meta, data, rows };
  const kept = columns.filter(({ name, kind }) => kind !== 'number' || name === value);
  return { meta: kept.map(({ name, type }) => ({ name, type })), data, rows };
}

/** Returns the names of the columns of numbers. */
export function numbersOf(result: Pick<SqlResult, 'meta'>): string[] {
  return columnsOf(result).flatMap(({ name, kind }) => (kind === 'number' ? [name] : []));
}

/** Returns the unit of a tile where it draws one column of numbers; the names of several say theirs. */
export function ownUnit(names: readonly string[], unit: string | undefined): string | undefined {
  return names.length === 1 ? unit : undefined;
}

/** The unit of a column, which its name says unless the tile does. A share from 0 to 1 is one in percent, too. */
export function unitOf(name: string, unit: string | undefined): ChartUnit {
  if (unit === 'ms' || (unit === undefined && /(_ms|Ms)$/.test(name))) return 'ms';
  const isShare = /^(errorShare|failureRate|share|utilisation)$|_share$/.test(name);
  if (isShare && (unit === undefined || unit === '%')) return 'share';
  if (unit !== undefined) return 'number';
  return /PerSecond$|_per_second$/.test(name) ? 'perSecond' : 'number';
}

/** Writes a number of a column with the unit of the tile, such as `99.95 %`. */
export function writeNumber(
  value: number,
  name: string,
  { unit, format }: { unit: string | undefined; format: Format },
): string {
  const known = unitOf(name, unit);
  const written = format[known](value);
  return known === 'number' && unit !== undefined ? `${written} ${unit}` : written;
}

/** Series with the columns of numbers that they are of: their own, or the only one. */
export type DrawnLines = Lines & { names: readonly string[] };

/** The series of a tile; `undefined` when it has no time that is an axis. */
export function tileLines(
  { result, isStatement, isOverTime }: Sheet,
  { value }: Pick<ShownTile, 'value'>,
): DrawnLines | undefined {
  if (!isOverTime) return undefined;
  // Figures over time have many numbers, of different units.
  const drawn = onlyValue(result, value ?? (isStatement ? undefined : numbersOf(result)[0]));
  const lines = linesOf(drawn);
  return lines && { ...lines, names: numbersOf(drawn) };
}

/** Says which steps of a chart, read at `at`, are not over and which are no longer kept. */
export function notesFor({ notes }: Sheet, lines: Lines, at: number): ChartNotes {
  return notes ?? notesOf(lines, at);
}

/** A number of a tile: `now`, or `text` for what is none. `step` is the start of its step in milliseconds. */
type TileNumber = {
  name: string;
  now: number | null;
  text: string | null;
  before: number | null;
  step: number | undefined;
};

/**
 * The number of a tile, in the column that it names or the first one of numbers: of the newest step that is over, where
 * time is an axis, and of the first row otherwise. `at` is when it was read.
 */
export function tileNumber(
  sheet: Sheet,
  { value }: Pick<ShownTile, 'value'>,
  at: number,
): TileNumber | undefined {
  const { result, before } = sheet;
  const columns = columnsOf(result);
  const column =
    columns.find(({ name }) => name === value) ?? columns.find(({ kind }) => kind === 'number') ?? columns[0];
  const [row] = result.data;
  if (column === undefined || row === undefined) return undefined;
  const { name, kind } = column;
  const lines = kind === 'number' ? tileLines(sheet, { value: name }) : undefined;
  if (lines !== undefined) {
    return { name, text: null, before: null, ...newestStep(lines, notesFor(sheet, lines, at)) };
  }
  const cell = row[name];
  return { name, now: numberOf(cell), text: textOf(cell), before: numberOf(before?.[name]), step: undefined };
}

/** The newest step with a value, of the first series; one that is not over only where no other one is there. */
function newestStep(
  { times, series }: Lines,
  { unfinishedFrom }: ChartNotes,
): Pick<TileNumber, 'now' | 'step'> {
  const end = unfinishedFrom === null ? Number.POSITIVE_INFINITY : Date.parse(unfinishedFrom);
  const known = times.flatMap((step, i) => {
    const now = series[0]?.values[i] ?? null;
    return now === null ? [] : [{ now, step }];
  });
  return known.findLast(({ step }) => step < end) ?? known.at(-1) ?? { now: null, step: undefined };
}

/**
 * A heat map with few enough rows for its height. Each row goes up to its bound; the last one may have none. `bucket` is
 * the name of the column of the bounds.
 */
export type Heat = Pick<Buckets, 'times' | 'stepSeconds'> & {
  bucket: string;
  rows: readonly { label: string; upTo: number | null }[];
  values: readonly (readonly number[] | null)[];
};

/** Returns the heat map of a tile, with neighbouring buckets as one where there are more than `rowsMax`. */
export function tileHeat(
  { result, buckets, isOverTime }: Sheet,
  { value }: Pick<ShownTile, 'value'>,
  rowsMax: number,
): Heat | undefined {
  if (buckets !== undefined) {
    const rows = [...buckets.bounds, null].map((upTo) => ({ label: '', upTo }));
    return mergeRows({ ...buckets, bucket: 'upToMs', rows, values: buckets.counts }, rowsMax);
  }
  if (!isOverTime) return undefined;
  const columns = columnsOf(result);
  const time = columns.find(({ kind }) => kind === 'time');
  const count =
    columns.find(({ name, kind }) => kind === 'number' && name === value) ??
    columns.findLast(({ kind }) => kind === 'number');
  const bucket = columns.find((column) => column !== time && column !== count);
  if (time === undefined || count === undefined || bucket === undefined) return undefined;
  const axis = linesOf(onlyValue(result, count.name));
  if (axis === undefined) return undefined;
  return mergeRows(countCells(result, axis, { time, bucket, count }), rowsMax);
}

type HeatColumns = Record<'time' | 'bucket' | 'count', ResultColumn>;

function countCells({ data }: SqlResult, axis: Lines, { time, bucket, count }: HeatColumns): Heat {
  const cells = data.map((row) => row[bucket.name]);
  const bounds =
    bucket.kind === 'number'
      ? [...new Set(cells.map((cell) => numberOf(cell) ?? 0))].sort((a, b) => a - b)
      : undefined;
  const labels = bounds?.map(String) ?? [...new Set(cells.map((cell) => textOf(cell) ?? '–'))];
  const places = new Map(labels.map((label, i) => [label, i]));
  const steps = new Map(axis.times.map((at, i) => [at, i]));
  const values: (number[] | null)[] = axis.times.map(() => null);
  for (const row of data) {
    const step = steps.get(timeOfCell(row[time.name]) ?? Number.NaN);
    const cell = row[bucket.name];
    const place = places.get(bounds === undefined ? (textOf(cell) ?? '–') : String(numberOf(cell) ?? 0));
    if (step === undefined || place === undefined) continue;
    const counts = values[step] ?? labels.map(() => 0);
    counts[place] = (counts[place] ?? 0) + (numberOf(row[count.name]) ?? 0);
    values[step] = counts;
  }
  return {
    ...{ times: axis.times, stepSeconds: axis.stepSeconds, bucket: bucket.name, values },
    rows: labels.map((label, i) => ({ label, upTo: bounds?.[i] ?? null })),
  };
}

function mergeRows(heat: Heat, rowsMax: number): Heat {
  const size = Math.ceil(heat.rows.length / Math.max(1, rowsMax));
  if (size <= 1) return heat;
  const isLast = (_: unknown, i: number) => (i + 1) % size === 0 || i === heat.rows.length - 1;
  return {
    ...heat,
    rows: heat.rows.filter(isLast),
    values: heat.values.map((counts) => {
      if (counts === null) return null;
      const merged = Array.from({ length: Math.ceil(counts.length / size) }, () => 0);
      for (const [i, count] of counts.entries()) {
        const row = Math.floor(i / size);
        merged[row] = (merged[row] ?? 0) + count;
      }
      return merged;
    }),
  };
}
