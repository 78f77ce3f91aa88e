/** Does something that SIGINT and SIGTERM end in order: it is aborted, and rejects once it has cleaned up. */
export async function abortOnSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const end = (): void => ending.abort(new Error('Interrupted; nothing of it is left.'));
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    return await work(ending.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}
