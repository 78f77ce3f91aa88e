import { useEffect, useState } from 'preact/hooks';
import type { SqlFormat } from '../../../../contract/analytics/sql.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { Menu } from '../../kit/menu.js';
import { Panel } from '../../kit/panel.js';
import { saveFile } from '../../kit/save-file.js';
import { Empty, Skeleton } from '../../kit/states.js';
import { useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import { isMac } from '../../shell/use-shortcuts.js';
import { useTexts } from '../../texts.js';
import { faultOf } from './editor/fault.js';
import { Result, ViewChoice } from './result.js';
import { csvOf, type SqlResult, usesRange } from './result-shape.js';
import { sqlTexts } from './texts.js';
import type { Console } from './use-console.js';
import { fetchFile, type RunState, type Statement } from './use-run.js';

/** Draws the rows of the statement, its fault, or that it still runs. */
export function ResultPanel({ console, onExample }: { console: Console; onExample(): void }) {
  const texts = useTexts(sqlTexts);
  const { state, last } = console.run;
  const isShown = state.kind === 'running' || state.kind === 'cancelled' || state.kind === 'done';
  const shown = isShown ? last : undefined;
  return (
    <Panel
      title={texts.result}
      flush
      note={<StateLine state={state} />}
      actions={
        state.kind === 'done' && (
          <>
            <ViewChoice result={state.result} />
            <Downloads statement={state.statement} result={state.result} />
          </>
        )
      }
    >
      {state.kind === 'none' && <NothingYet onExample={onExample} />}
      {state.kind === 'failed' && <Failure console={console} state={state} />}
      {state.kind === 'running' && shown === undefined && <Skeleton lines={5} />}
      {shown !== undefined && (
        <div
          class={state.kind === 'done' ? 'read-view' : 'read-view older'}
          aria-busy={state.kind === 'running'}
        >
          {shown.result.rows === 0 ? (
            <Empty title={texts.noRows}>{texts.noRowsWhy}</Empty>
          ) : (
            <Result result={shown.result} at={shown.at} />
          )}
        </div>
      )}
    </Panel>
  );
}

/** In a line: how long it has run, or how many rows it gave in which time. */
function StateLine({ state }: { state: RunState }) {
  const texts = useTexts(sqlTexts);
  const format = useFormat();
  return (
    <>
      <span role="status">
        {state.kind === 'running' && <span class="visually-hidden">{texts.runs}</span>}
        {state.kind === 'cancelled' && texts.cancelled({ seconds: format.seconds(state.afterMs) })}
        {state.kind === 'done' &&
          texts.rows({ count: state.result.rows, written: format.count(state.result.rows) })}
        {state.kind === 'done' &&
          state.tookMs !== undefined &&
          `, ${texts.took({ ms: format.ms(Math.round(state.tookMs)) })}`}
      </span>
      {state.kind === 'running' && <Elapsed since={state.startedAt} />}
      {state.kind === 'done' && usesRange(state.statement.sql) && ` · ${texts.range}`}
    </>
  );
}

function Elapsed({ since }: { since: number }) {
  const texts = useTexts(sqlTexts);
  const format = useFormat();
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, [since]);
  return (
    <span aria-hidden="true">{texts.running({ seconds: format.seconds(Math.max(0, now - since)) })}</span>
  );
}

function NothingYet({ onExample }: { onExample(): void }) {
  const texts = useTexts(sqlTexts);
  return (
    <Empty title={texts.none}>
      <p>{texts.noneWhy({ key: isMac() ? '⌘↵' : 'Ctrl+Enter' })}</p>
      <button type="button" class="button small" onClick={onExample}>
        <Icon name="play" />
        {texts.firstExample}
      </button>
    </Empty>
  );
}

type FailureProps = { console: Console; state: Extract<RunState, { kind: 'failed' }> };

/** The sentence of the service, and the way to the place in the text. */
function Failure({ console, state: { error, statement } }: FailureProps) {
  const texts = useTexts(sqlTexts);
  const fault = faultOf(error, statement.sql, statement.from);
  const line = fault && console.text.slice(0, fault.index).split('\n').length;
  return (
    <div class="error-notice sql-failure" role="alert">
      <Icon name="warning" />
      <p>{error.message === '' ? texts.noAnswer : error.message}</p>
      {fault !== undefined && line !== undefined && (
        <button type="button" class="button small" onClick={() => console.editor.current?.focus(fault.index)}>
          {texts.goThere({ line })}
        </button>
      )}
    </div>
  );
}

const files: readonly { format: SqlFormat; ending: string }[] = [
  { format: 'CSV', ending: 'csv' },
  { format: 'JSON', ending: 'json' },
  { format: 'Parquet', ending: 'parquet' },
];

/** Files of the result. For those with types the statement runs again in the format; CSV is made of what is here. */
function Downloads({ statement, result }: { statement: Statement; result: SqlResult }) {
  const texts = useTexts(sqlTexts);
  const { slug } = usePage();
  const send = useSend(async ({ format, ending }: (typeof files)[number]) => {
    if (format === 'CSV') return saveFile(`${slug}.${ending}`, csvOf(result), 'text/csv;charset=utf-8');
    const blob = await fetchFile(slug, statement, format);
    saveFile(`${slug}.${ending}`, blob, blob.type);
  });
  return (
    <>
      <Menu
        label={texts.download}
        class="button small"
        align="end"
        button={
          <>
            <Icon name="download" />
            {texts.download}
          </>
        }
      >
        {(close) => (
          <ul class="menu-list">
            {files.map((file) => (
              <li key={file.format}>
                <button
                  type="button"
                  onClick={() => {
                    close();
                    send.run(file);
                  }}
                >
                  {file.format}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Menu>
      <span class={send.error === undefined ? 'note' : 'field-error'} role="status">
        {send.isSending && texts.downloading}
        {send.error !== undefined && (send.error.message === '' ? texts.downloadFailed : send.error.message)}
      </span>
    </>
  );
}
