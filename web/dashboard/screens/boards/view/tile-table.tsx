import { useFormat } from '../../../format.js';
import { textFor, useTexts } from '../../../texts.js';
import { columnsOf, numberOf, type ResultColumn, textOf, timeOfCell } from '../../sql/result-shape.js';
import type { ShownTile } from '../known.js';
import { boardsTexts } from '../texts.js';
import { useColumnName } from './column-name.js';
import { numbersOf, onlyValue, ownUnit, writeNumber } from './draw.js';
import type { Sheet } from './sheet.js';

type TableProps = { tile: ShownTile; sheet: Sheet };

/** More rows are for the screens that search and sort them. */
const rowsMax = 200;

/** The rows of a tile, which scroll within it. */
export function TileTable({ tile, sheet }: TableProps) {
  const texts = useTexts(boardsTexts);
  const format = useFormat();
  const nameOf = useColumnName(sheet);
  const result = onlyValue(sheet.result, tile.value);
  const columns = columnsOf(result);
  const unit = ownUnit(numbersOf(result), tile.unit);
  const rows = result.data.slice(0, rowsMax);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark for each tile.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard.
    <div class="board-tile-rows" role="group" aria-label={tile.title} tabIndex={0}>
      <table aria-label={tile.title}>
        <thead>
          <tr>
            {columns.map(({ name, kind }) => (
              <th key={name} scope="col" class={kind === 'number' ? 'figure-cell' : ''}>
                {nameOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {columns.map((column) => (
                <Cell
                  key={column.name}
                  {...{ column, unit, isStatement: sheet.isStatement }}
                  value={row[column.name]}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {result.data.length > rowsMax && (
        <p class="note">
          {texts.firstRows({ rows: format.count(rowsMax), all: format.count(result.data.length) })}
        </p>
      )}
    </div>
  );
}

type CellProps = { column: ResultColumn; value: unknown; unit: string | undefined; isStatement: boolean };

function Cell({ column: { name, kind }, value, unit, isStatement }: CellProps) {
  const format = useFormat();
  const { states } = useTexts(boardsTexts);
  const number = kind === 'number' ? numberOf(value) : null;
  if (number !== null) return <td class="figure-cell">{writeNumber(number, name, { unit, format })}</td>;
  const at = kind === 'time' ? timeOfCell(value) : null;
  const known = name === 'state' && !isStatement ? textFor(states, String(value)) : undefined;
  const text = known ?? (at === null ? textOf(value) : format.moment(at));
  if (text === null || text === '') return <td class={kind === 'number' ? 'figure-cell' : ''}>–</td>;
  return (
    <td class={kind === 'number' ? 'figure-cell' : ''} title={text} dir="auto">
      {text}
    </td>
  );
}
