import { useEffect, useState } from 'preact/hooks';
import { analyticsLimits } from '../../../../../contract/analytics/limits.js';
import { createLimiter } from '../../../../../lib/limiter.js';
import { pollMsOf, type Range } from '../../../address/range.js';
import type { ReadError } from '../../../reads/fetch-json.js';
import { poll } from '../../../reads/poll.js';
import type { TileAnswer, TileRead } from './tile-reads.js';

/** A tile with what is drawn of it; `data` stays when a later read fails. */
export type TileState = {
  data: TileAnswer['data'] | undefined;
  at: number | undefined;
  error: ReadError | undefined;
  /** Whether `data` answers another time range or other values. */
  isOlder: boolean;
  retry(): void;
};

/** Answers of this tab by their keys: a board that is opened again draws at once. */
const answers = new Map<string, TileAnswer>();
const answersMax = 80;
type Running = { answer: Promise<TileAnswer | undefined>; ending: AbortController; waiting: number };
/** Reads on their way by their keys. Several tiles of a board show parts of one answer. */
const running = new Map<string, Running>();

/** Four tiles at a time, of which the service reads as many as it does for a page. */
const turns = {
  figures: createLimiter<'tab'>({ maxPerKey: analyticsLimits.readsPerPage }),
  statements: createLimiter<'tab'>({ maxPerKey: 2 }),
};

/** Statements cost more than figures, and are asked less often. */
const statementMsMin = 60_000;

/** Reads a tile, and again while the tab is visible and the range moves with the time. */
export function useTile(read: TileRead | undefined, range: Range): TileState {
  const [state, setState] = useState<{ key: string; answer?: TileAnswer | undefined; error?: ReadError }>();
  const [attempt, setAttempt] = useState(0);
  const key = read?.key;
  const pollMs = pollMsOf(range, Date.now());
  const everyMs =
    pollMs !== undefined && read?.isStatement === true ? Math.max(pollMs, statementMsMin) : pollMs;
  useEffect(() => {
    if (read === undefined) return;
    return poll({
      everyMs,
      async read(signal) {
        const answer = await readOnce(read, signal);
        if (!signal.aborted) setState({ key: read.key, answer });
      },
      onError: (error) => setState({ key: read.key, answer: answers.get(read.key), error }),
    });
  }, [key, everyMs, attempt]);
  const own = key === undefined ? undefined : (answers.get(key) ?? undefined);
  const shown = own ?? (state?.key === key && state?.error !== undefined ? undefined : state?.answer);
  return {
    ...{ data: shown?.data, at: shown?.at },
    error: state?.key === key ? state?.error : undefined,
    isOlder: own === undefined && shown !== undefined,
    retry: () => setAttempt((count) => count + 1),
  };
}

/** Reads in turn, and once for all tiles with the key; a read that no tile waits for any more ends. */
async function readOnce(read: TileRead, signal: AbortSignal): Promise<TileAnswer | undefined> {
  const one = running.get(read.key) ?? start(read);
  one.waiting += 1;
  const leave = (): void => {
    one.waiting -= 1;
    if (one.waiting > 0) return;
    one.ending.abort();
    if (running.get(read.key) === one) running.delete(read.key);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    return await one.answer;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

function start(read: TileRead): Running {
  const ending = new AbortController();
  const answer = readInTurn(read, ending.signal).finally(() => {
    if (running.get(read.key)?.answer === answer) running.delete(read.key);
  });
  const one = { answer, ending, waiting: 0 };
  running.set(read.key, one);
  return one;
}

async function readInTurn(
  { key, isStatement, load }: TileRead,
  signal: AbortSignal,
): Promise<TileAnswer | undefined> {
  const release = await turns[isStatement ? 'statements' : 'figures'].take('tab', signal);
  try {
    const before = answers.get(key);
    const answer = await load(signal, before?.etag);
    const next = answer ?? (before && { ...before, at: Date.now() });
    if (next !== undefined) remember(key, next);
    return next;
  } finally {
    release?.();
  }
}

function remember(key: string, answer: TileAnswer): void {
  answers.delete(key);
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
}
