import { useEffect, useRef, useState } from 'preact/hooks';
import type { SqlFormat } from '../../../../contract/analytics/sql.js';
import type { Range } from '../../address/range.js';
import { pagePath } from '../../reads/api-path.js';
import { fetchAnswer, ReadError, requestOf } from '../../reads/fetch-json.js';
import type { SqlResult } from './result-shape.js';

/** A statement that runs: all of the text, or the part of it that begins at `from`. */
export type Statement = { sql: string; from: number; range: Range };

/**
 * `startedAt` and `at`, when the result came by the clock of the service, are in milliseconds; `tookMs` is what ClickHouse
 * took, where the service says it.
 */
export type RunState =
  | { kind: 'none' }
  | { kind: 'running'; statement: Statement; startedAt: number }
  | { kind: 'done'; statement: Statement; result: SqlResult; at: number; tookMs: number | undefined }
  | { kind: 'failed'; statement: Statement; error: ReadError }
  | { kind: 'cancelled'; statement: Statement; afterMs: number };

export type Run = {
  state: RunState;
  /** The newest result, which stays drawn while the next statement runs. */
  last: Extract<RunState, { kind: 'done' }> | undefined;
  run(statement: Statement): void;
  /** Ends the request, and with it the query on the server. */
  cancel(): void;
};

/** Longer than a statement takes with its wait for others, and than the file of a large result. */
const sqlMsMax = 60_000;

type Current = { ending: AbortController; startedAt: number; statement: Statement };

/** Runs one statement at a time: another one ends the one before. */
export function useRun(slug: string): Run {
  const [state, setState] = useState<RunState>({ kind: 'none' });
  const [last, setLast] = useState<Run['last']>();
  const current = useRef<Current | undefined>(undefined);
  useEffect(() => () => current.current?.ending.abort(), []);
  const run = async (statement: Statement): Promise<void> => {
    current.current?.ending.abort();
    const mine = { ending: new AbortController(), startedAt: Date.now(), statement };
    current.current = mine;
    setState({ kind: 'running', statement, startedAt: mine.startedAt });
    const next = await ask(slug, statement, mine.ending.signal);
    if (current.current !== mine || next === undefined) return;
    current.current = undefined;
    setState(next);
    if (next.kind === 'done') setLast(next);
  };
  const cancel = (): void => {
    const mine = current.current;
    if (mine === undefined) return;
    current.current = undefined;
    mine.ending.abort();
    setState({ kind: 'cancelled', statement: mine.statement, afterMs: Date.now() - mine.startedAt });
  };
  return { state, last, run: (statement) => void run(statement), cancel };
}

async function ask(slug: string, statement: Statement, signal: AbortSignal): Promise<RunState | undefined> {
  try {
    const answer = await post(slug, statement, 'JSON', signal);
    const result: SqlResult = await answer.json();
    return { kind: 'done', statement, result, at: serverTime(answer), tookMs: serverMs(answer) };
  } catch (error) {
    if (signal.aborted) return undefined;
    return {
      kind: 'failed',
      statement,
      error: error instanceof ReadError ? error : new ReadError(0, String(error)),
    };
  }
}

/** Runs a statement again for a file. @throws ReadError */
export async function fetchFile(slug: string, statement: Statement, format: SqlFormat): Promise<Blob> {
  return (await post(slug, statement, format)).blob();
}

function post(
  slug: string,
  { sql, range }: Statement,
  format: SqlFormat,
  signal?: AbortSignal,
): Promise<Response> {
  return fetchAnswer(pagePath(slug, '/analytics/sql'), {
    ...requestOf('POST', { sql, format, ...range }),
    timeoutMs: sqlMsMax,
    ...(signal !== undefined && { signal }),
  });
}

function serverTime({ headers }: Response): number {
  const at = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(at) ? Date.now() : at;
}

function serverMs({ headers }: Response): number | undefined {
  const [, ms] = /clickhouse;dur=([\d.]+)/.exec(headers.get('server-timing') ?? '') ?? [];
  return ms === undefined ? undefined : Number(ms);
}
