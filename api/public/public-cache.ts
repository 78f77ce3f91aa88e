import { summaryLimits } from '../../contract/public/summary.js';
import type { Page } from '../../control/pages/index.js';
import type { Clock } from '../../lib/clock.js';
import type { PageId } from '../../lib/ids.js';
import type { Log } from '../../lib/log.js';
import { createLru } from '../../lib/lru.js';
import { createNetworkCheck } from '../../lib/networks.js';
import { ServiceError } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { createPageLookups, hostnameCharsMax, type PageLookups } from './page-lookups.js';
import { createPublicLoads, type LoadKind, type PublicLoads } from './public-loads.js';
import {
  type AnswerKind,
  bytesOf,
  makeOpaqueRepresentation,
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
  isPrivate: boolean;
  /** Whether an address is one of those that may read the page while it is private. */
  isAllowed(address: string): boolean;
  /** Changes with the password of readers; null without one. */
  passwordTag: string | null;
};

/** One of the things that are published of a page. */
export type Variant = AnswerKind & {
  /** Unique among the variants of a page. */
  name: string;
  /** Whether it is made of what ClickHouse holds. Its loads are apart from those that need PostgreSQL alone. */
  hasFigures?: true;
  /** Whether it is one of many whose addresses a client may make up, such as months and incidents. */
  oneOfMany?: true;
  /**
   * Whether the page has such a thing: a check that costs less than to render it. It is asked for what memory does not
   * have, before a place for the load is taken.
   */
  exists?(pageId: PageId): Promise<boolean>;
  /** Whether it is rendered as bytes that are compressed already, such as a picture. */
  isOpaque?: true;
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
   *   memory does not have the page; `overloaded` when too many hosts are looked up
   */
  findPage(hostname: string): Promise<PublicPage>;
  /** The representation of a variant, if memory has it and it is fresh. */
  peek(page: PublicPage, variant: Variant): Representation | undefined;
  /**
   * The same, built when memory does not have it. Returns `undefined` when the page has no such thing, which is
   * remembered for 5 s.
   *
   * @throws ServiceError `storeUnavailable` when the store does not answer, `overloaded` when too much is built, and
   *   there is no older representation
   */
  find(page: Pick<PublicPage, 'id'>, variant: Variant): Promise<Representation | undefined>;
  /** The age in milliseconds of a representation that is older than 30 s; `undefined` for others. */
  staleFor(page: PublicPage, variant: Variant): number | undefined;
  /** Marks every representation of the page as out of date; the next request to this process builds it again. */
  expire(pageId: PageId): void;
  /** Finds the page no longer, which was deleted; its host may have another page. */
  forget(pageId: PageId): void;
  size(): { values: number; bytes: number };
  /** Finds pages in PostgreSQL. */
  pages: PageLookups;
  /** Bounds the work with the stores that public reads cause, those that are not cached included. */
  loads: PublicLoads;
};

export type PublicCacheOptions = {
  sql: Sql;
  clock: Clock;
  log: Log;
  /** Bound on all representations in all encodings; 256 MiB when not given. */
  bytesMax?: number;
  /** Called for each read that is refused or answered with an older value, because too much is loaded. */
  onShed?: () => void;
};

const bytesMaxUsual = 256 * 1024 * 1024;
/** Enough for about 50,000 pages; each has one host. */
const pagesBytesMax = 32 * 1024 * 1024;
/** Hosts without a page, and, counted apart, what pages do not have. */
const unknownMax = 10_000;
const unknownMs = 5_000;
/** Pages that this process changed lately, and pages that were deleted lately. One more pushes out the oldest, whose answers then age as usual. */
const changedMax = 10_000;
const times = { freshMs: summaryLimits.freshSeconds * 1000, staleMs: summaryLimits.staleSeconds * 1000 };

/**
 * Representations in memory, by page and variant: nothing that a client can make up adds an entry. Hosts without a page
 * and what pages do not have are kept apart and briefly, so that they push out no page.
 */
export function createPublicCache({ sql, clock, log, bytesMax, onShed }: PublicCacheOptions): PublicCache {
  const loads = createPublicLoads({ log, ...(onShed && { onShed }) });
  const lookups = createPageLookups({ sql, onShed: loads.shed });
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
  const unknownSince = createLru<string, number>(unknownMax);
  const missingSince = createLru<string, number>(unknownMax);
  const changedAt = createLru<PageId, number>(changedMax);
  const deletedAt = createLru<PageId, number>(changedMax);

  function isUnknown(hostname: string): boolean {
    if (hostname === '' || hostname.length > hostnameCharsMax) return true;
    const since = unknownSince.get(hostname);
    return since !== undefined && Math.abs(clock.now() - since) < unknownMs;
  }

  async function loadPage(hostname: string): Promise<PublicPage | undefined> {
    const page = await lookups.byHostname(hostname);
    if (page === undefined) unknownSince.set(hostname, clock.now());
    return page && toPublicPage(page);
  }

  /** A thing that was missing before a change of the page may exist now. */
  function isMissing(place: string, changed = Number.NEGATIVE_INFINITY): boolean {
    const since = missingSince.get(place);
    return since !== undefined && since > changed && Math.abs(clock.now() - since) < unknownMs;
  }

  async function build(pageId: PageId, variant: Variant): Promise<Representation | undefined> {
    const startedAt = clock.now();
    const there = (await variant.exists?.(pageId)) ?? true;
    const built = there
      ? await loads.run(pageId, loadKindOf(variant), () => renderVariant(pageId, variant))
      : undefined;
    if (built !== undefined) return built;
    missingSince.set(placeOf({ id: pageId }, variant), startedAt);
    return undefined;
  }

  return {
    peekPage(hostname) {
      const page = pages.peek(hostname);
      if (page === undefined || deletedAt.has(page.id)) return undefined;
      // A change that this process has made, such as of a page into a private one, counts at once.
      const changed = changedAt.get(page.id);
      return changed === undefined ? page : pages.peek(hostname, changed);
    },
    async findPage(hostname) {
      if (isUnknown(hostname)) throw new ServiceError('notFound');
      const load = () => loadPage(hostname);
      let page = await pages.get(hostname, load);
      const changed = page && (deletedAt.get(page.id) ?? changedAt.get(page.id));
      if (changed !== undefined) page = await pages.get(hostname, load, changed);
      if (page === undefined || deletedAt.has(page.id)) throw new ServiceError('notFound');
      return page;
    },
    peek: (page, variant) => representations.peek(placeOf(page, variant), changedAt.get(page.id)),
    async find(page, variant) {
      const place = placeOf(page, variant);
      const changed = changedAt.get(page.id);
      if (isMissing(place, changed)) return undefined;
      return representations.get(place, () => build(page.id, variant), changed);
    },
    staleFor: (page, variant) => representations.staleFor(placeOf(page, variant)),
    expire(pageId) {
      changedAt.set(pageId, clock.now());
    },
    forget(pageId) {
      if (!deletedAt.has(pageId)) deletedAt.set(pageId, clock.now());
    },
    size: representations.size,
    pages: lookups,
    loads,
  };
}

function loadKindOf({ hasFigures, oneOfMany }: Variant): LoadKind {
  if (hasFigures) return 'figures';
  return oneOfMany ? 'many' : 'few';
}

async function renderVariant(pageId: PageId, variant: Variant): Promise<Representation | undefined> {
  const rendering = await variant.render(pageId);
  if (rendering === undefined) return undefined;
  const isOpaque = variant.isOpaque && Buffer.isBuffer(rendering);
  return isOpaque ? makeOpaqueRepresentation(rendering, variant) : makeRepresentation(rendering, variant);
}

function toPublicPage(page: Page): PublicPage {
  const { id, slug, languages, defaultLanguage, isPrivate, allowedAddresses, passwordTag } = page;
  const byTag = new Map(languages.map((language) => [language.toLowerCase(), language]));
  const isAllowed = allowedAddresses.length === 0 ? () => false : createNetworkCheck(allowedAddresses);
  return { id, slug, languages: byTag, defaultLanguage, isPrivate, isAllowed, passwordTag };
}

/** A rough estimate. */
function bytesOfPage({ languages }: PublicPage): number {
  return 300 + 100 * languages.size;
}

function placeOf({ id }: Pick<PublicPage, 'id'>, variant: Variant): string {
  return `${id} ${variant.name}`;
}
