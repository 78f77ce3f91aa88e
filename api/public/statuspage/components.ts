import type { PublicState } from '../../../contract/public/service-states.js';
import type { CurrentIncident, ServiceGroup } from '../../../contract/public/status-page.js';
import type { StatuspageComponent, StatuspageComponentState } from '../../../contract/public/statuspage.js';
import { type GroupPart, inGroups, type PlacedService } from '../../../web/state/groups.js';
import { collectNews, publicStateOf } from '../../../web/state/service-state.js';
import type { Conditions } from '../variants/figures.js';

export const componentStates: Readonly<Record<PublicState, StatuspageComponentState>> = {
  ...{ operational: 'operational', unknown: 'operational', maintenance: 'under_maintenance' },
  ...{ degraded: 'degraded_performance', partial_outage: 'partial_outage', major_outage: 'major_outage' },
};

/** The services of a page as components, by slug, and all of them in order: each group stands before its services. */
export function describeComponents(
  { summary, incidents, page }: Pick<Conditions, 'summary' | 'incidents' | 'page'>,
  groups: readonly ServiceGroup[],
): { all: StatuspageComponent[]; bySlug: ReadonlyMap<string, StatuspageComponent> } {
  const bySlug = new Map<string, StatuspageComponent>();
  const all: StatuspageComponent[] = [];
  let onPage = 0;
  for (const part of inGroups(summary.services, groups, collectNews(incidents))) {
    const group = part.group && describeGroup(part.group, part, page.id, onPage + 1);
    if (group !== undefined) {
      onPage += 1;
      all.push(group);
    }
    for (const [at, placed] of part.services.entries()) {
      if (group === undefined) onPage += 1;
      const position = group === undefined ? onPage : at + 1;
      const component = describeService(placed, page.defaultLanguage, {
        page_id: page.id,
        group_id: group?.id ?? null,
        position,
      });
      bySlug.set(placed.service.slug, component);
      all.push(component);
    }
  }
  return { all, bySlug };
}

function describeService(
  { service, standing }: PlacedService<CurrentIncident>,
  language: string,
  place: Pick<StatuspageComponent, 'page_id' | 'group_id' | 'position'>,
): StatuspageComponent {
  const { id, createdAt, name, descriptions, coverage, degradedSince, isManual } = service;
  const saidAt = standing.reason.kind === 'monitor' ? null : standing.reason.entry.startedAt;
  const changes = [createdAt, coverage?.stateSince ?? createdAt, degradedSince ?? createdAt];
  if (saidAt !== null && standing.reason.kind === 'incident') changes.push(saidAt);
  return {
    ...{ id, name, status: componentStates[publicStateOf(standing.state)] },
    ...{ created_at: createdAt, updated_at: latestOf(changes), ...place },
    description: descriptions?.[language] ?? null,
    showcase: isManual !== true,
    start_date: coverage?.since ?? null,
    ...{ group: false, only_show_if_degraded: false },
  };
}

function describeGroup(
  { id, name, createdAt }: ServiceGroup,
  { services, state }: GroupPart<CurrentIncident>,
  page_id: string,
  position: number,
): StatuspageComponent {
  return {
    ...{ id, name, status: componentStates[publicStateOf(state)] },
    ...{ created_at: createdAt, updated_at: createdAt, position, description: null, showcase: false },
    ...{ start_date: null, group_id: null, page_id, group: true, only_show_if_degraded: false },
    components: services.map(({ service }) => service.id),
  };
}

/** The latest of some ISO 8601 texts of UTC; at least one. */
export const latestOf = (times: readonly string[]): string => [...times].sort().at(-1) ?? '';
