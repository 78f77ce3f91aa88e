import { useMemo } from 'preact/hooks';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { TimeChart } from '../../kit/chart/time-chart.js';
import { Figure } from '../../kit/figure.js';
import type { Column } from '../../kit/table/column.js';
import { DataTable } from '../../kit/table/data-table.js';
import { useTexts } from '../../texts.js';
import {
  barsOf,
  columnsOf,
  linesOf,
  longestOf,
  notesOf,
  numberOf,
  type ResultView,
  type SqlResult,
  textOf,
  views,
  viewsOf,
} from './result-shape.js';
import { sqlTexts } from './texts.js';

type ResultProps = { result: SqlResult };

/** The view of the address, where the result has it; the one that suits the result otherwise. */
export function useView(result: SqlResult): { view: ResultView; available: readonly ResultView[] } {
  const { query } = useAddress();
  const available = useMemo(() => viewsOf(result), [result]);
  const chosen = available.find((view) => view === query['view']);
  return { view: chosen ?? available[0] ?? 'table', available };
}

/** Chooses how the result is drawn; what it has nothing for cannot be chosen. */
export function ViewChoice({ result }: ResultProps) {
  const texts = useTexts(sqlTexts);
  const { choose } = useAddress();
  const { view, available } = useView(result);
  return (
    <fieldset class="segments sql-views">
      <legend class="visually-hidden">{texts.view}</legend>
      {views.map((one) => (
        <label key={one}>
          <input
            type="radio"
            name="sql-view"
            checked={one === view}
            disabled={!available.includes(one)}
            onChange={() => choose({ view: one })}
          />
          <span>{texts.views[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** A result, which came at `at`, in the chosen view. */
export function Result({ result, at }: ResultProps & { at: number }) {
  const { view } = useView(result);
  if (view === 'line') return <ResultLines result={result} at={at} />;
  if (view === 'bar') return <ResultBars result={result} />;
  if (view === 'figure') return <ResultFigures result={result} />;
  return <ResultTable result={result} />;
}

type Row = { index: number; cells: Readonly<Record<string, unknown>> };

/** A browser draws no table that is much higher, with 41 pixels a row; files have all rows. */
const tableRowsMax = 100_000;

function ResultTable({ result }: ResultProps) {
  const texts = useTexts(sqlTexts);
  const { count } = useFormat();
  const rows = useMemo(
    () => result.data.slice(0, tableRowsMax).map((cells, index): Row => ({ index, cells })),
    [result],
  );
  const columns = useMemo(() => tableColumns(result), [result]);
  return (
    <>
      {result.data.length > tableRowsMax && (
        <p class="note sql-note">{texts.firstRows({ rows: count(tableRowsMax) })}</p>
      )}
      <DataTable
        key={columns.map(({ key }) => key).join(' ')}
        name={texts.result}
        rows={rows}
        columns={columns}
        keyOf={({ index }) => String(index)}
        // As the statement orders them.
        sorting={{ key: '', isDescending: false }}
      />
    </>
  );
}

/** Longer texts end with an ellipsis; the title of the cell has them whole. */
const cellCharsMax = 60;

function tableColumns(result: SqlResult): Column<Row>[] {
  return columnsOf(result).map(({ name, type, kind }) => ({
    ...{ key: name, title: name, help: type, isFigure: kind === 'number', class: 'sql-cell' },
    chars: Math.min(cellCharsMax, longestOf(result, name)),
    value: ({ cells }) =>
      kind === 'number' ? (numberOf(cells[name]) ?? textOf(cells[name])) : textOf(cells[name]),
    cell: ({ cells }) => {
      const text = textOf(cells[name]);
      return text === null ? <span class="note">null</span> : <span title={text}>{text}</span>;
    },
  }));
}

function ResultLines({ result, at }: ResultProps & { at: number }) {
  const texts = useTexts(sqlTexts);
  const lines = useMemo(() => linesOf(result), [result]);
  if (lines === undefined) return <ResultTable result={result} />;
  const isWhole = lines.series.every(({ values }) =>
    values.every((value) => value === null || Number.isInteger(value)),
  );
  const isMs = lines.series.every(({ key }) => /_ms$/.test(key));
  return (
    <div class="sql-chart">
      <TimeChart
        title={texts.result}
        unit={isMs ? 'ms' : isWhole ? 'count' : 'number'}
        times={lines.times}
        stepSeconds={lines.stepSeconds}
        series={lines.series}
        notes={notesOf(lines, at)}
      />
      {lines.dropped > 0 && <p class="note">{texts.droppedSeries({ count: lines.dropped })}</p>}
    </div>
  );
}

const barsMax = 40;

function ResultBars({ result }: ResultProps) {
  const texts = useTexts(sqlTexts);
  const { number, count } = useFormat();
  const found = useMemo(() => barsOf(result), [result]);
  if (found === undefined) return <ResultTable result={result} />;
  const bars = found.bars.slice(0, barsMax);
  const largest = Math.max(0, ...bars.map(({ value }) => value));
  return (
    <div class="sql-chart">
      <table class="sql-bars" aria-label={texts.result}>
        <tbody>
          {bars.map(({ label, value }, i) => (
            <tr key={i}>
              <th scope="row" dir="auto" title={label}>
                {label}
              </th>
              <td>
                <span
                  class="sql-measure"
                  style={{ width: `${largest > 0 ? Math.max(0, (value / largest) * 100) : 0}%` }}
                />
              </td>
              <td class="figure-cell">{number(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {texts.barsOf({ name: found.value })}
        {found.bars.length > barsMax && ` ${texts.moreBars({ count: count(found.bars.length - barsMax) })}`}
      </p>
    </div>
  );
}

function ResultFigures({ result }: ResultProps) {
  const { number } = useFormat();
  const [row = {}] = result.data;
  return (
    <div class="sql-chart">
      <dl class="figures">
        {columnsOf(result).map(({ name, kind }) => {
          const value = numberOf(row[name]);
          const shown = kind === 'number' && value !== null ? number(value) : textOf(row[name]);
          return <Figure key={name} title={name} value={shown ?? undefined} />;
        })}
      </dl>
    </div>
  );
}
