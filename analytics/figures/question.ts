import type { Grouping } from '../../contract/analytics/parameters.js';
import type { EventFilters } from '../event-filters.js';

/** Which requests are asked for, and what they are grouped by. */
export type Question = {
  filters: EventFilters;
  by: Grouping | null;
  /** A part of the name of the service or the endpoint; empty for all. */
  search: string;
};

/** Whether the rows must tell endpoints or methods apart, which takes the larger tables. */
export function needsEndpoints({ filters, by, search }: Question): boolean {
  return (
    filters.endpoint !== undefined ||
    filters.method !== undefined ||
    by === 'endpoint' ||
    by === 'method' ||
    (by === 'status' && search !== '')
  );
}

/** Whether tables without a status can answer. */
export function isOfAllStatuses({ filters, by }: Question): boolean {
  return filters.status === undefined && by !== 'status';
}

/** Whether the question is of a whole page or its methods, which have tables of their own. */
export function isOfPage(question: Question): boolean {
  const { filters, by, search } = question;
  return (
    isOfAllStatuses(question) &&
    filters.service === undefined &&
    filters.endpoint === undefined &&
    (by === null || by === 'method') &&
    search === ''
  );
}

/**
 * Whether the question is of many endpoints. Their percentiles over a long range are of whole steps of six hours: the
 * hours at both ends would be most of the histograms that are read. One endpoint has few.
 */
export function isOfEndpoints(question: Question): boolean {
  const { endpoint } = question.filters;
  return (
    needsEndpoints(question) && isOfAllStatuses(question) && !isOfPage(question) && endpoint === undefined
  );
}

/** Which requests a question tells apart; the less, the longer figures are kept. */
export type Detail = 'page' | 'services' | 'endpoints';

/** Returns the detail that the tables of a question need. */
export function detailOf(question: Question): Detail {
  if (isOfPage(question)) return 'page';
  return needsEndpoints(question) ? 'endpoints' : 'services';
}
