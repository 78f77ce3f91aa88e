import { LRUCache } from 'lru-cache';
import { summaryLimits } from '../../contract/summary.js';
import type { Page } from '../../control/pages/index.js';
import { findPage } from '../../control/pages/index.js';
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

/** The page of a host: the part of it that a lookup needs. */
export type PublicPage = {
  id: PageId;
  slug: string;
  /** Languages by their tags in lower case, in the order of the page. */
  languages: ReadonlyMap<string, string>;
  defaultLanguage: string;
};

/** One of the things that are published of a page. */
export type Variant = AnswerKind & {
  /** Unique among the variants of a page. */
  name: string;
  /** Returns `undefined` when the page has no such thing, or no longer exists. */
  render(pageId: PageId): Promise<Rendering | undefined>;
};

export type PublicCache = {
  /** The page on a host, if memory has it and it is fresh. */
  peekPage(hostname: string): PublicPage | undefined;
  /**
   * The same, loaded when memory does not have it.
   *
   * @throws ServiceError `notFound` for a host without a page; `storeUnavailable` when the store does not answer and
   *   memory does not have the page
   */
  findPage(hostname: string): Promise<PublicPage>;
  /** The representation of a variant, if memory has it and it is fresh. */
  peek(page: PublicPage, variant: Variant): Representation | undefined;
  /**
   * The same, built when memory does not have it. Returns `undefined` when the page has no such thing.
   *
   * @throws ServiceError `storeUnavailable` when the store does not answer and there is no older representation
   */
  find(page: PublicPage, variant: Variant): Promise<Representation | undefined>;
  /** Marks every representation of the page as out of date; the next request to this process builds it again. */
  expire(pageId: PageId): void;
  size(): { values: number; bytes: number };
};

export type PublicCacheOptions = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Bound on all representations in all encodings; 256 MiB when not given. */
  bytesMax?: number;
};

const bytesMaxUsual = 256 * 1024 * 1024;
/** Enough for about 50,000 pages; each has one host. */
const pagesBytesMax = 32 * 1024 * 1024;
const unknownMax = 10_000;
const unknownMs = 5_000;
/** Pages that this process changed lately. One more pushes out the oldest, whose answers then age as usual. */
const changedMax = 10_000;
const times = { freshMs: summaryLimits.freshSeconds * 1000, staleMs: summaryLimits.staleSeconds * 1000 };
const hostnameCharsMax = 253;

/**
 * Representations in memory, by page and variant: nothing that a client can make up adds an entry. Hosts without a page
 * are kept apart and briefly, so that they push out no page.
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

  async function loadPage(hostname: string): Promise<PublicPage | undefined> {
    const page = await findPage({ sql }, { hostname });
    if (page === undefined) unknownSince.set(hostname, clock.now());
    return page && toPublicPage(page);
  }

  return {
    peekPage: (hostname) => pages.peek(hostname),
    async findPage(hostname) {
      const page = isUnknown(hostname) ? undefined : await pages.get(hostname, () => loadPage(hostname));
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

/** A rough estimate. */
function bytesOfPage({ languages }: PublicPage): number {
  return 300 + 100 * languages.size;
}

function placeOf({ id }: PublicPage, variant: Variant): string {
  return `${id} ${variant.name}`;
}
