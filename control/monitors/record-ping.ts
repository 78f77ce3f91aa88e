import { isPingToken } from '../../contract/monitors.js';
import type { Clock } from '../../lib/clock.js';
import { hashSecret } from '../../lib/secrets.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';

/**
 * Notes that the heartbeat with this token was pinged now; answers false when there is none. Of several pings
 * within a second one is written down, so a client that pings in a loop costs look-ups and no writes.
 */
export async function recordPing(
  { sql, clock }: { sql: Sql; clock: Clock },
  { token }: { token: string },
): Promise<boolean> {
  if (!isPingToken(token)) return false;
  const now = new Date(clock.now());
  const found = await withQueryTimeout(
    sql<{ id: string }[]>`
      with pinged as (
        select id, last_ping_at from monitors where heartbeat_token_hash = decode(${hashSecret(token)}, 'hex')),
      noted as (
        update monitors m set last_ping_at = ${now} from pinged p
        where m.id = p.id and (p.last_ping_at is null or p.last_ping_at <= ${now}::timestamptz - interval '1 second'))
      select id from pinged`,
  );
  return found.length > 0;
}
