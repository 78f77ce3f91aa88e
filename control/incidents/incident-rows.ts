import type { Incident, IncidentType, MaintenanceState } from '../../contract/incidents.js';
import type { IncidentId, MonitorId, PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';

export type IncidentRow = {
  id: IncidentId;
  type: IncidentType;
  title: string;
  summary: string;
  started_at: Date;
  resolved_at: Date | null;
  scheduled_end_at: Date | null;
  announced_state: MaintenanceState | null;
};

/**
 * The incident of this page, locked until the transaction ends: whoever changes it next reads what this one
 * wrote, and announcements come in the order of the changes. Undefined when the page has none of this id.
 */
export async function lockIncident(
  tx: Transaction,
  pageId: PageId,
  incidentId: IncidentId,
): Promise<IncidentRow | undefined> {
  const [row] = await tx<IncidentRow[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at, announced_state
    from incidents where id = ${incidentId} and page_id = ${pageId} for update`;
  return row;
}

/** Attaches exactly the monitors of the page that have one of the slugs, in that order. */
export async function attachMonitors(
  tx: Transaction,
  pageId: PageId,
  incidentId: IncidentId,
  slugs: readonly string[],
): Promise<void> {
  await tx`delete from incident_monitors where incident_id = ${incidentId}`;
  if (slugs.length === 0) return;
  const monitors = await tx<{ id: MonitorId; slug: string }[]>`
    select id, slug from monitors where page_id = ${pageId} and slug = any(${[...slugs]}::text[])`;
  if (monitors.length === 0) return;
  const rows = monitors.map(({ id, slug }) => ({
    incident_id: incidentId,
    monitor_id: id,
    place: slugs.indexOf(slug),
  }));
  await tx`insert into incident_monitors ${tx(rows)}`;
}

/** The slugs of the attached monitors, in the order in which they were named. */
export async function loadMonitorSlugs(tx: Transaction, incidentId: IncidentId): Promise<string[]> {
  const rows = await tx<{ slug: string }[]>`
    select m.slug from incident_monitors im join monitors m on m.id = im.monitor_id
    where im.incident_id = ${incidentId} order by im.place`;
  return rows.map(({ slug }) => slug);
}

/** The incident as the Incident API represents it. */
export function toIncident(row: Omit<IncidentRow, 'announced_state'>, monitorSlugs: string[]): Incident {
  return {
    id: row.id,
    type: row.type,
    title: row.title,
    summary: row.summary,
    monitorSlugs,
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
  };
}
