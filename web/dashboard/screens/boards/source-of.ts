import type { Tile } from '../../../../contract/manage/boards.js';
import type { Range } from '../../address/range.js';
import type { Values } from './known.js';
import { type TileRead, tileRead } from './view/tile-reads.js';

/** How a tile of the page is read, or its text. */
export function sourceOf(slug: string, tile: Tile, values: Values, range: Range): TileRead | string {
  return 'text' in tile.source ? tile.source.text : (tileRead(slug, tile, values, range) ?? '');
}
