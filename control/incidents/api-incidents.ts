import type { Incident } from '../../contract/incidents.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import { createBatchLookup } from '../../sql/batch-lookup.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Affected, affectedOf, type ServicesRow, services, statesOf } from './affected-services.js';
import type { IncidentRow } from './incident-row.js';

type ListInput = {
  pageId: PageId;
  /** Lists only incidents without an end. */
  open: boolean;
  limit: number;
};

/** Lists the incidents and maintenance of a page, latest start first. */
export async function listIncidents(
  { sql }: { sql: Sql },
  { pageId, open, limit }: ListInput,
): Promise<Incident[]> {
  const rows = await sql<(Omit<IncidentRow, 'announced_state' | 'revision'> & ServicesRow)[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at, ${services(sql)}
    from incidents i
    where page_id = ${pageId} and (not ${open} or resolved_at is null)
    order by started_at desc, id desc limit ${limit}`;
  return rows.map((row) => toIncident(row, affectedOf(row)));
}

/** Returns the incident as the Incident API represents it. */
export function toIncident(
  row: Omit<IncidentRow, 'announced_state' | 'revision'>,
  affected: readonly Affected[],
): Incident {
  const serviceStates = statesOf(affected);
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    summary: row.summary,
    monitorSlugs: affected.map(({ slug }) => slug),
    ...(row.impact !== null && { impact: row.impact }),
    ...(serviceStates !== undefined && { serviceStates }),
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
  };
}

/**
 * Incidents of one query, incidents that wait for the next ones, in all and for one page, and incidents in a
 * second. Those of one page that wait take 2 s, and leave the other pages four fifths of the places.
 */
const bounds = { keysMax: 50, waitingMax: 5_000, waitingMaxPerGroup: 1_000, keysPerSecond: 500 };

/**
 * Whether a page has an incident.
 *
 * @throws ServiceError `overloaded` when too many are asked for, of the page or in all; QueryTimeout, and the errors of
 *   the driver
 */
type HasIncident = (pageId: PageId, incidentId: IncidentId) => Promise<boolean>;

/** Anybody can make up ids, so one query answers all that are asked for at a time, over all pages. */
export function createIncidentCheck({ sql }: { sql: Sql }): HasIncident {
  const lookUp = createBatchLookup<string, true>({
    ...bounds,
    groupOf: (place) => place.split(' ', 1)[0] ?? '',
    load: async (places) => new Map((await findPlaces(sql, places)).map((place) => [place, true])),
  });
  return async (pageId, incidentId) => (await lookUp(placeOf(pageId, incidentId))) === true;
}

/** Returns a page and an id that belong together, as one text. */
function placeOf(pageId: PageId, incidentId: IncidentId): string {
  return `${pageId} ${incidentId}`;
}

/** Returns the places that have an incident. */
async function findPlaces(sql: Sql, places: readonly string[]): Promise<string[]> {
  const halves = places.map((place) => place.split(' '));
  const pageIds = halves.map(([pageId = '']) => pageId);
  const incidentIds = halves.map(([, incidentId = '']) => incidentId);
  const rows = await sql<{ pageId: PageId; id: IncidentId }[]>`
    select i.page_id as "pageId", i.id
    from unnest(${pageIds}::uuid[], ${incidentIds}::uuid[]) as asked (page_id, id)
    join incidents i on i.id = asked.id and i.page_id = asked.page_id`;
  return rows.map(({ pageId, id }) => placeOf(pageId, id));
}
