import type { Reporter } from '../../contract/events.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { askPostgres, createKnownPages, type KnownPage } from './known-pages.js';
import { makeSource, type Source } from './names.js';
import type { PageNames } from './page-names.js';
import { type Granted, registerNames, type Wanted, type WantedReporter } from './register-names.js';

/** Distinct names that may wait for the next registration of one page. */
const waitingMax = 20_000;

type Texts = Pick<Wanted, 'endpoints' | 'services'>;

export type NameRegistry = ReturnType<typeof createNameRegistry>;

/**
 * Holds the names that each page's rows may have, within the page's limits. A name that this process knows costs a map
 * look-up. The unknown names of all waiting batches of a page, and the changed metadata of its reporters, go to PostgreSQL
 * together. Names are added under the page's lock, so the limits hold exactly over any number of instances. When a page
 * is at its limit, all its names are loaded once; further unknown names are refused from memory.
 */
export function createNameRegistry(deps: { sql: Sql; clock: Clock }) {
  const { open, openAgain, learn } = createKnownPages(deps);

  /**
   * Runs one registration of a page at a time. Names that arrive meanwhile go into the next one together, and so do the
   * newest metadata of each reporter: a page that changes them with every batch leaves the connections to others.
   */
  function enqueue(page: KnownPage, wanted: Wanted): Promise<Granted> {
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

  function removeRefused(page: KnownPage, { endpoints, services }: Texts): boolean {
    const now = deps.clock.now();
    if (page.endpointsFullUntil > now) endpoints.clear();
    if (page.servicesFullUntil > now) services.clear();
    return endpoints.size + services.size > 0;
  }

  return {
    names: (pageId: PageId): PageNames => open(pageId).names,

    /**
     * Registers the unknown names of a batch. The names that the limits allow are in `names` afterwards;
     * returns those without room.
     *
     * @throws ServiceError `storeUnavailable` when PostgreSQL does not answer, `storeBusy` when too many names wait.
     */
    async register(names: PageNames, { endpoints, services }: Texts): Promise<Texts> {
      const page = openAgain(names);
      // Names of other batches may join the ones that are enqueued.
      const wanted = { endpoints: new Set(endpoints), services: new Set(services) };
      const granted = removeRefused(page, wanted)
        ? await enqueue(page, { ...wanted, reporters: new Map() })
        : undefined;
      const endpointsFull = granted?.endpointsFull || wanted.endpoints.size === 0;
      const servicesFull = granted?.servicesFull || wanted.services.size === 0;
      return {
        endpoints: endpointsFull ? without(endpoints, names.endpoints) : new Set(),
        services: servicesFull ? without(services, names.services) : new Set(),
      };
    },

    /**
     * Removes the unknown names for which the page is known to have no room. Returns whether any are left for
     * register().
     */
    mayRegister: (names: PageNames, wanted: Texts): boolean => removeRefused(openAgain(names), wanted),

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

function without(texts: ReadonlySet<string>, known: ReadonlyMap<string, unknown>): Set<string> {
  return new Set([...texts].filter((text) => !known.has(text)));
}

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
