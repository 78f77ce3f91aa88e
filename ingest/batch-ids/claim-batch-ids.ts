import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** A batch that wants its key, as of `batchKeyOf`. `acknowledgement` is JSON; `place` tells the batches of a call apart. */
export type Claim = { pageId: PageId; key: string; acknowledgement: unknown; place: number };

type Row = { pageId: PageId; key: string };

/**
 * Claims the keys of batches, which are all different. Returns the acknowledgements of the batches that came too late, by
 * their place: the key of each was claimed by another batch within the last 15 minutes. The claims count when the
 * transaction is committed; another transaction that wants one of the keys waits until then. `now` is in milliseconds
 * since the epoch.
 */
export async function claimBatchIds(
  tx: Transaction,
  claims: readonly Claim[],
  now: number,
): Promise<Map<number, unknown>> {
  // In the same order everywhere, so that transactions with several equal keys wait for one another and do not lock up.
  const sorted = [...claims].sort(byKey);
  const claimed = await insertClaims(tx, sorted, now);
  if (claimed.length === claims.length) return new Map();
  const isClaimed = new Set(claimed.map(nameOf));
  const late = sorted.filter((claim) => !isClaimed.has(nameOf(claim)));
  const first = await loadAcknowledgements(tx, late);
  return new Map(late.map((claim) => [claim.place, first.get(nameOf(claim))]));
}

/** Returns the keys that were free. */
function insertClaims(tx: Transaction, claims: readonly Claim[], now: number): Promise<Row[]> {
  const pageIds = claims.map(({ pageId }) => pageId);
  const keys = claims.map(({ key }) => key);
  const acknowledgements = claims.map(({ acknowledgement }) => JSON.stringify(acknowledgement));
  const expired = new Date(now - limits.batchIdMinutes * minuteMs);
  return tx<Row[]>`
    insert into event_batches as held (page_id, key, acknowledgement, claimed_at)
    select page_id, key, acknowledgement::json, ${new Date(now)}
    from unnest(${pageIds}::uuid[], ${keys}::uuid[], ${acknowledgements}::text[]) as claims (page_id, key, acknowledgement)
    on conflict (page_id, key) do update
      set acknowledgement = excluded.acknowledgement, claimed_at = excluded.claimed_at
      where held.claimed_at <= ${expired}
    returning page_id as "pageId", key`;
}

async function loadAcknowledgements(tx: Transaction, rows: readonly Row[]): Promise<Map<string, unknown>> {
  const pageIds = rows.map(({ pageId }) => pageId);
  const keys = rows.map(({ key }) => key);
  const found = await tx<(Row & { acknowledgement: unknown })[]>`
    select page_id as "pageId", key, acknowledgement from event_batches
    where (page_id, key) in (select * from unnest(${pageIds}::uuid[], ${keys}::uuid[]))`;
  return new Map(found.map((row) => [nameOf(row), row.acknowledgement]));
}

const nameOf = ({ pageId, key }: Row): string => `${pageId} ${key}`;

function byKey(a: Row, b: Row): number {
  return nameOf(a) < nameOf(b) ? -1 : 1;
}

/** Deletes the ids of batches that no batch is compared with any more, on the slowest clock of an instance. */
export async function pruneBatchIds({ sql, clock }: { sql: Sql; clock: Clock }): Promise<void> {
  const before = new Date(clock.now() - limits.batchIdMinutes * minuteMs - clocksDifferMsMax);
  await deleteInChunks(
    async (rows) =>
      (
        await sql`
          delete from event_batches
          where ctid = any(array(select ctid from event_batches where claimed_at < ${before} limit ${rows}))`
      ).count,
  );
}
