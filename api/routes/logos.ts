import type { Context } from 'koa';
import { findLogo } from '../../control/pages/index.js';
import { ServiceError, storeUnavailable } from '../../lib/service-error.js';
import type { Sql } from '../../sql/open-postgres.js';
import { hasCurrent } from '../public/negotiation.js';
import type { PublicCache } from '../public/public-cache.js';
import type { OriginParser } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = { sql: Sql; cache: PublicCache; parseOrigin: OriginParser };

const mediaTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'];

/** A changed logo has another address, so a client that has one need not ask again. */
const headers = {
  'cache-control': 'public, max-age=31536000, immutable',
  'x-content-type-options': 'nosniff',
  // For sites that show only what says that they may.
  'cross-origin-resource-policy': 'cross-origin',
  // An SVG that is opened by itself is a document: it may run and load nothing, and has no origin.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
};

/** The logo of a page, on the host of the page. */
export function logoRoutes(deps: Deps): OpenRoute[] {
  return [
    {
      method: 'GET',
      path: '/logo/:hash',
      operationId: 'getLogo',
      summary: 'The logo of a page; its address changes with it',
      answers: { 200: { mediaTypes }, 304: { mediaTypes: [] } },
      errors: ['notFound', 'storeUnavailable', 'overloaded'],
      handle: (ctx) => answerLogo(deps, ctx),
    },
  ];
}

async function answerLogo({ sql, cache, parseOrigin }: Deps, ctx: Context): Promise<void> {
  const hash = String(ctx['params'].hash);
  const { hostname } = parseOrigin(ctx);
  const { id } = await cache.findPage(hostname);
  const load = () => findLogo({ sql }, { hostname, hash });
  const logo = await cache.loads.run(id, 'many', load).catch((cause: unknown) => {
    throw cause instanceof ServiceError ? cause : storeUnavailable(cause);
  });
  if (logo === undefined) throw new ServiceError('notFound');
  const etag = `"${hash}"`;
  ctx.set({ ...headers, etag });
  if (hasCurrent(ctx.req.headers, etag)) {
    ctx.status = 304;
    return;
  }
  ctx.type = logo.mediaType;
  ctx.body = logo.bytes;
}
