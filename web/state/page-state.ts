import type { PublicState } from '../../contract/public/service-states.js';
import type { CurrentIncident, PageSummary, ShownService } from '../../contract/public/status-page.js';
import { collectNews, isOpenIncident, isRunning, type ServiceState, standingOf } from './service-state.js';

/** The state of a whole page: the first that applies, in the order of {@link overallState}. */
export type OverallState =
  | { kind: 'down' | 'partial' | 'degraded'; services: readonly TroubledService[]; total: number }
  | { kind: 'incident'; open: number }
  | { kind: 'maintenance'; running: number }
  /** Nothing is known to be wrong; `up` of the services are known to be up now. */
  | { kind: 'up'; up: number; total: number }
  | { kind: 'paused' | 'empty' | 'waiting' | 'stale' };

/** The state of a page in which some of its services are down, partly down or degraded. */
export type TroubledState = Extract<OverallState, { services: readonly TroubledService[] }>;

/** A service that is not as it should be; `since` is null while that is not known. */
export type TroubledService = Pick<ShownService, 'slug' | 'name' | 'names'> & { since: string | null };

const isPlanned = ({ maintenanceState }: Pick<CurrentIncident, 'maintenanceState'>): boolean =>
  maintenanceState === 'scheduled';

/** The maintenance that is planned, the next first. */
export const plannedOf = <Entry extends Pick<CurrentIncident, 'maintenanceState' | 'startedAt'>>(
  incidents: readonly Entry[],
): Entry[] => incidents.filter(isPlanned).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));

/** Whether an incident is resolved, or a maintenance has ended. */
export const isOver = ({
  type,
  resolvedAt,
  maintenanceState,
}: Pick<CurrentIncident, 'type' | 'resolvedAt' | 'maintenanceState'>): boolean =>
  type === 'maintenance' ? maintenanceState === 'completed' : resolvedAt !== null;

/**
 * The state of a page for one sentence: the worst of its services', or what is announced without a service. While
 * monitoring is paused, the last known states do not count. `up` counts the services that are known to be up, so that a
 * page never says that all are when something else is known of one, or nothing.
 */
export function overallState(
  { services }: Pick<PageSummary, 'services'>,
  incidents: readonly CurrentIncident[],
): OverallState {
  const news = collectNews(incidents);
  const standings = services.map((service) => standingOf(service, news));
  const total = services.length;
  const count = (wanted: ServiceState) => standings.filter(({ state }) => state === wanted).length;
  const troubled = (kind: TroubledState['kind']): TroubledState | undefined => {
    const some = services.filter((_, at) => standings[at]?.state === kind);
    return some.length === 0 ? undefined : { kind, services: some.map(describeTroubled), total };
  };
  const severe = troubled('down') ?? troubled('partial');
  if (severe !== undefined) return severe;
  const open = incidents.filter(isOpenIncident).length;
  if (open > 0) return { kind: 'incident', open };
  const slow = troubled('degraded');
  if (slow !== undefined) return slow;
  const running = incidents.filter(isRunning).length;
  if (running > 0) return { kind: 'maintenance', running };
  if (total === 0) return { kind: 'empty' };
  if (count('up') > 0) return { kind: 'up', up: count('up'), total };
  if (count('paused') === total) return { kind: 'paused' };
  return { kind: count('stale') > 0 ? 'stale' : 'waiting' };
}

/** The state of a page that everybody reads. An incident about no service says at least that something is degraded. */
export const publicStateOfPage = ({ kind }: OverallState): PublicState => publicStates[kind];

const publicStates: Readonly<Record<OverallState['kind'], PublicState>> = {
  ...{ down: 'major_outage', partial: 'partial_outage', degraded: 'degraded', incident: 'degraded' },
  ...{ maintenance: 'maintenance', up: 'operational' },
  ...{ paused: 'unknown', empty: 'unknown', waiting: 'unknown', stale: 'unknown' },
};

const describeTroubled = ({
  slug,
  name,
  names,
  status,
  coverage,
  degradedSince = null,
}: ShownService): TroubledService => ({
  ...{ slug, name, names },
  since: status === 'down' ? (coverage?.stateSince ?? null) : degradedSince,
});
