import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { monthOf } from '../../control/incidents/index.js';
import { type IncidentId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { subscribePath } from '../../web/paths.js';
import { createNotFoundAnswer } from '../public/answer-not-found.js';
import { chooseAnswer } from '../public/choose-answer.js';
import { negotiateLanguage } from '../public/negotiate-language.js';
import { createPageViews, type PageViewDeps, type PageViews } from '../public/page-views.js';
import type { PublicCache, PublicPage, Variant } from '../public/public-cache.js';
import { createVaryingForms, type Representation } from '../public/representation.js';
import { sendAnswer } from '../public/send-answer.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute, PathParams, ReadyAnswer } from '../route.js';

type Deps = PageViewDeps & { readOrigin: OriginReader; cache: PublicCache };

/** What an address shows. `path` is its usual form without the language, which stands before it. */
type Shown = { path: string; variantIn(language: string): Variant };

type View = {
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** Undefined for an address that there cannot be. */
  read(params: PathParams): Shown | undefined;
};

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const answers = { 200: html, 304: { mediaTypes: [] }, 308: { mediaTypes: [] }, 404: html };
const monthForm = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/**
 * The pages that people look at, on the host of each status page. Every view has an address in each language of the
 * page, and one without a language that answers in the one that the reader's browser asks for.
 */
export function pageRoutes(deps: Deps): OpenRoute[] {
  const pageViews = createPageViews(deps);
  const reader = createReader(deps, pageViews);
  const views = listViews(deps, pageViews);
  const negotiated = views.map((view) => toRoute(view, '', reader));
  const inLanguages = views.map((view) => toRoute(view, '/:language', reader));
  return [...negotiated, ...inLanguages, languageRoute(views, reader)];
}

function listViews({ clock }: Deps, { status, history, incident, subscribe }: PageViews): View[] {
  return [
    {
      path: '/',
      operationId: 'showStatusPage',
      summary: 'The status page, in HTML',
      read: () => ({ path: '/', variantIn: status }),
    },
    {
      path: '/history',
      operationId: 'showHistory',
      summary: 'Incidents and maintenance of this month, in HTML',
      read: () => ({
        path: '/history',
        variantIn: (language) => history(language, monthOf(clock.now())),
      }),
    },
    {
      path: '/history/:month',
      operationId: 'showMonth',
      summary: 'Incidents and maintenance of a month of UTC, such as 2026-01, in HTML',
      read({ month = '' }) {
        if (!monthForm.test(month)) return undefined;
        return { path: `/history/${month}`, variantIn: (language) => history(language, month) };
      },
    },
    {
      path: '/incidents/:id',
      operationId: 'showIncident',
      summary: 'An incident or maintenance with its timeline, in HTML',
      read({ id: text = '' }) {
        const id = parseId<IncidentId>(text);
        return id && { path: `/incidents/${id}`, variantIn: (language) => incident(language, id) };
      },
    },
    {
      path: subscribePath,
      operationId: 'showSubscribe',
      summary: 'The form to sign up for email, in HTML',
      read: () => ({ path: subscribePath, variantIn: subscribe }),
    },
  ];
}

function toRoute(view: View, prefix: '' | '/:language', reader: Reader): OpenRoute {
  const isNegotiated = prefix === '';
  return {
    method: 'GET',
    path: `${prefix}${view.path}`,
    operationId: isNegotiated ? view.operationId : `${view.operationId}InLanguage`,
    summary: isNegotiated ? `${view.summary}, in a language of the reader` : view.summary,
    forPeople: true,
    answers,
    errors: ['notFound', 'storeUnavailable'],
    handle: (ctx) => reader.answer(ctx, view),
    isThere: (ctx, params) => reader.isThere(ctx, params, view),
    // The views that are read most, by far.
    ...(view.path === '/' && {
      answerReady: (req, url) => reader.answerReady(req, view, isNegotiated ? undefined : url[0]),
    }),
  };
}

/** `/de` is a way to write `/de/`. */
function languageRoute([status]: readonly View[], reader: Reader): OpenRoute {
  return {
    method: 'GET',
    path: '/:language',
    operationId: 'openLanguage',
    summary: 'The way to the status page in a language',
    forPeople: true,
    answers: { 308: { mediaTypes: [] }, 404: html },
    errors: ['notFound', 'storeUnavailable'],
    handle: (ctx) => reader.answer(ctx, status),
    isThere: (ctx, params) => reader.isThere(ctx, params, status),
  };
}

type Reader = {
  answer(ctx: Context, view: View | undefined): Promise<void>;
  /** Whether the answer would be another one than 404. */
  isThere(ctx: Context, params: PathParams, view: View | undefined): Promise<boolean>;
  /** The answer when it is in memory, to `/` and `/{language}/` exactly as the pages link to them. */
  answerReady(req: IncomingMessage, view: View, tag: string | undefined): ReadyAnswer | undefined;
};

type Found = {
  /** The language of the address; undefined also for what is none of the page. */
  ofPath: string | undefined;
  address?: string;
  representation?: Representation | undefined;
};

function createReader({ cache, readOrigin }: Deps, pageViews: PageViews): Reader {
  const answerNotFound = createNotFoundAnswer(cache, pageViews);
  // The same bytes under two addresses, with another `Vary`.
  const negotiatedForm = createVaryingForms('Accept-Language');

  /** What an address leads to: the form of it that is the right one, or what is to be shown, or nothing. */
  async function find(
    ctx: Context,
    page: PublicPage,
    view: View | undefined,
    params: PathParams,
  ): Promise<Found> {
    const tag = params['language'];
    const ofPath = tag === undefined ? undefined : page.languages.get(tag.toLowerCase());
    const shown = view?.read(params);
    if (shown === undefined || (tag !== undefined && ofPath === undefined)) return { ofPath };
    const address = ofPath === undefined ? shown.path : `/${ofPath}${shown.path}`;
    if (ctx.path !== address) return { ofPath, address };
    const language = ofPath ?? negotiateLanguage(ctx.req.headers['accept-language'], page);
    return { ofPath, representation: await cache.find(page, shown.variantIn(language)) };
  }

  return {
    async answer(ctx, view) {
      const page = await cache.findPage(readOrigin(ctx).hostname);
      const { ofPath, address, representation } = await find(ctx, page, view, ctx['params']);
      if (address !== undefined) return redirect(ctx, address);
      if (representation === undefined) return answerNotFound(ctx, page, ofPath);
      const form = ofPath === undefined ? negotiatedForm(representation) : representation;
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, form));
    },

    async isThere(ctx, params, view) {
      const page = await cache.findPage(readOrigin(ctx).hostname).catch((error: unknown) => {
        if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
        throw error;
      });
      const { address, representation } = page === undefined ? {} : await find(ctx, page, view, params);
      return address !== undefined || representation !== undefined;
    },

    answerReady(req, view, tag) {
      const page = cache.peekPage(readOrigin({ req }).hostname);
      if (page === undefined) return undefined;
      const language =
        tag === undefined
          ? negotiateLanguage(req.headers['accept-language'], page)
          : page.languages.get(tag.toLowerCase());
      if (language === undefined || (tag !== undefined && language !== tag)) return undefined;
      const variant = view.read({})?.variantIn(language);
      const ready = variant && cache.peek(page, variant);
      return ready && chooseAnswer(req.headers, tag === undefined ? negotiatedForm(ready) : ready);
    },
  };
}

/** To a path that is made of what the page has, not of what was sent. */
function redirect(ctx: Context, path: string): void {
  ctx.status = 308;
  ctx.set({
    location: path,
    'cache-control': 'public, max-age=0, s-maxage=30',
    'x-content-type-options': 'nosniff',
  });
  ctx.body = '';
}
