import type { FailuresAnswer } from '../../../../contract/analytics/failures.js';
import type { TopAnswer, TotalsAnswer } from '../../../../contract/analytics/figures.js';
import type { MessageGroupsAnswer } from '../../../../contract/analytics/messages.js';
import type { RequestsAnswer } from '../../../../contract/analytics/requests.js';
import type { ManagedPage } from '../../../../contract/manage/pages.js';
import type { AddressChanges } from '../../address/use-address.js';
import { pagePath } from '../../reads/api-path.js';
import { type Read, useRead } from '../../reads/use-read.js';
import type { Place } from './place.js';

/** Groups that a table shows; the service has no more in one answer. */
export const rowsMax = 200;
/** Groups of messages that a panel shows. */
const messageGroupsMax = 50;
/** Samples that a message shows. */
export const samplesMax = 5;
const sparklinePoints = 30;
/** The period before hardly changes. */
const slowMs = 60_000;

/** The figures of the place, with the period before. */
export function useTotals({ slug, range, filters, everyMs }: Place): Read<TotalsAnswer> {
  const query = { ...range, ...filters, compare: 'previous' };
  return useRead<TotalsAnswer>(pagePath(slug, '/analytics/totals', query), { everyMs });
}

/**
 * Counts and response times of the place over time. One series without groups says how many responses were failures of
 * the client and of the server, so that rates by class, error share and percentiles come with one read.
 */
export function useSeries({ slug, range, filters, everyMs }: Place): Read<RequestsAnswer> {
  return useRead<RequestsAnswer>(pagePath(slug, '/analytics/requests', { ...range, ...filters }), {
    everyMs,
  });
}

/** The same over the period before, while it is compared. */
export function useSeriesBefore({ slug, before, filters, everyMs }: Place): Read<RequestsAnswer> {
  const path = before && pagePath(slug, '/analytics/requests', { ...before, ...filters });
  return useRead<RequestsAnswer>(path, { everyMs: everyMs && slowMs });
}

/** The largest groups of the place; `asked` says which. */
export function useTop(
  { slug, range, filters, everyMs }: Pick<Place, 'slug' | 'range' | 'filters' | 'everyMs'>,
  asked: AddressChanges & { by: TopAnswer['by']; order: TopAnswer['order'] },
): Read<TopAnswer> {
  const query = { ...range, ...filters, compare: 'previous', limit: String(rowsMax), ...asked };
  return useRead<TopAnswer>(pagePath(slug, '/analytics/top', query), { everyMs });
}

/** Asks `useTop` for the course of each group. */
export const withSparklines = { points: String(sparklinePoints) } as const;

/** Messages of failing responses of all methods, grouped by their common text. */
export function useMessageGroups({ slug, range, filters, everyMs }: Place): Read<MessageGroupsAnswer> {
  const { service, endpoint, status } = filters;
  const query = { ...range, service, endpoint, status, limit: String(messageGroupsMax) };
  return useRead<MessageGroupsAnswer>(pagePath(slug, '/analytics/messages/groups', query), { everyMs });
}

/** The newest samples of failing requests whose message is like this one. */
export function useSamples({ slug, range, filters }: Place, message: string): Read<FailuresAnswer> {
  const { service, endpoint, status } = filters;
  const query = { ...range, service, endpoint, status, message, limit: String(samplesMax) };
  return useRead<FailuresAnswer>(pagePath(slug, '/analytics/failures', query));
}

/** The address of traces of the page; null while it is not known, too. */
export function useTraceUrl(slug: string): string | null {
  return useRead<ManagedPage>(pagePath(slug, '')).data?.traceUrl ?? null;
}
