import { useRef } from 'preact/hooks';
import type { Tile } from '../../../../../contract/manage/boards.js';
import { changePlace, type Place, type PlaceChange, placeTiles } from '../place-tiles.js';

/** Changes of the place of one tile, which push the others only while they last. */
export type Layout = {
  /** Moves and resizes a tile by cells, counted from where it stood when the change began. */
  drag(id: string, change: PlaceChange): void;
  /** The same counted from where it stands. */
  nudge(id: string, change: PlaceChange): void;
  /** Leaves the tiles where they are. */
  end(): void;
  /** Puts them back to where they were. */
  cancel(): void;
};

/** Tiles that are pushed go back when the one that pushed them moves on, as long as it is one change. */
export function useLayout(
  tiles: readonly Tile[],
  setTiles: (tiles: Tile[]) => void,
  say: (place: Place) => void,
): Layout {
  const base = useRef<{ id: string; tiles: readonly Tile[] } | undefined>(undefined);
  const begin = (id: string): readonly Tile[] => {
    if (base.current?.id !== id) base.current = { id, tiles };
    return base.current.tiles;
  };
  const put = (id: string, from: readonly Tile[], place: Place): void => {
    const next = from.map((tile): Tile => (tile.id === id ? { ...tile, ...place } : tile));
    setTiles(placeTiles(next, id));
    say(place);
  };
  return {
    drag(id, change) {
      const from = begin(id);
      const tile = from.find((one) => one.id === id);
      if (tile !== undefined) put(id, from, changePlace(tile, change));
    },
    nudge(id, change) {
      const from = begin(id);
      const tile = tiles.find((one) => one.id === id);
      if (tile !== undefined) put(id, from, changePlace(tile, change));
    },
    end() {
      base.current = undefined;
    },
    cancel() {
      if (base.current !== undefined) setTiles([...base.current.tiles]);
      base.current = undefined;
    },
  };
}
