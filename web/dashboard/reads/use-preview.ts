import { useEffect, useRef, useState } from 'preact/hooks';
import { fetchJson, ReadError, requestOf } from './fetch-json.js';
import { patiently } from './retry.js';

/** After the last key of a burst: often enough to follow, seldom enough for the limit of requests. */
const waitMs = 400;

export type Preview<T> = {
  /** The newest one; it may be of what was written some letters ago. */
  data: T | undefined;
  /** Why the newest attempt failed; `data` stays. */
  error: ReadError | undefined;
  isOlder: boolean;
  retry(): void;
};

/** `version` is of the request that was answered. */
type State<T> = { version?: string; data?: T | undefined; error?: ReadError };

type PreviewOptions = {
  /** A choice, which shows at once, unlike typed text. */
  choice?: string;
  /** Further state that the answer depends on. */
  saved?: object;
};

/** Posts a draft and returns the answer. It follows the draft after a short wait; the previous answer stays until then. */
export function usePreview<T>(path: string, draft: object, options: PreviewOptions = {}): Preview<T> {
  const body = JSON.stringify(draft);
  const version = JSON.stringify([path, body, options.saved]);
  const [state, setState] = useState<State<T>>({});
  const [attempt, setAttempt] = useState(0);
  const choice = `${options.choice} ${attempt}`;
  const lastChoice = useRef<string | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    const load = async (): Promise<void> => {
      const { signal } = ending;
      const request = { ...requestOf('POST', JSON.parse(body)), signal };
      const outcome = await patiently(() => fetchJson<T>(path, request)).then(
        (answer) => (answer === 'unchanged' ? {} : { data: answer.body }),
        (error: unknown) => ({ error: error instanceof ReadError ? error : new ReadError(0, String(error)) }),
      );
      if (!signal.aborted) setState((before) => ({ data: before.data, ...outcome, version }));
    };
    const timer = setTimeout(() => void load(), lastChoice.current === choice ? waitMs : 0);
    lastChoice.current = choice;
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [version, choice]);
  return {
    ...{ data: state.data, error: state.error, isOlder: state.version !== version },
    retry: () => setAttempt((count) => count + 1),
  };
}
