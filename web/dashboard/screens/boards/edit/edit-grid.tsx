import { useEffect, useRef, useState } from 'preact/hooks';
import type { Tile } from '../../../../../contract/manage/boards.js';
import type { Range } from '../../../address/range.js';
import { showNotice } from '../../../kit/notice.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import type { Values } from '../known.js';
import { type Place, placeTiles } from '../place-tiles.js';
import { sourceOf } from '../source-of.js';
import { boardsTexts } from '../texts.js';
import { EditTile } from './edit-tile.js';
import { useLayout } from './use-layout.js';

type GridProps = {
  tiles: readonly Tile[];
  setTiles(tiles: Tile[]): void;
  values: Values;
  range: Range;
  onEdit(tile: Tile): void;
};

/** The tiles of a board, which people move and resize, by pointer and by keyboard. */
export function EditGrid({ tiles, setTiles, values, range, onEdit }: GridProps) {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  const [spoken, setSpoken] = useState('');
  const grid = useRef<HTMLDivElement>(null);
  const layout = useLayout(tiles, setTiles, (place) => setSpoken(texts.place(toWords(place))));
  const latest = useRef(tiles);
  latest.current = tiles;
  const focusNext = useFocusAfter(grid);
  const remove = (tile: Tile): void => {
    const at = tiles.indexOf(tile);
    layout.end();
    setTiles(tiles.filter((one) => one !== tile));
    focusNext(tiles[at + 1]?.id ?? tiles[at - 1]?.id);
    // The tile comes back to its place and pushes those that stand there; later changes stay.
    showNotice(texts.tileRemoved({ title: tile.title }), () =>
      setTiles(placeTiles([...latest.current.filter(({ id }) => id !== tile.id), tile], tile.id)),
    );
  };
  return (
    <>
      <div class="board-grid editing" ref={grid}>
        {tiles.map((tile) => (
          <EditTile
            key={tile.id}
            {...{ tile, range, layout }}
            source={sourceOf(slug, tile, values, range)}
            onEdit={() => onEdit(tile)}
            onRemove={() => remove(tile)}
          />
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}

function toWords({ x, y, width, height }: Place) {
  return { column: x + 1, row: y + 1, width, height };
}

/** Moves the focus to a tile when it is drawn again, or to the grid's own place in the page. */
function useFocusAfter(grid: { current: HTMLDivElement | null }): (id: string | undefined) => void {
  const [wanted, setWanted] = useState<string>();
  useEffect(() => {
    if (wanted === undefined) return;
    grid.current?.querySelector<HTMLElement>(`[data-tile="${wanted}"]`)?.focus();
    setWanted(undefined);
  }, [wanted]);
  return setWanted;
}
