import { useTexts } from '../../texts.js';
import { Icon } from '../icons.js';
import { saveFile } from '../save-file.js';
import type { Column } from '../table/column.js';
import { toCsv } from '../table/to-csv.js';
import { kitTexts } from '../texts.js';

/** A step of the time axis by its place. */
type ChartTableProps = {
  title: string;
  columns: readonly Column<number>[];
  rows: readonly number[];
};

/** The figures of a chart. Scrolls by itself, newest first, because a range has up to 1,500 steps. */
export function ChartTable({ title, columns, rows }: ChartTableProps) {
  const texts = useTexts(kitTexts);
  return (
    <div class="chart-table">
      {/* biome-ignore lint/a11y/useSemanticElements: a section would be one more landmark for each chart. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <div class="chart-rows" role="group" aria-label={title} tabIndex={0}>
        <table aria-label={title}>
          <thead>
            <tr>
              {columns.map(({ key, title: name, isFigure }) => (
                <th key={key} scope="col" class={isFigure === true ? 'figure-cell' : ''}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map((row) => (
              <tr key={row}>
                {columns.map(({ key, value, cell, isFigure }) => (
                  <td key={key} class={isFigure === true ? 'figure-cell' : ''}>
                    {cell === undefined ? value(row) : cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button
        type="button"
        class="button small"
        onClick={() => saveFile(`${title}.csv`, toCsv(rows, columns), 'text/csv;charset=utf-8')}
      >
        <Icon name="download" />
        {texts.download}
      </button>
    </div>
  );
}
