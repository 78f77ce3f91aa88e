import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import {
  type BadgeMetric,
  BadgeParameters,
  type BadgeWindow,
  badgeLimits,
  badgeMetrics,
  badgeStyles,
  badgeWindows,
  PageBadgeParameters,
  ShieldsEndpoint,
} from '../../contract/badges.js';
import { parseParameters } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import {
  type Badge,
  type BadgeFigures,
  type BadgeLooks,
  missingBadge,
  pageBadge,
  renderBadge,
  serviceBadge,
  shieldsEndpoint,
} from '../../web/badges/badge.js';
import type { FindFigures } from '../public/badge-figures.js';
import { readEntityTags } from '../public/entity-tags.js';
import type { PublicCache } from '../public/public-cache.js';
import { anyOrigin } from '../public/representation.js';
import type { OriginReader } from '../request-origin.js';
import type { OpenRoute } from '../route.js';

type Deps = { cache: PublicCache; readOrigin: OriginReader; findFigures: FindFigures };

type Parameters = BadgeLooks & { metric: BadgeMetric; window: BadgeWindow };
type ParameterName = keyof Parameters;
/** A badge, and whether what it is asked to show is missing. */
type Chosen = { badge: Badge; missing: boolean };
type Form = 'svg' | 'json';

type BadgeKind = {
  form: Form;
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** Parameters that it takes. */
  names: readonly ParameterName[];
  choose(figures: BadgeFigures, parameters: Parameters, ctx: Context): Chosen;
};

const ofPage = {
  names: ['label', 'style'],
  choose: (figures, parameters) => ({ badge: pageBadge(figures, parameters), missing: false }),
} satisfies Partial<BadgeKind>;

const ofService = {
  names: ['metric', 'window', 'label', 'style'],
  choose({ services }, parameters, ctx) {
    const slug = String(ctx['params'].service);
    const service = services.get(slug);
    return service === undefined
      ? { badge: missingBadge(slug, parameters), missing: true }
      : { badge: serviceBadge(service, parameters), missing: false };
  },
} satisfies Partial<BadgeKind>;

const kinds: readonly BadgeKind[] = [
  {
    ...{
      form: 'svg',
      path: '/badge.svg',
      operationId: 'getPageBadge',
      summary: 'The state of a page as a badge',
    },
    ...ofPage,
  },
  {
    ...{
      form: 'json',
      path: '/badge.json',
      operationId: 'getPageBadgeData',
      summary: 'The same for shields.io',
    },
    ...ofPage,
  },
  {
    ...{ form: 'svg', path: '/badge/:service.svg', operationId: 'getBadge', summary: 'A service as a badge' },
    ...ofService,
  },
  {
    ...{
      form: 'json',
      path: '/badge/:service.json',
      operationId: 'getBadgeData',
      summary: 'The same for shields.io',
    },
    ...ofService,
  },
];

const svg = { mediaTypes: ['image/svg+xml; charset=utf-8'] };
const notModified = { mediaTypes: [] };

const headers = {
  'cache-control': 'public, max-age=60',
  'x-content-type-options': 'nosniff',
  // An SVG that is opened by itself is a document: it runs nothing and loads nothing.
  'content-security-policy': "default-src 'none'; sandbox",
  // Sites that take only what says that they may show it.
  'cross-origin-resource-policy': 'cross-origin',
};

/** Small pictures of how a page and its services are, and the same as JSON that shields.io draws. */
export function badgeRoutes(deps: Deps): OpenRoute[] {
  return kinds.map((kind) => {
    const { form, path, operationId, summary, names } = kind;
    const answer = form === 'svg' ? svg : ShieldsEndpoint;
    const [query, missing] =
      names === ofPage.names ? [PageBadgeParameters, {}] : [BadgeParameters, { 404: answer }];
    return {
      ...{ method: 'GET', path, operationId, summary, query },
      answers: { 200: answer, 304: notModified, ...missing },
      errors: ['invalidParameter', 'notFound', 'storeUnavailable'],
      handle: (ctx) => answerBadge(deps, ctx, kind),
    };
  });
}

async function answerBadge(
  { cache, readOrigin, findFigures }: Deps,
  ctx: Context,
  { form, names, choose }: BadgeKind,
): Promise<void> {
  ctx.set(...anyOrigin);
  const page = await cache.findPage(readOrigin(ctx).hostname);
  const parameters = readBadgeParameters(parseParameters(ctx.query, names));
  const figures = await findFigures(page);
  if (figures === undefined) throw new ServiceError('notFound');
  const { badge, missing } = choose(figures, parameters, ctx);
  const body = form === 'svg' ? renderBadge(badge) : JSON.stringify(shieldsEndpoint(badge, missing));
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`;
  ctx.set({ ...headers, etag });
  const known = readEntityTags(ctx.get('if-none-match'));
  if (!missing && (known === '*' || known.has(etag))) {
    ctx.status = 304;
    return;
  }
  ctx.status = missing ? 404 : 200;
  ctx.type = form === 'svg' ? 'image/svg+xml; charset=utf-8' : 'application/json; charset=utf-8';
  ctx.body = body;
}

/** @throws ServiceError `invalidParameter`, naming the parameter. */
function readBadgeParameters(given: Partial<Record<ParameterName, string>>): Parameters {
  const { label } = given;
  if (label !== undefined && [...label].length > badgeLimits.labelChars) {
    throw new ServiceError('invalidParameter', {
      message: `Parameter "label" must have at most ${badgeLimits.labelChars} characters.`,
    });
  }
  return {
    metric: oneOf('metric', given.metric, badgeMetrics, 'status'),
    window: oneOf('window', given.window, badgeWindows, '30d'),
    style: oneOf('style', given.style, badgeStyles, 'flat'),
    ...(label !== undefined && { label }),
  };
}

function oneOf<T extends string>(name: string, given: string | undefined, known: readonly T[], usual: T): T {
  const value = given === undefined ? usual : known.find((one) => one === given);
  if (value !== undefined) return value;
  throw new ServiceError('invalidParameter', {
    message: `Parameter "${name}" must be one of ${known.join(', ')}.`,
  });
}
