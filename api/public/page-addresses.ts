import type { Context } from 'koa';
import type { Clock } from '../../lib/clock.js';
import { createLru } from '../../lib/lru.js';
import { withTimeout } from '../../lib/timeout.js';
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
/** The rest of the 10 s of an answer after the 8.5 s that the work on it may take, and the time to send it. */
const findMsMax = 900;

export function createPageAddresses({ clock, cache, parseOrigin, originOf }: Deps): FindPageAddress {
  const remembered = createLru<string, { hostname: string | null; at: number }>(rememberedMax);

  async function hostnameOf(slug: string): Promise<string | null> {
    const known = remembered.get(slug);
    if (known !== undefined && Math.abs(clock.now() - known.at) < rememberedMs) return known.hostname;
    const page = await cache.pages.bySlug(slug);
    // Nobody learns here that a private page exists.
    const hostname = page === undefined || page.isPrivate ? null : page.hostname;
    remembered.set(slug, { hostname, at: clock.now() });
    return hostname;
  }

  async function find(path: string, asked: string): Promise<string | undefined> {
    for (const slug of slugsIn(path, asked, cache.peekPage(asked) !== undefined)) {
      const hostname = slugForm.test(slug) ? await hostnameOf(slug) : null;
      if (hostname !== null && hostname !== asked) return `${originOf(hostname)}/`;
    }
    return undefined;
  }

  // A hint is worth neither an error nor a wait.
  return (ctx) => withTimeout(find(ctx.path, parseOrigin(ctx).hostname), findMsMax).catch(() => undefined);
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
