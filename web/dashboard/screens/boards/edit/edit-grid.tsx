import { useState } from 'preact/hooks';
import type { Tile } from '../../../../../contract/manage/boards.js';
import type { Range } from '../../../address/range.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import type { Values } from '../known.js';
import { sourceOf } from '../source-of.js';
import { boardsTexts } from '../texts.js';
import { EditTile } from './edit-tile.js';
import { tellPlace } from './tell-changes.js';
import { useLayout } from './use-layout.js';
import type { EditedTiles } from './use-tiles.js';

type GridProps = {
  tiles: readonly Tile[];
  edited: EditedTiles;
  values: Values;
  range: Range;
  onEdit(tile: Tile): void;
};

/** The tiles of a board, which people move and resize, by pointer and by keyboard. */
export function EditGrid({ tiles, edited, values, range, onEdit }: GridProps) {
  const { slug } = usePage();
  const texts = useTexts(boardsTexts);
  const [spoken, setSpoken] = useState('');
  const layout = useLayout(tiles, edited.set, (place) => setSpoken(tellPlace(place, texts)));
  return (
    <>
      <div
        class="board-grid editing"
        ref={edited.grid}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          // A window that goes to the back keeps the focus for later.
          const next = relatedTarget ?? document.activeElement;
          if (!(next instanceof Node && currentTarget.contains(next))) edited.sort();
        }}
      >
        {tiles.map((tile) => (
          <EditTile
            key={tile.id}
            {...{ tile, range, layout }}
            source={sourceOf(slug, tile, values, range)}
            onEdit={() => onEdit(tile)}
            onRemove={() => {
              layout.end();
              edited.remove(tile);
            }}
          />
        ))}
      </div>
      <p class="visually-hidden" role="status">
        {spoken}
      </p>
    </>
  );
}
