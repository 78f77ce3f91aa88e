import { useEffect, useState } from 'preact/hooks';
import { analyticsLimits } from '../../../../../contract/analytics/limits.js';
import { createLimiter } from '../../../../../lib/limiter.js';
import { pollMsOf, type Range } from '../../../address/range.js';
import type { ReadError } from '../../../reads/fetch-json.js';
import { poll } from '../../../reads/poll.js';
import { isOfPresent, type TileAnswer, type TileData, type TileRead } from './tile-reads.js';

/** A tile with what is drawn of it; `data` stays when a later read fails. */
export type TileState = {
  data: TileData | undefined;
  at: number | undefined;
  error: ReadError | undefined;
  /** Whether `data` answers another time range or other values. */
  isOlder: boolean;
  retry(): void;
};

/** Answers of this tab by their keys: a board that is opened again draws at once. */
const answers = new Map<string, TileAnswer>();
const answersMax = 80;
/** Larger ones are only with the tiles that draw them: a statement may answer 20 MB. */
const answerCharsMax = 250_000;
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
const presentMsMax = 30_000;

/** Returns the time between two reads: what is about the present goes on in a range that stands. */
function msBetweenReads(
  read: TileRead | undefined,
  data: TileData | undefined,
  range: Range,
): number | undefined {
  const path = read?.path ?? (data?.kind === 'figure' ? data.path : '');
  const rangeMs = pollMsOf(range, Date.now());
  const usual = isOfPresent(path) ? Math.min(presentMsMax, rangeMs ?? presentMsMax) : rangeMs;
  return usual !== undefined && read?.isStatement === true ? Math.max(usual, statementMsMin) : usual;
}

type Known = { key: string; answer: TileAnswer | undefined; error?: ReadError };

/** Reads a tile, and again while the tab is visible and what it shows moves with the time. */
export function useTile(read: TileRead | undefined, range: Range): TileState {
  const [state, setState] = useState<Known>();
  const [attempt, setAttempt] = useState(0);
  const key = read?.key;
  const known = state?.key === key ? state : undefined;
  const own = (key === undefined ? undefined : answers.get(key)) ?? known?.answer;
  const error = known?.error;
  const shown = own ?? (error === undefined ? state?.answer : undefined);
  const everyMs = msBetweenReads(read, shown?.data, range);
  useEffect(() => {
    if (read === undefined) return;
    return poll({
      everyMs,
      async read(signal) {
        const answer = await readOnce(read, signal);
        if (!signal.aborted) setState({ key: read.key, answer });
      },
      onError: (error) =>
        setState((current) => ({
          key: read.key,
          answer: answers.get(read.key) ?? (current?.key === read.key ? current.answer : undefined),
          error,
        })),
    });
  }, [key, everyMs, attempt]);
  return {
    ...{ data: shown?.data, at: shown?.at, error },
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
  if (charsOf(answer.data, answerCharsMax) > answerCharsMax) return;
  answers.set(key, answer);
  const [oldest] = answers.keys();
  if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
}

/** Returns about how many characters a value has as JSON, without names; stops counting beyond `most`. */
export function charsOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  let chars = 8;
  if (typeof value !== 'object' || value === null) return chars;
  for (const one of Object.values(value)) {
    if (chars > most) break;
    chars += charsOf(one, most - chars);
  }
  return chars;
}
