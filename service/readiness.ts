import type { CheckReadiness } from '../api/routes/health.js';
import { pendingMigrations } from '../sql/migrate.js';
import type { ClickHouseClient } from '../sql/open-clickhouse.js';
import type { Sql } from '../sql/open-postgres.js';

const answerWithinMs = 2_000;

/** Asks both stores; what they say of themselves goes to the operator's log, not into the answer. */
export function createReadiness({
  sql,
  clickhouse,
}: {
  sql: Sql;
  clickhouse: ClickHouseClient;
}): CheckReadiness {
  return async () => {
    const [postgres, analytics, migrations] = await Promise.all([
      check(sql`SELECT 1`, 'PostgreSQL does not answer.'),
      check(clickhouse.command({ query: 'SELECT 1 FORMAT Null' }), 'ClickHouse does not answer.'),
      checkMigrations({ sql, clickhouse }),
    ]);
    return { postgres, clickhouse: analytics, migrations };
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
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(otherwise), answerWithinMs);
  });
  const outcome = Promise.resolve(answer).then(
    () => 'ok',
    () => otherwise,
  );
  try {
    return await Promise.race([outcome, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
