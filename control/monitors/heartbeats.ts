import type { Clock } from '../../lib/clock.js';
import type { MonitorId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { createBatchLookup } from '../../sql/batch-lookup.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { Actor } from '../audit/index.js';
import { firstDueAt, lockMonitor } from './monitor.js';
import { recordMonitor } from './record-monitor.js';

/** The form of the token of a heartbeat. Other texts never reach the database. */
const tokenForm = /^ping_[0-9A-Za-z]{43}$/;

/** Pings of one query, and pings that wait for the next ones. */
const bounds = { keysMax: 500, waitingMax: 5_000 };

/**
 * Records that the heartbeat with a token was pinged now. Returns false when no heartbeat has the token.
 *
 * @throws ServiceError `overloaded` when too many pings wait; an Error when PostgreSQL does not answer
 */
export type RecordPing = (token: string) => Promise<boolean>;

/**
 * Anybody can make up tokens, so one query at a time records all pings that have arrived. It writes at most one ping of a
 * heartbeat per second, so that a client that pings in a loop costs lookups and no writes.
 */
export function createPings({ sql, clock }: { sql: Sql; clock: Clock }): RecordPing {
  const record = createBatchLookup<string, true>({
    ...bounds,
    async load(hashes) {
      const known = await withQueryTimeout(recordPings(sql, hashes, new Date(clock.now())));
      return new Map(known.map(({ hash }) => [hash, true]));
    },
  });
  return async (token) => tokenForm.test(token) && (await record(hashSecret(token))) === true;
}

/**
 * Returns the hashes that belong to a heartbeat. Locks the rows that it writes in the order of ids, as every statement
 * that locks several monitors does: a deadlock would lose the pings of a whole batch, and cron repeats none.
 */
function recordPings(sql: Sql, hashes: string[], now: Date): PromiseLike<{ hash: string }[]> {
  return sql<{ hash: string }[]>`
    with pinged as (
      select id, heartbeat_token_hash from monitors
      where heartbeat_token_hash = any (
        select decode(hash, 'hex') from unnest(${hashes}::text[]) as asked (hash))),
    due as (
      select m.id from monitors m join pinged p on m.id = p.id
      where m.last_ping_at is null or m.last_ping_at <= ${now}::timestamptz - interval '1 second'
      order by m.id for no key update of m),
    noted as (
      update monitors m set last_ping_at = ${now} from due where m.id = due.id)
    select encode(heartbeat_token_hash, 'hex') as hash from pinged`;
}

/** A new random token of a heartbeat: `ping_` and 32 random bytes as 43 base-62 digits. */
export function newHeartbeatToken(): string {
  return `ping_${newSecret()}`;
}

/**
 * Gives a heartbeat a new token, records a ping now, and schedules its checks if they are not scheduled yet. Returns the
 * token, which nothing else returns or stores. The previous token stops working.
 *
 * @throws ServiceError `notFound` when there is no such monitor.
 */
export async function startHeartbeat(
  { sql, clock, by }: { sql: Sql; clock: Clock; by: Actor },
  { monitorId, everySeconds }: { monitorId: MonitorId; everySeconds: number },
): Promise<string> {
  const token = newHeartbeatToken();
  await inTransaction(sql, async (tx) => {
    const { monitor, pagePaused } = await lockMonitor(tx, { id: monitorId });
    const now = clock.now();
    const isScheduled = monitor.pausedAt === null && !pagePaused;
    await tx`
      update monitors set heartbeat_token_hash = decode(${hashSecret(token)}, 'hex'), last_ping_at = ${new Date(now)},
        next_due_at = ${isScheduled ? (monitor.nextDueAt ?? firstDueAt(now, everySeconds)) : null}
      where id = ${monitorId}`;
    await recordMonitor(
      tx,
      { by, now },
      { verb: 'rotate', before: monitor, after: monitor, secretsChanged: true },
    );
  });
  return token;
}
