import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { analyticsLimits } from '../../../contract/analytics/limits.js';
import { createLimiter } from '../../../lib/limiter.js';
import { fetchJson, type ReadError } from './fetch-json.js';
import { poll } from './poll.js';
import { type KnownAnswer, ReadCacheContext } from './read-cache.js';

/** A read and what is drawn of it. */
export type Read<T> = {
  /** The newest answer; while the first one to a new path is on its way, the answer of the previous path. */
  data: T | undefined;
  /** Why the newest attempt failed; `data` stays drawn. */
  error: ReadError | undefined;
  /** When `data` came, in milliseconds since the epoch. */
  at: number | undefined;
  /** Up to when `data` has everything, by the clock of the service; in milliseconds since the epoch. */
  asOf: number | undefined;
  /** Whether `data` answers another path. */
  isOlder: boolean;
  /** The tag of `data`, for a change that must not meet another state. */
  etag: string | undefined;
  retry(): void;
  /** Draws an answer that came in another way, such as the answer to a change. */
  take(answer: { body: T; etag: string | undefined }): void;
};

type Options = {
  /** Time between two reads while the tab is visible; reads once without it. */
  everyMs?: number | undefined;
};

type State = { path: string | undefined; answer: KnownAnswer | undefined; error: ReadError | undefined };

/**
 * Reads a path of the API, and reads it again while the tab is visible. Reads nothing without a path. A read that fails
 * keeps what is drawn, and the next one follows as usual, or when the service takes it.
 */
export function useRead<T>(path: string | undefined, { everyMs }: Options = {}): Read<T> {
  const cache = useContext(ReadCacheContext);
  const [state, setState] = useState<State>({ path: undefined, answer: undefined, error: undefined });
  const [attempt, setAttempt] = useState(0);
  const known = path === undefined ? undefined : cache.get(path);
  const last = useRef<KnownAnswer | undefined>(undefined);
  useEffect(() => {
    if (path === undefined) return;
    return poll({
      everyMs,
      async read(signal, isRepeat) {
        const before = cache.get(path);
        const answer = await inTurn(path, signal, () =>
          fetchJson<unknown>(path, {
            ...{ etag: before?.etag, signal },
            ...(isRepeat && { headers: sharedRead }),
          }),
        );
        const latest = cache.get(path);
        if (latest !== undefined && latest !== before) {
          // A change was answered meanwhile: what this read saw may be older.
          setState({ path, answer: latest, error: undefined });
          return;
        }
        const next = answer === 'unchanged' ? before : answer;
        if (next === undefined) return;
        const kept = { body: next.body, etag: next.etag, asOf: next.asOf, at: Date.now() };
        cache.set(path, kept);
        setState({ path, answer: kept, error: undefined });
      },
      onError: (error) =>
        setState((current) => ({
          path,
          answer: current.path === path ? current.answer : undefined,
          error,
        })),
    });
  }, [path, everyMs, attempt, cache]);
  const answer = known ?? (state.path === path ? state.answer : undefined);
  if (answer !== undefined) last.current = answer;
  const error = state.path === path ? state.error : undefined;
  // The figures of another path under the new one, with no end to the wait, would be wrong ones.
  const shown = answer ?? (path === undefined || error !== undefined ? undefined : last.current);
  return {
    data: shown?.body as T | undefined, // The caller names the type of the route's answer.
    error,
    at: shown?.at,
    asOf: shown?.asOf,
    isOlder: answer === undefined && shown !== undefined,
    etag: shown?.etag,
    take({ body, etag }) {
      if (path === undefined) return;
      const kept = { body, etag, asOf: undefined, at: Date.now() };
      cache.set(path, kept);
      setState({ path, answer: kept, error: undefined });
    },
    retry: () => setAttempt((count) => count + 1),
  };
}

/** A repeated read may get what another dashboard was answered within the last seconds. */
const sharedRead = { 'cache-control': 'max-age=5' };

/**
 * The service makes two reads of figures of a page at a time and turns one away that waits for 5 s. A screen has up to
 * twelve, so all but two wait here, where they may take longer. Other reads need no turn of the service.
 */
const turns = {
  figures: createLimiter<'tab'>({ maxPerKey: analyticsLimits.readsPerPage }),
  others: createLimiter<'tab'>({ maxPerKey: 4 }),
};

/** Waits for one of the turns of this tab, and then reads. @throws as `read`, and the reason of `signal` */
async function inTurn<T>(path: string, signal: AbortSignal, read: () => Promise<T>): Promise<T> {
  const release = await turns[isOfFigures(path) ? 'figures' : 'others'].take('tab', signal);
  try {
    return await read();
  } finally {
    release?.();
  }
}

const isOfFigures = (path: string): boolean => /^\/api\/v1\/pages\/[^/]+\/analytics\//.test(path);
