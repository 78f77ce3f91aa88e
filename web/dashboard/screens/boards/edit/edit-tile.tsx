import { useId, useMemo } from 'preact/hooks';
import type { Tile } from '../../../../../contract/manage/boards.js';
import type { Range } from '../../../address/range.js';
import { Icon } from '../../../kit/icons.js';
import { useTexts } from '../../../texts.js';
import type { PlaceChange } from '../place-tiles.js';
import { boardsTexts } from '../texts.js';
import { placeStyle, TileBody } from '../view/tile.js';
import type { TileRead } from '../view/tile-reads.js';
import { type TileState, useTile } from '../view/use-tile.js';
import type { Layout } from './use-layout.js';
import { useTileDrag } from './use-tile-drag.js';

type EditTileProps = {
  tile: Tile;
  source: TileRead | string;
  range: Range;
  layout: Layout;
  onEdit(): void;
  onRemove(): void;
};

const steps: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns what a key does with the place of a tile; `undefined` for other keys. */
function changeOf({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): PlaceChange | undefined {
  const [x, y] = steps[key] ?? [];
  if (x === undefined || y === undefined || ctrlKey || metaKey || altKey) return undefined;
  return shiftKey ? { width: x, height: y } : { x, y };
}

/** A tile that can be moved and resized. What it shows is a picture meanwhile. */
export function EditTile({ tile, source, range, layout, onEdit, onRemove }: EditTileProps) {
  const texts = useTexts(boardsTexts);
  const id = useId();
  const state = useTile(typeof source === 'string' ? undefined : source, range);
  const body = useBody({ tile, source, state });
  const drag = useTileDrag(tile.id, layout);
  const { title } = tile;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    const change = changeOf(event);
    if (change !== undefined) layout.nudge(tile.id, change);
    else if (event.key === 'Delete') onRemove();
    else if (event.key === 'Enter') onEdit();
    else if (event.key === 'Escape') layout.cancel();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has neither keys nor a place in a grid.
    <div
      class={`panel board-tile editing shows-${tile.display}${drag.isActive ? ' moving' : ''}`}
      role="group"
      data-tile={tile.id}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move it.
      tabIndex={0}
      aria-labelledby={id}
      aria-describedby="board-keys"
      style={placeStyle(tile)}
      onKeyDown={onKeyDown}
      onBlur={(event) => event.target === event.currentTarget && layout.end()}
    >
      <header class="board-tile-head" {...drag.move}>
        <h2 id={id} dir="auto" title={title}>
          {title}
        </h2>
        <span class="board-tile-tools">
          <button
            type="button"
            class="icon-button"
            title={texts.editTile({ title })}
            aria-label={texts.editTile({ title })}
            onClick={onEdit}
          >
            <Icon name="edit" />
          </button>
          <button
            type="button"
            class="icon-button"
            title={texts.removeTile({ title })}
            aria-label={texts.removeTile({ title })}
            onClick={onRemove}
          >
            <Icon name="trash" />
          </button>
        </span>
      </header>
      <div class="board-tile-inert" inert>
        {body}
      </div>
      <span class="board-tile-corner" aria-hidden="true" {...drag.resize} />
    </div>
  );
}

type BodyProps = Pick<EditTileProps, 'tile' | 'source'> & { state: TileState };

/** The body of a tile. It is drawn again only when it shows something else: a tile that moves redraws none. */
function useBody({ tile, source, state }: BodyProps) {
  const { title, display, value, unit, width, height } = tile;
  const { data, at, error, isOlder } = state;
  const text = typeof source === 'string' ? source : undefined;
  return useMemo(
    () => <TileBody {...{ tile, source, state }} />,
    [title, display, value, unit, width, height, text, data, at, error, isOlder],
  );
}
