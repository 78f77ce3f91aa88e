import { useEffect, useRef, useState } from 'preact/hooks';
import type { ImportedSubscribers } from '../../../../../contract/manage/subscribers.js';
import { toCsv } from '../../../kit/table/to-csv.js';
import { pagePath } from '../../../reads/api-path.js';
import { fetchJson, ReadError } from '../../../reads/fetch-json.js';
import { usePage } from '../../../session.js';
import type { FileRow, FileRows } from './read-file.js';

export type Refused = {
  line: number;
  email: string;
  reason: ImportedSubscribers['refused'][number]['reason'];
};

/** How far an import is. */
export type ImportState = {
  /** Rows that the service has answered. */
  done: number;
  added: number;
  changed: number;
  unchanged: number;
  refused: readonly Refused[];
  isRunning: boolean;
  error: ReadError | undefined;
};

/** Small enough that the bar moves, large enough that 10,000 rows are few requests. */
const partRows = 500;

const nothing: ImportState = {
  ...{ done: 0, added: 0, changed: 0, unchanged: 0, refused: [] },
  ...{ isRunning: false, error: undefined },
};

/** An import with its file, while the screen is drawn. */
export type Importing = {
  /** The chosen file; it may not be sent yet. */
  file: FileRows | undefined;
  choose(file: FileRows | undefined): void;
  /** `undefined` before the first row is sent. */
  state: ImportState | undefined;
  /** The rows that are sent, of the whole file. */
  rows: readonly FileRow[];
  start(rows: readonly FileRow[]): void;
  goOn(): void;
  stop(): void;
  /** Makes room for another file. */
  reset(): void;
};

/**
 * Sends rows part by part. A part that failed, or whose answer was lost, is sent again when the person goes on: nobody is
 * added twice.
 *
 * @param onLeft called when the screen ends before the import does; what is sent until then stays.
 */
export function useImport(onLeft: (done: number, all: number) => void): Importing {
  const { slug } = usePage();
  const [file, setFile] = useState<FileRows>();
  const [rows, setRows] = useState<readonly FileRow[]>([]);
  const [state, setState] = useState<ImportState>();
  const current = useRef<ImportState>(nothing);
  const running = useRef<AbortController | undefined>(undefined);
  useEnd(() => {
    running.current?.abort();
    if (current.current.isRunning) onLeft(current.current.done, rows.length);
  });
  useLeaveQuestion(current.current.isRunning);
  const update = (changes: Partial<ImportState>): void => {
    current.current = { ...current.current, ...changes };
    setState(current.current);
  };
  const run = async (given: readonly FileRow[], { signal }: AbortController): Promise<void> => {
    while (current.current.done < given.length) {
      const { done } = current.current;
      const part = given.slice(done, done + partRows);
      const answer = await sendPart(slug, part, signal);
      if (signal.aborted) return;
      update(added(current.current, part, answer));
    }
  };
  const send = (given: readonly FileRow[]): void => {
    const stopping = new AbortController();
    running.current = stopping;
    update({ isRunning: true, error: undefined });
    run(given, stopping)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted)
          update({ error: error instanceof ReadError ? error : new ReadError(0, String(error)) });
      })
      .finally(() => {
        if (!stopping.signal.aborted) update({ isRunning: false });
      });
  };
  return {
    ...{ file, choose: setFile, state, rows },
    start(given) {
      setRows(given);
      send(given);
    },
    goOn: () => send(rows),
    stop() {
      running.current?.abort();
      update({ isRunning: false });
    },
    reset() {
      running.current?.abort();
      current.current = nothing;
      setState(undefined);
      setFile(undefined);
    },
  };
}

/** Calls the newest of the functions when the component is no longer drawn. */
function useEnd(end: () => void): void {
  const newest = useRef(end);
  newest.current = end;
  useEffect(() => () => newest.current(), []);
}

/** The browser asks before it closes the tab. */
function useLeaveQuestion(isAsked: boolean): void {
  useEffect(() => {
    if (!isAsked) return undefined;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isAsked]);
}

const columns = [
  { key: 'email', title: 'email', value: ({ email }: FileRow) => email },
  { key: 'language', title: 'language', value: ({ language }: FileRow) => language },
  { key: 'confirmed', title: 'confirmed', value: ({ confirmed }: FileRow) => String(confirmed ?? '-') },
];

async function sendPart(
  slug: string,
  rows: readonly FileRow[],
  signal: AbortSignal,
): Promise<ImportedSubscribers> {
  const answer = await fetchJson<ImportedSubscribers>(pagePath(slug, '/subscribers/import'), {
    ...{ method: 'POST', body: toCsv(rows, columns), signal },
    headers: { 'content-type': 'text/csv' },
  });
  if (answer === 'unchanged') throw new ReadError(304, '');
  return answer.body;
}

/** The state after the answer to a part, whose first row is in line 2 of what was sent. */
function added(
  state: ImportState,
  part: readonly FileRow[],
  { refused, ...counts }: ImportedSubscribers,
): Partial<ImportState> {
  const named = refused.flatMap(({ line, reason }) => {
    const row = part[line - 2];
    return row === undefined ? [] : [{ line: row.line, email: row.email, reason }];
  });
  return {
    done: state.done + part.length,
    added: state.added + counts.added,
    changed: state.changed + counts.changed,
    unchanged: state.unchanged + counts.unchanged,
    refused: [...state.refused, ...named],
  };
}
