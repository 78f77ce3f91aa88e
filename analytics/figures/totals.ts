import type { TotalsAnswer } from '../../contract/analytics/figures.js';
import type { PageId } from '../../lib/ids.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';
import { loadGroupFigures, noTotals, notKept } from './group-figures.js';
import { type Group, keyOf } from './groups.js';
import type { TotalsQuery } from './parse-figures.js';
import type { Scope } from './parts-source.js';
import type { Period } from './periods.js';
import { planPeriods } from './plan-periods.js';

const everything: Group = { service: null, endpoint: null, method: null, status: null };

/**
 * Loads counts and response times over a whole range. They are null when the range begins before what is kept. `now` is the time in milliseconds since the epoch.
 *
 * @throws as loadEventRows() does.
 */
export async function loadTotals(
  { clickhouse }: { clickhouse: EventReader },
  pageId: PageId,
  query: TotalsQuery,
  now: number,
): Promise<TotalsAnswer> {
  const scope: Scope = { pageId, filters: query.filters, by: null, search: '' };
  const plan = await planPeriods(clickhouse, scope, query, now);
  const { period, previous, isKept, notes } = plan;
  const load = async (one: Period) => {
    const group = { plan, groups: [everything], period: one, now };
    const found = await loadGroupFigures(clickhouse, scope, group);
    return found.get(keyOf(everything)) ?? noTotals;
  };
  return {
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    ...notes,
    now: isKept ? await load(period) : notKept,
    previous: previous === null ? null : await load(previous),
  };
}
