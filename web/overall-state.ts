import type { LedgerEntry } from '../contract/incidents.js';
import type { Service, Summary } from '../contract/summary.js';

/** The one state of a whole page; the first that fits, in the order of {@link overallState}. */
export type OverallState =
  | { kind: 'down'; down: number; total: number }
  | { kind: 'incident'; open: number }
  | { kind: 'paused' | 'empty' | 'waiting' | 'stale' | 'up' }
  | { kind: 'maintenance'; running: number };

export const isOpenIncident = ({ type, resolvedAt }: LedgerEntry): boolean =>
  type === 'incident' && resolvedAt === null;

export const isRunning = ({ maintenanceState }: LedgerEntry): boolean => maintenanceState === 'in_progress';

export const isPlanned = ({ maintenanceState }: LedgerEntry): boolean => maintenanceState === 'scheduled';

/** The services that a running maintenance is about, by slug. */
export function servicesInMaintenance(incidents: readonly LedgerEntry[]): ReadonlySet<string> {
  return new Set(incidents.filter(isRunning).flatMap(({ services }) => services));
}

/**
 * What is to be said of the page in one sentence. Down is what monitoring sees and no maintenance announced; while
 * monitoring is paused the last known states say nothing of now.
 */
export function overallState(
  { services, monitoringPaused }: Summary,
  incidents: readonly LedgerEntry[],
): OverallState {
  const maintained = servicesInMaintenance(incidents);
  const down = monitoringPaused
    ? []
    : services.filter((service) => isKnownDown(service) && !maintained.has(service.slug));
  if (down.length > 0) return { kind: 'down', down: down.length, total: services.length };
  const open = incidents.filter(isOpenIncident).length;
  if (open > 0) return { kind: 'incident', open };
  const running = incidents.filter(isRunning).length;
  if (running > 0) return { kind: 'maintenance', running };
  if (services.length === 0) return { kind: 'empty' };
  if (monitoringPaused || services.every(({ coverage }) => coverage?.freshness === 'paused')) {
    return { kind: 'paused' };
  }
  const fresh = services.filter(({ coverage }) => coverage === undefined || coverage.freshness === 'fresh');
  if (fresh.length > 0) return { kind: 'up' };
  return services.some(({ coverage }) => coverage?.freshness === 'stale')
    ? { kind: 'stale' }
    : { kind: 'waiting' };
}

function isKnownDown({ status, coverage }: Service): boolean {
  return status === 'down' && coverage?.freshness !== 'paused' && coverage?.freshness !== 'never';
}
