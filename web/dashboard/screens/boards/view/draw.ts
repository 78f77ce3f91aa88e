import type { Format } from '../../../format.js';
import type { ChartUnit } from '../../../kit/chart/model.js';
import {
  columnsOf,
  type Lines,
  linesOf,
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
/** Pixels of the head of a tile with its border, and of the legend of a chart with the padding. */
const [headPx, legendPx] = [42, 46] as const;

/** Pixels of the plot of a tile. */
export function plotHeight({ height }: Pick<ShownTile, 'height'>): number {
  return Math.max(72, height * rowPx + (height - 1) * gapPx - headPx - legendPx);
}

/** The columns of numbers that a tile draws: the one that it names, or all. */
export function onlyValue({ meta, data, rows }: SqlResult, value: string | undefined): SqlResult {
  const columns = columnsOf({ meta });
  if (!columns.some(({ name, kind }) => name === value && kind === 'number')) return { meta, data, rows };
  const kept = columns.filter(({ name, kind }) => kind !== 'number' || name === value);
  return { meta: kept.map(({ name, type }) => ({ name, type })), data, rows };
}

/** The unit of a column, which its name says unless the tile does. */
export function unitOf(name: string, unit: string | undefined): ChartUnit {
  if (unit === 'ms' || (unit === undefined && /(_ms|Ms)$/.test(name))) return 'ms';
  if (unit !== undefined) return 'number';
  if (/^(errorShare|failureRate|share|utilisation)$|_share$/.test(name)) return 'share';
  if (/PerSecond$|_per_second$/.test(name)) return 'perSecond';
  return 'number';
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

/** The series of a tile; `undefined` when it has no time. */
export function tileLines({ result, notes }: Sheet, { value }: Pick<ShownTile, 'value'>): Lines | undefined {
  const first = columnsOf(result).find(({ kind }) => kind === 'number')?.name;
  // Figures over time have many numbers, of different units.
  return linesOf(onlyValue(result, value ?? (notes === undefined ? undefined : first)));
}

/** The number of a tile: of the first row, in the column that it names or the first one of numbers. */
export function tileNumber(
  { result, before }: Sheet,
  { value }: Pick<ShownTile, 'value'>,
): { name: string; now: number | null; text: string | null; before: number | null } | undefined {
  const columns = columnsOf(result);
  const column =
    columns.find(({ name }) => name === value) ?? columns.find(({ kind }) => kind === 'number') ?? columns[0];
  const [row] = result.data;
  if (column === undefined || row === undefined) return undefined;
  const cell = row[column.name];
  return {
    ...{ name: column.name, now: numberOf(cell), text: textOf(cell) },
    before: numberOf(before?.[column.name]),
  };
}

/** A heat map with few enough rows for its height. Each row goes up to its bound; the last one may have none. */
export type Heat = Pick<Buckets, 'times' | 'stepSeconds'> & {
  rows: readonly { label: string; upTo: number | null }[];
  values: readonly (readonly number[] | null)[];
};

/** Returns the heat map of a tile, with neighbouring buckets as one where there are more than `rowsMax`. */
export function tileHeat(
  { result, buckets }: Sheet,
  { value }: Pick<ShownTile, 'value'>,
  rowsMax: number,
): Heat | undefined {
  if (buckets !== undefined) {
    const rows = [...buckets.bounds, null].map((upTo) => ({ label: '', upTo }));
    return mergeRows({ ...buckets, rows, values: buckets.counts }, rowsMax);
  }
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
    ...{ times: axis.times, stepSeconds: axis.stepSeconds, values },
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
