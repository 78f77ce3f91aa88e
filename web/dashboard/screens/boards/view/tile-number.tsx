import { useMemo } from 'preact/hooks';
import { useFormat } from '../../../format.js';
import { Change } from '../../../kit/figure.js';
import type { ShownTile } from '../known.js';
import { tileNumber, writeNumber } from './draw.js';
import { Nothing } from './nothing.js';
import type { Sheet } from './sheet.js';

type NumberProps = {
  tile: ShownTile;
  sheet: Sheet;
  /** When it was read. */
  at: number;
};

/** A large number, with its step, or with the change against the period before, where the read has them. */
export function TileNumber({ tile, sheet, at }: NumberProps) {
  const format = useFormat();
  const found = useMemo(() => tileNumber(sheet, tile, at), [sheet, tile.value, at]);
  if (found === undefined || (found.now === null && found.text === null)) return <Nothing />;
  const { name, now, text, before, step } = found;
  const isGoodWhen = /errors?|failure|Ms$/i.test(name) ? 'lower' : 'either';
  return (
    <p class="board-tile-number">
      <span class="board-tile-value">
        {now === null ? text : writeNumber(now, name, { unit: tile.unit, format })}
      </span>
      {step !== undefined && <span class="note">{format.moment(step)}</span>}
      {sheet.before !== undefined && <Change {...{ now, before, isGoodWhen }} />}
    </p>
  );
}
