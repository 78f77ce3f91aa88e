import { LRUCache } from 'lru-cache';
import type { Reporter } from '../../contract/events.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { makeName, makeSource, type Source } from './names.js';
import { PageNames } from './page-names.js';
import { recheckNames } from './recheck-names.js';
import { type Granted, registerNames } from './register-names.js';
import { registerReporter } from './register-reporter.js';

/** Names held in memory over all pages, about 150 bytes each; the least recently used page goes first. */
const namesMax = 400_000;
const pagesMax = 20_000;
/** Names that the pruning job has removed are held for about this long, or until PostgreSQL answers again. */
const recheckEveryMs = 600_000;
const recheckAgainMs = 10_000;
/** A page at a limit is asked for again after this long, since the pruning job may have made room. */
const fullForMs = 30_000;
/** Distinct names that may wait for one page's next registration. */
const waitingMax = 20_000;
const registerTimeoutMs = 10_000;

type Wanted = { endpoints: Set<string>; services: Set<string> };
type Page = {
  names: PageNames;
  waiting?: Wanted & { done: Promise<void> };
  running?: Promise<void>;
  recheckAt: number;
  endpointsFullUntil: number;
  servicesFullUntil: number;
  /** The reporters of a page without room for another: the others are refused from memory. */
  onlyReporters: { ids: ReadonlySet<string>; until: number };
};

export type NameRegistry = ReturnType<typeof createNameRegistry>;

/**
 * The names that each page's rows may have, within the page's limits. A name that this process knows costs a
 * map look-up; unknown ones of all waiting batches of a page are registered in PostgreSQL together, under the
 * page's lock, so the limits hold exactly over any number of instances. Of a page at its limit the whole set is
 * loaded once, after which further unknown names are refused from memory.
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

  /** Beside the requests: while PostgreSQL is away, the names in memory go on working. */
  async function recheck(page: Page): Promise<void> {
    page.recheckAt = deps.clock.now() + recheckEveryMs;
    try {
      await withTimeout(recheckNames(deps.sql, page.names));
    } catch {
      page.recheckAt = deps.clock.now() + recheckAgainMs;
    }
  }

  /** The page of these names, put in again when it had to go while a batch held on to them. */
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

  /** The cache weighs a page when it is put in, so a page that has grown is put in anew. */
  function weighAgain(page: Page): void {
    pages.delete(page.names.pageId);
    pages.set(page.names.pageId, page);
  }

  function learn(page: Page, granted: Granted): void {
    const { names } = page;
    for (const text of granted.endpoints)
      if (!names.endpoints.has(text)) names.endpoints.set(text, makeName(text));
    for (const text of granted.services) {
      if (!names.services.has(text)) names.services.set(text, makeSource(names.pageId, 'service', text));
    }
    const until = deps.clock.now() + fullForMs;
    if (granted.endpointsFull) page.endpointsFullUntil = until;
    if (granted.sourcesFull) page.servicesFullUntil = until;
    weighAgain(page);
  }

  /** One registration at a time and page; what arrives meanwhile goes together into the next one. */
  function enqueue(page: Page, wanted: Wanted): Promise<void> {
    const waiting = page.waiting;
    if (waiting !== undefined) {
      if (waiting.endpoints.size + waiting.services.size > waitingMax)
        throw new ServiceError('storeBusy', { retryAfterSeconds: 1 });
      for (const text of wanted.endpoints) waiting.endpoints.add(text);
      for (const text of wanted.services) waiting.services.add(text);
      return waiting.done;
    }
    const done = (page.running ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        delete page.waiting;
        page.running = withTimeout(registerNames(deps, page.names.pageId, wanted)).then((granted) =>
          learn(page, granted),
        );
        await page.running;
      });
    page.waiting = { ...wanted, done };
    return done;
  }

  return {
    names: (pageId: PageId): PageNames => open(pageId).names,

    /**
     * Registers the unknown names of a batch; those that the limits allow are in `names` afterwards.
     *
     * @throws ServiceError 503 when PostgreSQL cannot be asked; nothing of the batch was stored then.
     */
    async register(names: PageNames, wanted: Wanted): Promise<void> {
      const page = openAgain(names);
      const now = deps.clock.now();
      if (page.endpointsFullUntil > now) wanted.endpoints.clear();
      if (page.servicesFullUntil > now) wanted.services.clear();
      if (wanted.endpoints.size + wanted.services.size > 0) await enqueue(page, wanted);
    },

    /**
     * The reporter as a source, stored with what it now says of itself; no query while it says the same.
     * Undefined when it is new and the page is full.
     */
    async reporter(pageId: PageId, reporter: Reporter): Promise<Source | undefined> {
      const page = open(pageId);
      const known = page.names.reporters.get(reporter.reporterId);
      if (known !== undefined && sameMetadata(known.metadata, reporter)) return known;
      const { ids, until } = page.onlyReporters;
      if (known === undefined && until > deps.clock.now() && !ids.has(reporter.reporterId)) return undefined;
      const others = await withTimeout(registerReporter(deps, pageId, reporter));
      if (others !== undefined) {
        page.onlyReporters = { ids: others, until: deps.clock.now() + fullForMs };
        weighAgain(page);
        return undefined;
      }
      const source = {
        ...(known ?? makeSource(pageId, 'reporter', reporter.reporterId)),
        metadata: reporter,
      };
      page.names.reporters.set(reporter.reporterId, source);
      weighAgain(page);
      return source;
    },
  };
}

function sameMetadata(a: Reporter, b: Reporter): boolean {
  return (
    a.englishName === b.englishName &&
    a.region === b.region &&
    a.team === b.team &&
    a.expectedEverySeconds === b.expectedEverySeconds
  );
}

/** PostgreSQL may be frozen rather than gone; a batch must not wait for it for ever. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(storeUnavailable()), registerTimeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw storeUnavailable(error);
  } finally {
    clearTimeout(timer);
  }
}
