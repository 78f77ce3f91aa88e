import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import { readSummary, readUpptimeSummary, type SummaryDeps } from '../../analytics/summary/summary.js';
import { Ledger } from '../../contract/incidents.js';
import {
  Summary,
  type SummaryInclude,
  SummaryParameters,
  summaryIncludes,
  summaryLimits,
  UpptimeSummary,
} from '../../contract/summary.js';
import { loadLedger } from '../../control/incidents/index.js';
import { pageOrigin } from '../../lib/page-origin.js';
import { ServiceError } from '../../lib/service-error.js';
import { chooseAnswer } from '../public/choose-answer.js';
import { findPublicPage } from '../public/find-public-page.js';
import type { PublicCache, Variant } from '../public/public-cache.js';
import { anyOrigin } from '../public/representation.js';
import { sendAnswer } from '../public/send-answer.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = Omit<SummaryDeps, 'originOf'> & {
  readOrigin: OriginReader;
  baseUrl: () => string;
  cache: PublicCache;
};

const contentType = 'application/json; charset=utf-8';
const cacheControl = 'public, max-age=60';
const revalidated = `public, max-age=0, s-maxage=${summaryLimits.freshSeconds}, must-revalidate`;
const notModified = { mediaTypes: [] };

/** What everyone may read, on the host of the page. */
export function publicRoutes(deps: Deps): OpenRoute[] {
  const { cache } = deps;
  const originOf = (hostname: string) => pageOrigin(new URL(deps.baseUrl()), hostname);
  const summaryDeps = { ...deps, originOf };
  return [
    summaryRoute(deps, cache, summaryDeps),
    upptimeRoute(deps, cache, summaryDeps),
    incidentsRoute(deps),
  ];
}

function summaryRoute(deps: Deps, cache: PublicCache, summaryDeps: SummaryDeps): OpenRoute {
  return {
    method: 'GET',
    path: '/api/public/:slug/summary',
    operationId: 'getSummary',
    summary: 'Status, uptime and response times of the services of a page',
    query: SummaryParameters,
    answers: { 200: Summary, 304: notModified },
    errors: ['unsupportedInclude', 'notFound', 'storeUnavailable'],
    ...serveFrom(deps, cache, summaryVariants(summaryDeps)),
  };
}

/** Which variant a query string asks for; undefined for an include that there is not. */
function summaryVariants(deps: SummaryDeps): (query: string) => Variant | undefined {
  const variantOf = (include?: SummaryInclude): Variant => ({
    name: `summary ${include ?? ''}`,
    contentType,
    cacheControl: include?.startsWith('response-time') ? revalidated : cacheControl,
    render: async (pageId) => stringify(await readSummary(deps, pageId, include)),
  });
  const plain = variantOf();
  const including = new Map(summaryIncludes.map((include) => [include as string, variantOf(include)]));
  // As they are asked for nearly always, so that the query string need not be taken apart.
  const usual = new Map([...including].map(([include, variant]) => [`include=${include}`, variant]));
  return (query) => {
    if (query === '') return plain;
    const known = usual.get(query);
    if (known !== undefined) return known;
    const values = new URLSearchParams(query).getAll('include');
    const [include] = values;
    if (include === undefined) return plain;
    return values.length === 1 ? including.get(include) : undefined;
  };
}

function upptimeRoute(deps: Deps, cache: PublicCache, summaryDeps: SummaryDeps): OpenRoute {
  const variant: Variant = {
    name: 'upptime',
    contentType,
    cacheControl,
    render: async (pageId) => stringify(await readUpptimeSummary(summaryDeps, pageId)),
  };
  return {
    method: 'GET',
    path: '/api/public/:slug/upptime/summary.json',
    operationId: 'getUpptimeSummary',
    summary: "The services of a page in the form that Upptime's widgets read",
    answers: { 200: UpptimeSummary, 304: notModified },
    errors: ['notFound', 'storeUnavailable'],
    ...serveFrom(deps, cache, () => variant),
  };
}

/** Both ways to the same answer: at once when it is in memory, and through the application when it is not. */
function serveFrom(
  { readOrigin }: Deps,
  cache: PublicCache,
  variantOf: (query: string) => Variant | undefined,
): Required<Pick<OpenRoute, 'answerReady' | 'handle'>> {
  return {
    answerReady(req: IncomingMessage, [slug = '', query = '']) {
      const variant = variantOf(query);
      if (variant === undefined) return undefined;
      const page = cache.peekPage(readOrigin({ req }).hostname);
      const ready = page?.slug === slug ? cache.peek(page, variant) : undefined;
      return ready && chooseAnswer(req.headers, ready);
    },
    async handle(ctx) {
      ctx.set(...anyOrigin);
      const variant = variantOf(ctx.querystring);
      if (variant === undefined) throw new ServiceError('unsupportedInclude');
      const page = await cache.findPage(readOrigin(ctx).hostname);
      const found = page.slug === ctx['params'].slug ? await cache.find(page, variant) : undefined;
      if (found === undefined) throw new ServiceError('notFound');
      sendAnswer(ctx, chooseAnswer(ctx.req.headers, found));
    },
  };
}

function stringify(body: object | undefined): string | undefined {
  return body && JSON.stringify(body);
}

/** Not from memory: who posts an incident sees it in the next read, also when another process took it. */
function incidentsRoute(deps: Deps): OpenRoute {
  return {
    method: 'GET',
    path: '/api/public/:slug/incidents',
    operationId: 'getIncidents',
    summary: 'Incidents and maintenance of a page',
    answers: { 200: Ledger },
    errors: ['notFound', 'storeUnavailable'],
    async handle(ctx: Context) {
      ctx.set(...anyOrigin);
      const page = await findPublicPage(deps, ctx);
      const incidents = await loadLedger(deps, page.id);
      ctx.set('cache-control', cacheControl);
      ctx.body = { slug: page.slug, incidents } satisfies Ledger;
    },
  };
}
