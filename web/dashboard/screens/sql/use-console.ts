import type { RefObject } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { sqlExamples } from '../../../../contract/analytics/sql-examples.js';
import { useAddress } from '../../address/use-address.js';
import { keep, readKept } from '../../kit/kept.js';
import { ReadError } from '../../reads/fetch-json.js';
import { useSession } from '../../session.js';
import { faultOf } from './editor/fault.js';
import type { Editor } from './editor/mount-editor.js';
import { usesRange } from './result-shape.js';
import { loadQuery, type OpenedQuery } from './use-queries.js';
import { type Run, useRun } from './use-run.js';

/** The written statement, the query that it began as, and its result. */
export type Console = {
  editor: RefObject<Editor | null>;
  text: string;
  setText(text: string): void;
  /** Puts a text into the editor, which Undo there reverts. */
  replace(text: string): void;
  /** The saved query that is being worked on. */
  opened: OpenedQuery | undefined;
  setOpened(opened: OpenedQuery | undefined): void;
  /** The saved query or example of the address. */
  source: string | undefined;
  /** Opens a saved query or an example, and runs it. */
  open(source: { query?: string; example?: string }): void;
  /** Why the saved query of the address could not be opened. */
  openError: ReadError | undefined;
  run: Run;
  /** Runs the selection, or all of the text. */
  start(): void;
};

/** Keeps the statement of a page and what became of it. The address names the saved query or the example. */
export function useConsole(slug: string): Console {
  const { query, range, choose } = useAddress();
  const editor = useRef<Editor | null>(null);
  const userId = useSession().me.caller.id;
  const place = useMemo(() => ({ userId, slug }), [userId, slug]);
  const [draft] = useState(() => readDraft(place));
  const [text, setOwnText] = useState(draft?.text ?? '');
  const [opened, setOpened] = useState<OpenedQuery>();
  const [openError, setOpenError] = useState<ReadError>();
  const run = useRun(slug);
  const source = query['query'] ?? query['example'];
  const setText = useCallback(
    (next: string) => {
      setOwnText(next);
      keepDraft(place, { text: next, query: source });
    },
    [place, source],
  );
  const show = (next: string): void => {
    if (editor.current === null) setText(next);
    else editor.current.replace(next);
    setOwnText(next);
    run.run({ sql: next, from: 0, range });
  };
  // Counts what was opened: an answer that comes after the next one, or after the screen has closed, changes nothing.
  const turn = useRef(0);
  const load = async (id: string, isKept: boolean): Promise<void> => {
    const mine = turn.current;
    try {
      const found = await loadQuery(slug, id);
      if (turn.current !== mine) return;
      setOpened(found);
      if (!isKept) show(found.query.sql);
    } catch (error) {
      if (turn.current !== mine) return;
      setOpenError(error instanceof ReadError ? error : new ReadError(0, String(error)));
    }
  };
  const enter = (isKept: boolean): void => {
    turn.current += 1;
    setOpenError(undefined);
    if (source === undefined || source !== opened?.query.id) setOpened(undefined);
    const example = sqlExamples.find(({ id }) => id === query['example']);
    if (query['query'] !== undefined) void load(query['query'], isKept);
    else if (example !== undefined && !isKept) show(example.sql);
  };
  const isFirst = useRef(true);
  useEffect(() => {
    // A reload keeps what was written since the query was opened.
    const isKept = isFirst.current ? draft?.query === source : opened?.query.id === source;
    isFirst.current = false;
    if (source !== undefined || opened !== undefined) enter(isKept);
    return () => {
      turn.current += 1;
    };
  }, [source]);
  useRangeChanges(run, range);
  useMarks(run, editor);
  return {
    ...{ editor, text, setText, opened, setOpened, source, openError, run },
    replace: (next) => (editor.current === null ? setText(next) : editor.current.replace(next)),
    open(next) {
      if ((next.query ?? next.example) === source) enter(false);
      else choose({ query: next.query, example: next.example, view: undefined });
    },
    start() {
      editor.current?.closeList();
      const part = editor.current?.selection() ?? { text, from: 0 };
      if (part.text.trim() === '') editor.current?.focus();
      else run.run({ sql: part.text, from: part.from, range });
    },
  };
}

/** A statement with the parameters of the range runs again when another range is chosen. */
function useRangeChanges({ state, run }: Run, range: { from: string; to: string }): void {
  useEffect(() => {
    if (state.kind === 'none') return;
    const { statement } = state;
    const isSame = statement.range.from === range.from && statement.range.to === range.to;
    if (!isSame && usesRange(statement.sql)) run({ ...statement, range });
  }, [range.from, range.to]);
}

/** Underlines the fault of the statement that ran last. */
function useMarks({ state }: Run, editor: RefObject<Editor | null>): void {
  useEffect(() => {
    editor.current?.mark(
      state.kind === 'failed' ? faultOf(state.error, state.statement.sql, state.statement.from) : undefined,
    );
  }, [state.kind === 'running' ? undefined : state]);
}

/** The statement in the editor of a page, and the saved query or example that it began as. */
type Draft = { text: string; query?: string | undefined };

/** The person and the page of a draft: people may share a browser. */
type DraftPlace = { userId: string; slug: string };

const keyOf = ({ userId, slug }: DraftPlace) => `heartline-sql:${userId}:${slug}`;

/** Returns the last statement of this browser. */
function readDraft(place: DraftPlace): Draft | undefined {
  try {
    const kept: unknown = JSON.parse(readKept(keyOf(place)) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('text' in kept)) return undefined;
    const query = 'query' in kept && typeof kept.query === 'string' ? kept.query : undefined;
    return { text: String(kept.text), query };
  } catch {
    return undefined; // Something else stands there.
  }
}

/** Keeps what is written for the next visit, where the browser has room. */
function keepDraft(place: DraftPlace, draft: Draft): void {
  keep(keyOf(place), JSON.stringify(draft));
}
