import type { Log } from '../../lib/log.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import {
  decidePrivateAddresses,
  loadPrivateAddressChoice,
  type PrivateAddressRule,
  type PrivateAddressState,
} from './private-addresses.js';

export type PrivateAddressFollower = {
  /** The present state. Costs no query. */
  current(): PrivateAddressState;
  /** Reads what the installation has chosen, so that a change holds at once where it was made. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

/** A change holds on every instance after about this long. */
const pollEveryMs = 1_000;

/**
 * Follows the choice of the installation, unless the environment decides. While PostgreSQL does not answer, the last
 * choice stays valid.
 */
export async function followPrivateAddresses(
  { sql, log }: { sql: Sql; log: Log },
  rule: PrivateAddressRule,
): Promise<PrivateAddressFollower> {
  let chosen: boolean | undefined;
  let polling: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function refresh(): Promise<void> {
    chosen = await withQueryTimeout(loadPrivateAddressChoice({ sql }));
  }

  function schedule(): void {
    timer = setTimeout(() => {
      polling = refresh()
        .catch((err) =>
          log.warn({ err }, 'Whether private addresses are allowed could not be read; retrying.'),
        )
        .finally(() => {
          if (!stopped) schedule();
        });
    }, pollEveryMs);
    timer.unref();
  }

  if (rule.fixed === undefined) {
    await refresh();
    schedule();
  }
  return {
    current: () => decidePrivateAddresses(rule, chosen),
    refresh,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await polling;
    },
  };
}
