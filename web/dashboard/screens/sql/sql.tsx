import { useId } from 'preact/hooks';
import type { SavedQuery } from '../../../../contract/manage/queries.js';
import { useAddress } from '../../address/use-address.js';
import { useFormat } from '../../format.js';
import { Icon } from '../../kit/icons.js';
import { ErrorNotice } from '../../kit/states.js';
import { pagePath } from '../../reads/api-path.js';
import { useRead } from '../../reads/use-read.js';
import { usePage } from '../../session.js';
import { Screen } from '../../shell/screen.js';
import { shellTexts } from '../../shell/texts.js';
import { isMac } from '../../shell/use-shortcuts.js';
import { useTexts } from '../../texts.js';
import type { Schema } from './editor/dialect.js';
import { SqlEditor } from './editor/sql-editor.js';
import { HistoryList } from './history-list.js';
import { Library } from './library.js';
import { pageFunctionTexts } from './page-function-texts.js';
import { QueryBar } from './query-bar.js';
import { ResultPanel } from './result-panel.js';
import { sqlTexts } from './texts.js';
import { type Console, useConsole } from './use-console.js';
import { useEstimate } from './use-estimate.js';
import { useHistory } from './use-history.js';

/** A question in SQL, its answer, and what others have asked. */
export default function Sql() {
  const { slug } = usePage();
  const { screens } = useTexts(shellTexts);
  const { choose } = useAddress();
  const console = useConsole(slug);
  const schema = useRead<Schema>(pagePath(slug, '/analytics/sql/schema'));
  const queries = useRead<{ items: SavedQuery[] }>(pagePath(slug, '/queries', { limit: '200' }));
  const history = useHistory(slug, console.run.state);
  return (
    <Screen title={screens.sql} hasRange isPolled={false}>
      <div class="sql-desk">
        <div class="sql-main">
          <section class="panel sql-input" aria-label={useTexts(sqlTexts).editor}>
            <div class="sql-head">
              <QueryBar
                console={console}
                onChanged={queries.retry}
                onOpened={(id) => choose({ query: id, example: undefined })}
              />
              <RunButtons console={console} />
            </div>
            {console.openError !== undefined && <ErrorNotice error={console.openError} />}
            <StatementEditor console={console} schema={schema.data} />
          </section>
          <ResultPanel console={console} onExample={() => console.open({ example: 'totals' })} />
        </div>
        <Library
          queries={queries}
          schema={schema}
          opened={console.source}
          onQuery={(query) => console.open({ query })}
          onExample={(example) => console.open({ example })}
          onInsert={(text) => console.editor.current?.insert(text)}
        >
          <HistoryList
            history={history}
            onStatement={(sql) => {
              console.replace(sql);
              console.editor.current?.focus();
            }}
          />
        </Library>
      </div>
    </Screen>
  );
}

function StatementEditor({ console, schema }: { console: Console; schema: Schema | undefined }) {
  const texts = useTexts(sqlTexts);
  return (
    <SqlEditor
      text={console.text}
      label={texts.editor}
      placeholder={texts.placeholder}
      schema={schema}
      pageFunctions={useTexts(pageFunctionTexts)}
      editor={console.editor}
      onChange={console.setText}
      onRun={console.start}
      onSave={() => document.querySelector<HTMLButtonElement>('.sql-name > .button')?.click()}
    />
  );
}

function RunButtons({ console }: { console: Console }) {
  const texts = useTexts(sqlTexts);
  const { slug } = usePage();
  const { range } = useAddress();
  const format = useFormat();
  const id = useId();
  const isRunning = console.run.state.kind === 'running';
  const estimate = useEstimate(slug, console.text, range);
  const reads =
    estimate !== undefined &&
    estimate.tables.length > 0 &&
    texts.reads({
      count: estimate.rows,
      rows: format.count(estimate.rows),
      bytes: format.bytes(estimate.bytes),
    });
  return (
    <div class="sql-run">
      {reads !== false && (
        <span id={id} class="note">
          {reads}
        </span>
      )}
      {isRunning && (
        <button type="button" class="button small" onClick={console.run.cancel}>
          <Icon name="stop" />
          {texts.cancel}
        </button>
      )}
      <button
        type="button"
        class="button small main"
        aria-describedby={reads === false ? undefined : id}
        onClick={console.start}
      >
        <Icon name="play" />
        {texts.run}
        <kbd>{isMac() ? '⌘↵' : 'Ctrl Enter'}</kbd>
      </button>
    </div>
  );
}
