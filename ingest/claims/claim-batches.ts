import { limits } from '../../contract/limits.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import type { Transaction } from '../../sql/open-postgres.js';

/** A batch that wants its key. `acknowledgement` is JSON. */
export type Claim = { pageId: PageId; key: string; acknowledgement: unknown };

type Row = { pageId: PageId; key: string };

/**
 * Claims the keys of batches, which are all different. Returns the acknowledgements of the batches that came too late, by
 * their place: the key of each was claimed by another batch within the last 15 minutes. The claims count when the
 * transaction is committed; another transaction that wants one of the keys waits until then. `now` is in milliseconds
 * since the epoch.
 */
export async function claimBatches(
  tx: Transaction,
  claims: readonly Claim[],
  now: number,
): Promise<Map<number, unknown>> {
  // In the same order everywhere, so that transactions with several equal keys wait for one another and do not lock up.
  const places = claims.map((claim, place) => ({ ...claim, place })).sort(byKey);
  const claimed = await insertClaims(tx, places, now);
  if (claimed.length === claims.length) return new Map();
  const isClaimed = new Set(claimed.map(nameOf));
  const late = places.filter((claim) => !isClaimed.has(nameOf(claim)));
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
