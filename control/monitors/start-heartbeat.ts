import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets.js';
import type { Sql } from '../../sql/open-postgres.js';
import { firstDueAt } from './monitor.js';

/**
 * Gives a heartbeat a new token, takes it for pinged now, and lets its checks begin where they have not yet. Answers the
 * token, which is in this answer and nowhere else; the one from before is good for nothing any more.
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
