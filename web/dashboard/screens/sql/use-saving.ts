import { useState } from 'preact/hooks';
import { ReadError } from '../../reads/fetch-json.js';
import { type Send, useSend } from '../../reads/use-send.js';
import { usePage } from '../../session.js';
import type { Naming } from './query-dialogs.js';
import type { Console } from './use-console.js';
import { createQuery, deleteQuery, loadQuery, type OpenedQuery, replaceQuery } from './use-queries.js';

export type SavingProps = {
  console: Console;
  /** Called when the list of saved queries has changed. */
  onChanged(): void;
  /** Opens the query that was saved under a new name. */
  onOpened(id: string | undefined): void;
};

/** The dialog that is open; `theirs` is what somebody else has saved meanwhile. */
export type Asked = 'create' | 'rename' | 'delete' | { theirs: OpenedQuery };

/** The actions on the opened query, and the open dialog. */
export type Saving = {
  asked: Asked | undefined;
  ask(asked: Asked): void;
  close(): void;
  /** The same for the dialog of a name, which a conflict may have replaced. */
  closeName(): void;
  /** Whether the text is another one than was saved. */
  isChanged: boolean;
  mayChange: boolean;
  /** Saves the text in its place, or asks for a name. */
  save: Send<[]>;
  create(naming: Naming): Promise<void>;
  rename(naming: Naming): Promise<void>;
  remove(): Promise<void>;
  takeTheirs(theirs: OpenedQuery): void;
  keepMine: Send<[theirs: OpenedQuery]>;
  /** Begins an empty query. */
  startNew(): void;
};

/** Saves, renames and deletes the query of the console. */
export function useSaving({ console, onChanged, onOpened }: SavingProps): Saving {
  const page = usePage();
  const [asked, setAsked] = useState<Asked>();
  const { opened, setOpened, text } = console;
  const mayChange = opened !== undefined && (!opened.query.isShared || page.may('page.write'));
  const put = async (current: OpenedQuery, fields: Naming & { sql: string }): Promise<void> => {
    try {
      setOpened(await replaceQuery(page.slug, current, fields));
      setAsked(undefined);
      onChanged();
    } catch (error) {
      if (!(error instanceof ReadError) || error.status !== 412) throw error;
      setAsked({ theirs: await loadQuery(page.slug, current.query.id) });
    }
  };
  const save = useSend(async () => {
    if (opened === undefined || !mayChange) setAsked('create');
    else await put(opened, { ...namingOf(opened), sql: text });
  });
  const keepMine = useSend((theirs: OpenedQuery) => put(theirs, { ...namingOf(theirs), sql: text }));
  const open = (next: OpenedQuery | undefined): void => {
    setOpened(next);
    onOpened(next?.query.id);
  };
  return {
    ...{ asked, mayChange, save, keepMine, ask: setAsked },
    isChanged: opened !== undefined && opened.query.sql !== text,
    close() {
      setAsked(undefined);
      keepMine.clear();
    },
    closeName: () => setAsked((current) => (typeof current === 'object' ? current : undefined)),
    async create(naming) {
      open(await createQuery(page.slug, { ...naming, sql: text }));
      onChanged();
    },
    async rename(naming) {
      if (opened !== undefined) await put(opened, { ...naming, sql: opened.query.sql });
    },
    async remove() {
      if (opened !== undefined) await deleteQuery(page.slug, opened);
      open(undefined);
      onChanged();
    },
    takeTheirs(theirs) {
      setOpened(theirs);
      console.replace(theirs.query.sql);
      setAsked(undefined);
    },
    startNew() {
      open(undefined);
      console.replace('');
      console.editor.current?.focus();
    },
  };
}

/** Returns the initial values of the dialog that names a query. */
export function namingOf({ query: { name, isShared } }: OpenedQuery): Naming {
  return { name, isShared };
}
