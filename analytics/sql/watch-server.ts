import { storeUnavailable } from '../../lib/service-error.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';

/** While a query runs, the server is asked this often whether it answers at all. */
const watchMs = 2_000;

/**
 * Makes a signal that is aborted with `storeUnavailable` when the server is silent, and with the reason of `outer`. A
 * query that takes long and a server that hangs differ in nothing else.
 */
export function watchServer(
  clickhouse: ClickHouseClient,
  outer: AbortSignal | undefined,
): { signal: AbortSignal; stop(): void } {
  const ending = new AbortController();
  const end = (): void => ending.abort(outer?.reason);
  const answers = async (): Promise<boolean> => (await clickhouse.ping()).success;
  const timer = setInterval(async () => {
    // The second one is on a new connection, when what closed the first was not the server.
    if (!(await answers()) && !(await answers())) ending.abort(storeUnavailable());
  }, watchMs);
  outer?.addEventListener('abort', end, { once: true });
  if (outer?.aborted) end();
  return {
    signal: ending.signal,
    stop() {
      clearInterval(timer);
      outer?.removeEventListener('abort', end);
    },
  };
}
