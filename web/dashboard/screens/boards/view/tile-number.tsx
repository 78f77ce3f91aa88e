import { useFormat } from '../../../format.js';
import { Change } from '../../../kit/figure.js';
import type { ShownTile } from '../known.js';
import { tileNumber, writeNumber } from './draw.js';
import { Nothing } from './nothing.js';
import type { Sheet } from './sheet.js';

/** A large number, with the change against the period before where the read has it. */
export function TileNumber({ tile, sheet }: { tile: ShownTile; sheet: Sheet }) {
  const format = useFormat();
  const found = tileNumber(sheet, tile);
  if (found === undefined || (found.now === null && found.text === null)) return <Nothing />;
  const { name, now, text, before } = found;
  const isGoodWhen = /errors?|failure|Ms$/i.test(name) ? 'lower' : 'either';
  return (
    <p class="board-tile-number">
      <span class="board-tile-value">
        {now === null ? text : writeNumber(now, name, { unit: tile.unit, format })}
      </span>
      {sheet.before !== undefined && <Change {...{ now, before, isGoodWhen }} />}
    </p>
  );
}
