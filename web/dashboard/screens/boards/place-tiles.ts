import type { TileDisplay } from '../../../../contract/manage/boards.js';
import { leastHeight } from './view/draw.js';

/** Columns of the grid; the contract of boards has the same number. */
export const columns = 12;
/** As the service has them; its own module brings the checks of bodies along. */
const [rowsMax, tileRowsMax] = [400, 20] as const;

/** A place in the grid, counted from 0. */
export type Place = { x: number; y: number; width: number; height: number };

/** A place with the display of its tile, which has a least height. */
type TilePlace = Place & { display?: TileDisplay };

/** How a person changes the place of a tile: by cells of the grid. */
export type PlaceChange = Partial<Record<keyof Place, number>>;

/** Returns the place within the grid that is nearest. */
export function clampPlace({ x, y, width, height, display }: TilePlace): Place {
  const wide = clamp(width, 1, columns);
  return {
    x: clamp(x, 0, columns - wide),
    y: clamp(y, 0, rowsMax - 1),
    width: wide,
    height: clamp(height, display === undefined ? 1 : leastHeight(display), tileRowsMax),
  };
}

/** Moves a place and changes its size by some cells: a size ends at the edge of the grid, and does not move the tile. */
export function changePlace(place: TilePlace, { x = 0, y = 0, width = 0, height = 0 }: PlaceChange): Place {
  const moved = clampPlace({ ...place, x: place.x + x, y: place.y + y });
  return clampPlace({
    ...place,
    ...moved,
    width: Math.min(place.width + width, columns - moved.x),
    height: place.height + height,
  });
}

/** Whether two places have a cell in common. */
export function overlaps(one: Place, other: Place): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/**
 * Puts tiles into the grid so that none overlap. The tile `first` stays where it is, and pushes the others down; so do the
 * upper ones those below. Tiles that do not overlap stay where they are. The order of the list stays.
 */
export function placeTiles<Tile extends TilePlace & { id: string }>(
  tiles: readonly Tile[],
  first?: string,
): Tile[] {
  const wanted = tiles.map((tile): Tile => ({ ...tile, ...clampPlace(tile) }));
  const isFirst = ({ id }: Tile) => Number(id === first);
  const order = [...wanted].sort((a, b) => isFirst(b) - isFirst(a) || a.y - b.y || a.x - b.x);
  const placed: Tile[] = [];
  for (const tile of order) placed.push({ ...tile, y: freeRow(tile, placed) });
  const found = new Map(placed.map((tile) => [tile.id, tile]));
  return wanted.map((tile) => found.get(tile.id) ?? tile);
}

/** The first row from that of the tile on where it overlaps none of the others. */
function freeRow(tile: Place, others: readonly Place[]): number {
  let { y } = tile;
  for (;;) {
    const hit = others.find((other) => overlaps({ ...tile, y }, other));
    if (hit === undefined) return y;
    y = hit.y + hit.height;
  }
}

/** The row below all tiles. */
export function rowBelow(tiles: readonly Place[]): number {
  return tiles.reduce((row, { y, height }) => Math.max(row, y + height), 0);
}

/** Tiles in the order in which people read them. */
export function inReadingOrder<Tile extends Place>(tiles: readonly Tile[]): Tile[] {
  return [...tiles].sort((a, b) => a.y - b.y || a.x - b.x);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.round(value)));
}
