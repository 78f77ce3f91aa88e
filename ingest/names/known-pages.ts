import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { makeName, makeSource } from './names.js';
import { PageNames } from './page-names.js';
import { recheckNames } from './recheck-names.js';
import type { Granted, Wanted } from './register-names.js';

/** Names in memory over all pages, about 150 bytes each. The least recently used page goes first. */
const namesMax = 400_000;
const pagesMax = 20_000;
/** A name that the pruning job has removed stays in memory for about this long, or until PostgreSQL answers again. */
const recheckEveryMs = 10 * minuteMs;
const recheckAgainMs = 10 * secondMs;
/** A page at a limit is looked at again after this time, because the pruning job may have made room. */
const fullForMs = 30 * secondMs;
const answerMsMax = 10 * secondMs;

/** A page whose names are in memory. */
export type KnownPage = {
  names: PageNames;
  waiting?: Wanted & { done: Promise<Granted> };
  /** Ends with the registration, and never rejects. */
  running?: Promise<void>;
  recheckAt: number;
  endpointsFullUntil: number;
  servicesFullUntil: number;
  /** The reporters of a page without room for another. Other reporters are refused without a query. */
  onlyReporters: { ids: ReadonlySet<string>; until: number };
};

/** Keeps the names that this process knows, a bounded number over all pages, and looks now and then whether they still exist. */
export function createKnownPages({ sql, clock }: { sql: Sql; clock: Clock }) {
  const pages = new LRUCache<PageId, KnownPage>({
    max: pagesMax,
    maxSize: namesMax,
    sizeCalculation: (page) => page.names.size + page.onlyReporters.ids.size,
  });

  /** Runs beside the requests: while PostgreSQL is unavailable, the names in memory go on working. */
  async function recheck(page: KnownPage): Promise<void> {
    page.recheckAt = clock.now() + recheckEveryMs;
    try {
      await askPostgres(recheckNames(sql, page.names));
    } catch {
      page.recheckAt = clock.now() + recheckAgainMs;
    }
  }

  function putIn(names: PageNames): KnownPage {
    const onlyReporters = { ids: new Set<string>(), until: 0 };
    const recheckAt = clock.now() + recheckEveryMs;
    const page: KnownPage = { names, recheckAt, endpointsFullUntil: 0, servicesFullUntil: 0, onlyReporters };
    pages.set(names.pageId, page);
    return page;
  }

  return {
    open(pageId: PageId): KnownPage {
      const page = pages.get(pageId) ?? putIn(new PageNames(pageId));
      if (page.recheckAt <= clock.now()) void recheck(page);
      return page;
    },

    /** Returns the page of these names. Puts it back when it was evicted while a batch used them. */
    openAgain(names: PageNames): KnownPage {
      const page = pages.get(names.pageId);
      return page?.names === names ? page : putIn(names);
    },

    /** Notes the outcome of a registration. */
    learn(page: KnownPage, wanted: Wanted, granted: Granted): void {
      addNames(page.names, wanted, granted);
      const until = clock.now() + fullForMs;
      if (granted.endpointsFull) page.endpointsFullUntil = until;
      if (granted.servicesFull) page.servicesFullUntil = until;
      if (granted.onlyReporters !== undefined) page.onlyReporters = { ids: granted.onlyReporters, until };
      // The cache weighs a page when it is put in, so a page that has grown is put in again.
      pages.delete(page.names.pageId);
      pages.set(page.names.pageId, page);
    },
  };
}

function addNames(names: PageNames, wanted: Wanted, granted: Granted): void {
  const { pageId } = names;
  for (const text of granted.endpoints)
    if (!names.endpoints.has(text)) names.endpoints.set(text, makeName(text));
  for (const text of granted.services) {
    if (!names.services.has(text)) names.services.set(text, makeSource(pageId, 'service', text));
  }
  for (const [id, { stoppedAt: _, ...metadata }] of wanted.reporters) {
    if (!granted.reporters.has(id)) continue;
    const source = names.reporters.get(id) ?? makeSource(pageId, 'reporter', id);
    names.reporters.set(id, { ...source, metadata });
  }
}

/** PostgreSQL may hang without closing its connections; a batch must not wait for it for ever. */
export async function askPostgres<T>(work: Promise<T>): Promise<T> {
  try {
    return await withQueryTimeout(work, answerMsMax);
  } catch (error) {
    throw error instanceof ServiceError ? error : storeUnavailable(error);
  }
}
