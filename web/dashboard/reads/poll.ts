import { ReadError } from './fetch-json.js';
import { quietMsMax, quietRefusalsMax, retryMsAfter } from './retry.js';

/** The parts of the browser that a poll uses: the tab, a timer, and chance. */
export type Surroundings = {
  isVisible(): boolean;
  /** Calls when the tab comes into view or leaves it. Returns what ends that. */
  onVisibility(changed: () => void): () => void;
  /** Calls once after the time. Returns what ends that. */
  after(ms: number, call: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
};

export const browserTab: Surroundings = {
  isVisible: () => document.visibilityState !== 'hidden',
  onVisibility(changed) {
    document.addEventListener('visibilitychange', changed);
    return () => document.removeEventListener('visibilitychange', changed);
  },
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

type Poll = {
  everyMs: number | undefined;
  /** `isRepeat` for all but the first. */
  read(signal: AbortSignal, isRepeat: boolean): Promise<void>;
  onError(error: ReadError): void;
};

/**
 * Reads now, and again each time `everyMs` has passed since the last read ended, while somebody can see the tab; a tab
 * that is looked at again reads at once. A read for which the service names a time (Retry-After) comes again after that
 * time, later after each refusal. Returns what ends it.
 */
export function poll({ everyMs, read, onError }: Poll, tab: Surroundings = browserTab): () => void {
  const ending = new AbortController();
  let endTimer = (): void => {};
  let isReading = false;
  let hasRead = false;
  /** Whether a read fell due while nobody could see the tab. */
  let isOverdue = false;
  /** Failures in a row for which the service named a time. */
  let refusals = 0;

  function noteFailure(thrown: unknown): number | undefined {
    const error = thrown instanceof ReadError ? thrown : new ReadError(0, String(thrown));
    const retryMs = retryMsAfter(error, refusals + 1, tab.random());
    refusals = retryMs === undefined ? 0 : refusals + 1;
    const isQuiet = retryMs !== undefined && refusals <= quietRefusalsMax && retryMs <= quietMsMax;
    if (!isQuiet) onError(error);
    return retryMs ?? everyMs;
  }

  async function run(): Promise<void> {
    if (isReading) return;
    isOverdue = !tab.isVisible();
    if (isOverdue) return;
    isReading = true;
    endTimer();
    const isRepeat = hasRead;
    hasRead = true;
    let nextMs = everyMs;
    try {
      await read(ending.signal, isRepeat);
      refusals = 0;
    } catch (error) {
      if (!ending.signal.aborted) nextMs = noteFailure(error);
    }
    isReading = false;
    if (nextMs !== undefined && !ending.signal.aborted) endTimer = tab.after(nextMs, () => void run());
  }

  const endVisibility = tab.onVisibility(() => {
    const isLookedAt = everyMs !== undefined && refusals === 0;
    if (tab.isVisible() && (isOverdue || !hasRead || isLookedAt)) void run();
  });
  void run();
  return () => {
    ending.abort();
    endTimer();
    endVisibility();
  };
}
