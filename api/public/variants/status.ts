import type { SummaryDeps } from '../../../analytics/summary/summary.js';
import type { PublicFigure } from '../../../contract/public/public-figures.js';
import type { PublicObjective } from '../../../contract/public/public-objectives.js';
import type { PublicStatus } from '../../../contract/public/status.js';
import type { CurrentIncident, ServiceGroup } from '../../../contract/public/status-page.js';
import { loadServiceGroups } from '../../../control/monitors/index.js';
import { type GroupPart, inGroups, type PlacedService } from '../../../web/state/groups.js';
import { isOver, overallState, publicStateOfPage } from '../../../web/state/page-state.js';
import { collectNews, publicStateOf } from '../../../web/state/service-state.js';
import type { Variant } from '../public-cache.js';
import type { FiguresOf } from '../public-figures.js';
import type { ObjectivesOf } from '../public-objectives.js';
import { type Conditions, loadConditions } from './figures.js';
import { summaryCacheControl } from './summaries.js';

/** How a page gets what it publishes beside its state. */
export type StatusDeps = SummaryDeps & { figuresOf: FiguresOf; objectivesOf: ObjectivesOf };

/** The state of a page with its groups, services and current incidents, as JSON. */
export function statusVariant(deps: StatusDeps): Variant {
  return {
    name: 'status',
    hasFigures: true,
    contentType: 'application/json; charset=utf-8',
    cacheControl: summaryCacheControl,
    async render(pageId) {
      const [conditions, groups] = await Promise.all([
        loadConditions(deps, pageId),
        loadServiceGroups(deps, pageId),
      ]);
      if (conditions === undefined) return undefined;
      const [objectives, figures] = await Promise.all([
        deps.objectivesOf(conditions.page),
        deps.figuresOf(conditions.page),
      ]);
      return JSON.stringify(describeStatus(conditions, groups, { objectives, figures }));
    },
  };
}

function describeStatus(
  { brand, summary, incidents }: Conditions,
  groups: readonly ServiceGroup[],
  { objectives, figures }: { objectives: PublicObjective[]; figures: PublicFigure[] | null },
): PublicStatus {
  const parts = inGroups(summary.services, groups, collectNews(incidents));
  return {
    ...{ slug: summary.slug, name: brand.name },
    state: publicStateOfPage(overallState(summary, incidents)),
    lastChecked: summary.lastChecked,
    groups: parts.flatMap((part) => (part.group === undefined ? [] : [describeGroup(part.group, part)])),
    services: parts.flatMap(({ group, services }) =>
      services.map((placed) => describeService(placed, group?.slug ?? null)),
    ),
    incidents: incidents.filter((entry) => !isOver(entry)).map(describeIncident),
    objectives,
    figures,
  };
}

function describeGroup(
  { slug, name, names, collapsed }: ServiceGroup,
  { services, state, uptime }: GroupPart<CurrentIncident>,
): PublicStatus['groups'][number] {
  return {
    ...{ slug, name, names, collapsed, uptime },
    state: publicStateOf(state),
    services: services.map(({ service }) => service.slug),
  };
}

function describeService(
  { service, standing }: PlacedService<CurrentIncident>,
  group: string | null,
): PublicStatus['services'][number] {
  const { slug, name, names, uptime, descriptions = {}, link = null, degradedSince = null } = service;
  const { reason, state } = standing;
  return {
    ...{ slug, name, names, descriptions, link, group, state: publicStateOf(state) },
    reason:
      reason.kind === 'monitor'
        ? { type: 'monitor', id: null, title: null }
        : { type: reason.kind, id: reason.entry.id, title: reason.entry.title },
    ...{ degradedSince, uptime },
  };
}

function describeIncident(entry: CurrentIncident): PublicStatus['incidents'][number] {
  const { id, type, title, impact = null, services, serviceStates = {}, startedAt, maintenanceState } = entry;
  return { id, type, title, impact, services, serviceStates, startedAt, maintenanceState };
}
