import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { dayMs } from '../../lib/times.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** Longer than the day for which callers may count on it. */
const keptMs = 2 * dayMs;

/** How a caller names a request, so that the same one publishes once, however often it arrives. */
export type PublishKey = {
  /** Unique on the page. */
  key: string;
  /** SHA-256 of what the request asks for, 32 bytes. */
  requestHash: Buffer;
};

type Once = {
  pageId: PageId;
  /** Without one, each request publishes. */
  publishKey: PublishKey | undefined;
  /** In milliseconds since the epoch. */
  now: number;
};

/**
 * Publishes, or returns what the first request with the key made. What `publish` returns is kept as JSON; `undefined` is
 * for what was not made, and the key stays free. The caller has locked the page with lockPageOfIncidents(), so that two
 * requests follow each other.
 *
 * @throws ServiceError `conflict` when the key has another request; as `publish` does.
 */
export async function publishOnce<Made extends { id: string } | undefined>(
  tx: Transaction,
  { pageId, publishKey, now }: Once,
  publish: () => Promise<Made>,
): Promise<Made> {
  if (publishKey === undefined) return publish();
  const { key, requestHash } = publishKey;
  const [first] = await tx<{ made: Made; request_hash: Buffer }[]>`
    select made, request_hash from publish_keys where page_id = ${pageId} and key = ${key}`;
  if (first !== undefined) {
    if (requestHash.equals(first.request_hash)) return first.made;
    throw new ServiceError('conflict', {
      code: 'incident.key_reused',
      message: 'An earlier request with this Idempotency-Key has published something else.',
      hint: 'Read what it published. Send another key to publish this as well.',
    });
  }
  const made = await publish();
  if (made === undefined) return made;
  const row = { page_id: pageId, key, request_hash: requestHash, created_at: new Date(now) };
  await tx`insert into publish_keys ${tx({ ...row, made: tx.json(made) })}`;
  return made;
}

/** Forgets the keys that are two days old. Returns how many. */
export async function prunePublishKeys({ sql, clock }: { sql: Sql; clock: Clock }): Promise<number> {
  const before = new Date(clock.now() - keptMs);
  return deleteInChunks(async (limit) => {
    const { count } = await sql`
      delete from publish_keys where (page_id, key) in (
        select page_id, key from publish_keys where created_at < ${before} limit ${limit})`;
    return count;
  });
}
