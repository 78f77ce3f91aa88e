import type { Reporter } from '../../contract/events.js';
import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Sql, Transaction } from '../../sql/open-postgres.js';

/** The wanted names that the page has now; all names of the page when it is full. */
export type Granted = {
  endpoints: string[];
  services: string[];
  endpointsFull: boolean;
  sourcesFull: boolean;
};

type Wanted = { endpoints: ReadonlySet<string>; services: ReadonlySet<string> };

/**
 * Adds the endpoints and services that the page does not have yet, in the order given, up to its limits. Takes the page's
 * lock only when there is something to add: after a restart every name is unknown to the process and known to PostgreSQL.
 */
export async function registerNames(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  wanted: Wanted,
): Promise<Granted> {
  const known = await loadKnown(sql, pageId, wanted);
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
    // Another instance may have added some of them before this one got the lock.
    const raced = await loadKnown(tx, pageId, {
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
        ? await loadEndpoints(tx, pageId)
        : [...known.endpoints, ...raced.endpoints, ...addedEndpoints],
      services: sourcesFull
        ? await loadServices(tx, pageId)
        : [...known.services, ...raced.services, ...addedServices],
    };
  });
}

async function loadKnown(sql: Sql | Transaction, pageId: PageId, wanted: Wanted) {
  const rows = await sql<{ kind: string; text: string }[]>`
    SELECT 'endpoint' AS kind, endpoint AS text FROM endpoints
    WHERE page_id = ${pageId} AND endpoint = ANY(${[...wanted.endpoints]}::text[])
    UNION ALL
    SELECT 'service', source FROM sources
    WHERE page_id = ${pageId} AND kind = 'service' AND source = ANY(${[...wanted.services]}::text[])`;
  const of = (kind: string) => new Set(rows.filter((row) => row.kind === kind).map((row) => row.text));
  return { endpoints: of('endpoint'), services: of('service') };
}

async function loadEndpoints(sql: Sql | Transaction, pageId: PageId): Promise<string[]> {
  const rows = await sql<{ endpoint: string }[]>`SELECT endpoint FROM endpoints WHERE page_id = ${pageId}`;
  return rows.map((row) => row.endpoint);
}

async function loadServices(sql: Sql | Transaction, pageId: PageId): Promise<string[]> {
  const rows = await sql<{ source: string }[]>`
    SELECT source FROM sources WHERE page_id = ${pageId} AND kind = 'service'`;
  return rows.map((row) => row.source);
}

/**
 * Stores the metadata of a reporter. When the reporter is new and the page has no room for another source, returns the ids
 * of the page's reporters, and `undefined` otherwise: a known reporter is never refused.
 */
export async function registerReporter(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  reporter: Reporter,
): Promise<Set<string> | undefined> {
  if (await updateReporter(sql, pageId, reporter)) return undefined;
  return await inTransaction(sql, async (tx) => {
    const counts = await lockCounts(tx, pageId);
    if (await updateReporter(tx, pageId, reporter)) return undefined;
    if (counts.sources >= limits.sourcesPerPage) return await loadReporterIds(tx, pageId);
    await tx`
      INSERT INTO sources (page_id, kind, source, name, region, team, expected_every_seconds, first_seen_at)
      VALUES (${pageId}, 'reporter', ${reporter.reporterId}, ${reporter.englishName}, ${reporter.region ?? null},
              ${reporter.team ?? null}, ${reporter.expectedEverySeconds ?? null}, ${new Date(clock.now())})`;
    await tx`UPDATE page_name_counts SET sources = sources + 1 WHERE page_id = ${pageId}`;
    return undefined;
  });
}

async function updateReporter(sql: Sql | Transaction, pageId: PageId, reporter: Reporter): Promise<boolean> {
  const updated = await sql`
    UPDATE sources
    SET name = ${reporter.englishName}, region = ${reporter.region ?? null}, team = ${reporter.team ?? null},
        expected_every_seconds = ${reporter.expectedEverySeconds ?? null}
    WHERE page_id = ${pageId} AND kind = 'reporter' AND source = ${reporter.reporterId}`;
  return updated.count > 0;
}

async function loadReporterIds(tx: Transaction, pageId: PageId): Promise<Set<string>> {
  const rows = await tx<{ source: string }[]>`
    SELECT source FROM sources WHERE page_id = ${pageId} AND kind = 'reporter'`;
  return new Set(rows.map((row) => row.source));
}

/**
 * Returns how many names the page has, and holds the page's lock on names until the transaction ends: when two instances
 * add names to one page, the second waits and counts the first one's.
 */
async function lockCounts(tx: Transaction, pageId: PageId): Promise<{ endpoints: number; sources: number }> {
  await tx`INSERT INTO page_name_counts (page_id) VALUES (${pageId}) ON CONFLICT DO NOTHING`;
  const [counts] = await tx<{ endpoints: number; sources: number }[]>`
    SELECT endpoints, sources FROM page_name_counts WHERE page_id = ${pageId} FOR UPDATE`;
  if (counts === undefined) throw new Error('The row that was just inserted is missing.');
  return counts;
}
