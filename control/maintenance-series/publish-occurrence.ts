import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import type { Actor } from '../audit/index.js';
import { type IncidentFields, lockIncident, openIncidentIn } from '../incidents/index.js';
import type { Occurrence } from './recurrence.js';
import type { Series } from './series.js';

/** Who publishes, and when, in milliseconds since the epoch. */
export type Audit = { by: Actor; now: number };

/**
 * Publishes an occurrence as a maintenance, and remembers it. The caller has locked the page and the series.
 *
 * @throws ServiceError `incidentLimit` when the page has no room for it.
 */
export async function publishOccurrence(
  tx: Transaction,
  audit: Audit,
  { series, occurrence }: { series: Series; occurrence: Occurrence },
): Promise<void> {
  const input: IncidentFields = {
    ...{ type: 'maintenance', resolvedAt: null, ...fieldsOf(series) },
    ...{ startedAt: occurrence.startsAt, scheduledEndAt: occurrence.endsAt },
  };
  const incident = await openIncidentIn(tx, { pageId: series.pageId, input, texts: series.texts, ...audit });
  // Ids of incidents are those that newId() made.
  await rememberIncident(tx, series, {
    startsAt: occurrence.startsAt,
    incidentId: incident.id as IncidentId,
  });
}

/** Returns the fields that a series shares with its maintenance. */
export function fieldsOf({ title, summary, monitorSlugs }: Series) {
  return { title, summary, monitorSlugs };
}

/** Stores which maintenance an occurrence is, as the maintenance is now. */
export async function rememberIncident(
  tx: Transaction,
  { id, pageId }: { id: string; pageId: PageId },
  { startsAt, incidentId }: { startsAt: Date; incidentId: IncidentId },
): Promise<void> {
  const incident = await lockIncident(tx, pageId, incidentId);
  const row = {
    ...{ series_id: id, page_id: pageId, starts_at: startsAt, incident_id: incidentId },
    incident_revision: incident?.revision ?? 0,
  };
  await tx`insert into maintenance_occurrences ${tx(row)}`;
}
