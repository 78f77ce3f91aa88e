import type { Clock } from '../../lib/clock.js';
import type { MonitorId, PageId } from '../../lib/ids.js';
import { hashSecret, newSecret } from '../../lib/secrets/secrets.js';
import { createBatchLookup } from '../../sql/batch-lookup.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import type { Actor } from '../audit/index.js';
import { firstDueAt, lockMonitor } from './monitor.js';
import { recordMonitor } from './record-monitor.js';

/** The form of the token of a heartbeat. Other texts never reach the database. */
const tokenForm = /^ping_[0-9A-Za-z]{43}$/;

/** Pings of one query, and pings that wait for the next ones. */
const bounds = { keysMax: 500, waitingMax: 5_000 };

/**
 * Records that the heartbeat with a token was pinged now. `failure` is the sentence on what the job reports; null, or
 * absent, for a success. Returns false when no heartbeat has the token.
 *
 * @throws ServiceError `overloaded` when too many pings wait; an Error when PostgreSQL does not answer
 */
export type RecordPing = (token: string, failure?: string | null) => Promise<boolean>;

type Ping = { hash: string; at: string; failure: string | null };

/**
 * Anybody can make up tokens, so one query at a time records all pings that have arrived. It writes at most one ping of a
 * heartbeat per second, so that a client that pings in a loop costs lookups and no writes. A ping that reports something
 * else than the one before is always written: a job that fails, and succeeds when it is repeated, must not stay failed.
 */
export function createPings({ sql, clock }: { sql: Sql; clock: Clock }): RecordPing {
  const record = createBatchLookup<string, true>({
    ...bounds,
    async load(keys) {
      // The last ping of a token in the batch counts.
      const pings = new Map(keys.map(parseKey).map((ping) => [ping.hash, ping]));
      const known = await withQueryTimeout(recordPings(sql, [...pings.values()]));
      const hashes = new Set(known.map(({ hash }) => hash));
      return new Map(keys.filter((key) => hashes.has(parseKey(key).hash)).map((key) => [key, true]));
    },
  });
  return async (token, failure = null) => {
    if (!tokenForm.test(token)) return false;
    const at = new Date(clock.now()).toISOString();
    // With the time, so that success, failure and success in one batch are three pings in their order.
    return (await record([hashSecret(token), at, failure ?? ''].join(' '))) === true;
  };
}

function parseKey(key: string): Ping {
  const [hash = '', at = '', ...words] = key.split(' ');
  return { hash, at, failure: words.join(' ') || null };
}

/**
 * Returns the hashes that belong to a heartbeat. A ping that turns success into failure, or failure into success, makes
 * the next check due, after one that an instance has claimed already: its result is dropped in PostgreSQL, and its row in
 * ClickHouse must not be newer than the time of the next check.
 *
 * Locks the rows that it writes in the order of ids, as every statement that locks several monitors does: a deadlock would
 * lose the pings of a whole batch, and cron repeats none.
 */
function recordPings(sql: Sql, pings: readonly Ping[]): PromiseLike<{ hash: string }[]> {
  return sql<{ hash: string }[]>`
    with pinged as (
      select m.id, m.heartbeat_token_hash, p.at, p.failure
      from monitors m join jsonb_to_recordset(${sql.json(pings)}) as p (hash text, at timestamptz, failure text)
        on m.heartbeat_token_hash = decode(p.hash, 'hex')),
    due as (
      select m.id, p.at, p.failure, (p.failure is null) = (
          m.ping_failure is not null and (m.resumed_at is null or m.last_ping_at >= m.resumed_at)) as turns
      from monitors m join pinged p on m.id = p.id
      where m.last_ping_at is null or m.last_ping_at <= p.at - interval '1 second'
        or m.ping_failure is distinct from p.failure
      order by m.id for no key update of m),
    noted as (
      update monitors m set last_ping_at = due.at, ping_failure = due.failure,
        next_due_at = case
          when not due.turns or m.next_due_at is null then m.next_due_at
          when m.claimed_until is null then due.at
          else greatest(due.at, m.next_due_at + interval '1 second') end,
        claimed_until = case when not due.turns then m.claimed_until end
      from due where m.id = due.id)
    select encode(heartbeat_token_hash, 'hex') as hash from pinged`;
}

/** Makes a new random token of a heartbeat: `ping_` and 32 random bytes as 43 base-62 digits. */
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
        ping_failure = null,
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

/** Makes the addresses of the heartbeats of a page unknown. Locks the monitors in the order of ids, as others do. */
export async function stopPageHeartbeats(tx: Transaction, pageId: PageId): Promise<void> {
  await tx`
    update monitors m set heartbeat_token_hash = null
    from (
      select id from monitors where page_id = ${pageId} and heartbeat_token_hash is not null
      order by id for update) mine
    where m.id = mine.id`;
}
