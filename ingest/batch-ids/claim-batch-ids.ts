import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { minuteMs } from '../../lib/times.js';
import { clocksDifferMsMax } from '../../sql/claim.js';
import { deleteInChunks } from '../../sql/delete-in-chunks.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

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
  const claimed = await tx<Row[]>`${claiming(tx, claims, now)} returning page_id as "pageId", key`;
  if (claimed.length === claims.length) return new Map();
  const isClaimed = new Set(claimed.map(nameOf));
  const late = claims.filter((claim) => !isClaimed.has(nameOf(claim)));
  const first = await loadAcknowledgements(tx, late);
  return new Map(late.map((claim) => [claim.place, first.get(nameOf(claim))]));
}

/** Returns the statement that claims those of the keys which are free, for a `returning` behind it. */
export function claiming(sql: Sql | Transaction, claims: readonly Claim[], now: number): Fragment {
  // In the same order everywhere, so that transactions with several equal keys wait for one another and do not lock up.
  const sorted = claims.toSorted(byPageAndKey);
  const keys = sorted.map(({ key }) => key);
  // Many batches have the same page and the same answer.
  const pageIds = numbered(sorted.map(({ pageId }) => pageId));
  const acknowledgements = numbered(sorted.map(({ acknowledgement }) => JSON.stringify(acknowledgement)));
  const expired = new Date(now - limits.batchIdMinutes * minuteMs);
  return sql`
    insert into event_batches as held (page_id, key, acknowledgement, claimed_at)
    select (${pageIds.values}::uuid[])[page], key, (${acknowledgements.values}::text[])[answer]::json, ${new Date(now)}
    from unnest(${keys}::uuid[], ${pageIds.numbers}::integer[], ${acknowledgements.numbers}::integer[])
      as claims (key, page, answer)
    on conflict (page_id, key) do update
      set acknowledgement = excluded.acknowledgement, claimed_at = excluded.claimed_at
      where held.claimed_at <= ${expired}`;
}

/** Returns the different values, and for each of the given ones its number among them, from 1. */
function numbered(given: readonly string[]): { values: string[]; numbers: number[] } {
  const numberOf = new Map<string, number>();
  const numbers = given.map((value) => {
    const number = numberOf.get(value) ?? numberOf.size + 1;
    numberOf.set(value, number);
    return number;
  });
  return { values: [...numberOf.keys()], numbers };
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

function byPageAndKey(a: Row, b: Row): number {
  if (a.pageId !== b.pageId) return a.pageId < b.pageId ? -1 : 1;
  return a.key < b.key ? -1 : 1;
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
