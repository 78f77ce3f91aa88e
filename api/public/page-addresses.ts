import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../lib/clock.js';
import type { OriginParser } from '../request-origin.js';
import type { PublicCache } from './public-cache.js';

type Deps = {
  clock: Clock;
  cache: PublicCache;
  parseOrigin: OriginParser;
  /** The origin of the page on a host. */
  originOf(hostname: string): string;
};

/**
 * Returns the address of the page that a request means but asks for on another host, or `undefined`. Only a slug that
 * the request itself names leads to a page, and only to its host, which is public: nothing lists the pages of others.
 */
export type FindPageAddress = (ctx: Context) => Promise<string | undefined>;

const slugForm = /^[a-z0-9-]{1,63}$/;
const slugInApi = /^\/api\/public\/([^/]+)(?:\/|$)/i;
/** Whether a path names a slug by the form of the public API. */
export function isInPublicApi(path: string): boolean {
  return slugInApi.test(path);
}

const rememberedMax = 10_000;
const rememberedMs = 5_000;

export function createPageAddresses({ clock, cache, parseOrigin, originOf }: Deps): FindPageAddress {
  const remembered = new LRUCache<string, { hostname: string | null; at: number }>({ max: rememberedMax });

  async function hostnameOf(slug: string): Promise<string | null> {
    const known = remembered.get(slug);
    if (known !== undefined && Math.abs(clock.now() - known.at) < rememberedMs) return known.hostname;
    const hostname = (await cache.pages.bySlug(slug))?.hostname ?? null;
    remembered.set(slug, { hostname, at: clock.now() });
    return hostname;
  }

  return async (ctx) => {
    const { hostname: asked } = parseOrigin(ctx);
    for (const slug of slugsIn(ctx.path, asked, cache.peekPage(asked) !== undefined)) {
      // A hint is not worth an error.
      const hostname = slugForm.test(slug) ? await hostnameOf(slug).catch(() => null) : null;
      if (hostname !== null && hostname !== asked) return `${originOf(hostname)}/`;
    }
    return undefined;
  };
}

/** Returns what may be meant as a slug: in the path of the API, else the first part of the path or of the host. */
function slugsIn(path: string, hostname: string, isPageHost: boolean): string[] {
  const inApi = slugInApi.exec(path)?.[1];
  if (inApi !== undefined) return [inApi];
  // Whoever looks for an address on the host of a page means that page.
  if (isPageHost) return [];
  const first = path.split('/', 2)[1] ?? '';
  const label = hostname.includes('.') ? (hostname.split('.', 1)[0] ?? '') : '';
  return [first, label].filter((part) => part !== '');
}
