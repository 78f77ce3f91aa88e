import type {
  BoardVariables,
  FigurePath,
  Tile,
  TileDisplay,
  TileSource,
} from '../../../../../contract/manage/boards.js';
import { variableNames } from '../known.js';
import { clampPlace, columns, rowBelow } from '../place-tiles.js';

export const sourceKinds = ['figure', 'query', 'sql', 'text'] as const;
type SourceKind = (typeof sourceKinds)[number];

/** The fields of the form of a tile, for every source; empty texts stand for nothing. Columns and rows count from 1. */
export type TileValues = {
  title: string;
  kind: SourceKind;
  path: FigurePath;
  parameters: Readonly<Record<string, string>>;
  query: string;
  sql: string;
  text: string;
  display: TileDisplay;
  value: string;
  unit: string;
  column: number | null;
  row: number | null;
  width: number | null;
  height: number | null;
};

const usualSql = `SELECT toStartOfHour(minute) AS time, sum(requests) AS requests
FROM requests_minute
WHERE minute >= {from:DateTime} AND minute < {to:DateTime}
GROUP BY time
ORDER BY time`;

/** Returns the values of a tile; those of a new one below all others without a tile. */
export function tileValues(tile: Tile | undefined, tiles: readonly Tile[]): TileValues {
  const place = tile ?? { x: 0, y: rowBelow(tiles), width: 6, height: 4 };
  const source = tile?.source;
  return {
    title: tile?.title ?? '',
    kind: kindOf(source),
    path: source !== undefined && 'figure' in source ? source.figure.path : 'requests',
    parameters: source !== undefined && 'figure' in source ? (source.figure.parameters ?? {}) : {},
    query: source !== undefined && 'query' in source ? source.query : '',
    sql: source !== undefined && 'sql' in source ? source.sql : usualSql,
    text: source !== undefined && 'text' in source ? source.text : '',
    display: tile?.display ?? 'line',
    ...{ value: tile?.value ?? '', unit: tile?.unit ?? '' },
    ...{ column: place.x + 1, row: place.y + 1, width: place.width, height: place.height },
  };
}

function kindOf(source: TileSource | undefined): SourceKind {
  return sourceKinds.find((kind) => source !== undefined && kind in source) ?? 'figure';
}

/** Returns the tile with these values. `id` is the one of the tile that is edited; a new tile has none yet. */
export function tileOf(values: TileValues, id: string | undefined): Tile {
  const { title, kind, value, unit } = values;
  const notText = values.display === 'text' ? 'table' : values.display;
  const display = kind === 'text' ? 'text' : notText;
  return {
    id: id ?? newId(),
    title: title.trim(),
    ...clampPlace({
      ...{ x: (values.column ?? 1) - 1, y: (values.row ?? 1) - 1 },
      ...{ width: values.width ?? columns, height: values.height ?? 1, display },
    }),
    display,
    ...(kind !== 'text' && value.trim() !== '' && { value: value.trim() }),
    ...(kind !== 'text' && unit.trim() !== '' && { unit: unit.trim() }),
    source: sourceOfValues(values),
  };
}

function sourceOfValues({ kind, path, parameters, query, sql, text }: TileValues): TileSource {
  if (kind === 'query') return { query };
  if (kind === 'sql') return { sql: sql.trim() };
  if (kind === 'text') return { text: text.trim() };
  const given = Object.entries(parameters).filter(([, value]) => value.trim() !== '');
  return {
    figure: { path, ...(given.length > 0 && { parameters: Object.fromEntries(given) }) },
  };
}

/** Returns an id that no removed tile had either: it may come back, and its form keeps what was entered. */
function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(4));
  return `tile-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether a filter names a variable, such as `{service}`, that the board does not have. */
export function namesUnknown(value: string, variables: BoardVariables): boolean {
  const [, name] = /^\{(.*)\}$/s.exec(value) ?? [];
  return name !== undefined && !variableNames.some((one) => one === name && variables[one] !== undefined);
}

/** Returns the tiles with a filter that names a variable which the board does not have. */
export function tilesWithoutVariable(tiles: readonly Tile[], variables: BoardVariables): Tile[] {
  return tiles.filter(
    ({ source }) =>
      'figure' in source &&
      Object.values(source.figure.parameters ?? {}).some((value) => namesUnknown(value, variables)),
  );
}
