import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tile } from '../../../../../contract/manage/boards.js';
import { useIsGone } from '../../../kit/form/use-is-gone.js';
import { showNotice } from '../../../kit/notice.js';
import { useTexts } from '../../../texts.js';
import { inReadingOrder, placeTiles } from '../place-tiles.js';
import { boardsTexts } from '../texts.js';

/** Changes of the tiles of a board that is edited. */
export type EditedTiles = {
  set(tiles: Tile[]): void;
  /** Adds a tile, which gets the focus, or changes the one with its id. */
  put(tile: Tile): void;
  /** Removes a tile, moves the focus to the next one, and offers to bring it back. */
  remove(tile: Tile): void;
  /** Puts the list into reading order, which Tab follows. A tile that has the focus may lose it. */
  sort(): void;
  /** Where the tiles are drawn. */
  grid: RefObject<HTMLDivElement | null>;
  /** The button in the place of the tiles where there are none. */
  addButton: RefObject<HTMLButtonElement | null>;
};

/** Adds, changes, removes and sorts the tiles of an editor. A removal can be undone until it closes. */
export function useTiles(tiles: readonly Tile[], set: (tiles: Tile[]) => void): EditedTiles {
  const texts = useTexts(boardsTexts);
  const isGone = useIsGone();
  const latest = useRef({ tiles, set });
  latest.current = { tiles, set };
  const grid = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const focusNext = useFocusNext(grid, addButton);
  /** The tile comes back to its place and pushes those that stand there; later changes stay. */
  const bringBack = (tile: Tile): void => {
    const { current } = latest;
    if (isGone.current || current.tiles.some(({ id }) => id === tile.id)) return;
    current.set(inReadingOrder(placeTiles([...current.tiles, tile], tile.id)));
    focusNext(tile.id);
  };
  return {
    ...{ set, grid, addButton },
    put(tile) {
      if (tiles.some(({ id }) => id === tile.id)) {
        const next = tiles.map((one) => (one.id === tile.id ? tile : one));
        set(placeTiles(next, tile.id));
        return;
      }
      set(inReadingOrder(placeTiles([...tiles, tile])));
      focusNext(tile.id);
    },
    remove(tile) {
      const order = inReadingOrder(tiles);
      const others = order.filter(({ id }) => id !== tile.id);
      set(others);
      focusNext((others[order.indexOf(tile)] ?? others.at(-1))?.id);
      showNotice(texts.tileRemoved({ title: tile.title }), () => bringBack(tile));
    },
    sort() {
      const { current } = latest;
      const sorted = inReadingOrder(current.tiles);
      if (sorted.some((tile, at) => tile !== current.tiles[at])) current.set(sorted);
    },
  };
}

/** Moves the focus to a tile as soon as it is drawn; without tiles to the button that adds one. */
function useFocusNext(
  grid: EditedTiles['grid'],
  addButton: EditedTiles['addButton'],
): (id: string | undefined) => void {
  const [wanted, setWanted] = useState<{ id: string | undefined }>();
  useEffect(() => {
    if (wanted === undefined) return;
    const tile = grid.current?.querySelector<HTMLElement>(`[data-tile="${wanted.id}"]`);
    (tile ?? addButton.current)?.focus();
  }, [wanted]);
  return (id) => setWanted({ id });
}
