import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';
import { lockCounts } from './lock-counts.js';

/** The names of those asked for that the page has now; of a full page, all that it has. */
export type Granted = {
  endpoints: string[];
  services: string[];
  endpointsFull: boolean;
  sourcesFull: boolean;
};

type Wanted = { endpoints: ReadonlySet<string>; services: ReadonlySet<string> };

/**
 * Adds the endpoints and services that the page does not have yet, in the order given, up to its limits. The
 * page's lock is taken only when there is something to add: after a restart every name is unknown to the
 * process, and known to PostgreSQL.
 */
export async function registerNames(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  wanted: Wanted,
): Promise<Granted> {
  const known = await findKnown(sql, pageId, wanted);
  const newEndpoints = [...wanted.endpoints].filter((text) => !known.endpoints.has(text));
  const newServices = [...wanted.services].filter((text) => !known.services.has(text));
  if (newEndpoints.length + newServices.length === 0) {
    return {
      endpoints: [...known.endpoints],
      services: [...known.services],
      endpointsFull: false,
      sourcesFull: false,
    };
  }
  const now = new Date(clock.now());
  return await inTransaction(sql, async (tx) => {
    const counts = await lockCounts(tx, pageId);
    // Another instance may have added some of them before the lock was ours.
    const raced = await findKnown(tx, pageId, {
      endpoints: new Set(newEndpoints),
      services: new Set(newServices),
    });
    const endpoints = newEndpoints.filter((text) => !raced.endpoints.has(text));
    const services = newServices.filter((text) => !raced.services.has(text));
    const addedEndpoints = endpoints.slice(0, Math.max(0, limits.endpointsPerPage - counts.endpoints));
    const addedServices = services.slice(0, Math.max(0, limits.sourcesPerPage - counts.sources));
    await tx`
      INSERT INTO endpoints (page_id, endpoint, first_seen_at)
      SELECT ${pageId}, endpoint, ${now} FROM unnest(${addedEndpoints}::text[]) AS endpoint`;
    await tx`
      INSERT INTO sources (page_id, kind, source, first_seen_at)
      SELECT ${pageId}, 'service', source, ${now} FROM unnest(${addedServices}::text[]) AS source`;
    await tx`
      UPDATE page_name_counts
      SET endpoints = endpoints + ${addedEndpoints.length}, sources = sources + ${addedServices.length}
      WHERE page_id = ${pageId}`;
    const endpointsFull = addedEndpoints.length < endpoints.length;
    const sourcesFull = addedServices.length < services.length;
    return {
      endpointsFull,
      sourcesFull,
      endpoints: endpointsFull
        ? await allEndpoints(tx, pageId)
        : [...known.endpoints, ...raced.endpoints, ...addedEndpoints],
      services: sourcesFull
        ? await allServices(tx, pageId)
        : [...known.services, ...raced.services, ...addedServices],
    };
  });
}

async function findKnown(sql: Sql | Transaction, pageId: PageId, wanted: Wanted) {
  const rows = await sql<{ kind: string; text: string }[]>`
    SELECT 'endpoint' AS kind, endpoint AS text FROM endpoints
    WHERE page_id = ${pageId} AND endpoint = ANY(${[...wanted.endpoints]}::text[])
    UNION ALL
    SELECT 'service', source FROM sources
    WHERE page_id = ${pageId} AND kind = 'service' AND source = ANY(${[...wanted.services]}::text[])`;
  const of = (kind: string) => new Set(rows.filter((row) => row.kind === kind).map((row) => row.text));
  return { endpoints: of('endpoint'), services: of('service') };
}

async function allEndpoints(sql: Sql | Transaction, pageId: PageId): Promise<string[]> {
  const rows = await sql<{ endpoint: string }[]>`SELECT endpoint FROM endpoints WHERE page_id = ${pageId}`;
  return rows.map((row) => row.endpoint);
}

async function allServices(sql: Sql | Transaction, pageId: PageId): Promise<string[]> {
  const rows = await sql<{ source: string }[]>`
    SELECT source FROM sources WHERE page_id = ${pageId} AND kind = 'service'`;
  return rows.map((row) => row.source);
}
