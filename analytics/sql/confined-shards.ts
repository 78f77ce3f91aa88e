import type { ClickHouseClient } from '@clickhouse/client';
import { shardUsersTable, sqlUserName } from '../../contract/sql-tables.js';
import { ServiceError } from '../../lib/service-error.js';
import type { SqlSignIn } from './sql-sign-in.js';

/**
 * Checks that every server of the cluster runs the query as the confined user: the row filters apply to that user only,
 * and servers that share no secret run each other's queries as another user. Their configuration may change at any time.
 */
export async function assertConfinedOnShards(
  { sqlClient, signIn, database }: { sqlClient: ClickHouseClient; signIn: SqlSignIn; database: string },
  signal: AbortSignal,
): Promise<void> {
  const answer = await signIn((auth) =>
    sqlClient.query({
      query: `SELECT DISTINCT user FROM ${shardUsersTable}`,
      format: 'JSONEachRow',
      auth,
      abort_signal: signal,
    }),
  );
  const users = await answer.json<{ user: string }>();
  if (users.length > 0 && users.every(({ user }) => user === sqlUserName(database))) return;
  throw new ServiceError('storeUnavailable', {
    message: 'SQL is not set up on this ClickHouse cluster; /docs/cluster of the service says how.',
  });
}
