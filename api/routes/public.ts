import type { Context } from 'koa';
import { readSummary, readUpptimeSummary, type SummaryDeps } from '../../analytics/summary.js';
import { ApiError } from '../../contract/errors.js';
import { Ledger } from '../../contract/incidents.js';
import type { Log } from '../../contract/log.js';
import {
  Summary,
  type SummaryInclude,
  SummaryParameters,
  summaryIncludes,
  summaryLimits,
  UpptimeSummary,
} from '../../contract/summary.js';
import { readLedger } from '../../control/read-ledger.js';
import { findPublicPage } from '../find-public-page.js';
import { pageOrigin } from '../page-origin.js';
import { createPublicCache, type PublicCache, type Variant } from '../public-cache.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';
import { sendRepresentation } from '../send-representation.js';

type Deps = Omit<SummaryDeps, 'originOf'> & { log: Log; readOrigin: OriginReader; baseUrl: () => string };

const contentType = 'application/json; charset=utf-8';
const cacheControl = 'public, max-age=60';
const revalidated = `public, max-age=0, s-maxage=${summaryLimits.freshSeconds}, must-revalidate`;
const notModified = { mediaTypes: [] };

/** What everyone may read, on the host of the page. */
export function publicRoutes(deps: Deps): OpenRoute[] {
  const cache = createPublicCache(deps);
  const originOf = (hostname: string) => pageOrigin(new URL(deps.baseUrl()), hostname);
  const summaryDeps = { ...deps, originOf };
  return [
    summaryRoute(deps, cache, summaryDeps),
    upptimeRoute(deps, cache, summaryDeps),
    incidentsRoute(deps),
  ];
}

function summaryRoute(deps: Deps, cache: PublicCache, summaryDeps: SummaryDeps): OpenRoute {
  const variantOf = (include?: SummaryInclude): Variant => ({
    name: `summary ${include ?? ''}`,
    contentType,
    cacheControl: include?.startsWith('response-time') ? revalidated : cacheControl,
    render: async (pageId) => stringify(await readSummary(summaryDeps, pageId, include)),
  });
  const plain = variantOf();
  const including = new Map(
    summaryIncludes.map((include) => [include as string, variantOf(include)] as const),
  );
  return {
    method: 'GET',
    path: '/api/public/:slug/summary',
    operationId: 'getSummary',
    summary: 'Status, uptime and response times of the services of a page',
    query: SummaryParameters,
    answers: { 200: Summary, 304: notModified },
    errors: ['unsupportedInclude', 'notFound', 'storeUnavailable'],
    async handle(ctx) {
      allowAnyOrigin(ctx);
      const include = readInclude(ctx);
      const variant = include === undefined ? plain : including.get(include);
      if (variant === undefined) throw new ApiError('unsupportedInclude');
      await serve(ctx, deps, cache, variant);
    },
  };
}

/** The parameter as it was sent, a repeated one as a text that is none of ours; undefined without it. */
function readInclude({ request: { querystring } }: Context): string | undefined {
  if (querystring === '') return undefined;
  const values = new URLSearchParams(querystring).getAll('include');
  return values.length === 0 ? undefined : values.join('&');
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
    async handle(ctx) {
      allowAnyOrigin(ctx);
      await serve(ctx, deps, cache, variant);
    },
  };
}

/** Also of errors: a widget on another site is then told what is wrong. */
function allowAnyOrigin(ctx: Context): void {
  ctx.set('access-control-allow-origin', '*');
}

async function serve(
  ctx: Context,
  { readOrigin }: Deps,
  cache: PublicCache,
  variant: Variant,
): Promise<void> {
  const found = cache.find(readOrigin(ctx).hostname, String(ctx['params'].slug), variant);
  sendRepresentation(ctx, found instanceof Promise ? await found : found);
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
    errors: ['notFound'],
    async handle(ctx) {
      allowAnyOrigin(ctx);
      const page = await findPublicPage(deps, ctx);
      const incidents = await readLedger(deps, page.id);
      ctx.set('cache-control', cacheControl);
      ctx.body = { slug: page.slug, incidents } satisfies Ledger;
    },
  };
}
