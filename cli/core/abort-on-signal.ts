/**
 * Runs work that SIGINT and SIGTERM abort with an error of this message. The work settles once it has cleaned up.
 */
export async function abortOnSignal<T>(
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error(message));
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    return await work(ending.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
