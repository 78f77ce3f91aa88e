import type { CurrentIncident } from '../../contract/status-page.js';
import type { Service, Summary } from '../../contract/summary.js';

/** The state of a whole page: the first that applies, in the order of {@link overallState}. */
export type OverallState =
  | { kind: 'down'; down: readonly DownService[]; total: number }
  | { kind: 'incident'; open: number }
  | { kind: 'maintenance'; running: number }
  /** Nothing is known to be wrong; `up` of the services are known to be up now. */
  | { kind: 'up'; up: number; total: number }
  | { kind: 'paused' | 'empty' | 'waiting' | 'stale' };

/** A service that is down; `since` is null while that is not known. */
export type DownService = Pick<Service, 'slug' | 'name' | 'names'> & { since: string | null };

export const isOpenIncident = ({ type, resolvedAt }: Pick<CurrentIncident, 'type' | 'resolvedAt'>): boolean =>
  type === 'incident' && resolvedAt === null;

export const isRunning = ({ maintenanceState }: Pick<CurrentIncident, 'maintenanceState'>): boolean =>
  maintenanceState === 'in_progress';

export const isPlanned = ({ maintenanceState }: Pick<CurrentIncident, 'maintenanceState'>): boolean =>
  maintenanceState === 'scheduled';

/** Whether an incident is resolved, or a maintenance has ended. */
export const isOver = ({
  type,
  resolvedAt,
  maintenanceState,
}: Pick<CurrentIncident, 'type' | 'resolvedAt' | 'maintenanceState'>): boolean =>
  type === 'maintenance' ? maintenanceState === 'completed' : resolvedAt !== null;

/** Slugs of the services that a running maintenance affects. */
export function servicesInMaintenance(incidents: readonly CurrentIncident[]): ReadonlySet<string> {
  return new Set(incidents.filter(isRunning).flatMap(({ services }) => services));
}

/**
 * The state of a page for one sentence. A service counts as down when monitoring sees it down and no maintenance explains
 * that. While monitoring is paused, the last known states do not count. `up` counts the services that are known to be up,
 * so that a page never says that all are when something else is known of one, or nothing.
 */
export function overallState(
  { services, monitoringPaused }: Summary,
  incidents: readonly CurrentIncident[],
): OverallState {
  const maintained = servicesInMaintenance(incidents);
  const states = services.map((service) => (monitoringPaused ? 'paused' : serviceState(service, maintained)));
  const count = (wanted: ServiceState) => states.filter((state) => state === wanted).length;
  const total = services.length;
  const down = services.filter((_, at) => states[at] === 'down').map(describeDown);
  if (down.length > 0) return { kind: 'down', down, total };
  const open = incidents.filter(isOpenIncident).length;
  if (open > 0) return { kind: 'incident', open };
  const running = incidents.filter(isRunning).length;
  if (running > 0) return { kind: 'maintenance', running };
  if (total === 0) return { kind: 'empty' };
  if (count('up') > 0) return { kind: 'up', up: count('up'), total };
  if (count('paused') === total) return { kind: 'paused' };
  return { kind: count('stale') > 0 ? 'stale' : 'waiting' };
}

const describeDown = ({ slug, name, names, coverage }: Service): DownService => ({
  ...{ slug, name, names },
  since: coverage?.stateSince ?? null,
});

/**
 * `unknown`: no check has passed yet, and too few have failed for `down`. `waiting`: a heartbeat before its first call.
 * `stale`: it was up, but that is long ago.
 */
export type ServiceState = 'up' | 'down' | 'maintenance' | 'paused' | 'unknown' | 'waiting' | 'stale';

/**
 * The current state of a service of a summary with coverage. `maintained` has the slugs of the services that a running
 * maintenance affects.
 */
export function serviceState(
  { slug, status, coverage }: Pick<Service, 'slug' | 'status' | 'coverage'>,
  maintained: ReadonlySet<string>,
): ServiceState {
  if (maintained.has(slug)) return 'maintenance';
  const { freshness = 'fresh', state = status } = coverage ?? {};
  if (freshness === 'paused') return 'paused';
  if (state === 'unknown' || state === 'waiting') return state;
  if (status === 'down') return 'down';
  if (freshness === 'never') return 'unknown';
  return freshness === 'stale' ? 'stale' : 'up';
}
