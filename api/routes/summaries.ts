import { Ledger } from '../../contract/incidents.js';
import { ResponseTimes, ResponseTimesParameters } from '../../contract/public/response-times.js';
import { PublicStatus } from '../../contract/public/status.js';
import { Summary, SummaryParameters, UpptimeSummary } from '../../contract/public/summary.js';
import { ServiceError } from '../../lib/service-error.js';
import { type PublicReads, serveReads, type Target } from '../public/public-reads.js';
import { ledgerVariant } from '../public/variants/ledger.js';
import { metricsVariant } from '../public/variants/metrics.js';
import { type StatusDeps, statusVariant } from '../public/variants/status.js';
import { responseTimesVariants, summaryVariants, upptimeVariant } from '../public/variants/summaries.js';
import type { OpenRoute } from '../route.js';

type Deps = StatusDeps & { reads: PublicReads };

const notModified = { mediaTypes: [] };

/** The public reads of a page, on the host of the page. */
export function summaryRoutes(deps: Deps): OpenRoute[] {
  return [
    summaryRoute(deps),
    statusRoute(deps),
    responseTimesRoute(deps),
    upptimeRoute(deps),
    metricsRoute(deps),
    incidentsRoute(deps),
  ];
}

/** Serves one thing of a page, at an address with the slug of that page. */
const serveOfSlug = (reads: PublicReads, target: Target) =>
  serveReads(
    reads,
    ({ params }) =>
      ({ slug }) =>
        slug === params['slug'] ? target : undefined,
  );

function summaryRoute(deps: Deps): OpenRoute {
  const variantOf = summaryVariants(deps);
  return {
    method: 'GET',
    path: '/api/public/:slug/summary',
    operationId: 'getSummary',
    summary: 'Status, uptime and response times of the services of a page',
    query: SummaryParameters,
    answers: { 200: Summary, 304: notModified },
    errors: ['unsupportedInclude', 'notFound', 'storeUnavailable', 'overloaded'],
    ...serveReads(deps.reads, ({ params, query }) => {
      const variant = variantOf(query);
      if (variant === undefined) throw new ServiceError('unsupportedInclude');
      return ({ slug }) => (slug === params['slug'] ? { variant } : undefined);
    }),
  };
}

function statusRoute(deps: Deps): OpenRoute {
  const target = { variant: statusVariant(deps) };
  return {
    method: 'GET',
    path: '/api/public/:slug/status',
    operationId: 'getPublicStatus',
    summary: 'The state of a page with its groups, services and current incidents',
    answers: { 200: PublicStatus, 304: notModified },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    ...serveOfSlug(deps.reads, target),
  };
}

function responseTimesRoute(deps: Deps): OpenRoute {
  const variantOf = responseTimesVariants(deps);
  return {
    method: 'GET',
    path: '/api/public/:slug/response-times',
    operationId: 'getResponseTimes',
    summary: 'Response times of the services of a page over a range: averages and 95th percentiles',
    query: ResponseTimesParameters,
    answers: { 200: ResponseTimes, 304: notModified },
    errors: ['unsupportedRange', 'notFound', 'storeUnavailable', 'overloaded'],
    ...serveReads(deps.reads, ({ params, query }) => {
      const variant = variantOf(query);
      if (variant === undefined) throw new ServiceError('unsupportedRange');
      return ({ slug }) => (slug === params['slug'] ? { variant } : undefined);
    }),
  };
}

function upptimeRoute(deps: Deps): OpenRoute {
  const target = { variant: upptimeVariant(deps) };
  return {
    method: 'GET',
    path: '/api/public/:slug/upptime/summary.json',
    operationId: 'getUpptimeSummary',
    summary: "The services of a page in the form that Upptime's widgets read",
    answers: { 200: UpptimeSummary, 304: notModified },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    ...serveOfSlug(deps.reads, target),
  };
}

function metricsRoute(deps: Deps): OpenRoute {
  const target = { variant: metricsVariant(deps) };
  return {
    method: 'GET',
    path: '/api/public/:slug/metrics',
    operationId: 'getPublicMetrics',
    summary: 'State, uptime and response times of the services of a page, for Prometheus',
    description: 'Only of a page that has `publicMetrics` on',
    answers: { 200: { mediaTypes: ['text/plain'] }, 304: notModified },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    ...serveOfSlug(deps.reads, target),
  };
}

function incidentsRoute(deps: Deps): OpenRoute {
  const target = { variant: ledgerVariant(deps) };
  return {
    method: 'GET',
    path: '/api/public/:slug/incidents',
    operationId: 'getIncidents',
    summary: 'Incidents and maintenance of a page',
    answers: { 200: Ledger, 304: notModified },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    ...serveOfSlug(deps.reads, target),
  };
}
