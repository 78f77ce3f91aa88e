import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAddress } from '../../../address/use-address.js';
import { useFormat } from '../../../format.js';
import { Figure } from '../../../kit/figure.js';
import { SendError } from '../../../kit/form/form.js';
import { Icon } from '../../../kit/icons.js';
import { saveFile } from '../../../kit/save-file.js';
import type { Column } from '../../../kit/table/column.js';
import { DataTable } from '../../../kit/table/data-table.js';
import { toCsv } from '../../../kit/table/to-csv.js';
import { usePage } from '../../../session.js';
import { useTexts } from '../../../texts.js';
import { type ImportTexts, importTexts } from './texts.js';
import type { ImportState, Refused } from './use-import.js';

type OutcomeProps = {
  state: ImportState;
  /** Rows of the whole file. */
  all: number;
  onStop(): void;
  onGoOn(): void;
  onAnother(): void;
};

/** How far the import is, what it has done, and which lines it left out. */
export function ImportOutcome({ state, all, onStop, onGoOn, onAnother }: OutcomeProps) {
  const texts = useTexts(importTexts);
  const format = useFormat();
  const { path, to } = useAddress();
  const { done, isRunning, error, refused } = state;
  const heading = useRef<HTMLHeadingElement>(null);
  const isDone = done >= all;
  useLayoutEffect(() => heading.current?.focus(), [isRunning]);
  const title = isRunning ? texts.importTitle : isDone ? texts.doneTitle : texts.stoppedTitle;
  return (
    <div class="import-outcome">
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      <progress max={all} value={done} aria-label={texts.importTitle} />
      <p class="note" role="status">
        {texts.progress({ done: format.count(done), all: format.count(all) })}
      </p>
      {error !== undefined && <SendError error={error} />}
      {!isRunning && !isDone && <p class="note">{texts.stoppedWhy}</p>}
      <dl class="figures">
        {(['added', 'changed', 'unchanged'] as const).map((name) => (
          <Figure key={name} title={texts.counts[name]} value={format.count(state[name])} />
        ))}
        <Figure title={texts.counts.refused} value={format.count(refused.length)} />
      </dl>
      <div class="form-actions">
        {isRunning && (
          <button type="button" class="button small" onClick={onStop}>
            {texts.stop}
          </button>
        )}
        {!isRunning && !isDone && (
          <button type="button" class="button" onClick={onGoOn}>
            {texts.goOn}
          </button>
        )}
        {!isRunning && (
          <>
            <a class="button small" href={to(path)}>
              {texts.toList}
            </a>
            <button type="button" class="button small" onClick={onAnother}>
              {texts.another}
            </button>
          </>
        )}
      </div>
      {refused.length > 0 && <RefusedRows refused={refused} />}
    </div>
  );
}

function RefusedRows({ refused }: { refused: readonly Refused[] }) {
  const texts = useTexts(importTexts);
  const { slug } = usePage();
  const columns = columnsOf(texts);
  return (
    <section class="dry-look" aria-label={texts.refusedRows}>
      <h3>{texts.refusedRows}</h3>
      <p class="note">{texts.refusedWhy}</p>
      <p>
        <button
          type="button"
          class="button small"
          onClick={() => saveFile(`refused-${slug}.csv`, toCsv(refused, columns), 'text/csv;charset=utf-8')}
        >
          <Icon name="download" />
          {texts.downloadRefused}
        </button>
      </p>
      <DataTable
        isShort
        name={texts.refusedRows}
        rows={refused}
        columns={columns}
        keyOf={({ line }) => String(line)}
        sorting={{ key: 'line', isDescending: false }}
      />
    </section>
  );
}

function columnsOf(texts: ImportTexts): Column<Refused>[] {
  return [
    { key: 'line', title: texts.line, value: ({ line }) => line },
    { key: 'email', title: texts.address, class: 'address-cell', value: ({ email }) => email },
    {
      key: 'reason',
      title: texts.reason,
      class: 'reason-cell',
      value: ({ reason }) => texts.reasons[reason],
    },
  ];
}
