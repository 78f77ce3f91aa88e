import { LRUCache } from 'lru-cache';
import { summaryLimits } from '../../contract/summary.js';
import { findPage } from '../../control/pages/find-page.js';
import type { Page } from '../../control/pages/page.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import {
  type AnswerKind,
  bytesOf,
  makeRepresentation,
  type Rendering,
  type Representation,
} from './representation.js';
import { createTimedCache } from './timed-cache.js';

/** The page of a host, as far as it takes to find what is asked of it. */
export type PublicPage = {
  id: PageId;
  slug: string;
  /** Its languages by their tags in lower case, in its order. */
  languages: ReadonlyMap<string, string>;
  defaultLanguage: string;
};

/** One of the things that are published of a page. */
export type Variant = AnswerKind & {
  /** Its place in the cache beside the others of the page. */
  name: string;
  /** Its text; undefined when there is none, or the page is gone. */
  render(pageId: PageId): Promise<Rendering | undefined>;
};

export type PublicCache = {
  /** The page on a host, when it is in memory and fresh. */
  peekPage(hostname: string): PublicPage | undefined;
  /**
   * The same, read when it is not.
   *
   * @throws ServiceError `notFound` for a host that is no page's, `storeUnavailable` when the store cannot be asked and
   *   the page is not known.
   */
  findPage(hostname: string): Promise<PublicPage>;
  /** What is served of a page, when it is in memory and fresh. */
  peek(page: PublicPage, variant: Variant): Representation | undefined;
  /**
   * The same, built when it is not; undefined for what there is not.
   *
   * @throws ServiceError `storeUnavailable` when there is neither a store to ask nor an older representation.
   */
  find(page: PublicPage, variant: Variant): Promise<Representation | undefined>;
  /** Whatever is shown of the page is out of date, and is built again for the next who asks this process. */
  expire(pageId: PageId): void;
  size(): { values: number; bytes: number };
};

export type PublicCacheOptions = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Of all representations, in every encoding; 256 MiB when not given. */
  bytesMax?: number;
};

const bytesMaxUsual = 256 * 1024 * 1024;
/** Of hosts, a page has one; about 50,000 of them. */
const pagesBytesMax = 32 * 1024 * 1024;
const unknownMax = 10_000;
const unknownMs = 5_000;
/** Pages that were changed here lately; of one more the oldest is forgotten, whose answers then age as usual. */
const changedMax = 10_000;
const times = { freshMs: summaryLimits.freshSeconds * 1000, staleMs: summaryLimits.staleSeconds * 1000 };
const hostnameCharsMax = 253;

/**
 * Representations in memory, filed by the page and what of it is shown: nothing that a client can make up adds an
 * entry. Hosts that are no page's are remembered apart and briefly, so that they push out no page.
 */
export function createPublicCache({ sql, clock, log, bytesMax }: PublicCacheOptions): PublicCache {
  const pages = createTimedCache<PublicPage>({
    ...{ clock, log, ...times, name: 'The page of a host' },
    bytesMax: pagesBytesMax,
    bytesOf: bytesOfPage,
  });
  const representations = createTimedCache<Representation>({
    ...{ clock, log, ...times, name: 'A public representation' },
    bytesMax: bytesMax ?? bytesMaxUsual,
    bytesOf,
  });
  const unknownSince = new LRUCache<string, number>({ max: unknownMax });
  const changedAt = new LRUCache<PageId, number>({ max: changedMax });

  function isUnknown(hostname: string): boolean {
    if (hostname === '' || hostname.length > hostnameCharsMax) return true;
    const since = unknownSince.get(hostname);
    return since !== undefined && Math.abs(clock.now() - since) < unknownMs;
  }

  async function readPage(hostname: string): Promise<PublicPage | undefined> {
    const page = await findPage({ sql }, { hostname });
    if (page === undefined) unknownSince.set(hostname, clock.now());
    return page && toPublicPage(page);
  }

  return {
    peekPage: (hostname) => pages.peek(hostname),
    async findPage(hostname) {
      const page = isUnknown(hostname) ? undefined : await pages.get(hostname, () => readPage(hostname));
      if (page === undefined) throw new ServiceError('notFound');
      return page;
    },
    peek: (page, variant) => representations.peek(placeOf(page, variant), changedAt.get(page.id)),
    find(page, variant) {
      const build = async () => {
        const rendering = await variant.render(page.id);
        return rendering === undefined ? undefined : makeRepresentation(rendering, variant);
      };
      return representations.get(placeOf(page, variant), build, changedAt.get(page.id));
    },
    expire(pageId) {
      changedAt.set(pageId, clock.now());
    },
    size: representations.size,
  };
}

function toPublicPage({ id, slug, languages, defaultLanguage }: Page): PublicPage {
  const byTag = new Map(languages.map((language) => [language.toLowerCase(), language]));
  return { id, slug, languages: byTag, defaultLanguage };
}

/** Roughly. */
function bytesOfPage({ languages }: PublicPage): number {
  return 300 + 100 * languages.size;
}

function placeOf({ id }: PublicPage, variant: Variant): string {
  return `${id} ${variant.name}`;
}
