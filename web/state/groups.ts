import type { ServiceGroup, ShownService } from '../../contract/public/status-page.js';
import { formatUptime } from '../../lib/figures.js';
import { groupState, type News, type ServiceState, type Standing, standingOf } from './service-state.js';

/** A service with its state and the reason for it. */
export type PlacedService<Entry> = { service: ShownService; standing: Standing<Entry> };

/** The services of a group, or the ones without a group; their state and their uptime together. */
export type GroupPart<Entry> = {
  group?: ServiceGroup;
  services: readonly PlacedService<Entry>[];
  state: ServiceState;
  /** Such as `99.98%`; `N/A` when nothing was observed. */
  uptime: string;
};

/** The services of a page as it shows them: first the ones without a group, then each group that has any. */
export function inGroups<Entry>(
  services: readonly ShownService[],
  groups: readonly ServiceGroup[],
  news: News<Entry>,
): GroupPart<Entry>[] {
  const grouped = new Set(groups.flatMap((group) => group.services));
  const bySlug = new Map(services.map((service) => [service.slug, service]));
  const parts = [
    partOf(
      services.filter(({ slug }) => !grouped.has(slug)),
      news,
    ),
    ...groups.map((group) => ({
      group,
      ...partOf(
        group.services.flatMap((slug) => bySlug.get(slug) ?? []),
        news,
      ),
    })),
  ];
  return parts.filter((part) => part.services.length > 0);
}

function partOf<Entry>(
  services: readonly ShownService[],
  news: News<Entry>,
): Omit<GroupPart<Entry>, 'group'> {
  const placed = services.map((service) => ({ service, standing: standingOf(service, news) }));
  return {
    services: placed,
    state: groupState(placed.map(({ standing }) => standing.state)),
    uptime: jointUptime(services),
  };
}

/** The share of the time in which the services were up, of all the time in which they were observed. */
function jointUptime(services: readonly ShownService[]): string {
  const sum = { observedMs: 0, upMs: 0 };
  for (const { observed } of services) {
    sum.observedMs += observed?.observedMs ?? 0;
    sum.upMs += observed?.upMs ?? 0;
  }
  return formatUptime(sum);
}
