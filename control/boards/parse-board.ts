import { isLine, lineRule } from '../../contract/line.js';
import { figureParameters } from '../../contract/manage/board-figures.js';
import {
  type BoardVariables,
  boardLimits,
  boardVariables,
  type Figure,
  type PutBoard,
  type Tile,
} from '../../contract/manage/boards.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs, hourMs, minuteMs } from '../../lib/times.js';
import type { BoardFields } from './board.js';

/** The fields of a board as they are sent. */
export type SentBoard = Omit<PutBoard, 'slug'>;

const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };

/**
 * Checks and trims the fields of a board, whose schema was checked, and fills in the defaults.
 *
 * @throws ServiceError `invalidBody` with the field, and the name of the tile at fault.
 */
export function parseBoard({
  name,
  description = '',
  range = '24h',
  variables = {},
  tiles,
}: SentBoard): BoardFields {
  if (!isLine('line', name)) throw invalid('/name', lineRule('line'));
  if (!isLine('markedLineOrNothing', description)) {
    throw invalid('/description', lineRule('markedLineOrNothing'));
  }
  if (rangeMs(range) > boardLimits.rangeDays * dayMs) {
    throw invalid('/range', `must be at most ${boardLimits.rangeDays} days`);
  }
  if (!isWellFormed(variables)) throw invalid('/variables', 'must have whole characters only');
  const parsed = tiles.map((tile, at) => parseTile(tile, { at, variables }));
  refuseTwins(parsed);
  refuseOverlaps(parsed);
  return { name: name.trim(), description: description.trim(), range, variables, tiles: parsed };
}

/** The length of a range such as `24h`, in milliseconds. */
function rangeMs(range: string): number {
  return Number(range.slice(0, -1)) * (unitsMs[range.slice(-1)] ?? Number.NaN);
}

function parseTile(tile: Tile, { at, variables }: { at: number; variables: BoardVariables }): Tile {
  const wrong = (rule: string) => invalidTile(at, tile, rule);
  if (!isLine('line', tile.title)) throw wrong(`has a title that is none: it ${lineRule('line')}`);
  if (!isWellFormed(tile)) throw wrong('must have whole characters only');
  if (tile.x + tile.width > boardLimits.columns) {
    throw wrong(`ends behind the last of the ${boardLimits.columns} columns; make it narrower or move it`);
  }
  if (tile.y + tile.height > boardLimits.rows) {
    throw wrong(`ends below the last of the ${boardLimits.rows} rows; move it up`);
  }
  const isText = 'text' in tile.source;
  if (isText !== (tile.display === 'text')) {
    throw wrong('must have the display "text" with a text, and with nothing else');
  }
  if ('figure' in tile.source) checkFigure(tile.source.figure, { variables, wrong });
  return { ...tile, title: tile.title.trim() };
}

function checkFigure(
  { path, parameters = {} }: Figure,
  { variables, wrong }: { variables: BoardVariables; wrong(rule: string): ServiceError },
): void {
  const given = Object.entries(parameters);
  if (given.length > boardLimits.parameters) {
    throw wrong(`has ${given.length} parameters; ${boardLimits.parameters} are the most`);
  }
  const known = figureParameters(path);
  for (const [name, value] of given) {
    if (!known.includes(name)) {
      const others = known.length === 0 ? 'it takes none' : `known are ${known.join(', ')}`;
      throw wrong(`gives "${path}" a parameter "${name}", which it does not have; ${others}`);
    }
    const [, variable] = /^\{(.*)\}$/s.exec(value) ?? [];
    if (variable === undefined) continue;
    if (boardVariables.some((one) => one === variable && variables[one] !== undefined)) continue;
    throw wrong(`names the variable {${variable.slice(0, 40)}}, which the board does not have`);
  }
}

function refuseTwins(tiles: readonly Tile[]): void {
  for (const [at, tile] of tiles.entries()) {
    const first = tiles.findIndex(({ id }) => id === tile.id);
    if (first !== at) throw invalidTile(at, tile, `has the id of /tiles/${first}; give it another one`);
  }
}

function refuseOverlaps(tiles: readonly Tile[]): void {
  for (const [at, tile] of tiles.entries()) {
    const other = tiles.slice(0, at).find((one) => overlaps(one, tile));
    if (other !== undefined)
      throw invalidTile(at, tile, `lies over the tile "${other.id}"; move one of them`);
  }
}

function overlaps(one: Tile, other: Tile): boolean {
  const isBeside = one.x + one.width <= other.x || other.x + other.width <= one.x;
  const isBelow = one.y + one.height <= other.y || other.y + other.height <= one.y;
  return !isBeside && !isBelow;
}

/** PostgreSQL takes no half characters in JSON. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isWellFormed);
}

export function invalidTile(at: number, { id }: Pick<Tile, 'id'>, rule: string): ServiceError {
  return new ServiceError('invalidBody', {
    message: `/tiles/${at}: the tile "${id}" ${rule}.`,
    field: `/tiles/${at}`,
  });
}

function invalid(field: string, rule: string): ServiceError {
  return new ServiceError('invalidBody', { message: `${field} ${rule}.`, field });
}
