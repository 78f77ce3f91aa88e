import type { Context } from 'koa';
import { ApiError } from '../contract/errors.js';
import { createNotFoundAnswer, notFoundInJson, takesHtml } from './answer-not-found.js';
import { createPageViews, type PageViewDeps } from './page-views.js';
import type { PublicCache } from './public-cache.js';
import type { OriginReader } from './request-origin.js';
import type { Route } from './route.js';

type Deps = PageViewDeps & { readOrigin: OriginReader; cache: PublicCache; routes: readonly Route[] };

/** What people who look at a status page get where programs get an error in JSON. */
export type PageErrors = {
  /**
   * Answers a GET or HEAD to an address that no route has.
   *
   * @throws ApiError `notFound` where a page would be of no use: below the first part of an address that programs
   *   call, to a client that takes no HTML, and on a host that is no page's.
   */
  answerUnknown(ctx: Context): Promise<void>;
};

export function createPageErrors(deps: Deps): PageErrors {
  const { cache, readOrigin, routes } = deps;
  const answerNotFound = createNotFoundAnswer(cache, createPageViews(deps));
  const ofPrograms = new Set(routes.filter(({ forPeople }) => !forPeople).map(({ path }) => firstPart(path)));

  return {
    async answerUnknown(ctx) {
      const first = firstPart(ctx.path);
      if (ofPrograms.has(first)) throw new ApiError('notFound');
      if (!takesHtml(ctx)) throw notFoundInJson();
      const page = await cache.findPage(readOrigin(ctx).hostname);
      await answerNotFound(ctx, page, page.languages.get(first));
    },
  };
}

/** In lower case, as routes match. */
function firstPart(path: string): string {
  return (path.split('/', 2)[1] ?? '').toLowerCase();
}
