import { type ChartNotes, runningStep } from '../../kit/chart/kept.js';
import { toCsv } from '../../kit/table/to-csv.js';

type Row = Readonly<Record<string, unknown>>;

/** A result as the service gives it in the format JSON. */
export type SqlResult = {
  meta: readonly { name: string; type: string }[];
  data: readonly Row[];
  rows: number;
};

export type ColumnKind = 'number' | 'time' | 'text';
export type ResultColumn = { name: string; type: string; kind: ColumnKind };

export const views = ['table', 'line', 'bar', 'figure'] as const;
export type ResultView = (typeof views)[number];

/** The columns with what can be drawn of them. Times in a zone other than UTC are texts. */
export function columnsOf({ meta }: Pick<SqlResult, 'meta'>): ResultColumn[] {
  return meta.map(({ name, type }) => ({ name, type, kind: kindOf(type) }));
}

function kindOf(type: string): ColumnKind {
  const inner = /^(?:Nullable|LowCardinality|SimpleAggregateFunction)\((?:\w+, )?(.*)\)$/.exec(type)?.[1];
  if (inner !== undefined) return kindOf(inner);
  if (/^((U?Int|Float)\d|Decimal)/.test(type)) return 'number';
  if (/^Date(32)?$/.test(type)) return 'time';
  return /^DateTime(64\(\d(, 'UTC')?\)|\('UTC'\))?$/.test(type) ? 'time' : 'text';
}

/** The number of a cell; large ones arrive as texts. `null` for what is none. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** The time of a cell, which is in UTC, in milliseconds. */
export function timeOfCell(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const [day, clock = '00:00:00'] = value.split(' ');
  const at = Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) ? null : at;
}

/** A cell in words. */
export function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The views that a result has something to show in; the first one suits it best. */
export function viewsOf(result: SqlResult): readonly ResultView[] {
  const columns = columnsOf(result);
  const has = (kind: ColumnKind) => columns.some((column) => column.kind === kind);
  if (!has('number') || result.rows === 0) return ['table'];
  const found: ResultView[] = [];
  if (result.rows === 1 && columns.length <= 6) found.push('figure');
  const time = columns.find(({ kind }) => kind === 'time');
  if (time !== undefined && result.rows > 1 && axisOf(result, time) !== undefined) found.push('line');
  found.push('table');
  if ((has('text') || has('time')) && result.rows > 1) found.push('bar');
  return found;
}

export type LineSeries = { key: string; label: string; values: (number | null)[] };
/** `times` are the starts of the steps in milliseconds, ascending. `dropped` counts series that are left out. */
export type Lines = { times: number[]; stepSeconds: number; series: LineSeries[]; dropped: number };

/** More colours cannot be told apart. */
const seriesMax = 6;
const stepsMax = 2_000;

/**
 * The series of a result with a time: one for each column of numbers, or, when there is one such column and one of
 * texts, one for each text. Steps without a row are gaps.
 */
export function linesOf(result: SqlResult): Lines | undefined {
  const columns = columnsOf(result);
  const time = columns.find(({ kind }) => kind === 'time');
  const numbers = columns.filter(({ kind }) => kind === 'number');
  const [only] = numbers;
  if (time === undefined || only === undefined) return undefined;
  const label = numbers.length === 1 ? columns.find(({ kind }) => kind === 'text') : undefined;
  const axis = axisOf(result, time);
  if (axis === undefined) return undefined;
  const nameOf = (row: Row, column: ResultColumn): string =>
    label === undefined ? column.name : (textOf(row[label.name]) ?? '–');
  // Every row may have another text, so that only the series that are shown get room for all steps.
  const totals = new Map<string, number>();
  for (const row of result.data) {
    if (timeOfCell(row[time.name]) === null) continue;
    for (const column of numbers) {
      const name = nameOf(row, column);
      totals.set(name, (totals.get(name) ?? 0) + (numberOf(row[column.name]) ?? 0));
    }
  }
  const all = [...totals];
  const ordered = label === undefined ? all : all.sort(([, one], [, other]) => other - one);
  const series = new Map(
    ordered
      .slice(0, seriesMax)
      .map(([name]): [string, LineSeries] => [
        name,
        { key: name, label: name, values: axis.times.map(() => null) },
      ]),
  );
  const place = new Map(axis.times.map((at, i) => [at, i]));
  for (const row of result.data) {
    const index = place.get(timeOfCell(row[time.name]) ?? Number.NaN);
    if (index === undefined) continue;
    for (const column of numbers) {
      const one = series.get(nameOf(row, column));
      if (one !== undefined) one.values[index] = numberOf(row[column.name]);
    }
  }
  return { ...axis, series: [...series.values()], dropped: Math.max(0, all.length - seriesMax) };
}

/**
 * Every step between the first and the last time, or the times alone where those steps are too many. `undefined` without
 * a time, and with more times than a line can show.
 */
function axisOf(
  { data }: SqlResult,
  time: ResultColumn,
): { times: number[]; stepSeconds: number } | undefined {
  const found = data.map((row) => timeOfCell(row[time.name]));
  const times = [...new Set(found.filter((at) => at !== null))].sort((a, b) => a - b);
  if (times.length > stepsMax) return undefined;
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const gaps = times.slice(1).map((at, i) => at - (times[i] ?? at));
  const stepMs = Math.max(
    1_000,
    gaps.reduce((least, gap) => Math.min(least, gap), last - first || 60_000),
  );
  const isRegular = gaps.every((gap) => gap % stepMs === 0);
  const count = (last - first) / stepMs + 1;
  const all =
    isRegular && count <= stepsMax ? Array.from({ length: count }, (_, i) => first + i * stepMs) : times;
  return { times: all, stepSeconds: stepMs / 1_000 };
}

const dayMs = 86_400_000;

/**
 * Says which step of lines is not over at `now`: the last one, where the times are the starts of whole steps, such as
 * hours. Times of single events are none.
 */
export function notesOf({ times, stepSeconds }: Lines, now: number): ChartNotes {
  const stepMs = stepSeconds * 1_000;
  const last = times.at(-1) ?? 0;
  const isStep = times.every((at, i) => i === 0 || at - (times[i - 1] ?? at) === stepMs);
  const isWhole = last % Math.min(stepMs, dayMs) === 0;
  const hasBegun = last <= now && times.length > 1;
  return {
    keptFrom: null,
    unfinishedFrom: isStep && isWhole && hasBegun ? runningStep([last], stepMs, now) : null,
  };
}

/** Returns the characters of the longest text of a column, with its name. */
export function longestOf({ data }: SqlResult, name: string): number {
  return data.reduce((longest, row) => Math.max(longest, textOf(row[name])?.length ?? 0), name.length);
}

export type Bar = { label: string; value: number };

/** The first column of texts or times, with the first one of numbers. */
export function barsOf(result: SqlResult): { bars: Bar[]; value: string } | undefined {
  const columns = columnsOf(result);
  const value = columns.find(({ kind }) => kind === 'number');
  const label = columns.find(({ kind }) => kind === 'text') ?? columns.find(({ kind }) => kind === 'time');
  if (value === undefined || label === undefined) return undefined;
  const bars = result.data.flatMap((row): Bar[] => {
    const number = numberOf(row[value.name]);
    return number === null ? [] : [{ label: textOf(row[label.name]) ?? '–', value: number }];
  });
  return { bars, value: value.name };
}

/** All rows as CSV. Texts that a spreadsheet would run as formulas are guarded: anybody can send such a message. */
export function csvOf(result: SqlResult): string {
  const columns = columnsOf(result).map(({ name, kind }) => ({
    ...{ key: name, title: name },
    value: (row: Row) => (kind === 'number' ? exactNumberOf(row[name]) : null) ?? textOf(row[name]),
  }));
  return toCsv(result.data, columns);
}

/** A number that has all digits of the cell; `null` for one that JavaScript would round. */
function exactNumberOf(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && String(number) === String(value) ? number : null;
}

/** Whether a statement depends on the chosen time range. */
export function usesRange(sql: string): boolean {
  return /\{\s*(from|to)\s*:/.test(sql);
}
