import { useEffect, useRef, useState } from 'preact/hooks';
import { ReadError } from './fetch-json.js';

/** A change that a person sends. */
export type Send<Input extends unknown[]> = {
  /** Sends it; nothing while the change before is not answered. */
  run(...input: Input): void;
  isSending: boolean;
  /** Why the newest attempt failed. */
  error: ReadError | undefined;
  /** Forgets the error. */
  clear(): void;
};

/**
 * Sends a change once, and keeps why it failed. `send` does what follows a success as well. What a person has entered
 * is the caller's, so that a failure does not lose it.
 */
export function useSend<Input extends unknown[]>(send: (...input: Input) => Promise<void>): Send<Input> {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ReadError>();
  const isDrawn = useRef(true);
  const isBusy = useRef(false);
  useEffect(() => {
    isDrawn.current = true;
    return () => {
      isDrawn.current = false;
    };
  }, []);
  const run = async (...input: Input): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    setSending(true);
    setError(undefined);
    const failure = await send(...input).then(
      () => undefined,
      (reason: unknown) => (reason instanceof ReadError ? reason : new ReadError(0, String(reason))),
    );
    isBusy.current = false;
    if (!isDrawn.current) return;
    setSending(false);
    setError(failure);
  };
  return { run: (...input) => void run(...input), isSending, error, clear: () => setError(undefined) };
}
