import { useFormat } from '../../../format.js';
import { useTexts } from '../../../texts.js';
import { barsOf } from '../../sql/result-shape.js';
import type { ShownTile } from '../known.js';
import { boardsTexts } from '../texts.js';
import { onlyValue, writeNumber } from './draw.js';
import type { Sheet } from './sheet.js';
import { TileTable } from './tile-table.js';

const barsMax = 40;

/** The rows of a tile as bars, which scroll within it. */
export function TileBars({ tile, sheet }: { tile: ShownTile; sheet: Sheet }) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const found = barsOf(onlyValue(sheet.result, tile.value));
  if (found === undefined) return <TileTable {...{ tile, sheet }} />;
  const bars = found.bars.slice(0, barsMax);
  const largest = Math.max(0, ...bars.map(({ value }) => value));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark for each tile.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <div class="board-tile-rows" role="group" aria-label={tile.title} tabIndex={0}>
      <table class="sql-bars" aria-label={tile.title}>
        <tbody>
          {bars.map(({ label, value }, i) => (
            <tr key={i}>
              <th scope="row" dir="auto" title={label}>
                {label === '' ? '–' : label}
              </th>
              <td>
                <span
                  class="sql-measure"
                  style={{ width: `${largest > 0 ? Math.max(0, (value / largest) * 100) : 0}%` }}
                />
              </td>
              <td class="figure-cell">{writeNumber(value, found.value, { unit: tile.unit, format })}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.bars.length > barsMax && (
        <p class="note">
          {texts.firstRows({ rows: format.count(barsMax), all: format.count(found.bars.length) })}
        </p>
      )}
    </div>
  );
}
