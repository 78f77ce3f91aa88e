import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import type { SummaryDeps } from '../../analytics/summary/summary.js';
import {
  EmbedPageParameters,
  EmbedState,
  EmbedStateParameters,
  type EmbedTheme,
  embedThemes,
} from '../../contract/public/embed.js';
import { matchLanguage } from '../../lib/locale/language.js';
import { invalidValue } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { type IconState, renderStateIcon } from '../../web/badges/state-icon.js';
import { iconStateFor } from '../../web/embed/embed-state.js';
import { createFixedAnswer } from '../public/fixed-answer.js';
import { chooseAnswer } from '../public/negotiation.js';
import type { PublicCache, PublicPage } from '../public/public-cache.js';
import { type PublicReads, sendAnswer, serveReads } from '../public/public-reads.js';
import { makeRepresentation, type Representation } from '../public/representation.js';
import { embedFrameVariant, embedHeaders, embedStateVariant } from '../public/variants/embeds.js';
import { figuresOf, figuresVariant } from '../public/variants/figures.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = SummaryDeps & { cache: PublicCache; reads: PublicReads; parseOrigin: OriginParser };

const notModified = { mediaTypes: [] };
const errors = ['notFound', 'storeUnavailable', 'overloaded'] as const;

/** The parts of a page for other sites: the widget and its frame. */
export function embedRoutes(deps: Deps): OpenRoute[] {
  return [stateRoute(deps), frameRoute(deps), scriptRoute(deps)];
}

function stateRoute(deps: Deps): OpenRoute {
  return {
    method: 'GET',
    path: '/embed.json',
    operationId: 'getEmbedState',
    summary: 'What the widget shows of a page',
    query: EmbedStateParameters,
    answers: { 200: EmbedState, 304: notModified },
    errors,
    ...serveReads(deps.reads, ({ query }) => (page) => ({
      variant: embedStateVariant(deps, chooseLanguage(page, new URLSearchParams(query))),
    })),
  };
}

function frameRoute(deps: Deps): OpenRoute {
  return {
    method: 'GET',
    path: '/embed',
    operationId: 'getEmbedPage',
    summary: 'The widget as a page for a frame',
    query: EmbedPageParameters,
    answers: { 200: { mediaTypes: ['text/html; charset=utf-8'] }, 304: notModified },
    errors: ['invalidParameter', ...errors],
    ...serveReads(deps.reads, ({ query }) => (page) => {
      const parameters = new URLSearchParams(query);
      const theme = parseTheme(parameters.get('theme'));
      return { variant: embedFrameVariant(deps, chooseLanguage(page, parameters), theme) };
    }),
  };
}

/** The pages of other sites contain this address, so it stays the same and is fresh for a short time only. */
function scriptRoute({ cache, parseOrigin }: Deps): OpenRoute {
  const kind = {
    contentType: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=300',
    headers: embedHeaders,
  };
  const readScript = () => readFile(new URL('../../web/client/embed.js', import.meta.url), 'utf8');
  const answer = createFixedAnswer(readScript, kind, 'best');
  return {
    method: 'GET',
    path: '/embed.js',
    operationId: 'getEmbedScript',
    summary: 'The widget: a script that shows the state of a page where it stands',
    answers: { 200: { mediaTypes: ['text/javascript'] }, 304: notModified },
    errors,
    anyOrigin: true,
    async handle(ctx) {
      await cache.findPage(parseOrigin(ctx).hostname);
      await answer(ctx);
    },
  };
}

/** The state of a page as a small icon, which stands in tabs of browsers. */
export function iconRoute(deps: Deps): OpenRoute {
  const kind = {
    contentType: 'image/svg+xml; charset=utf-8',
    cacheControl: 'public, max-age=60',
    headers: ['content-security-policy', "default-src 'none'; sandbox", ...embedHeaders],
  };
  const icons = new Map<IconState | 'product', Promise<Representation>>();
  return {
    method: 'GET',
    path: '/favicon.svg',
    // Answers for a private page with the icon of the product.
    unguarded: 'hasNothingOfPages',
    operationId: 'getIcon',
    summary: 'The state of a page as an icon; an icon of the product where there is no page',
    answers: { 200: { mediaTypes: ['image/svg+xml'] }, 304: notModified },
    errors: ['storeUnavailable'],
    anyOrigin: true,
    async handle(ctx) {
      const state = await findIconState(deps, ctx);
      const icon = icons.get(state) ?? makeRepresentation(renderStateIcon(state), kind);
      icons.set(state, icon);
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, await icon));
    },
  };
}

async function findIconState(deps: Deps, ctx: Context): Promise<IconState | 'product'> {
  const { cache, parseOrigin } = deps;
  try {
    const page = await cache.findPage(parseOrigin(ctx).hostname);
    // Browsers ask for it before anybody has said a password, and keep it.
    if (page.isPrivate) return 'product';
    const figures = await cache.find(page, figuresVariant(deps));
    return figures === undefined ? 'product' : iconStateFor(figuresOf(figures).overall);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.kind === 'notFound' ? 'product' : 'unknown';
  }
}

/** Any text is a valid parameter, so that the site's visitors see the widget in any case. */
function chooseLanguage({ languages, defaultLanguage }: PublicPage, parameters: URLSearchParams): string {
  return matchLanguage(parameters.get('language') ?? '', [...languages.values()]) ?? defaultLanguage;
}

function parseTheme(given: string | null): EmbedTheme {
  const theme = given === null ? 'auto' : embedThemes.find((known) => known === given);
  if (theme !== undefined) return theme;
  throw invalidValue('theme', `one of ${embedThemes.join(', ')}`, given ?? '');
}
