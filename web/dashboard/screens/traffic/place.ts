import { useMemo } from 'preact/hooks';
import { screenPath } from '../../../account/manage-paths.js';
import { pollMsOf, type Range, rangeBefore } from '../../address/range.js';
import { type AddressChanges, useAddress } from '../../address/use-address.js';
import { usePage } from '../../session.js';

/** The filters of the figures, as the address has them. */
export type Filters = {
  service?: string | undefined;
  endpoint?: string | undefined;
  method?: string | undefined;
  status?: string | undefined;
};

const filterNames = ['service', 'endpoint', 'method', 'status'] as const;

/** Where a person is in the traffic: all of the page, a service, or an endpoint. */
export type View = 'page' | 'service' | 'endpoint';

export type Place = {
  slug: string;
  view: View;
  filters: Filters;
  range: Range;
  /** The period before, when it is drawn beside. */
  before: Range | undefined;
  /** Time between two reads in milliseconds; none for a range that does not move. */
  everyMs: number | undefined;
  /** Link to the traffic with exactly these filters, over the same range. */
  hrefOf(filters: Filters, further?: AddressChanges): string;
};

/** Returns the view of the filters: an endpoint, a service, or the page. */
export function viewOf({ service, endpoint }: Filters): View {
  if (endpoint !== undefined) return 'endpoint';
  return service === undefined ? 'page' : 'service';
}

/** Returns the filters of an address. A status that no response has is none. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const given = Object.fromEntries(filterNames.map((name) => [name, query[name] || undefined]));
  return { ...given, status: /^[1-5]\d\d$/.test(query['status'] ?? '') ? query['status'] : undefined };
}

export function usePlace(): Place {
  const { slug } = usePage();
  const { query, range, to } = useAddress();
  const filters = filtersOf(query);
  const isCompared = query['compare'] === 'previous';
  const before = useMemo(
    () => (isCompared ? rangeBefore(range, Date.now()) : undefined),
    [isCompared, range.from, range.to],
  );
  return {
    ...{ slug, filters, range, before },
    view: viewOf(filters),
    everyMs: pollMsOf(range, Date.now()),
    hrefOf: (chosen, further = {}) => to(screenPath(slug, 'traffic'), { ...chosen, ...further }),
  };
}
