import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import type { SummaryDeps } from '../../analytics/summary/summary.js';
import {
  EmbedPageParameters,
  EmbedState,
  EmbedStateParameters,
  type EmbedTheme,
  embedThemes,
} from '../../contract/embed.js';
import type { PageId } from '../../lib/ids.js';
import { matchLanguage } from '../../lib/language.js';
import { ServiceError } from '../../lib/service-error.js';
import { type IconState, renderStateIcon } from '../../web/badges/state-icon.js';
import { describeEmbed, iconStateFor } from '../../web/embed/embed-state.js';
import { embedViewPolicy, renderEmbedView } from '../../web/embed/embed-view.js';
import { overallState } from '../../web/state/page-state.js';
import type { FindFigures } from '../public/badge-figures.js';
import { chooseAnswer } from '../public/choose-answer.js';
import { readConditions } from '../public/load-conditions.js';
import type { PublicCache, PublicPage, Variant } from '../public/public-cache.js';
import { anyOrigin, makeRepresentation, type Representation } from '../public/representation.js';
import { sendAnswer } from '../public/send-answer.js';
import { servePublic } from '../public/serve-public.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = SummaryDeps & { cache: PublicCache; readOrigin: OriginReader; findFigures: FindFigures };

const cacheControl = 'public, max-age=60';
const notModified = { mediaTypes: [] };
const errors = ['notFound', 'storeUnavailable'] as const;
const noSniff = ['x-content-type-options', 'nosniff'] as const;
/** For sites that take only what says that they may load it. */
const crossOrigin = ['cross-origin-resource-policy', 'cross-origin'] as const;

/** What other sites and browsers show of a page beside it: the widget, its frame, the icon. */
export function embedRoutes(deps: Deps): OpenRoute[] {
  return [stateRoute(deps), frameRoute(deps), scriptRoute(deps), iconRoute(deps)];
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
    ...servePublic(deps, (page, [query]) => {
      const language = readPageLanguage(page, new URLSearchParams(query));
      return {
        name: `embed ${language}`,
        contentType: 'application/json; charset=utf-8',
        cacheControl,
        headers: [...anyOrigin, ...noSniff],
        async render(pageId) {
          const read = await readEmbed(deps, pageId, language);
          return read && JSON.stringify(read.embed);
        },
      };
    }),
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
    ...servePublic(deps, (page, [query]) => {
      const parameters = new URLSearchParams(query);
      return frameVariant(deps, readPageLanguage(page, parameters), readTheme(parameters.get('theme')));
    }),
  };
}

function frameVariant(deps: Deps, language: string, theme: EmbedTheme): Variant {
  return {
    name: `embed frame ${theme} ${language}`,
    contentType: 'text/html; charset=utf-8',
    cacheControl,
    headers: [
      ...['content-security-policy', embedViewPolicy],
      ...['referrer-policy', 'no-referrer'],
      // It has no script that could look for news.
      ...['refresh', '60'],
      ...noSniff,
      ...crossOrigin,
    ],
    async render(pageId) {
      const read = await readEmbed(deps, pageId, language);
      return read && renderEmbedView({ ...read, theme });
    },
  };
}

async function readEmbed(deps: Deps, pageId: PageId, language: string) {
  const conditions = await readConditions(deps, pageId);
  if (conditions === undefined) return undefined;
  const { brand, summary, incidents } = conditions;
  const overall = overallState(summary, incidents);
  return { embed: describeEmbed({ brand, language, overall, incidents }), icon: iconStateFor(overall) };
}

/** The address stays the same, because it is written in other sites' pages; so it is asked for again soon. */
function scriptRoute({ cache, readOrigin }: Deps): OpenRoute {
  const kind = {
    contentType: 'text/javascript; charset=utf-8',
    cacheControl: 'public, max-age=300',
    headers: [...anyOrigin, ...noSniff, ...crossOrigin],
  };
  let script: Promise<Representation> | undefined;
  const readScript = async () => {
    const text = await readFile(new URL('../../web/client/embed.js', import.meta.url), 'utf8');
    return makeRepresentation(text, kind, 'best');
  };
  return {
    method: 'GET',
    path: '/embed.js',
    operationId: 'getEmbedScript',
    summary: 'The widget: a script that shows the state of a page where it stands',
    answers: { 200: { mediaTypes: ['text/javascript'] }, 304: notModified },
    errors,
    async handle(ctx) {
      ctx.set(...anyOrigin);
      await cache.findPage(readOrigin(ctx).hostname);
      script ??= readScript();
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, await script));
    },
  };
}

function iconRoute(deps: Deps): OpenRoute {
  const kind = {
    contentType: 'image/svg+xml; charset=utf-8',
    cacheControl,
    headers: [
      ...['content-security-policy', "default-src 'none'; sandbox"],
      ...anyOrigin,
      ...noSniff,
      ...crossOrigin,
    ],
  };
  const icons = new Map<IconState | 'product', Promise<Representation>>();
  return {
    method: 'GET',
    path: '/favicon.svg',
    operationId: 'getIcon',
    summary: 'The state of a page as an icon; an icon of the product where there is no page',
    answers: { 200: { mediaTypes: ['image/svg+xml'] }, 304: notModified },
    errors: [],
    async handle(ctx) {
      const state = await readIconState(deps, ctx);
      const icon = icons.get(state) ?? makeRepresentation(renderStateIcon(state), kind);
      icons.set(state, icon);
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, await icon));
    },
  };
}

async function readIconState(
  { cache, readOrigin, findFigures }: Deps,
  ctx: Context,
): Promise<IconState | 'product'> {
  try {
    const figures = await findFigures(await cache.findPage(readOrigin(ctx).hostname));
    return figures === undefined ? 'product' : iconStateFor(figures.overall);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return error.kind === 'notFound' ? 'product' : 'unknown';
  }
}

/** Whatever a site says of its language, so that a widget is shown in any case. */
function readPageLanguage({ languages, defaultLanguage }: PublicPage, parameters: URLSearchParams): string {
  return matchLanguage(parameters.get('language') ?? '', [...languages.values()]) ?? defaultLanguage;
}

function readTheme(given: string | null): EmbedTheme {
  const theme = given === null ? 'auto' : embedThemes.find((known) => known === given);
  if (theme !== undefined) return theme;
  throw new ServiceError('invalidParameter', {
    message: `Parameter "theme" must be one of ${embedThemes.join(', ')}.`,
  });
}
