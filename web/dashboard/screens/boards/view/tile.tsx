import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { Range } from '../../../address/range.js';
import { useFormat } from '../../../format.js';
import { ErrorNotice, Skeleton, Stale } from '../../../kit/states.js';
import { kitTexts } from '../../../kit/texts.js';
import type { ReadError } from '../../../reads/fetch-json.js';
import { useTexts } from '../../../texts.js';
import type { ShownTile } from '../known.js';
import type { Place } from '../place-tiles.js';
import { boardsTexts } from '../texts.js';
import { leastHeight, plotHeight } from './draw.js';
import { TileContent } from './tile-content.js';
import type { TileData, TileRead } from './tile-reads.js';
import { type TileState, useTile } from './use-tile.js';

type TileProps = {
  tile: ShownTile;
  /** How it is read; its text where it has one. */
  source: TileRead | string;
  range: Range;
  /** Buttons in its head. */
  actions?: ComponentChildren;
};

/** A tile with its title and when it was read. It has its size whatever it shows. */
export function TileView({ tile, source, range, actions }: TileProps) {
  const id = useId();
  const state = useTile(typeof source === 'string' ? undefined : source, range);
  const { display, height } = tile;
  const low = height < leastHeight(display) ? ' low' : '';
  return (
    <section class={`panel board-tile shows-${display}${low}`} aria-labelledby={id} style={placeStyle(tile)}>
      <header class="board-tile-head">
        <h2 id={id} dir="auto" title={tile.title}>
          {tile.title}
        </h2>
        <ReadAt at={state.at} />
        {actions}
      </header>
      <TileBody {...{ tile, source, state }} />
    </section>
  );
}

/** The place in the grid, which the styles read. */
export function placeStyle({ x, y, width, height }: Place): Record<string, string> {
  return {
    '--x': String(x + 1),
    '--y': String(y + 1),
    '--width': String(width),
    '--height': String(height),
  };
}

/** Says when a tile was read. */
function ReadAt({ at }: { at: number | undefined }) {
  const { asOf } = useTexts(kitTexts);
  const format = useFormat();
  if (at === undefined) return null;
  return (
    <time
      class="board-tile-time"
      dateTime={new Date(at).toISOString()}
      title={asOf({ time: format.full(at) })}
    >
      {format.clock(at)}
    </time>
  );
}

type BodyProps = Pick<TileProps, 'tile' | 'source'> & { state: TileState };

/** The content of a tile, or why it has none. */
export function TileBody({ tile, source, state }: BodyProps) {
  const { data, error, isOlder, at = 0 } = state;
  const shown: TileData | undefined = typeof source === 'string' ? { kind: 'text', text: source } : data;
  if (shown === undefined) {
    return (
      <div class="board-tile-body" aria-busy={error === undefined}>
        {error === undefined ? (
          <Skeleton height={plotHeight(tile)} />
        ) : (
          <Unread error={error} retry={state.retry} />
        )}
      </div>
    );
  }
  return (
    <div class={isOlder ? 'board-tile-body older' : 'board-tile-body'} aria-busy={isOlder}>
      <TileContent {...{ tile, at }} data={shown} />
      {error !== undefined && (
        <div class="board-tile-stale">
          <Stale read={state} error={error} />
        </div>
      )}
    </div>
  );
}

/** Says why a tile shows nothing. A part of the product that is switched off is no failure. */
function Unread({ error, retry }: { error: ReadError; retry(): void }) {
  const { databasesOff } = useTexts(boardsTexts);
  return error.code === 'database_health.off' ? (
    <p class="board-tile-nothing">{databasesOff}</p>
  ) : (
    <ErrorNotice error={error} retry={retry} />
  );
}
