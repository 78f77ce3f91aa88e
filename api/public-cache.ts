import { LRUCache } from 'lru-cache';
import type { Clock } from '../contract/clock.js';
import { ApiError } from '../contract/errors.js';
import type { PageId } from '../contract/ids.js';
import type { Log } from '../contract/log.js';
import { summaryLimits } from '../contract/summary.js';
import { findPage } from '../control/find-page.js';
import type { Sql } from '../sql/open-postgres.js';
import { type AnswerKind, bytesOf, makeRepresentation, type Representation } from './representation.js';
import { createTimedCache } from './timed-cache.js';

/** One of the things that are published of a page. */
export type Variant = AnswerKind & {
  /** Its place in the cache beside the others of the page. */
  name: string;
  /** Its text; undefined when the page is gone. */
  render(pageId: PageId): Promise<string | undefined>;
};

export type PublicCache = {
  /** What is served for a page on a host, when it is in memory and fresh. */
  peek(hostname: string, slug: string, variant: Variant): Representation | undefined;
  /**
   * The same, built when it is not.
   *
   * @throws ApiError `notFound` when the host and the slug are not of the same page, `storeUnavailable` when there
   *   is neither a store to ask nor an older representation.
   */
  find(hostname: string, slug: string, variant: Variant): Promise<Representation>;
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
/** Of addresses, a page has one; about 60,000 of them. */
const addressBytesMax = 32 * 1024 * 1024;
const unknownMax = 10_000;
const unknownMs = 5_000;
const times = { freshMs: summaryLimits.freshSeconds * 1000, staleMs: summaryLimits.staleSeconds * 1000 };
const slugForm = /^[a-z0-9-]{1,63}$/;
const hostnameCharsMax = 253;

/**
 * Representations in memory, filed by the page and what of it is shown: nothing that a client can make up adds an
 * entry. Addresses that are of no page are remembered apart and briefly, so that they push out no page.
 */
export function createPublicCache({ sql, clock, log, bytesMax }: PublicCacheOptions): PublicCache {
  const pages = createTimedCache<PageId>({
    ...{ clock, log, ...times, name: 'The page of an address' },
    bytesMax: addressBytesMax,
    bytesOf: (pageId) => 2 * pageId.length,
  });
  const representations = createTimedCache<Representation>({
    ...{ clock, log, ...times, name: 'A public representation' },
    bytesMax: bytesMax ?? bytesMaxUsual,
    bytesOf,
  });
  const unknownSince = new LRUCache<string, number>({ max: unknownMax });

  async function findPageId(hostname: string, slug: string): Promise<PageId | undefined> {
    if (!slugForm.test(slug) || hostname.length > hostnameCharsMax) return undefined;
    const address = addressOf(hostname, slug);
    const since = unknownSince.get(address);
    if (since !== undefined && Math.abs(clock.now() - since) < unknownMs) return undefined;
    return pages.get(address, async () => {
      const page = await findPage({ sql }, { slug });
      if (page?.hostname === hostname) return page.id;
      unknownSince.set(address, clock.now());
      return undefined;
    });
  }

  return {
    peek(hostname, slug, variant) {
      const pageId = pages.peek(addressOf(hostname, slug));
      return pageId && representations.peek(placeOf(pageId, variant));
    },
    async find(hostname, slug, variant) {
      const pageId = found(await findPageId(hostname, slug));
      const representation = await representations.get(placeOf(pageId, variant), async () => {
        const text = await variant.render(pageId);
        return text === undefined ? undefined : makeRepresentation(text, variant);
      });
      return found(representation);
    },
    size: representations.size,
  };
}

function addressOf(hostname: string, slug: string): string {
  return `${slug} ${hostname}`;
}

function placeOf(pageId: PageId, variant: Variant): string {
  return `${pageId} ${variant.name}`;
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new ApiError('notFound');
  return value;
}
