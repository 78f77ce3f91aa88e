import type { Reporter } from '../../contract/events.js';
import { limits } from '../../contract/limits.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { inTransaction } from '../../sql/in-transaction.js';
import type { Fragment, Sql, Transaction } from '../../sql/open-postgres.js';

/** A reporter with its newest metadata. `stoppedAt`: when it said goodbye with them, in milliseconds since the epoch. */
export type WantedReporter = Reporter & { stoppedAt?: number };

/** Names that a page's rows are to have; a reporter with its newest metadata. */
export type Wanted = {
  endpoints: Set<string>;
  services: Set<string>;
  reporters: Map<string, WantedReporter>;
};

/** The wanted names that the page has now; all endpoints, or services, of the page when it is full. */
export type Granted = {
  endpoints: string[];
  services: string[];
  reporters: Set<string>;
  endpointsFull: boolean;
  servicesFull: boolean;
  /** The reporters of the page, when it had no room for one that is wanted. */
  onlyReporters: Set<string> | undefined;
};

type Known = { endpoints: Set<string>; services: Set<string>; reporters: Set<string> };

/**
 * Adds the names that the page does not have yet, in the order given, up to its limits, and stores the metadata of
 * reporters: a known one is never refused. Takes the page's lock only when there is something to add: after a restart
 * every name is unknown to the process and known to PostgreSQL.
 */
export async function registerNames(
  { sql, clock }: { sql: Sql; clock: Clock },
  pageId: PageId,
  wanted: Wanted,
): Promise<Granted> {
  const known = await storeKnown(sql, pageId, wanted);
  const missing = without(wanted, known);
  if (missing.endpoints.size + missing.services.size + missing.reporters.size === 0) {
    return {
      ...{ endpoints: [...known.endpoints], services: [...known.services], reporters: known.reporters },
      ...{ endpointsFull: false, servicesFull: false, onlyReporters: undefined },
    };
  }
  return await inTransaction(sql, (tx) =>
    addMissing(tx, { pageId, known, missing, now: new Date(clock.now()) }),
  );
}

async function addMissing(
  tx: Transaction,
  { pageId, known, missing, now }: { pageId: PageId; known: Known; missing: Wanted; now: Date },
): Promise<Granted> {
  const counts = await lockCounts(tx, pageId);
  // Another instance may have added some of them before this one got the lock.
  const raced = await storeKnown(tx, pageId, missing);
  const left = without(missing, raced);
  const [endpoints, services, reporters] = [
    [...left.endpoints],
    [...left.services],
    [...left.reporters.values()],
  ];
  const addedEndpoints = endpoints.slice(0, Math.max(0, limits.endpointsPerPage - counts.endpoints));
  const room = Math.max(0, limits.sourcesPerPage - counts.sources);
  const addedServices = services.slice(0, room);
  const addedReporters = reporters.slice(0, room - addedServices.length);
  await tx`
    INSERT INTO endpoints (page_id, endpoint, first_seen_at)
    SELECT ${pageId}, endpoint, ${now} FROM unnest(${addedEndpoints}::text[]) AS endpoint`;
  await tx`
    INSERT INTO sources (page_id, kind, source, first_seen_at)
    SELECT ${pageId}, 'service', source, ${now} FROM unnest(${addedServices}::text[]) AS source`;
  await tx`
    INSERT INTO sources (page_id, kind, source, name, region, team, service, expected_every_seconds, stopped_at,
      first_seen_at)
    SELECT ${pageId}, 'reporter', source, name, region, team, service, every_seconds, stopped_at, ${now}
    FROM ${reporterRows(tx, addedReporters)}`;
  await tx`
    UPDATE page_name_counts
    SET endpoints = endpoints + ${addedEndpoints.length},
      sources = sources + ${addedServices.length + addedReporters.length}
    WHERE page_id = ${pageId}`;
  const endpointsFull = addedEndpoints.length < endpoints.length;
  const servicesFull = addedServices.length < services.length;
  const isFull = addedReporters.length < reporters.length;
  return {
    endpointsFull,
    servicesFull,
    endpoints: endpointsFull
      ? await loadEndpoints(tx, pageId)
      : [...known.endpoints, ...raced.endpoints, ...addedEndpoints],
    services: servicesFull
      ? await loadSources(tx, pageId, 'service')
      : [...known.services, ...raced.services, ...addedServices],
    reporters: new Set([
      ...known.reporters,
      ...raced.reporters,
      ...addedReporters.map(({ reporterId }) => reporterId),
    ]),
    onlyReporters: isFull ? new Set(await loadSources(tx, pageId, 'reporter')) : undefined,
  };
}

function without(wanted: Wanted, known: Known): Wanted {
  return {
    endpoints: new Set([...wanted.endpoints].filter((text) => !known.endpoints.has(text))),
    services: new Set([...wanted.services].filter((text) => !known.services.has(text))),
    reporters: new Map([...wanted.reporters].filter(([id]) => !known.reporters.has(id))),
  };
}

/** Stores the metadata of the wanted reporters that the page has. Returns which of the wanted names it has. */
async function storeKnown(sql: Sql | Transaction, pageId: PageId, wanted: Wanted): Promise<Known> {
  const { endpoints, services, reporters } = wanted;
  const texts = endpoints.size + services.size > 0 ? await loadKnown(sql, pageId, wanted) : noTexts;
  const updated = reporters.size > 0 ? await updateReporters(sql, pageId, [...reporters.values()]) : [];
  return { ...texts, reporters: new Set(updated) };
}

const noTexts = { endpoints: new Set<string>(), services: new Set<string>() };

async function loadKnown(
  sql: Sql | Transaction,
  pageId: PageId,
  wanted: Pick<Wanted, 'endpoints' | 'services'>,
) {
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

async function loadSources(
  sql: Sql | Transaction,
  pageId: PageId,
  kind: 'service' | 'reporter',
): Promise<string[]> {
  const rows = await sql<{ source: string }[]>`
    SELECT source FROM sources WHERE page_id = ${pageId} AND kind = ${kind}`;
  return rows.map((row) => row.source);
}

/**
 * Stores the metadata of reporters that the page has, and returns their ids. Locks the rows in the order of ids, so that
 * two instances that update the same reporters do not deadlock.
 */
async function updateReporters(
  sql: Sql | Transaction,
  pageId: PageId,
  reporters: readonly WantedReporter[],
): Promise<string[]> {
  const updated = await sql<{ source: string }[]>`
    UPDATE sources s
    SET name = new.name, region = new.region, team = new.team, service = new.service,
      expected_every_seconds = new.every_seconds, stopped_at = coalesce(new.stopped_at, s.stopped_at)
    FROM (
      SELECT r.* FROM sources s JOIN ${reporterRows(sql, reporters)} ON s.source = r.source
      WHERE s.page_id = ${pageId} AND s.kind = 'reporter'
      ORDER BY s.source FOR NO KEY UPDATE OF s) AS new
    WHERE s.page_id = ${pageId} AND s.kind = 'reporter' AND s.source = new.source
    RETURNING s.source`;
  return updated.map((row) => row.source);
}

/** The reporters as rows of a table `r`. */
function reporterRows(sql: Sql | Transaction, reporters: readonly WantedReporter[]): Fragment {
  const rows = reporters.map(
    ({ reporterId, englishName, region, team, service, expectedEverySeconds, stoppedAt }) => ({
      ...{ source: reporterId, name: englishName },
      stopped_at: stoppedAt === undefined ? null : new Date(stoppedAt).toISOString(),
      ...{ region: region ?? null, team: team ?? null, service: service ?? null },
      ...{ every_seconds: expectedEverySeconds ?? null },
    }),
  );
  return sql`jsonb_to_recordset(${sql.json(rows)}) AS r
    (source text, name text, region text, team text, service text, every_seconds integer, stopped_at timestamptz)`;
}

/**
 * Returns how many names the page has, and holds the page's lock on names until the transaction ends: when two instances
 * add names to one page, the second waits and counts the first one's.
 */
export async function lockCounts(
  tx: Transaction,
  pageId: PageId,
): Promise<{ endpoints: number; sources: number }> {
  await tx`INSERT INTO page_name_counts (page_id) VALUES (${pageId}) ON CONFLICT DO NOTHING`;
  const [counts] = await tx<{ endpoints: number; sources: number }[]>`
    SELECT endpoints, sources FROM page_name_counts WHERE page_id = ${pageId} FOR UPDATE`;
  if (counts === undefined) throw new Error('The row that was just inserted is missing.');
  return counts;
}
