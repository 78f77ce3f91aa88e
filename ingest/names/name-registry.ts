import { LRUCache } from 'lru-cache';
import type { Reporter } from '../../contract/events.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import { minuteMs, secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { withQueryTimeout } from '../../sql/query-timeout.js';
import { makeName, makeSource, type Source } from './names.js';
import { PageNames } from './page-names.js';
import { recheckNames } from './recheck-names.js';
import { type Granted, registerNames, type Wanted, type WantedReporter } from './register-names.js';

/** Names in memory over all pages, about 150 bytes each. The least recently used page goes first. */
const namesMax = 400_000;
const pagesMax = 20_000;
/** A name that the pruning job has removed stays in memory for about this long, or until PostgreSQL answers again. */
const recheckEveryMs = 10 * minuteMs;
const recheckAgainMs = 10 * secondMs;
/** A page at a limit is looked at again after this time, because the pruning job may have made room. */
const fullForMs = 30 * secondMs;
/** Distinct names that may wait for the next registration of one page. */
const waitingMax = 20_000;
const answerMsMax = 10 * secondMs;

type Texts = Pick<Wanted, 'endpoints' | 'services'>;
type Page = {
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

export type NameRegistry = ReturnType<typeof createNameRegistry>;

/**
 * Holds the names that each page's rows may have, within the page's limits. A name that this process knows costs a map
 * look-up. The unknown names of all waiting batches of a page, and the changed metadata of its reporters, go to PostgreSQL
 * together. Names are added under the page's lock, so the limits hold exactly over any number of instances. When a page
 * is at its limit, all its names are loaded once; further unknown names are refused from memory.
 */
export function createNameRegistry(deps: { sql: Sql; clock: Clock }) {
  const pages = new LRUCache<PageId, Page>({
    max: pagesMax,
    maxSize: namesMax,
    sizeCalculation: (page) => page.names.size + page.onlyReporters.ids.size,
  });

  function open(pageId: PageId): Page {
    const page = pages.get(pageId) ?? putIn(new PageNames(pageId));
    if (page.recheckAt <= deps.clock.now()) void recheck(page);
    return page;
  }

  /** Runs beside the requests: while PostgreSQL is unavailable, the names in memory go on working. */
  async function recheck(page: Page): Promise<void> {
    page.recheckAt = deps.clock.now() + recheckEveryMs;
    try {
      await askPostgres(recheckNames(deps.sql, page.names));
    } catch {
      page.recheckAt = deps.clock.now() + recheckAgainMs;
    }
  }

  /** Returns the page of these names. Puts it back when it was evicted while a batch used them. */
  function openAgain(names: PageNames): Page {
    const page = pages.get(names.pageId);
    return page?.names === names ? page : putIn(names);
  }

  function putIn(names: PageNames): Page {
    const onlyReporters = { ids: new Set<string>(), until: 0 };
    const recheckAt = deps.clock.now() + recheckEveryMs;
    const page: Page = { names, recheckAt, endpointsFullUntil: 0, servicesFullUntil: 0, onlyReporters };
    pages.set(names.pageId, page);
    return page;
  }

  /** The cache weighs a page when it is put in, so a page that has grown is put in again. */
  function weighAgain(page: Page): void {
    pages.delete(page.names.pageId);
    pages.set(page.names.pageId, page);
  }

  function learn(page: Page, wanted: Wanted, granted: Granted): void {
    const { names } = page;
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
    const until = deps.clock.now() + fullForMs;
    if (granted.endpointsFull) page.endpointsFullUntil = until;
    if (granted.servicesFull) page.servicesFullUntil = until;
    if (granted.onlyReporters !== undefined) page.onlyReporters = { ids: granted.onlyReporters, until };
    weighAgain(page);
  }

  /**
   * Runs one registration of a page at a time. Names that arrive meanwhile go into the next one together, and so do the
   * newest metadata of each reporter: a page that changes them with every batch leaves the connections to others.
   */
  function enqueue(page: Page, wanted: Wanted): Promise<Granted> {
    const waiting = page.waiting;
    if (waiting !== undefined) {
      if (waiting.endpoints.size + waiting.services.size + waiting.reporters.size > waitingMax)
        throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
      for (const text of wanted.endpoints) waiting.endpoints.add(text);
      for (const text of wanted.services) waiting.services.add(text);
      for (const [id, reporter] of wanted.reporters)
        waiting.reporters.set(id, { ...pickStoppedAt(waiting.reporters.get(id)), ...reporter });
      return waiting.done;
    }
    const done = (page.running ?? Promise.resolve()).then(() => {
      delete page.waiting;
      const granted = askPostgres(registerNames(deps, page.names.pageId, wanted)).then((granted) => {
        learn(page, wanted, granted);
        return granted;
      });
      // Without the value, which may be all names of the page.
      page.running = granted.then(ignore, ignore);
      return granted;
    });
    page.waiting = { ...wanted, done };
    return done;
  }

  return {
    names: (pageId: PageId): PageNames => open(pageId).names,

    /**
     * Registers the unknown names of a batch. The names that the limits allow are in `names` afterwards.
     *
     * @throws ServiceError `storeUnavailable` when PostgreSQL does not answer, `storeBusy` when too many names wait.
     */
    async register(names: PageNames, { endpoints, services }: Texts): Promise<void> {
      const page = openAgain(names);
      const now = deps.clock.now();
      if (page.endpointsFullUntil > now) endpoints.clear();
      if (page.servicesFullUntil > now) services.clear();
      if (endpoints.size + services.size > 0)
        await enqueue(page, { endpoints, services, reporters: new Map() });
    },

    /** Returns the reporter as a source when these metadata of it are stored already. */
    findReporter(names: PageNames, reporter: Reporter): Source | undefined {
      const known = names.reporters.get(reporter.reporterId);
      return known !== undefined && sameMetadata(known.metadata, reporter) ? known : undefined;
    },

    /**
     * Returns the reporter as a source, once its metadata are stored, or newer ones that came while they waited. Returns
     * `undefined` when the reporter is new and the page is full. A goodbye, with `stoppedAt`, is always stored.
     *
     * @throws ServiceError `storeUnavailable` when PostgreSQL does not answer, `storeBusy` when too many names wait.
     */
    async reporter(pageId: PageId, reporter: WantedReporter): Promise<Source | undefined> {
      const page = open(pageId);
      const id = reporter.reporterId;
      const known = page.names.reporters.get(id);
      if (reporter.stoppedAt === undefined && known !== undefined && sameMetadata(known.metadata, reporter))
        return known;
      const { ids, until } = page.onlyReporters;
      if (known === undefined && until > deps.clock.now() && !ids.has(id)) return undefined;
      const reporters = new Map([[id, reporter]]);
      const granted = await enqueue(page, { endpoints: new Set(), services: new Set(), reporters });
      if (!granted.reporters.has(id)) return undefined;
      // A recheck that ended at the same moment may have removed it from memory.
      return page.names.reporters.get(id) ?? makeSource(pageId, 'reporter', id);
    },
  };
}

function ignore(): void {}

/** A goodbye that waits must not be lost to newer metadata. */
function pickStoppedAt(waiting: WantedReporter | undefined): { stoppedAt?: number } {
  return waiting?.stoppedAt === undefined ? {} : { stoppedAt: waiting.stoppedAt };
}

function sameMetadata(a: Reporter, b: Reporter): boolean {
  return (
    a.englishName === b.englishName &&
    a.region === b.region &&
    a.team === b.team &&
    a.service === b.service &&
    a.expectedEverySeconds === b.expectedEverySeconds
  );
}

/** PostgreSQL may hang without closing its connections; a batch must not wait for it for ever. */
async function askPostgres<T>(work: Promise<T>): Promise<T> {
  try {
    return await withQueryTimeout(work, answerMsMax);
  } catch (error) {
    throw error instanceof ServiceError ? error : storeUnavailable(error);
  }
}
