import type { IncomingHttpHeaders } from 'node:http';
import type { Context } from 'koa';
import {
  type ResponseRange,
  responseRanges,
  usualResponseRange,
} from '../../contract/public/response-times.js';
import { viewLimits } from '../../contract/public/status-page.js';
import { monthOf } from '../../control/incidents/index.js';
import { type IncidentId, parseId } from '../../lib/ids.js';
import { ServiceError } from '../../lib/service-error.js';
import { pageQuery, subscribePath } from '../../web/page-paths.js';
import { chooseAnswer, negotiateLanguage } from '../public/negotiation.js';
import type { PublicCache, PublicPage, Variant } from '../public/public-cache.js';
import { type Lookup, type PublicReads, sendAnswer } from '../public/public-reads.js';
import { createVaryingForms } from '../public/representation.js';
import { type CardVariants, createCardVariants } from '../public/variants/cards.js';
import { createViewVariants, type ViewDeps, type ViewVariants } from '../public/variants/views.js';
import { type AnswerNotFound, createNotFoundAnswer } from '../public/view-errors.js';
import type { OpenRoute, PathParams } from '../route.js';

type Deps = ViewDeps & { cache: PublicCache; reads: PublicReads };

/**
 * The view at an address. `path` is its usual form, without the language that may stand before it; `query` is what another
 * form of the address must keep.
 */
type Shown = { path: string; query?: string; variantIn(language: string): Variant };

type View = {
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** The media types of HTML by default. */
  answers?: OpenRoute['answers'];
  /** Returns `undefined` for an address that cannot exist. */
  show(params: PathParams, query: string, headers: IncomingHttpHeaders): Shown | undefined;
};

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const png = { mediaTypes: ['image/png'] };
const answers = { 200: html, 304: { mediaTypes: [] }, 308: { mediaTypes: [] }, 404: html };
const errors = ['notFound', 'storeUnavailable', 'overloaded'] as const;
const monthForm = /^\d{4}-(?:0[1-9]|1[0-2])$/;

/**
 * The views on the host of each status page. Every view has an address in each language of the page, and one
 * without a language that answers in the language that the reader's browser asks for.
 */
export function viewRoutes(deps: Deps): OpenRoute[] {
  const variants = createViewVariants(deps);
  const serve = createViewServer(deps.reads, createNotFoundAnswer(deps.cache, variants));
  const views = listViews(deps, variants, createCardVariants(deps));
  return [
    ...views.map((view) => ({ ...describeNegotiated(view), ...serve(view) })),
    ...views.map((view) => ({ ...describeInLanguage(view), ...serve(view) })),
  ];
}

function listViews({ clock }: Deps, variants: ViewVariants, cards: CardVariants): View[] {
  const { status, history, incident, subscribe, text, uncachedText } = variants;
  return [
    {
      path: '/',
      operationId: 'showStatusPage',
      summary: 'The status page, in HTML; as a table for a client that accepts `text/plain` and no HTML',
      show: (_, query, headers) => ({
        path: '/',
        variantIn: (language) =>
          wantsText(headers) ? uncachedText(language) : status(language, rangeOf(query)),
      }),
    },
    {
      path: '/status.txt',
      operationId: 'showStatusText',
      summary: 'The status page as a table for terminals',
      answers: { ...answers, 200: { mediaTypes: ['text/plain; charset=utf-8'] } },
      show: () => ({ path: '/status.txt', variantIn: text }),
    },
    {
      path: '/card.png',
      operationId: 'showStatusCard',
      summary: 'The picture that other sites show beside a link to the status page',
      answers: { ...answers, 200: png },
      show: () => ({ path: '/card.png', variantIn: cards.status }),
    },
    {
      path: '/history',
      operationId: 'showHistory',
      summary: 'Incidents and maintenance of this month, in HTML',
      show(_, query) {
        const at = parsePage(query);
        if (at === undefined) return undefined;
        const variantIn = (language: string) => history(language, monthOf(clock.now()), at);
        return { path: '/history', query: pageQuery(at), variantIn };
      },
    },
    {
      path: '/history/:month',
      operationId: 'showMonth',
      summary: 'Incidents and maintenance of a month of UTC, such as 2026-01, in HTML',
      show({ month = '' }, query) {
        const at = parsePage(query);
        if (at === undefined || !monthForm.test(month)) return undefined;
        const variantIn = (language: string) => history(language, month, at);
        return { path: `/history/${month}`, query: pageQuery(at), variantIn };
      },
    },
    {
      path: '/incidents/:id',
      operationId: 'showIncident',
      summary: 'An incident or maintenance with its timeline, in HTML',
      show({ id: text = '' }) {
        const id = parseId<IncidentId>(text);
        return id && { path: `/incidents/${id}`, variantIn: (language) => incident(language, id) };
      },
    },
    {
      path: '/incidents/:id/card.png',
      operationId: 'showIncidentCard',
      summary: 'The picture that other sites show beside a link to an incident or maintenance',
      answers: { ...answers, 200: png },
      show({ id: text = '' }) {
        const id = parseId<IncidentId>(text);
        return (
          id && { path: `/incidents/${id}/card.png`, variantIn: (language) => cards.incident(language, id) }
        );
      },
    },
    {
      path: subscribePath,
      operationId: 'showSubscribe',
      summary: 'The form to sign up for email, in HTML',
      show: () => ({ path: subscribePath, variantIn: subscribe }),
    },
  ];
}

/** Whether a client asks for text and takes no HTML, as `curl -H 'accept: text/plain'` does. */
function wantsText({ accept = '' }: IncomingHttpHeaders): boolean {
  return accept.includes('text/plain') && !accept.includes('text/html');
}

/** The range that a query string asks for; the usual one for a range that does not exist, as people open the address. */
function rangeOf(query: string): ResponseRange {
  const asked = query === '' ? null : new URLSearchParams(query).get('range');
  return responseRanges.find((range) => range === asked) ?? usualResponseRange;
}

const forms = { forPeople: true, redirectsOtherForms: true } as const;

/** The page of a month that a query string asks for, the first when it names none; `undefined` for one that cannot exist. */
function parsePage(query: string): number | undefined {
  const asked = query === '' ? null : new URLSearchParams(query).get('page');
  if (asked === null) return 1;
  const page = /^[1-9]\d{0,2}$/.test(asked) ? Number(asked) : Number.POSITIVE_INFINITY;
  return page <= viewLimits.historyPages ? page : undefined;
}

type Description = Omit<OpenRoute, 'handle'>;

function describeNegotiated({ path, operationId, summary, answers: own = answers }: View): Description {
  const ofReader = `${summary}, in a language of the reader`;
  return { ...{ method: 'GET', path, operationId, summary: ofReader }, ...forms, answers: own, errors };
}

/** The address of the status page in a language ends with a slash; the route takes it without one, as it does others. */
function describeInLanguage({ path, operationId, summary, answers: own = answers }: View): Description {
  const inLanguage = path === '/' ? '/:language' : (`/:language${path}` as const);
  return {
    ...{ method: 'GET', path: inLanguage, operationId: `${operationId}InLanguage`, summary },
    ...{ ...forms, answers: own, errors },
  };
}

type ViewServer = (view: View) => Required<Pick<OpenRoute, 'peek' | 'handle' | 'isThere'>>;

function createViewServer(reads: PublicReads, answerNotFound: AnswerNotFound): ViewServer {
  // Both addresses of a view serve the same bytes, with a different `Vary`.
  const negotiatedForm = createVaryingForms('Accept-Language');
  const lookupOf =
    (view: View): Lookup =>
    ({ headers, path, params, query }) =>
    (page) => {
      const ofPath = languageOfPath(page, params);
      const shown = view.show(params, query, headers);
      if (shown === undefined || (params['language'] !== undefined && ofPath === undefined)) return undefined;
      const address = ofPath === undefined ? shown.path : `/${ofPath}${shown.path}`;
      if (path !== address) return { movedTo: `${address}${shown.query ?? ''}` };
      if (ofPath !== undefined) return { variant: shown.variantIn(ofPath) };
      return {
        variant: shown.variantIn(negotiateLanguage(headers['accept-language'], page)),
        answer: (representation, asked) => chooseAnswer(asked, negotiatedForm(representation)),
      };
    };

  return (view) => {
    const lookup = lookupOf(view);
    return {
      peek: (req, request) => reads.peek(lookup, req, request),
      async handle(ctx) {
        const { page, movedTo, answer } = await reads.find(lookup, ctx);
        if (movedTo !== undefined) return redirect(ctx, movedTo);
        if (answer === undefined) return answerNotFound(ctx, page, languageOfPath(page, ctx['params']));
        sendAnswer(ctx, answer);
      },
      async isThere(ctx, params) {
        const found = await reads.find(lookup, ctx, params).catch(ignoreNotFound);
        return found?.movedTo !== undefined || found?.answer !== undefined;
      },
    };
  };
}

/** The language in the path; `undefined` for none, and for one that the page does not have. */
function languageOfPath({ languages }: PublicPage, { language }: PathParams): string | undefined {
  return language === undefined ? undefined : languages.get(language.toLowerCase());
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
  throw error;
}

/** The path is made of what the page has, not of what the client sent. */
function redirect(ctx: Context, path: string): void {
  ctx.status = 308;
  ctx.set({
    location: path,
    'cache-control': 'public, max-age=0, s-maxage=30',
    'x-content-type-options': 'nosniff',
  });
  ctx.body = '';
}
