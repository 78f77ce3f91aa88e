import {
  type DeclaredState,
  type Impact,
  type PublicState,
  stateOfImpact,
} from '../../contract/public/service-states.js';
import type { CurrentIncident, ShownService } from '../../contract/public/status-page.js';

/**
 * The state of a service as a view words it. `unknown`: no check has passed yet, and too few have failed for `down`.
 * `waiting`: a heartbeat before its first call. `stale`: it was up, but that is long ago.
 */
export type ServiceState =
  | 'up'
  | 'degraded'
  | 'partial'
  | 'down'
  | 'maintenance'
  | 'paused'
  | 'unknown'
  | 'waiting'
  | 'stale';

/** Each state with the one that everybody reads, and how bad it is. */
const meanings: Readonly<Record<ServiceState, { public: PublicState; rank: number }>> = {
  up: { public: 'operational', rank: 0 },
  paused: { public: 'unknown', rank: 1 },
  unknown: { public: 'unknown', rank: 1 },
  waiting: { public: 'unknown', rank: 1 },
  stale: { public: 'unknown', rank: 1 },
  maintenance: { public: 'maintenance', rank: 2 },
  degraded: { public: 'degraded', rank: 3 },
  partial: { public: 'partial_outage', rank: 4 },
  down: { public: 'major_outage', rank: 5 },
};

const stateOfDeclared: Readonly<Record<DeclaredState, ServiceState>> = {
  ...{ operational: 'up', degraded: 'degraded', partial_outage: 'partial', major_outage: 'down' },
};

/** The state of a service, and its reason; an entry is an incident or maintenance. */
export type Standing<Entry = CurrentIncident> = {
  state: ServiceState;
  reason: { kind: 'monitor' } | { kind: 'incident' | 'maintenance'; entry: Entry };
};

/** The states that incidents and maintenance give services now, by slug. */
export type News<Entry = CurrentIncident> = ReadonlyMap<
  string,
  { maintenance?: Entry; said?: { state: ServiceState; entry: Entry } }
>;

type Told = Pick<CurrentIncident, 'type' | 'services' | 'resolvedAt' | 'maintenanceState'> & {
  impact?: Impact;
  serviceStates?: Readonly<Record<string, DeclaredState>>;
};

export const isOpenIncident = ({ type, resolvedAt }: Pick<Told, 'type' | 'resolvedAt'>): boolean =>
  type === 'incident' && resolvedAt === null;

export const isRunning = ({ maintenanceState }: Pick<Told, 'maintenanceState'>): boolean =>
  maintenanceState === 'in_progress';

/** Collects what open incidents and running maintenance say; of several about a service, the worst, then the first. */
export function collectNews<Entry extends Told>(entries: readonly Entry[]): News<Entry> {
  const news = new Map<string, { maintenance?: Entry; said?: { state: ServiceState; entry: Entry } }>();
  for (const entry of entries) {
    if (!isOpenIncident(entry) && !isRunning(entry)) continue;
    for (const slug of entry.services) {
      const before = news.get(slug) ?? {};
      if (entry.type === 'maintenance') news.set(slug, { maintenance: entry, ...before });
      else {
        const state = declaredState(entry, slug);
        if (state === undefined || (before.said && rankOf(before.said.state) >= rankOf(state))) continue;
        news.set(slug, { ...before, said: { state, entry } });
      }
    }
  }
  return news;
}

/** The state that an incident gives a service: the declared one, or the one of its impact. */
export function declaredState(
  { impact, serviceStates }: Pick<Told, 'impact' | 'serviceStates'>,
  slug: string,
): ServiceState | undefined {
  const said = serviceStates?.[slug] ?? (impact && stateOfImpact[impact]);
  return said && stateOfDeclared[said];
}

/**
 * The state of a service of a summary with coverage. Maintenance explains what the monitor sees, and takes its place.
 * The state that an incident gives counts where it is worse.
 */
export function standingOf<Entry>(
  service: Pick<ShownService, 'slug' | 'status' | 'coverage' | 'degradedSince'>,
  news: News<Entry>,
): Standing<Entry> {
  const { maintenance, said } = news.get(service.slug) ?? {};
  const base: Standing<Entry> =
    maintenance === undefined
      ? { state: monitoredState(service), reason: { kind: 'monitor' } }
      : { state: 'maintenance', reason: { kind: 'maintenance', entry: maintenance } };
  if (said === undefined || rankOf(said.state) <= rankOf(base.state)) return base;
  return { state: said.state, reason: { kind: 'incident', entry: said.entry } };
}

function monitoredState({
  status,
  coverage,
  degradedSince = null,
}: Pick<ShownService, 'status' | 'coverage' | 'degradedSince'>): ServiceState {
  const { freshness = 'fresh', state = status } = coverage ?? {};
  if (freshness === 'paused') return 'paused';
  if (state === 'unknown' || state === 'waiting') return state;
  if (status === 'down') return 'down';
  if (freshness === 'never') return 'unknown';
  if (freshness === 'stale') return 'stale';
  return degradedSince === null ? 'up' : 'degraded';
}

/** Whether something is wrong with a service, or being done to it. */
export const isTrouble = (state: ServiceState): boolean => rankOf(state) >= rankOf('maintenance');

/** The state that everybody reads. */
export const publicStateOf = (state: ServiceState): PublicState => meanings[state].public;

/** The worst of some states; `unknown` of none. */
export function worstState(states: readonly ServiceState[]): ServiceState {
  const [first = 'unknown', ...others] = states;
  return others.reduce((worst, state) => (rankOf(state) > rankOf(worst) ? state : worst), first);
}

/**
 * The state of a group: the worst of its services', and `partial` where one is down and another is not. Services of which
 * nothing is known now do not count for that.
 */
export function groupState(states: readonly ServiceState[]): ServiceState {
  const worst = worstState(states);
  const isOtherKnown = states.some((state) => state !== 'down' && publicStateOf(state) !== 'unknown');
  return worst === 'down' && isOtherKnown ? 'partial' : worst;
}

const rankOf = (state: ServiceState): number => meanings[state].rank;
