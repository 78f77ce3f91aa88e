import type { Context } from 'koa';
import { ServiceError } from '../../../lib/service-error.js';
import { visitPath } from '../../../web/account/manage-paths.js';
import { renderPrivateView } from '../../../web/views/private-view.js';
import type { ViewAssets } from '../../../web/views/view-context.js';
import type { OriginParser } from '../../request-origin.js';
import type { FormRoute, OpenBodyRoute, OpenRoute, PathParams, Route } from '../../route.js';
import { chooseOwnLanguage, namesHtml } from '../own-views.js';
import type { PublicCache, PublicPage } from '../public-cache.js';
import { setHeaders } from '../public-reads.js';
import { viewHeaders } from '../view-headers.js';
import type { PageAccess } from './page-access.js';

export type GuardDeps = {
  cache: Pick<PublicCache, 'findPage'>;
  parseOrigin: OriginParser;
  access: PageAccess;
  assets: ViewAssets;
  baseUrl(): string;
};

/** Keeps what private pages publish from those who may not read them, and from every shared cache. */
export type Guard = {
  /** Guards a route that anybody may call on the host of a page; leaves those that need a key or say why they are open. */
  guard<R extends Route>(route: R): R;
  /**
   * Whether a request may go on to what a page publishes. Answers itself when it may not.
   *
   * @throws ServiceError `privatePage` to a program, `rateLimited`, `storeUnavailable`
   */
  admits(ctx: Context, page: PublicPage): Promise<boolean>;
  /** Answers with the form for the password: nothing of the page is in it. `to` is where the reader wanted to go. */
  refuse(ctx: Context, page: PublicPage, view: { to: string; problem?: 'wrong' | 'busy' }): void;
};

export function createGuard(deps: GuardDeps): Guard {
  const { cache, parseOrigin, access, assets, baseUrl } = deps;

  function refuse(
    ctx: Context,
    { passwordTag }: PublicPage,
    view: { to: string; problem?: 'wrong' | 'busy' },
  ) {
    const language = chooseOwnLanguage(ctx);
    setHeaders(ctx, viewHeaders(language, ''));
    keepFromCaches(ctx);
    ctx.status = view.problem === 'busy' ? 429 : 403;
    ctx.type = 'text/html; charset=utf-8';
    const { hostname } = parseOrigin(ctx);
    const signInUrl = new URL(
      `${visitPath}?${new URLSearchParams({ host: hostname, to: view.to })}`,
      baseUrl(),
    );
    const hasPassword = passwordTag !== null;
    ctx.body = renderPrivateView(language, { ...view, assets, signInUrl: signInUrl.href, hasPassword });
  }

  async function admits(ctx: Context, page: PublicPage): Promise<boolean> {
    if (!page.isPrivate) return true;
    const mayRead = await access.mayRead(ctx, page).finally(() => keepFromCaches(ctx));
    if (mayRead) return true;
    if (!namesHtml(ctx)) {
      if (page.passwordTag !== null)
        ctx.set('www-authenticate', 'Basic realm="Status page", charset="UTF-8"');
      throw new ServiceError('privatePage');
    }
    refuse(ctx, page, { to: ctx.url });
    return false;
  }

  const pageOf = (ctx: Context) => cache.findPage(parseOrigin(ctx).hostname).catch(ignoreNotFound);

  const guardOpen = <R extends OnPages>(route: R): R => ({
    ...route,
    errors: [...route.errors, 'privatePage', 'rateLimited'],
    // Which addresses a private page has is nobody's business either.
    ...(route.isThere !== undefined && {
      isThere: async (ctx: Context, params: PathParams) =>
        (await pageOf(ctx))?.isPrivate === true || route.isThere?.(ctx, params),
    }),
    async handle(ctx: Context, ...rest: [never]) {
      const page = await pageOf(ctx);
      if (page !== undefined && !(await admits(ctx, page))) return;
      try {
        await route.handle(ctx, ...rest);
      } finally {
        if (page?.isPrivate) keepFromCaches(ctx);
      }
    },
  });

  return { admits, refuse, guard: (route) => (isOnPages(route) ? guardOpen(route) : route) };
}

type OnPages = OpenRoute | OpenBodyRoute | FormRoute;

/** Whether anybody may call a route on the host of a page, where it answers with what the page publishes. */
function isOnPages(route: Route): route is OnPages {
  const isOpen = route.access === undefined && !('permission' in route);
  return isOpen && route.sameOnEveryHost === undefined && route.unguarded === undefined;
}

/** A script on another site may not read it either: the browser may be on an allowed network. */
function keepFromCaches(ctx: Context): void {
  ctx.set('cache-control', 'private, no-store');
  ctx.vary('Cookie');
  ctx.vary('Authorization');
  ctx.remove('access-control-allow-origin');
  ctx.remove('access-control-expose-headers');
  ctx.set('cross-origin-resource-policy', 'same-origin');
}

function ignoreNotFound(error: unknown): undefined {
  if (error instanceof ServiceError && error.kind === 'notFound') return undefined;
  throw error;
}
