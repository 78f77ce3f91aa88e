import type { ClickHouseClient } from '@clickhouse/client';
import { loadPublicFigures } from '../../analytics/public-figures/load-figures.js';
import type { PublicFigure } from '../../contract/public/public-figures.js';
import type { Page } from '../../control/pages/index.js';
import type { PageStores } from '../../ingest/commit/page-stores.js';
import type { Clock } from '../../lib/clock.js';
import type { Log } from '../../lib/log.js';
import { withTimeout } from '../../lib/timeout.js';
import { minuteMs } from '../../lib/times.js';
import { createTimedCache } from './timed-cache.js';

/** The figures that a page publishes, in the order of its settings; null while they cannot be read. */
export type FiguresOf = (page: Pick<Page, 'id' | 'figures'>) => Promise<PublicFigure[] | null>;

type Deps = {
  clock: Clock;
  log: Log;
  publicClickhouse: ClickHouseClient;
  pageStores: Pick<PageStores, 'clickhouseOf'>;
};

/** Figures of some thousand pages. */
const bytesMax = 16 * 1024 ** 2;
/** A completed step changes only by events that arrive late. */
const freshMs = minuteMs;
const staleMs = 60 * minuteMs;
/** A page whose own store is slow shows its state without them. */
const waitMs = 2_500;

/**
 * Reads the figures of pages at most once a minute for each page, whatever views and languages ask for them. Older
 * figures, of up to an hour, stand in for those that cannot be read: state and incidents of a page never wait for its
 * event store for longer than 2.5 s.
 */
export function createFiguresOf({ clock, log, publicClickhouse, pageStores }: Deps): FiguresOf {
  const cache = createTimedCache<PublicFigure[]>({
    ...{ clock, log, name: 'The published figures of a page', freshMs, staleMs, bytesMax },
    bytesOf: (figures) => 2 * JSON.stringify(figures).length,
  });
  return async ({ id, figures }) => {
    if (figures.length === 0) return [];
    // Other settings have other figures.
    const key = `${id} ${JSON.stringify(figures)}`;
    const load = () =>
      loadPublicFigures(
        { clickhouse: pageStores.clickhouseOf(id, publicClickhouse) },
        { id, figures },
        clock.now(),
      );
    // The cache logs why.
    const given = await withTimeout(cache.get(key, load), waitMs).catch(() => undefined);
    return given ?? null;
  };
}
