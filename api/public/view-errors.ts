import type { Context } from 'koa';
import { errorRegistry } from '../../contract/errors.js';
import { ServiceError } from '../../lib/service-error.js';
import type { ViewLanguage } from '../../web/texts/texts-of.js';
import { renderNoPageView } from '../../web/views/no-page-view.js';
import { renderUnavailableView } from '../../web/views/unavailable-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { baseUrlToSet, type OriginParser } from '../request-origin.js';
import { firstPart, type Route } from '../route.js';
import { chooseAnswer, negotiateLanguage } from './negotiation.js';
import { chooseOwnLanguage, namesHtml, ownTags } from './own-views.js';
import { createPageAddresses, type FindPageAddress, isInPublicApi } from './page-addresses.js';
import type { Guard } from './private/guard.js';
import type { PublicCache, PublicPage } from './public-cache.js';
import { sendAnswer, setHeaders } from './public-reads.js';
import { createVaryingForms, withAge } from './representation.js';
import { createViewVariants, type ViewDeps, type ViewVariants } from './variants/views.js';
import { viewHeaders } from './view-headers.js';

type Deps = ViewDeps & {
  parseOrigin: OriginParser;
  originOf(hostname: string): string;
  /** Whether the operator has set BASE_URL; without it, the dashboard is not open under every name. */
  hasBaseUrl: boolean;
  cache: PublicCache;
  routes: readonly Route[];
  admits: Guard['admits'];
  /** Answers what is below /manage, where nobody signs in excepted; returns whether it did. */
  answerUnknownScreen(ctx: Context): Promise<boolean>;
};

/** The views that people get where programs get an error in JSON. */
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
  findPageAddress: FindPageAddress;
  /**
   * Answers a 404 on a host without a page with a view, where a browser asked for one. `address` is that of the page
   * that was probably meant. Returns whether it answered; if not, the answer is JSON.
   */
  answerNoPage(ctx: Context, address: string | undefined): boolean;
};

export function createViewErrors(deps: Deps): ViewErrors {
  const { cache, parseOrigin, routes } = deps;
  const answerNotFound = createNotFoundAnswer(cache, createViewVariants(deps));
  const ofPrograms = new Set(routes.filter(({ forPeople }) => !forPeople).map(({ path }) => firstPart(path)));
  const ofPeople = new Set<unknown>(routes.filter(({ forPeople }) => forPeople).map(({ path }) => path));
  const outages = drawOutages(deps.assets);
  const findAddress = createPageAddresses(deps);

  function isForPeople(ctx: Context): boolean {
    const path: unknown = ctx['_matchedRoute'];
    return path === undefined ? !ofPrograms.has(firstPart(ctx.path)) : ofPeople.has(path);
  }

  return {
    async answerUnknown(ctx) {
      const first = firstPart(ctx.path);
      if (ofPrograms.has(first)) throw new ServiceError('notFound');
      if (!takesHtml(ctx)) throw notFoundInJson(ctx);
      if (first === 'manage' && (await deps.answerUnknownScreen(ctx))) return;
      const page = await cache.findPage(parseOrigin(ctx).hostname);
      if (!(await deps.admits(ctx, page))) return;
      await answerNotFound(ctx, page, page.languages.get(first));
    },

    answerOutage(ctx, { kind }) {
      if (errorRegistry[kind].status !== 503 || !isForPeople(ctx) || !namesHtml(ctx)) return false;
      sendOwnView(ctx, (language) => outages.get(language) ?? '');
      return true;
    },

    async findPageAddress(ctx) {
      return isInPublicApi(ctx.path) || isForPeople(ctx) ? findAddress(ctx) : undefined;
    },

    answerNoPage(ctx, address) {
      const isPageHost = cache.peekPage(parseOrigin(ctx).hostname) !== undefined;
      if (isPageHost || !isForPeople(ctx)) return false;
      ctx.vary('Accept');
      if (!namesHtml(ctx)) return false;
      ctx.vary('Accept-Language');
      const isDashboard = !deps.hasBaseUrl && ['manage', 'docs'].includes(firstPart(ctx.path));
      const toSet = isDashboard ? baseUrlToSet(ctx, parseOrigin(ctx)) : undefined;
      sendOwnView(ctx, (language) => renderNoPageView(language, deps.assets, { address, toSet }));
      return true;
    },
  };
}

/** Drawn once, because many ask during an outage. */
function drawOutages(assets: ViewAssets): ReadonlyMap<string, string> {
  return new Map(ownTags.map((tag) => [tag, renderUnavailableView(tag, assets)]));
}

/** Sends a view that belongs to no status page, in a language of the reader. */
function sendOwnView(ctx: Context, draw: (language: ViewLanguage) => string): void {
  const language = chooseOwnLanguage(ctx);
  setHeaders(ctx, viewHeaders(language, ''));
  ctx.set('cache-control', 'no-store');
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = draw(language);
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
    const variant = notFound(language);
    const found = await cache.find(page, variant);
    if (found === undefined) throw new ServiceError('notFound');
    const form = known === undefined ? byLanguageAndType : byType;
    const answer = chooseAnswer(ctx.req.headers, form(found));
    const ageMs = cache.staleFor(page, variant);
    sendAnswer(ctx, ageMs === undefined ? answer : withAge(answer, ageMs));
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
