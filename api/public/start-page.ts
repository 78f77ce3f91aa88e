import type { Context } from 'koa';
import { StartPage } from '../../contract/public/start-page.js';
import { listPagePlaces } from '../../control/pages/index.js';
import { needsSetUp } from '../../control/people/index.js';
import type { Clock } from '../../lib/clock.js';
import { ServiceError } from '../../lib/service-error.js';
import { withTimeout } from '../../lib/timeout.js';
import { secondMs } from '../../lib/times.js';
import type { Sql } from '../../sql/open-postgres.js';
import { accountPaths } from '../../web/account/manage-paths.js';
import { docsPath } from '../../web/page-paths.js';
import { renderStartView } from '../../web/views/start-view.js';
import type { ViewAssets } from '../../web/views/view-context.js';
import { isAddress, isForwarded, isLoopback, type MayObserve, type OriginParser } from '../request-origin.js';
import type { AnswerBody, OpenRoute } from '../route.js';
import type { CheckReadiness } from '../routes/health.js';
import { chooseOwnLanguage, namesHtml } from './own-views.js';
import { setHeaders } from './public-reads.js';
import { viewHeaders } from './view-headers.js';

type Deps = {
  sql: Sql;
  parseOrigin: OriginParser;
  clock: Clock;
  baseUrl: () => string;
  /** Whether the operator has set that address. */
  hasBaseUrl: boolean;
  originOf(hostname: string): string;
  checkReadiness: CheckReadiness;
  mayObserve: MayObserve;
  assets: ViewAssets;
};

const pagesMax = 50;
const links = { readiness: '/readyz', description: '/openapi.json', metrics: '/metrics' } as const;

/**
 * Lets the route at `/` answer with a start page where it finds no status page: on the host of the service and on
 * addresses of the machine. Any other host without a page remains a 404, because it is probably mistyped.
 */
export function withStartPage(route: OpenRoute, deps: Deps): OpenRoute {
  const { 200: shown, ...others } = route.answers;
  return {
    ...route,
    answers: { ...others, 200: withJson(shown), 503: withJson(shown) },
    async handle(ctx) {
      try {
        await route.handle(ctx);
      } catch (error) {
        const kind = error instanceof ServiceError ? error.kind : undefined;
        const { hostname } = deps.parseOrigin(ctx);
        const shows =
          (kind === 'notFound' && isOwnHost(deps, hostname)) ||
          // During an outage nobody knows which page this host has; a request for 127.0.0.1 is for the service.
          (kind === 'storeUnavailable' && isAddress(hostname) && isOperator(deps, ctx));
        if (!shows) throw error;
        await answerStart(deps, ctx);
      }
    },
  };
}

function isOwnHost({ baseUrl }: Deps, hostname: string): boolean {
  return hostname === 'localhost' || isAddress(hostname) || hostname === new URL(baseUrl(), base).hostname;
}

/** The base URL is a path until the server listens. */
const base = 'http://localhost';

async function answerStart(deps: Deps, ctx: Context): Promise<void> {
  const checks = await deps.checkReadiness();
  const faults = Object.values(checks).filter((state) => state !== 'ok');
  const isReady = faults.length === 0;
  const listed = isReady && isOperator(deps, ctx) ? await listAddresses(deps) : undefined;
  const [signIn, docs] = [addressOf(deps, accountPaths.home), addressOf(deps, docsPath)];
  ctx.status = isReady ? 200 : 503;
  if (!isReady) ctx.set('retry-after', '2');
  ctx.set('cache-control', 'no-store');
  ctx.vary('Accept');
  if (!namesHtml(ctx)) {
    ctx.body = {
      name: 'Heartline',
      status: isReady ? 'ok' : 'unavailable',
      checks,
      links: { signIn, docs, ...links },
      ...listed,
    };
    return;
  }
  ctx.vary('Accept-Language');
  const language = chooseOwnLanguage(ctx);
  setHeaders(ctx, viewHeaders(language, ''));
  ctx.type = 'text/html; charset=utf-8';
  const isSetUp = !isReady || !(await withTimeout(needsSetUp(deps), secondMs).catch(() => false));
  const observes = deps.mayObserve(ctx);
  ctx.body = renderStartView({ faults, listed, signIn, docs, observes, isSetUp }, language, deps.assets);
}

/** Screens and documentation are on the host of BASE_URL; without it, on this one. */
function addressOf({ baseUrl, hasBaseUrl }: Deps, path: string): string {
  return hasBaseUrl ? new URL(path, baseUrl()).href : path;
}

function withJson(body: AnswerBody | undefined): AnswerBody {
  const mediaTypes = body !== undefined && 'mediaTypes' in body ? body.mediaTypes : [];
  return { mediaTypes, json: StartPage };
}

type Listed = { pages: { slug: string; name: string; address: string }[]; more: number };

async function listAddresses({ sql, originOf }: Deps): Promise<Listed> {
  const { pages, more } = await listPagePlaces({ sql }, pagesMax);
  return {
    pages: pages.map(({ slug, name, hostname }) => ({ slug, name, address: `${originOf(hostname)}/` })),
    more,
  };
}

/**
 * Whether someone at the machine itself asks: only they may see the pages of every tenant. A proxy on the machine may
 * connect in the same way and pass neither the host nor a header of its own, so a service with a public base URL never
 * lists its pages.
 */
function isOperator({ baseUrl }: Deps, { req }: Context): boolean {
  const peer = (req.socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  const asked = `http://${req.headers.host ?? ''}`;
  return (
    (peer === '::1' || isLoopback(peer)) &&
    URL.canParse(asked) &&
    isLoopback(new URL(asked).hostname) &&
    isLoopback(new URL(baseUrl(), base).hostname) &&
    !isForwarded(req)
  );
}
