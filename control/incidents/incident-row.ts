import type { IncidentType, MaintenanceState } from '../../contract/incidents.js';
import type { Impact } from '../../contract/public/service-states.js';
import type { IncidentId, PageId } from '../../lib/ids.js';
import type { Transaction } from '../../sql/open-postgres.js';
import { type ServicesRow, saidOf } from './affected-services.js';

export type IncidentRow = {
  id: IncidentId;
  type: IncidentType;
  title: string;
  summary: string;
  started_at: Date;
  resolved_at: Date | null;
  scheduled_end_at: Date | null;
  impact: Impact | null;
  announced_state: MaintenanceState | null;
  /** Counts the changes. */
  revision: number;
};

/** Identifies a state of an incident with its timeline and its texts. */
export type IncidentVersion = Pick<IncidentRow, 'id' | 'revision'>;

/**
 * Loads an incident of the page and locks it until the transaction ends. The next change then reads what this one
 * wrote, and announcements have the order of the changes. Returns `undefined` when the page has no such incident.
 */
export async function lockIncident(
  tx: Transaction,
  pageId: PageId,
  incidentId: IncidentId,
): Promise<IncidentRow | undefined> {
  const [row] = await tx<IncidentRow[]>`
    select id, type, title, summary, started_at, resolved_at, scheduled_end_at, impact, announced_state,
      revision
    from incidents where id = ${incidentId} and page_id = ${pageId} for update`;
  return row;
}

/** Notes that an incident, its timeline or its translations were changed, in the transaction of the change. */
export async function countRevision(tx: Transaction, incidentId: IncidentId): Promise<void> {
  await tx`update incidents set revision = revision + 1 where id = ${incidentId}`;
}

type HeadRow = Pick<IncidentRow, 'id' | 'type' | 'started_at' | 'resolved_at' | 'scheduled_end_at'> &
  ServicesRow & { published_at: Date };

/** Returns what the ledger shows of an incident besides its texts, as of `now` (milliseconds since the epoch). */
export function toLedgerHead(row: HeadRow, now: number) {
  return {
    id: row.id,
    type: row.type,
    services: row.services,
    ...saidOf(row),
    startedAt: row.started_at.toISOString(),
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    publishedAt: row.published_at.toISOString(),
    scheduledEndAt: row.scheduled_end_at?.toISOString() ?? null,
    maintenanceState: maintenanceState(row, now),
  };
}

/**
 * Returns the state of a maintenance at `now` (milliseconds since the epoch); `null` for an incident. A maintenance
 * that is called off before its start has its end at its start, and is completed.
 */
export function maintenanceState(
  times: Pick<IncidentRow, 'type' | 'started_at' | 'resolved_at' | 'scheduled_end_at'>,
  now: number,
): MaintenanceState | null {
  if (times.type === 'incident') return null;
  const { started_at: startedAt, resolved_at: resolvedAt, scheduled_end_at: scheduledEndAt } = times;
  if (resolvedAt !== null && (resolvedAt.getTime() <= now || resolvedAt <= startedAt)) return 'completed';
  if (startedAt.getTime() > now) return 'scheduled';
  return scheduledEndAt !== null && scheduledEndAt.getTime() <= now ? 'completed' : 'in_progress';
}
