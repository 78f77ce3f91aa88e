import type { LedgerEntry } from '../../contract/incidents.js';
import type { Service, Summary } from '../../contract/summary.js';
import type { ViewTexts } from '../texts/view-texts.js';

/** The state of a whole page: the first that applies, in the order of {@link overallState}. */
export type OverallState =
  | { kind: 'down'; down: number; total: number }
  | { kind: 'incident'; open: number }
  | { kind: 'paused' | 'empty' | 'waiting' | 'stale' | 'up' }
  | { kind: 'maintenance'; running: number };

export const isOpenIncident = ({ type, resolvedAt }: LedgerEntry): boolean =>
  type === 'incident' && resolvedAt === null;

export const isRunning = ({ maintenanceState }: LedgerEntry): boolean => maintenanceState === 'in_progress';

export const isPlanned = ({ maintenanceState }: LedgerEntry): boolean => maintenanceState === 'scheduled';

/** Slugs of the services that a running maintenance affects. */
export function servicesInMaintenance(incidents: readonly LedgerEntry[]): ReadonlySet<string> {
  return new Set(incidents.filter(isRunning).flatMap(({ services }) => services));
}

/**
 * The state of a page for one sentence. A service counts as down when monitoring sees it down and no maintenance explains
 * that. While monitoring is paused, the last known states do not count.
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

/** The state of a whole page in one sentence. */
export function overallSentence({ overall }: ViewTexts, state: OverallState): string {
  switch (state.kind) {
    case 'down':
      return overall.down(state.down, state.total);
    case 'incident':
      return overall.incident(state.open);
    case 'maintenance':
      return overall.maintenance(state.running);
    default:
      return overall[state.kind];
  }
}

export type ServiceState = 'up' | 'down' | 'maintenance' | 'paused' | 'unknown';

/**
 * The current state of a service of a summary with coverage. A service whose last check is long ago and was good is
 * `unknown`. `maintained` has the slugs of the services that a running maintenance affects.
 */
export function serviceState(
  { slug, status, coverage }: Pick<Service, 'slug' | 'status' | 'coverage'>,
  maintained: ReadonlySet<string>,
): ServiceState {
  if (maintained.has(slug)) return 'maintenance';
  switch (coverage?.freshness) {
    case 'paused':
      return 'paused';
    case 'never':
      return 'unknown';
    case 'stale':
      return status === 'down' ? 'down' : 'unknown';
    default:
      return status;
  }
}
