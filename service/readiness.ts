import type { CheckReadiness } from '../api/routes/health.js';
import type { Clock } from '../lib/clock.js';
import { shareResult } from '../lib/share-result.js';
import { withTimeout } from '../lib/timeout.js';
import { secondMs } from '../lib/times.js';
import { pendingMigrations } from '../sql/migrate.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';

const answerWithinMs = 2_000;

/** Balancers ask every few seconds. Anyone else who can reach the address cannot make more checks than these. */
const freshMs = secondMs;

/**
 * Checks both stores, at most once a second. The answer says which one fails; the details of an error are for the log of
 * the operator.
 */
export function createReadiness({
  sql,
  clickhouse,
  clock,
  hasStarted = () => true,
}: {
  sql: Sql;
  clickhouse: ClickHouseClient;
  clock: Clock;
  /** Whether the start is over. */
  hasStarted?: (() => boolean) | undefined;
}): CheckReadiness {
  const checkNow = async () => {
    const [postgres, analytics, migrations] = await Promise.all([
      check(sql`SELECT 1`, 'PostgreSQL does not answer.'),
      check(clickhouse.command({ query: 'SELECT 1 FORMAT Null' }), 'ClickHouse does not answer.'),
      checkMigrations({ sql, clickhouse }),
    ]);
    return { postgres, clickhouse: analytics, migrations };
  };
  const checkStores = shareResult(checkNow, { clock, freshMs });
  // Whoever waits for the service goes on with the keys that the start prints.
  return async () => {
    const checks = await checkStores();
    return hasStarted() ? checks : { ...checks, start: 'The service starts.' };
  };
}

async function checkMigrations(stores: { sql: Sql; clickhouse: ClickHouseClient }): Promise<string> {
  let pending: string[] = [];
  const state = await check(
    pendingMigrations(stores).then((names) => {
      pending = names;
    }),
    'The migrations cannot be checked.',
  );
  return pending.length === 0 ? state : `Not applied: ${pending.join(', ')}.`;
}

async function check(answer: PromiseLike<unknown>, otherwise: string): Promise<string> {
  return withTimeout(answer, answerWithinMs).then(
    () => 'ok',
    () => otherwise,
  );
}
