import type { SummaryDeps } from '../../../analytics/summary/summary.js';
import type { LedgerEntry } from '../../../contract/incidents.js';
import type { PublicState } from '../../../contract/public/service-states.js';
import {
  type StatuspageComponents,
  type StatuspageIncidents,
  type StatuspageMaintenances,
  type StatuspagePage,
  type StatuspageStatus,
  type StatuspageSummary,
  statuspageListMax,
} from '../../../contract/public/statuspage.js';
import { loadLedger } from '../../../control/incidents/index.js';
import { loadServiceGroups } from '../../../control/monitors/index.js';
import { loadPostmortems } from '../../../control/postmortems/index.js';
import type { PageId } from '../../../lib/ids.js';
import { statusPath } from '../../../web/page-paths.js';
import { overallState, publicStateOfPage } from '../../../web/state/page-state.js';
import type { Variant } from '../public-cache.js';
import { loadConditions } from '../variants/figures.js';
import { summaryCacheControl } from '../variants/summaries.js';
import { describeComponents, latestOf } from './components.js';
import { changedAtOf, describeIncident, describeMaintenance, type EntryContext } from './incidents.js';

/** The answers by their path below `/api/v2/`. */
export type StatuspageAnswers = {
  'summary.json': StatuspageSummary;
  'status.json': StatuspageStatus;
  'components.json': StatuspageComponents;
  'incidents.json': StatuspageIncidents;
  'incidents/unresolved.json': StatuspageIncidents;
  'scheduled-maintenances.json': StatuspageMaintenances;
  'scheduled-maintenances/upcoming.json': StatuspageMaintenances;
  'scheduled-maintenances/active.json': StatuspageMaintenances;
};

/** Everything of a page that one of the answers is made of. */
type Content = StatuspageSummary & {
  incidentsAll: StatuspageIncidents['incidents'];
  maintenancesAll: StatuspageMaintenances['scheduled_maintenances'];
};

const answers: {
  readonly [Name in keyof StatuspageAnswers]: (content: Content) => StatuspageAnswers[Name];
} = {
  'summary.json': ({ page, components, incidents, scheduled_maintenances, status }) => ({
    ...{ page, components, incidents, scheduled_maintenances, status },
  }),
  'status.json': ({ page, status }) => ({ page, status }),
  'components.json': ({ page, components }) => ({ page, components }),
  'incidents.json': ({ page, incidentsAll }) => ({ page, incidents: incidentsAll }),
  'incidents/unresolved.json': ({ page, incidents }) => ({ page, incidents }),
  'scheduled-maintenances.json': ({ page, maintenancesAll }) => ({
    page,
    scheduled_maintenances: maintenancesAll,
  }),
  'scheduled-maintenances/upcoming.json': ({ page, scheduled_maintenances: all }) => ({
    page,
    scheduled_maintenances: all.filter(({ status }) => status === 'scheduled'),
  }),
  'scheduled-maintenances/active.json': ({ page, scheduled_maintenances: all }) => ({
    page,
    scheduled_maintenances: all.filter(({ status }) => status !== 'scheduled'),
  }),
};

/** One of the answers of the API that Statuspage made usual. */
export function statuspageVariant(deps: SummaryDeps, name: keyof StatuspageAnswers): Variant {
  const describe = answers[name];
  return {
    name: `statuspage ${name}`,
    hasFigures: true,
    contentType: 'application/json; charset=utf-8',
    cacheControl: summaryCacheControl,
    async render(pageId) {
      const content = await loadContent(deps, pageId);
      return content && JSON.stringify(describe(content));
    },
  };
}

async function loadContent(deps: SummaryDeps, pageId: PageId): Promise<Content | undefined> {
  const [conditions, groups, ledger] = await Promise.all([
    loadConditions(deps, pageId),
    loadServiceGroups(deps, pageId),
    loadLedger(deps, pageId),
  ]);
  if (conditions === undefined) return undefined;
  const { page, brand, summary, incidents } = conditions;
  const components = describeComponents(conditions, groups);
  const { ofIncidents, ofMaintenance } = chooseEntries(ledger);
  const incidentIds = ofIncidents.map(({ id }) => id);
  const postmortems = await loadPostmortems(deps, { pageId, language: page.defaultLanguage, incidentIds });
  const { defaultLanguage: language } = page;
  const context: EntryContext = {
    ...{ pageId, language, components: components.bySlug, postmortems },
    base: `${brand.origin}${statusPath(language)}`.replace(/\/$/, ''),
  };
  const incidentsAll = ofIncidents.map((entry) => describeIncident(entry, context));
  const maintenancesAll = ofMaintenance.map((entry) => describeMaintenance(entry, context));
  return {
    page: {
      ...{ id: pageId, name: page.name, url: brand.origin, time_zone: page.timeZone },
      updated_at: latestOf([
        page.createdAt.toISOString(),
        ...components.all.map(({ updated_at }) => updated_at),
        ...ledger.map((entry) => changedAtOf(entry, context)),
      ]),
    } satisfies StatuspagePage,
    components: components.all,
    ...{ incidentsAll: incidentsAll.slice(0, statuspageListMax) },
    ...{ maintenancesAll: maintenancesAll.slice(0, statuspageListMax) },
    incidents: incidentsAll.filter(({ resolved_at }) => resolved_at === null),
    scheduled_maintenances: maintenancesAll.filter(({ status }) => status !== 'completed'),
    status: statuses[publicStateOfPage(overallState(summary, incidents))],
  };
}

/** Whatever is open, and as many of the newest others as a list has; newest first. */
function chooseEntries(ledger: readonly LedgerEntry[]) {
  const isOpen = ({ type, resolvedAt, maintenanceState }: LedgerEntry) =>
    type === 'incident' ? resolvedAt === null : maintenanceState !== 'completed';
  const choose = (type: LedgerEntry['type']) =>
    ledger
      .filter((entry) => entry.type === type)
      .filter((entry, at) => at < statuspageListMax || isOpen(entry));
  return { ofIncidents: choose('incident'), ofMaintenance: choose('maintenance') };
}

/** The sentences of Statuspage, which programs show as they are. */
const statuses: Readonly<Record<PublicState, StatuspageStatus['status']>> = {
  operational: { indicator: 'none', description: 'All Systems Operational' },
  degraded: { indicator: 'minor', description: 'Partially Degraded Service' },
  partial_outage: { indicator: 'major', description: 'Partial System Outage' },
  major_outage: { indicator: 'critical', description: 'Major Service Outage' },
  maintenance: { indicator: 'maintenance', description: 'Service Under Maintenance' },
  unknown: { indicator: 'none', description: 'Status Not Known' },
};
