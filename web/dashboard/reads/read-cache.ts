import { createContext } from 'preact';

/**
 * The newest answer to a path. `at` is when it came, and `asOf` up to when it has everything by the clock of the service;
 * both in milliseconds since the epoch.
 */
export type KnownAnswer = {
  body: unknown;
  etag: string | undefined;
  asOf: number | undefined;
  at: number;
};

/** Answers of this tab by path: a screen that is opened again draws at once, and then reads. */
export type ReadCache = {
  get(path: string): KnownAnswer | undefined;
  set(path: string, answer: KnownAnswer): void;
};

/** Enough for the screens of a person; the largest answers have half a megabyte. */
const answersMax = 60;

/** Keeps the newest answers; the one that was set or read longest ago leaves first. */
export function createReadCache(): ReadCache {
  const answers = new Map<string, KnownAnswer>();
  const set = (path: string, answer: KnownAnswer): void => {
    answers.delete(path);
    answers.set(path, answer);
    const [oldest] = answers.keys();
    if (answers.size > answersMax && oldest !== undefined) answers.delete(oldest);
  };
  return {
    set,
    get(path) {
      const known = answers.get(path);
      if (known !== undefined) set(path, known);
      return known;
    },
  };
}

export const ReadCacheContext = createContext<ReadCache>(createReadCache());
