import { figureLimits } from '../../contract/public/public-figures.js';
import {
  objectiveMonths,
  type PublicMonth,
  type PublicObjective,
} from '../../contract/public/public-objectives.js';
import {
  compliancePercent,
  isMet,
  listPublicObjectives,
  monthsUntil,
  type Objective,
} from '../../control/objectives/index.js';
import type { Page } from '../../control/pages/index.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { withTimeout } from '../../lib/timeout.js';
import { minuteMs } from '../../lib/times.js';
import type { ClickHouseClient } from '../../sql/open-clickhouse.js';
import type { Sql } from '../../sql/open-postgres.js';
import { type Counted, loadPeriods } from '../objectives/load-periods.js';
import { createTimedCache } from './timed-cache.js';

/** The objectives that a page shows, in the order of their slugs, with months in the time zone of the page. */
export type ObjectivesOf = (page: Pick<Page, 'id' | 'timeZone'>) => Promise<PublicObjective[]>;

type Deps = {
  publicSql: Sql;
  publicClickhouse: ClickHouseClient;
  clock: Clock;
  log: Log;
  pageStores: Pick<PageStores, 'clickhouseOf'>;
};

/** Months of some thousand pages. */
const bytesMax = 16 * 1024 ** 2;
/** A month is nearly the same five minutes later. */
const freshMs = 5 * minuteMs;
const staleMs = 60 * minuteMs;
/** As with published figures. */
const waitMs = 2_500;

/**
 * Reads the months of objectives at most once in five minutes for each page, whatever views and languages ask for them. Older
 * ones, of up to an hour, stand in for those that cannot be read. Which objectives are public comes from PostgreSQL each time
 * that a view is drawn, so that one which is hidden is gone with the next.
 *
 * @throws an Error that isPostgresLost() knows
 */
export function createObjectivesOf({
  publicSql,
  publicClickhouse,
  clock,
  log,
  pageStores,
}: Deps): ObjectivesOf {
  const cache = createTimedCache<PublicMonth[][]>({
    ...{ clock, log, name: 'The published objectives of a page', freshMs, staleMs, bytesMax },
    bytesOf: (months) => 2 * JSON.stringify(months).length,
  });
  return async ({ id, timeZone }) => {
    const objectives = await listPublicObjectives({ sql: publicSql }, id);
    if (objectives.length === 0) return [];
    const measures = objectives.map(({ target, sli, monitorId }) => ({ target, sli, monitorId }));
    // Another target or measure has other months.
    const key = `${id} ${timeZone} ${JSON.stringify(measures)}`;
    const load = () => {
      const events = pageStores.clickhouseOf(id, publicClickhouse);
      return loadMonths({ clickhouse: publicClickhouse, events }, objectives, { timeZone, now: clock.now() });
    };
    // The cache logs why.
    const months = await withTimeout(cache.get(key, load), waitMs).catch(() => undefined);
    return objectives.map(({ name, target, sli }, i) => ({
      ...{ name, target, unit: 'requests' in sli ? ('requests' as const) : ('time' as const) },
      months: months?.[i] ?? null,
    }));
  };
}

async function loadMonths(
  deps: Parameters<typeof loadPeriods>[0],
  objectives: readonly Objective[],
  { timeZone, now }: { timeZone: string; now: number },
): Promise<PublicMonth[][]> {
  const months = monthsUntil(now, { timeZone, count: objectiveMonths });
  const counted = await loadPeriods(deps, objectives, months, now);
  return objectives.map((objective, i) =>
    months.map(({ month }, at) => ({ month, ...describe(objective, counted[i]?.[at] ?? null) })),
  );
}

/** Few requests would say something about single ones. */
function describe({ target, sli }: Objective, counted: Counted): Pick<PublicMonth, 'percent' | 'isMet'> {
  const isEnough =
    counted !== null && ('requests' in sli ? counted.total >= figureLimits.requestsMin : counted.total > 0);
  const percent = isEnough ? compliancePercent(counted) : null;
  if (!isEnough || percent === null) return { percent: null, isMet: null };
  return { percent: cutTo(percent, Math.max(2, decimalsOf(target))), isMet: isMet(counted, target) };
}

function decimalsOf(value: number): number {
  return (String(value).split('.')[1] ?? '').length;
}

/** Cuts a percentage with at most five decimals: 99.899 does not become 99.9. */
function cutTo(percent: number, decimals: number): number {
  const units = Math.round(percent * 100_000);
  const step = 10 ** (5 - decimals);
  return (Math.floor(units / step) * step) / 100_000;
}
