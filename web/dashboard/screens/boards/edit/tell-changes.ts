import type { Tile, TileSource } from '../../../../../contract/manage/boards.js';
import type { BoardValues } from '../known.js';
import { inReadingOrder, type Place } from '../place-tiles.js';
import type { BoardsTexts } from '../texts.js';
import { variablesOf } from '../view/variables.js';

/**
 * Returns a field of a board in words. Of its tiles it says how they differ from `base`, from which both versions of a
 * conflict began.
 */
export function tellField(
  value: BoardValues[keyof BoardValues],
  base: readonly Tile[],
  texts: BoardsTexts,
): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? tellTiles(value, base, texts) : tellVariables(value, texts);
}

/** Returns where a tile stands, in words. */
export function tellPlace({ x, y, width, height }: Place, texts: BoardsTexts): string {
  return texts.place({ column: x + 1, row: y + 1, width, height });
}

function tellVariables(variables: BoardValues['variables'], texts: BoardsTexts): string {
  return variablesOf(variables)
    .map(({ name, initial }) => {
      const title = texts.variables[name];
      return initial === null ? title : texts.variableFrom({ name: title, initial });
    })
    .join('\n');
}

function tellTiles(tiles: readonly Tile[], base: readonly Tile[], texts: BoardsTexts): string {
  const { changes } = texts;
  const before = new Map(base.map((tile) => [tile.id, tile]));
  const left = new Set(tiles.map(({ id }) => id));
  const lines = [
    ...inReadingOrder(tiles).flatMap((tile) => tellTile(tile, before.get(tile.id), texts)),
    ...base.filter(({ id }) => !left.has(id)).map(({ title }) => changes.removed({ title })),
  ];
  return lines.length === 0 ? changes.none : lines.join('\n');
}

function tellTile(tile: Tile, before: Tile | undefined, texts: BoardsTexts): string[] {
  const { changes } = texts;
  if (before === undefined) return [changes.added({ title: tile.title })];
  const known = partsOf(before, texts);
  return partsOf(tile, texts)
    .filter((part, at) => part !== known[at])
    .map((change) => changes.changed({ title: before.title, change }));
}

/** The parts of a tile in words, in the order of its form. */
function partsOf(tile: Tile, texts: BoardsTexts): string[] {
  const { title, display, value = '–', unit = '–', source } = tile;
  const displayed = { ...texts.displays, text: texts.text }[display];
  return [
    `${texts.title}: ${title}`,
    tellSource(source, texts),
    `${texts.display}: ${displayed}`,
    `${texts.value}: ${value}`,
    `${texts.unit}: ${unit}`,
    tellPlace(tile, texts),
  ];
}

function tellSource(source: TileSource, texts: BoardsTexts): string {
  const { sources } = texts;
  if ('query' in source) return `${sources.query}: ${source.query}`;
  if ('sql' in source) return `${sources.sql}: ${source.sql}`;
  if ('text' in source) return `${sources.text}: ${source.text}`;
  const { path, parameters = {} } = source.figure;
  // The service may answer with another order than the form has.
  const filters = Object.entries(parameters)
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return `${sources.figure}: ${[texts.figures[path], ...filters].join(', ')}`;
}
