import { keptInSteps, loadKeptSince, roundPeriod } from '../../analytics/figures/kept-figures.js';
import { needsEndpoints } from '../../analytics/figures/question.js';
import { loadGoodAndTotals } from '../../analytics/objectives/good-and-totals.js';
import { questionOf, toQuestion } from '../../analytics/objectives/sli.js';
import { monitorSeriesLimits } from '../../contract/manage/monitor-checks.js';
import type { RequestsSli } from '../../contract/manage/objectives.js';
import type { GoodAndTotal, Objective, WindowPeriod } from '../../control/objectives/index.js';
import { keptAt } from '../../lib/kept.js';
import { hourMs, minuteMs, secondMs } from '../../lib/times.js';
import { readObservedSums } from '../../rollups/series/read-observed-sums.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { EventReader } from '../../sql/own-store/load-event-rows.js';

/** `clickhouse` has the figures of monitors, and `events` those of the requests of the page. */
export type PeriodDeps = { clickhouse: ClickHouseClient; events: EventReader };

/** The measure of an objective. */
export type Measured = Pick<Objective, 'pageId' | 'sli' | 'monitorId'>;

/** The counted amounts; null where figures are not kept from the start of the period on. */
export type Counted = GoodAndTotal | null;

/** A minute counts when it is over for so long, as everywhere with objectives. */
const settleMs = 15 * secondMs;

/**
 * Loads what objectives of one page counted over long periods, such as months, in the order of both: requests, or milliseconds
 * of observed time. At most three reads, whatever the number of objectives. Where minutes are gone, the ends of a period are
 * widened to whole hours. `now` is in milliseconds since the epoch; a period that still runs ends with the last whole minute.
 *
 * @throws as loadEventRows() and readObservedSums() do.
 */
export async function loadPeriods(
  deps: PeriodDeps,
  objectives: readonly Measured[],
  periods: readonly WindowPeriod[],
  now: number,
): Promise<Counted[][]> {
  const settled = Math.floor((now - settleMs) / minuteMs) * minuteMs;
  const cut = periods.map(({ from, to }) => ({ from, to: Math.max(from, Math.min(to, settled)) }));
  const found = objectives.map((): Counted[] => []);
  const places = objectives.map((objective, place) => ({ place, ...objective }));
  await loadMonitors(deps, places, { cut, now, found });
  for (const ofEndpoints of [false, true]) {
    await loadRequests(deps, places, { ofEndpoints, cut, now, found });
  }
  return found;
}

type Placed = Measured & { place: number };
type Asked = { cut: readonly WindowPeriod[]; now: number; found: Counted[][] };

async function loadMonitors({ clickhouse }: PeriodDeps, all: readonly Placed[], { cut, now, found }: Asked) {
  const own = all.flatMap(({ place, pageId, monitorId }) =>
    monitorId === null ? [] : [{ place, pageId, monitorId }],
  );
  const kept = keptAt(now, monitorSeriesLimits.days, hourMs);
  const sums = await readObservedSums({ clickhouse }, own, cut);
  own.forEach(({ place }, i) => {
    found[place] = cut.map(({ from }, at) => (from < kept.from ? null : (sums[i]?.[at] ?? null)));
  });
}

async function loadRequests(
  { events }: PeriodDeps,
  all: readonly Placed[],
  { ofEndpoints, cut, now, found }: Asked & { ofEndpoints: boolean },
): Promise<void> {
  const own = all.flatMap(({ place, pageId, sli }) =>
    'requests' in sli && isOfEndpoints(sli.requests) === ofEndpoints
      ? [{ place, pageId, sli: sli.requests }]
      : [],
  );
  if (own.length === 0) return;
  const detail = ofEndpoints ? 'endpoints' : 'services';
  const kept = keptInSteps(detail, hourMs, { since: await loadKeptSince(events), now });
  const asked = cut.map((period) => {
    const { from, to } = roundPeriod(period, { unitMs: minuteMs, detail, now });
    return { from: Math.max(from, kept.from), to: Math.max(to, kept.from) };
  });
  const sums = await loadGoodAndTotals(events, own, asked);
  own.forEach(({ place }, i) => {
    found[place] = cut.map(({ from }, at) => (from < kept.from ? null : (sums[i]?.[at] ?? null)));
  });
}

function isOfEndpoints(sli: RequestsSli): boolean {
  return needsEndpoints(questionOf(toQuestion(sli)));
}
