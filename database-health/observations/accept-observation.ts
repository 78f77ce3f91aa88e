import { createHash } from 'node:crypto';
import { type Engine, observationLimits } from '../../contract/observations.js';
import type { Clock } from '../../lib/clock.js';
import type { ConnectionId, PageId } from '../../lib/ids.js';
import { canonicalJson } from '../../lib/json.js';
import { ServiceError } from '../../lib/service-error.js';
import {
  addToWindow,
  type CountedWindow,
  toCountedWindow,
  type WindowRow,
  windowMs,
} from '../../sql/count-in-window.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { expiredBefore } from './observations.js';
import type { CheckedObservation } from './parse-observation.js';

type Input = { pageId: PageId; observation: CheckedObservation };

/**
 * Counts a request of the page over all instances. Returns the number of requests, with this one, in the minute that
 * began with the first of them, and the milliseconds that are left of that minute.
 */
export async function countObservationRequest(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId }: { pageId: PageId },
): Promise<CountedWindow> {
  const now = clock.now();
  const rows = await sql<WindowRow[]>`
    insert into observation_requests as held (page_id, window_ends_at, requests)
    values (${pageId}, ${new Date(now + windowMs)}, 1)
    on conflict (page_id) do update set ${addToWindow(sql, now)}
    returning requests, window_ends_at`;
  return toCountedWindow(rows, now);
}

/**
 * Stores an observation of a page once, however often and on however many instances it is sent; `duplicate` when it
 * was stored before. A refused observation leaves nothing behind.
 *
 * @throws ServiceError `noSuchConnection` for a connection of another page or engine; `conflict` for other data under
 *   the same id, or for a source whose fixed fields differ; `tooManySources` when the page has too many.
 */
export async function acceptObservation(
  { sql, clock }: { sql: Sql; clock: Clock },
  { pageId, observation }: Input,
): Promise<{ duplicate: boolean }> {
  const now = clock.now();
  const hash = hashOf(observation);
  return inTransaction(sql, async (tx) => {
    // Observations of one page are stored one at a time, so that its sources are counted exactly.
    await tx`select 1 from pages where id = ${pageId} for no key update`;
    const [stored] = await tx<{ content_hash: Buffer }[]>`
      select content_hash from observations where page_id = ${pageId} and id = ${observation.id}`;
    if (stored !== undefined) {
      if (stored.content_hash.equals(hash)) return { duplicate: true };
      throw new ServiceError('conflict', { message: '/observationId was sent before, with other data.' });
    }
    await checkConnection(tx, pageId, observation);
    await takeSource(tx, pageId, observation, now);
    await insertObservation(tx, { pageId, observation, hash, now });
    return { duplicate: false };
  });
}

/** Hashes the parsed observation, so that neither ignored fields nor the notation of numbers make a difference. */
function hashOf(observation: CheckedObservation): Buffer {
  return createHash('sha256').update(canonicalJson(observation)).digest();
}

async function checkConnection(tx: Transaction, pageId: PageId, observation: CheckedObservation) {
  const { connectionId, engine } = observation;
  if (connectionId === null) return;
  const { count } = await tx`
    select 1 from connections where id = ${connectionId} and page_id = ${pageId} and engine = ${engine}`;
  if (count === 0) throw new ServiceError('noSuchConnection');
}

type FixedFields = { engine: Engine; environment: string; target: string; connectionId: ConnectionId | null };

/** Adds the source, or checks that it is unchanged; either way it lives a day from this observation. */
async function takeSource(tx: Transaction, pageId: PageId, observation: CheckedObservation, now: number) {
  const checkedAt = new Date(observation.checkedAt);
  await tx`
    delete from observation_sources
    where page_id = ${pageId} and last_checked_at < ${expiredBefore(now)}`;
  // The lock keeps the job from deleting the source meanwhile.
  const [source] = await tx<FixedFields[]>`
    select engine, environment, target, connection_id as "connectionId"
    from observation_sources where page_id = ${pageId} and source_id = ${observation.sourceId}
    for no key update`;
  if (source === undefined) {
    await checkRoomForSource(tx, pageId, now);
    await tx`
      insert into observation_sources ${tx({
        page_id: pageId,
        source_id: observation.sourceId,
        engine: observation.engine,
        environment: observation.environment,
        target: observation.target,
        connection_id: observation.connectionId,
        last_checked_at: checkedAt,
      })}`;
    return;
  }
  checkUnchanged(source, observation);
  await tx`
    update observation_sources set last_checked_at = greatest(last_checked_at, ${checkedAt})
    where page_id = ${pageId} and source_id = ${observation.sourceId}`;
}

const pointers: Readonly<Record<keyof FixedFields, string>> = {
  engine: '/sample/result/engine',
  environment: '/environment',
  target: '/target',
  connectionId: '/connectionId',
};

function checkUnchanged(source: FixedFields, observation: FixedFields): void {
  for (const name of ['engine', 'environment', 'target', 'connectionId'] as const) {
    if (source[name] === observation[name]) continue;
    throw new ServiceError('conflict', {
      message: `${pointers[name]} is another one than before; use a new sourceId.`,
    });
  }
}

/** Expired sources have been deleted before. */
async function checkRoomForSource(tx: Transaction, pageId: PageId, now: number): Promise<void> {
  const [sources] = await tx<{ count: number; oldest: Date | null }[]>`
    select count(*)::integer as count, min(last_checked_at) as oldest
    from observation_sources where page_id = ${pageId}`;
  const { count = 0, oldest = null } = sources ?? {};
  if (count < observationLimits.sourcesPerPage || oldest === null) return;
  const seconds = Math.ceil((oldest.getTime() - expiredBefore(now).getTime()) / 1000);
  throw new ServiceError('tooManySources', { retryAfterSeconds: Math.max(1, seconds) });
}

async function insertObservation(
  tx: Transaction,
  { pageId, observation, hash, now }: Input & { hash: Buffer; now: number },
): Promise<void> {
  await tx`
    insert into observations ${tx({
      page_id: pageId,
      id: observation.id,
      source_id: observation.sourceId,
      content_hash: hash,
      outcome: observation.outcome,
      checked_at: new Date(observation.checkedAt),
      latency_ms: observation.latencyMs,
      capabilities: observation.capabilities,
      connections: observation.connections,
      connection_limit: observation.connectionLimit,
      active_sessions: observation.activeSessions,
      blocked_sessions: observation.blockedSessions,
      received_at: new Date(now),
    })}`;
}
