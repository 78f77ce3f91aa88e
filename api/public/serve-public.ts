import { ServiceError } from '../../lib/service-error.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';
import { chooseAnswer } from './choose-answer.js';
import type { PublicCache, PublicPage, Variant } from './public-cache.js';
import { anyOrigin } from './representation.js';
import { sendAnswer } from './send-answer.js';

type Deps = { cache: PublicCache; readOrigin: OriginReader };

/**
 * What a request is answered with, undefined for what there is not. `url` has the parameters of the path in their
 * order, then the query string.
 */
export type VariantOf = (page: PublicPage, url: readonly string[]) => Variant | undefined;

/**
 * Both ways to the same answer of the page on a host, to any site that asks: at once when it is in memory, and through
 * the application when it is not, or when something is wrong with the request.
 */
export function servePublic(
  { cache, readOrigin }: Deps,
  variantOf: VariantOf,
): Required<Pick<OpenRoute, 'answerReady' | 'handle'>> {
  return {
    answerReady(req, url) {
      const page = cache.peekPage(readOrigin({ req }).hostname);
      const variant = page && tryVariant(variantOf, page, url);
      const ready = page && variant && cache.peek(page, variant);
      return ready && chooseAnswer(req.headers, ready);
    },
    async handle(ctx) {
      ctx.set(...anyOrigin);
      const page = await cache.findPage(readOrigin(ctx).hostname);
      const parameters = Object.values<string>(ctx['params'] ?? {});
      const variant = variantOf(page, [...parameters, ctx.querystring]);
      const found = variant && (await cache.find(page, variant));
      if (found === undefined) throw new ServiceError('notFound');
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, found));
    },
  };
}

function tryVariant(...[variantOf, page, url]: [VariantOf, ...Parameters<VariantOf>]): Variant | undefined {
  try {
    return variantOf(page, url);
  } catch {
    // The application finds the same, and says it.
    return undefined;
  }
}
