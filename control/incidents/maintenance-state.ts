import type { IncidentType, MaintenanceState } from '../../contract/incidents.js';

type Times = {
  type: IncidentType;
  started_at: Date;
  resolved_at: Date | null;
  scheduled_end_at: Date | null;
};

/**
 * Where a maintenance is at this moment (milliseconds since the epoch); null for an incident. One that was called
 * off before it began has its end at its start, and is over.
 */
export function maintenanceState(times: Times, now: number): MaintenanceState | null {
  if (times.type === 'incident') return null;
  const { started_at: startedAt, resolved_at: resolvedAt, scheduled_end_at: scheduledEndAt } = times;
  if (resolvedAt !== null && (resolvedAt.getTime() <= now || resolvedAt <= startedAt)) return 'completed';
  if (startedAt.getTime() > now) return 'scheduled';
  return scheduledEndAt !== null && scheduledEndAt.getTime() <= now ? 'completed' : 'in_progress';
}
