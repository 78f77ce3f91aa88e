import type { Context } from 'koa';
import Type from 'typebox';
import { accessLimits } from '../../../contract/public/status-page.js';
import { ServiceError } from '../../../lib/service-error.js';
import { readerPassPath, readerPath } from '../../../web/page-paths.js';
import { isFromElsewhere } from '../../public/from-elsewhere.js';
import type { Guard } from '../../public/private/guard.js';
import { isPass, type PageAccess, type PageAccessDeps } from '../../public/private/page-access.js';
import type { PublicCache } from '../../public/public-cache.js';
import type { FormRoute, OpenRoute } from '../../route.js';
import { localPath } from '../account/account-page.js';

type Deps = PageAccessDeps & { cache: PublicCache; access: PageAccess; refuse: Guard['refuse'] };

const html = { mediaTypes: ['text/html; charset=utf-8'] };
const nothing = { mediaTypes: [] };
/** The form has a password and a path. */
const bytesMax = 8 * 1024;

const ReaderForm = Type.Object({
  password: Type.String({ maxLength: accessLimits.passwordCharsMax }),
  to: Type.Optional(Type.String({ description: 'Path of the page where the reader wanted to go.' })),
});

/** The ways into a private page, on the host of the page. */
export function readerRoutes(deps: Deps): [FormRoute, OpenRoute] {
  return [passwordRoute(deps), passRoute(deps)];
}

function passwordRoute({ cache, parseOrigin, access, refuse }: Deps): FormRoute {
  return {
    method: 'POST',
    path: readerPath,
    unguarded: 'letsReadersIn',
    operationId: 'openPrivatePage',
    summary: 'The form for the password of a private page',
    forPeople: true,
    form: { schema: ReaderForm, bytesMax },
    answers: { 303: nothing, 403: html, 429: html },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    async handle(ctx, { password, to }) {
      const { hostname } = parseOrigin(ctx);
      const page = await cache.findPage(hostname);
      if (!page.isPrivate) return redirect(ctx, '/');
      const path = localPath(to) ?? '/';
      if (typeof password !== 'string' || isFromElsewhere(ctx, hostname))
        return refuse(ctx, page, { to: path });
      try {
        if (!(await access.isPassword(ctx, page, password))) {
          return refuse(ctx, page, { to: path, problem: 'wrong' });
        }
      } catch (error) {
        if (!(error instanceof ServiceError) || error.kind !== 'rateLimited') throw error;
        return refuse(ctx, page, { to: path, problem: 'busy' });
      }
      access.admit(ctx, page, 'password');
      redirect(ctx, path);
    },
  };
}

function passRoute({ cache, parseOrigin, access, refuse, ...deps }: Deps): OpenRoute {
  return {
    method: 'GET',
    path: readerPassPath,
    unguarded: 'letsReadersIn',
    operationId: 'takePass',
    summary: 'Where the dashboard sends people who may read a private page',
    forPeople: true,
    query: Type.Object({
      pass: Type.Optional(
        Type.String({ description: 'What the dashboard has made; it is good for a minute.' }),
      ),
      to: Type.Optional(Type.String({ description: 'Path of the page where the person wanted to go.' })),
    }),
    answers: { 303: nothing, 403: html },
    errors: ['notFound', 'storeUnavailable', 'overloaded'],
    async handle(ctx) {
      const page = await cache.findPage(parseOrigin(ctx).hostname);
      const path = localPath(ctx.query['to']) ?? '/';
      const { pass } = ctx.query;
      if (page.isPrivate) {
        if (typeof pass !== 'string' || !isPass(deps, page, pass)) return refuse(ctx, page, { to: path });
        access.admit(ctx, page, 'member');
      }
      redirect(ctx, path);
    },
  };
}

function redirect(ctx: Context, path: string): void {
  ctx.status = 303;
  ctx.set({ location: path, 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' });
  ctx.body = '';
}
