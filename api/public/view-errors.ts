import type { Context } from 'koa';
import { errorRegistry } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';
import { type ViewTextsLanguage, viewTextsByLanguage } from '../../web/texts/languages.js';
import { renderUnavailableView } from '../../web/views/unavailable-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import type { OriginParser } from '../request-origin.js';
import { firstPart, type Route } from '../route.js';
import { chooseAnswer, negotiateLanguage } from './negotiation.js';
import type { PublicCache, PublicPage } from './public-cache.js';
import { sendAnswer, setHeaders } from './public-reads.js';
import { createVaryingForms } from './representation.js';
import { createViewVariants, type ViewDeps, type ViewVariants } from './variants/views.js';
import { viewHeaders } from './view-headers.js';

type Deps = ViewDeps & { parseOrigin: OriginParser; cache: PublicCache; routes: readonly Route[] };

/** What people who look at a status page get where programs get an error in JSON. */
export type ViewErrors = {
  /**
   * Answers a GET or HEAD of an address that no route has.
   *
   * @throws ServiceError `notFound` where nobody would see a view: below the first part of an address that programs
   *   call, for a client that takes no HTML, and on a host without a page
   */
  answerUnknown(ctx: Context): Promise<void>;
  /**
   * Answers an error of status 503 with a view, drawn without the stores, where a browser asked for one. Leaves the
   * status and the headers of the error as they are. Returns whether it answered; if not, the answer is JSON.
   */
  answerOutage(ctx: Context, error: ServiceError): boolean;
};

export function createViewErrors(deps: Deps): ViewErrors {
  const { cache, parseOrigin, routes } = deps;
  const answerNotFound = createNotFoundAnswer(cache, createViewVariants(deps));
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
      const page = await cache.findPage(parseOrigin(ctx).hostname);
      await answerNotFound(ctx, page, page.languages.get(first));
    },

    answerOutage(ctx, { kind }) {
      // Browsers name HTML; a client that takes anything is a program.
      if (errorRegistry[kind].status !== 503 || !isForPeople(ctx) || ctx.accepts('json', 'html') !== 'html')
        return false;
      const language = negotiateLanguage(ctx.req.headers['accept-language'], ownLanguages);
      setHeaders(ctx, viewHeaders(language, ''));
      ctx.set('cache-control', 'no-store');
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = outages.get(language);
      return true;
    },
  };
}

const tags = Object.keys(viewTextsByLanguage) as ViewTextsLanguage[]; // The object is written out there.
const ownLanguages = { languages: new Map(tags.map((tag) => [tag, tag])), defaultLanguage: 'en' };

/** Drawn once, because many ask during an outage. */
function drawOutages(assets: ViewAssets): ReadonlyMap<string, string> {
  return new Map(tags.map((tag) => [tag, renderUnavailableView(tag, assets)]));
}

/**
 * Answers 404 on the host of a page, with a view. `known` is the language of the address; without it the reader's
 * language counts.
 *
 * @throws ServiceError `notFound` for a client that takes no HTML, or prefers JSON
 */
export type AnswerNotFound = (ctx: Context, page: PublicPage, known: string | undefined) => Promise<void>;

export function createNotFoundAnswer(cache: PublicCache, { notFound }: ViewVariants): AnswerNotFound {
  const byType = createVaryingForms('Accept');
  const byLanguageAndType = createVaryingForms('Accept-Language, Accept');
  return async (ctx, page, known) => {
    if (!takesHtml(ctx)) throw notFoundInJson(ctx);
    const language = known ?? negotiateLanguage(ctx.req.headers['accept-language'], page);
    const found = await cache.find(page, notFound(language));
    if (found === undefined) throw new ServiceError('notFound');
    const form = known === undefined ? byLanguageAndType : byType;
    sendAnswer(ctx, chooseAnswer(ctx.req.headers, form(found)));
  };
}

/** Whether the client prefers HTML, or takes it as gladly as JSON: a client that does not say may be a browser. */
function takesHtml(ctx: Context): boolean {
  return ctx.accepts('html', 'json') === 'html';
}

/** For an address where other clients get a view. */
function notFoundInJson(ctx: Context): ServiceError {
  ctx.set('vary', 'Accept');
  return new ServiceError('notFound');
}
