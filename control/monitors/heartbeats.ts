import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { firstDueAt } from './monitor.js';

/** The form of the token of a heartbeat. Other texts never reach the database. */
const tokenForm = /^ping_[0-9A-Za-z]{43}$/;

/**
 * Records that the heartbeat with this token was pinged now. Returns false when no heartbeat has the token. Writes at
 * most one ping per second, so that a client that pings in a loop costs lookups and no writes.
 */
export async function recordPing(
  { sql, clock }: { sql: Sql; clock: Clock },
  { token }: { token: string },
): Promise<boolean> {
  if (!tokenForm.test(token)) return false;
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

/**
 * Gives a heartbeat a new token, records a ping now, and schedules its checks if they are not scheduled yet. Returns the
 * token, which nothing else returns or stores. The previous token stops working.
 */
export async function startHeartbeat(
  { sql, clock }: { sql: Sql; clock: Clock },
  { monitorId, everySeconds }: { monitorId: MonitorId; everySeconds: number },
): Promise<string> {
  const token = `ping_${newSecret()}`;
  const now = clock.now();
  await sql`
    update monitors m set heartbeat_token_hash = decode(${hashSecret(token)}, 'hex'), last_ping_at = ${new Date(now)},
      next_due_at = case when m.paused_at is null and not p.monitoring_paused
        then coalesce(m.next_due_at, ${firstDueAt(now, everySeconds)}) end
    from pages p where p.id = m.page_id and m.id = ${monitorId}`;
  return token;
}
