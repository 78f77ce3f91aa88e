import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { ServiceError } from '../../lib/service-error.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute, PathParams, PublicRequest, ReadyAnswer } from '../route.js';
import { chooseAnswer } from './negotiation.js';
import type { PublicCache, PublicPage, Variant } from './public-cache.js';
import { type Representation, withAge } from './representation.js';

/**
 * The target of a request: something that is published of the page, or the usual form of its address. `answer` makes the
 * answer from the representation of the variant; `chooseAnswer` does unless it is given.
 */
export type Target =
  | {
      variant: Variant;
      answer?(representation: Representation, headers: IncomingHttpHeaders): ReadyAnswer;
    }
  | { movedTo: string };

/**
 * Takes a request apart, and then says what it is for, given the page on its host; `undefined` when that page has no
 * such thing. Both steps are synchronous and use no store.
 *
 * @throws ServiceError for a request that is refused, in either step
 */
export type Lookup = (request: PublicRequest) => (page: PublicPage) => Target | undefined;

/** The outcome of a public read; neither `answer` nor `movedTo` is there when nothing was found. */
export type Found = { page: PublicPage; answer?: ReadyAnswer; movedTo?: string };

export type PublicReads = {
  /** The answer when memory has it. Returns `undefined` in every other case; `find` then says what is the matter. */
  peek(lookup: Lookup, req: IncomingMessage, request: PublicRequest): ReadyAnswer | undefined;
  /**
   * The same answer, built when memory does not have it.
   *
   * @throws ServiceError of the lookup; `notFound` on a host without a page; `storeUnavailable`
   */
  find(lookup: Lookup, ctx: Context, params?: PathParams): Promise<Found>;
};

export function createPublicReads({
  cache,
  parseOrigin,
}: {
  cache: PublicCache;
  parseOrigin: OriginParser;
}): PublicReads {
  return {
    peek(lookup, req, request) {
      const page = cache.peekPage(parseOrigin({ req }).hostname);
      // Who may read a private page is not known from memory alone.
      if (page === undefined || page.isPrivate) return undefined;
      const target = tryLookup(lookup, request, page);
      if (target === undefined || 'movedTo' in target) return undefined;
      const representation = cache.peek(page, target.variant);
      return representation && answerAged(cache, page, target, representation, req.headers);
    },
    async find(lookup, ctx, params = ctx['params']) {
      const { headers } = ctx.req;
      const lookUpOn = lookup({ headers, path: ctx.path, params, query: ctx.querystring });
      const page = await cache.findPage(parseOrigin(ctx).hostname);
      const target = lookUpOn(page);
      if (target === undefined) return { page };
      if ('movedTo' in target) return { page, movedTo: target.movedTo };
      const representation = await cache.find(page, target.variant);
      return representation === undefined
        ? { page }
        : { page, answer: answerAged(cache, page, target, representation, headers) };
    },
  };
}

/** Returns `undefined` for a refused request: the application finds the same error, and answers it. */
function tryLookup(lookup: Lookup, request: PublicRequest, page: PublicPage): Target | undefined {
  try {
    return lookup(request)(page);
  } catch {
    return undefined;
  }
}

function answerAged(
  cache: PublicCache,
  page: PublicPage,
  { variant, answer }: Extract<Target, { variant: Variant }>,
  representation: Representation,
  headers: IncomingHttpHeaders,
): ReadyAnswer {
  const ready = answer?.(representation, headers) ?? chooseAnswer(headers, representation);
  const ageMs = cache.staleFor(page, variant);
  return ageMs === undefined ? ready : withAge(ready, ageMs);
}

/** Answers public reads of programs on any site: both the fast path and the application use the one lookup. */
export function serveReads(
  reads: PublicReads,
  lookup: Lookup,
): Required<Pick<OpenRoute, 'anyOrigin' | 'peek' | 'handle'>> {
  return {
    anyOrigin: true,
    peek: (req, request) => reads.peek(lookup, req, request),
    async handle(ctx) {
      const { answer } = await reads.find(lookup, ctx);
      if (answer === undefined) throw new ServiceError('notFound');
      sendAnswer(ctx, answer);
    },
  };
}

/** Sends a ready answer through the application. */
export function sendAnswer(ctx: Context, { status, headers, body }: ReadyAnswer): void {
  ctx.status = status;
  setHeaders(ctx, headers);
  if (body !== undefined) ctx.body = body;
}

/** Sets headers that are listed as names and values in turn. */
export function setHeaders(ctx: Context, headers: readonly string[]): void {
  for (let i = 0; i < headers.length; i += 2) ctx.set(headers[i] ?? '', headers[i + 1] ?? '');
}
