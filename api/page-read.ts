import { hash } from 'node:crypto';
import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import Type from 'typebox';
import type { Capability } from '../contract/scopes.js';
import type { Clock } from '../lib/clock.js';
import type { PageId } from '../lib/ids.js';
import { secondMs } from '../lib/times.js';
import { tagsOf } from './manage/answers.js';
import type { Described } from './openapi/described.js';
import type { KeyRoute } from './route.js';

/**
 * A read of what only those who run a page may see. It has two routes: one for a read key, which is of one page, and one
 * of the management API, which names the page in its path.
 */
export type PageRead = Described & {
  method: 'GET';
  /** The path of the route for a read key. */
  path: `${typeof analyticsPath}/${string}`;
  capability: Capability;
  /** The page must have this switched on, as well as the account. */
  feature?: 'database-health';
  /** It reads PostgreSQL, alone or beside ClickHouse. */
  asksPostgres?: true;
  /** Called when the page has the capability and the feature. */
  read(ctx: Context, pageId: PageId): Promise<void>;
};

/** The beginning of the paths of reads with a read key. */
export const analyticsPath = '/api/v1/analytics';

/** The route of a read for callers with a read key. */
export function withReadKey({ capability, feature, read, ...described }: PageRead): KeyRoute {
  return {
    ...described,
    access: { scope: 'read', capability, keyError: 'invalidKey', ...(feature !== undefined && { feature }) },
    handle: (ctx, { pageId }) => read(ctx, pageId),
  };
}

/** An answer to a read, and when the read began, in milliseconds since the epoch. */
type Kept = { text: string; tag: string; asOf: string | undefined; at: number };

/** Answers of a dozen screens; half a megabyte is a large one. */
const keptBytesMax = 16 * 1024 ** 2;
/** No answer older than this is given to anybody, whatever age the request allows. */
const keptMsMax = 30 * secondMs;

/**
 * Returns a function that gives the answers of a read an entity tag, so that a caller who asks again and again gets a body
 * only when something has changed. The figures are private: only the caller may keep them, and must ask before using them.
 * The tag is weak: the body says the same with and without compression, and `Heartline-As-Of` is no part of it.
 *
 * A request with `Cache-Control: max-age=5` may get an answer to the same request that is up to 5 s old: so ten people who
 * look at one screen cost the stores as much as one. Every other request gets an answer of its own.
 */
export function createEntityTags({ clock }: { clock: Clock }): (one: PageRead) => PageRead {
  const held = new LRUCache<string, Kept>({
    maxSize: keptBytesMax,
    sizeCalculation: ({ text }, key) => text.length + 2 * key.length + 300,
  });
  const running = new Map<string, Promise<Kept>>();

  async function load(one: PageRead, ctx: Context, pageId: PageId, key: string): Promise<Kept> {
    const at = clock.now();
    await one.read(ctx, pageId);
    const text = JSON.stringify(ctx.body);
    const tag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
    const kept = { text, tag, asOf: ctx.res.getHeader('heartline-as-of')?.toString(), at };
    held.set(key, kept);
    return kept;
  }

  async function loadOrShare(one: PageRead, ctx: Context, pageId: PageId): Promise<Kept> {
    const key = `${pageId} ${ctx.path}?${ctx.querystring}`;
    const maxAgeMs = Math.min(maxAgeMsOf(ctx.get('cache-control')), keptMsMax);
    if (maxAgeMs > 0) {
      const known = held.get(key);
      if (known !== undefined && Math.abs(clock.now() - known.at) <= maxAgeMs) return known;
      // A read that fails for another caller is tried once more for this one.
      const shared = await running.get(key)?.catch(() => undefined);
      if (shared !== undefined) return shared;
    }
    const loading = load(one, ctx, pageId, key);
    running.set(key, loading);
    return loading.finally(() => {
      if (running.get(key) === loading) running.delete(key);
    });
  }

  return (one) => ({
    ...one,
    answers: { ...one.answers, 304: Type.Null() },
    async read(ctx, pageId) {
      const { text, tag, asOf, at } = await loadOrShare(one, ctx, pageId);
      if (asOf !== undefined) ctx.set('heartline-as-of', asOf);
      ctx.set('cache-control', 'private, no-cache');
      ctx.set('age', `${Math.max(0, Math.round((clock.now() - at) / secondMs))}`);
      ctx.set('etag', `W/${tag}`);
      if (tagsOf(ctx.get('if-none-match')).includes(tag)) {
        ctx.status = 304;
        return;
      }
      ctx.body = text;
      ctx.type = 'application/json';
    },
  });
}

/** The age that a request allows, as RFC 9111 section 5.2.1.1 has it; 0 when it names none. */
function maxAgeMsOf(header: string): number {
  const [, seconds = '0'] = /(?:^|,)\s*max-age=(\d{1,6})\s*(?:,|$)/i.exec(header) ?? [];
  return Number(seconds) * secondMs;
}
