import type { Context } from 'koa';
import { errorRegistry } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';
import { type ViewTextsLanguage, viewTextsByLanguage } from '../../web/texts/view-texts.js';
import { renderUnavailableView } from '../../web/views/unavailable-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import type { OriginReader } from '../request-origin.js';
import type { Route } from '../route.js';
import { createNotFoundAnswer, notFoundInJson, takesHtml } from './answer-not-found.js';
import { negotiateLanguage } from './negotiate-language.js';
import { pageHeaders } from './page-headers.js';
import { createPageViews, type PageViewDeps } from './page-views.js';
import type { PublicCache } from './public-cache.js';

type Deps = PageViewDeps & { readOrigin: OriginReader; cache: PublicCache; routes: readonly Route[] };

/** What people who look at a status page get where programs get an error in JSON. */
export type PageErrors = {
  /**
   * Answers a GET or HEAD to an address that no route has.
   *
   * @throws ServiceError `notFound` where a page would be of no use: below the first part of an address that programs
   *   call, to a client that takes no HTML, and on a host that is no page's.
   */
  answerUnknown(ctx: Context): Promise<void>;
  /**
   * Answers an error of status 503 with a page, made without the stores, where a browser asked for one; the status and
   * the headers of the error are left as they are. False where the answer is JSON.
   */
  answerOutage(ctx: Context, error: ServiceError): boolean;
};

export function createPageErrors(deps: Deps): PageErrors {
  const { cache, readOrigin, routes } = deps;
  const answerNotFound = createNotFoundAnswer(cache, createPageViews(deps));
  const ofPrograms = new Set(routes.filter(({ forPeople }) => !forPeople).map(({ path }) => firstPart(path)));
  const ofPeople = new Set<unknown>(routes.filter(({ forPeople }) => forPeople).map(({ path }) => path));
  const outages = drawOutages(deps.assets);

  function isForPeople(ctx: Context): boolean {
    const path: unknown = ctx['_matchedRoute'];
    return path === undefined ? !ofPrograms.has(firstPart(ctx.path)) : ofPeople.has(path);
  }

  return {
    async answerUnknown(ctx) {
      const first = firstPart(ctx.path);
      if (ofPrograms.has(first)) throw new ServiceError('notFound');
      if (!takesHtml(ctx)) throw notFoundInJson(ctx);
      const page = await cache.findPage(readOrigin(ctx).hostname);
      await answerNotFound(ctx, page, page.languages.get(first));
    },

    answerOutage(ctx, { kind }) {
      // Browsers name HTML; what takes anything is a program.
      if (errorRegistry[kind].status !== 503 || !isForPeople(ctx) || ctx.accepts('json', 'html') !== 'html')
        return false;
      const language = negotiateLanguage(ctx.req.headers['accept-language'], ownLanguages);
      const headers = pageHeaders(language, '');
      for (let i = 0; i < headers.length; i += 2) ctx.set(headers[i] ?? '', headers[i + 1] ?? '');
      ctx.set('cache-control', 'no-store');
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = outages.get(language);
      return true;
    },
  };
}

const tags = Object.keys(viewTextsByLanguage) as ViewTextsLanguage[]; // They are written out in an object there.
const ownLanguages = { languages: new Map(tags.map((tag) => [tag, tag])), defaultLanguage: 'en' };

/** Once, because an outage is when many ask. */
function drawOutages(assets: ViewAssets): ReadonlyMap<string, string> {
  return new Map(tags.map((tag) => [tag, renderUnavailableView(tag, assets)]));
}

/** In lower case, as routes match. */
function firstPart(path: string): string {
  return (path.split('/', 2)[1] ?? '').toLowerCase();
}
