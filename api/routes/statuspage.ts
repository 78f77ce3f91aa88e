import type { TSchema } from 'typebox';
import type { SummaryDeps } from '../../analytics/summary/summary.js';
import {
  StatuspageComponents,
  StatuspageIncidents,
  StatuspageMaintenances,
  StatuspageStatus,
  StatuspageSummary,
} from '../../contract/public/statuspage.js';
import { type PublicReads, serveReads } from '../public/public-reads.js';
import { type StatuspageAnswers, statuspageVariant } from '../public/statuspage/variants.js';
import type { OpenRoute } from '../route.js';

type Deps = SummaryDeps & { reads: PublicReads };

/** The state of a page in the form of Statuspage, on the host of the page. */
export function statuspageRoutes(deps: Deps): OpenRoute[] {
  const route = (name: keyof StatuspageAnswers, answer: TSchema, texts: Texts): OpenRoute => {
    const target = { variant: statuspageVariant(deps, name) };
    return {
      ...{ method: 'GET', path: `/api/v2/${name}`, ...texts },
      answers: { 200: answer, 304: { mediaTypes: [] } },
      errors: ['notFound', 'storeUnavailable', 'overloaded'],
      ...serveReads(deps.reads, () => () => target),
    };
  };
  return [
    route('summary.json', StatuspageSummary, {
      operationId: 'getStatuspageSummary',
      summary: 'State, components, open incidents and maintenance of a page, as Statuspage answers them',
    }),
    route('status.json', StatuspageStatus, {
      operationId: 'getStatuspageStatus',
      summary: 'The state of a page in one sentence, as Statuspage answers it',
    }),
    route('components.json', StatuspageComponents, {
      operationId: 'getStatuspageComponents',
      summary: 'The services and groups of a page, as Statuspage answers them',
    }),
    route('incidents.json', StatuspageIncidents, {
      operationId: 'getStatuspageIncidents',
      summary: 'The newest 50 incidents of a page, as Statuspage answers them',
    }),
    route('incidents/unresolved.json', StatuspageIncidents, {
      operationId: 'getStatuspageUnresolvedIncidents',
      summary: 'The open incidents of a page, as Statuspage answers them',
    }),
    route('scheduled-maintenances.json', StatuspageMaintenances, {
      operationId: 'getStatuspageMaintenances',
      summary: 'The newest 50 maintenance entries of a page, as Statuspage answers them',
    }),
    route('scheduled-maintenances/upcoming.json', StatuspageMaintenances, {
      operationId: 'getStatuspageUpcomingMaintenances',
      summary: 'Maintenance that is yet to begin, as Statuspage answers it',
    }),
    route('scheduled-maintenances/active.json', StatuspageMaintenances, {
      operationId: 'getStatuspageActiveMaintenances',
      summary: 'Maintenance in progress, as Statuspage answers it',
    }),
  ];
}

type Texts = Pick<OpenRoute, 'operationId' | 'summary'>;
