import type { ComponentChildren } from 'preact';
import { type SqlExampleId, sqlExamples } from '../../../../contract/analytics/sql-examples.js';
import type { SavedQuery } from '../../../../contract/manage/queries.js';
import { ReadView, Skeleton } from '../../kit/states.js';
import type { Read } from '../../reads/use-read.js';
import { useTexts } from '../../texts.js';
import type { Schema } from './editor/dialect.js';
import { shortType } from './editor/short-type.js';
import { exampleTexts } from './example-texts.js';
import { sqlTexts } from './texts.js';

type LibraryProps = {
  queries: Read<{ items: readonly SavedQuery[] }>;
  schema: Read<Schema>;
  /** The id of the open query or example. */
  opened: string | undefined;
  onQuery(id: string): void;
  onExample(id: SqlExampleId): void;
  onInsert(text: string): void;
  /** The statements that the person has run. */
  children: ComponentChildren;
};

/** Lists saved queries, the history, examples, and the tables with their columns. */
export function Library(props: LibraryProps) {
  const { queries, schema, opened, onQuery, onExample, onInsert, children } = props;
  const texts = useTexts(sqlTexts);
  const examples = useTexts(exampleTexts);
  const titles = [texts.queries, texts.history, texts.examples, texts.tables];
  return (
    <aside class="sql-library" aria-label={titles.join(', ')}>
      <Section title={texts.queries} isOpen>
        <ReadView
          read={queries}
          skeleton={<Skeleton lines={3} />}
          isEmpty={({ items }) => items.length === 0}
          empty={<p class="note">{texts.noQueries}</p>}
        >
          {({ items }) => (
            <ul>
              {items.map(({ id, name, isShared }) => (
                <Entry key={id} title={name} isCurrent={id === opened} onChoose={() => onQuery(id)}>
                  {!isShared && texts.private}
                </Entry>
              ))}
            </ul>
          )}
        </ReadView>
      </Section>
      <Section title={texts.history}>{children}</Section>
      <Section title={texts.examples} isOpen>
        <ul>
          {sqlExamples.map(({ id }) => (
            <Entry
              key={id}
              title={examples[id].title}
              isCurrent={id === opened}
              onChoose={() => onExample(id)}
            >
              {examples[id].answers}
            </Entry>
          ))}
        </ul>
      </Section>
      <Section title={texts.tables}>
        <ReadView read={schema} skeleton={<Skeleton lines={4} />}>
          {({ tables }) => (
            <>
              {tables.map((table) => (
                <TableEntry key={table.name} table={table} onInsert={onInsert} />
              ))}
            </>
          )}
        </ReadView>
      </Section>
    </aside>
  );
}

type SectionProps = { title: string; isOpen?: boolean; children: ComponentChildren };

function Section({ title, isOpen = false, children }: SectionProps) {
  return (
    <details class="panel sql-section" open={isOpen}>
      <summary>
        <h2>{title}</h2>
      </summary>
      {children}
    </details>
  );
}

type EntryProps = { title: string; isCurrent: boolean; onChoose(): void; children: ComponentChildren };

function Entry({ title, isCurrent, onChoose, children }: EntryProps) {
  return (
    <li>
      <button
        type="button"
        class="sql-entry"
        {...(isCurrent && { 'aria-current': 'true' as const })}
        onClick={onChoose}
      >
        <span dir="auto">{title}</span>
        {children !== false && <span class="note">{children}</span>}
      </button>
    </li>
  );
}

type TableEntryProps = { table: Schema['tables'][number]; onInsert(text: string): void };

/** A table with what a row is; its columns show with their types, and what they mean. */
function TableEntry({ table: { name, comment, columns }, onInsert }: TableEntryProps) {
  const texts = useTexts(sqlTexts);
  return (
    <details class="sql-table">
      <summary>
        <code>{name}</code>
      </summary>
      <p class="note">{comment}</p>
      <ul>
        {[{ name, type: '', comment: '' }, ...columns].map((column, i) => (
          <li key={column.name}>
            <button
              type="button"
              class="sql-column"
              title={i === 0 ? texts.insert({ name }) : `${column.type}\n${column.comment}`}
              onClick={() => onInsert(column.name)}
            >
              <span>{i === 0 ? texts.insert({ name }) : column.name}</span>
              <span class="note">{shortType(column.type)}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
