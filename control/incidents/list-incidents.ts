import type { Incident } from '../../contract/incidents.js';
import { ControlError } from '../../lib/control-error.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type IncidentRow, toIncident } from './incident-rows.js';

type Input = {
  slug: string;
  /** Only those without an end. */
  open: boolean;
  limit: number;
};

/**
 * Incidents and maintenance of the page with this slug, the latest start first.
 *
 * @throws ControlError when there is no such page.
 */
export async function listIncidents(
  { sql }: { sql: Sql },
  { slug, open, limit }: Input,
): Promise<Incident[]> {
  const [page] = await sql<{ id: PageId }[]>`select id from pages where slug = ${slug}`;
  if (page === undefined) throw new ControlError(`There is no page with the slug "${slug}".`);
  const rows = await sql<(IncidentRow & { monitor_slugs: string[] })[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at,
      array(select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
        where im.incident_id = i.id order by im.place) as monitor_slugs
    from incidents i
    where page_id = ${page.id} and (not ${open} or resolved_at is null)
    order by started_at desc, id desc limit ${limit}`;
  return rows.map((row) => toIncident(row, row.monitor_slugs));
}

/**
 * The page that an incident belongs to, for an operator who has its id alone.
 *
 * @throws ControlError when there is no such incident.
 */
export async function loadIncidentPage(
  { sql }: { sql: Sql },
  { id }: { id: string },
): Promise<{ pageId: PageId; incidentId: IncidentId }> {
  // Compared as text, so that a string that is no UUID is simply the id of no incident.
  const [row] = await sql<{ id: IncidentId; page_id: PageId }[]>`
    select id, page_id from incidents where id::text = ${id.toLowerCase()}`;
  if (row === undefined) throw new ControlError(`There is no incident with the id "${id}".`);
  return { pageId: row.page_id, incidentId: row.id };
}
