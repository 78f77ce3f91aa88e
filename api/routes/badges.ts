import type { IncomingHttpHeaders } from 'node:http';
import { parse } from 'node:querystring';
import type { SummaryDeps } from '../../analytics/summary/summary.js';
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
} from '../../contract/public/badges.js';
import { invalidValue, parseParameters } from '../../lib/query-parameters.js';
import { ServiceError } from '../../lib/service-error.js';
import { isSlug } from '../../lib/slug.js';
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
import { hasCurrent } from '../public/negotiation.js';
import { type Lookup, type PublicReads, sendAnswer, serveReads } from '../public/public-reads.js';
import { hashOf } from '../public/representation.js';
import { figuresOf, figuresVariant } from '../public/variants/figures.js';
import type { OpenRoute, PathParams, ReadyAnswer } from '../route.js';

type Deps = SummaryDeps & { reads: PublicReads };

type Parameters = BadgeLooks & { metric: BadgeMetric; window: BadgeWindow };
type ParameterName = keyof Parameters;
/** A badge, and what is missing of that which it should show: `name` is one that nothing can have. */
type Chosen = { badge: Badge; missing?: 'page' | 'service' | 'name' };
type Form = 'svg' | 'json';

type BadgeKind = {
  form: Form;
  path: `/${string}`;
  operationId: string;
  summary: string;
  /** Parameters that it takes. */
  names: readonly ParameterName[];
  /** Without figures there is no page. */
  choose(figures: BadgeFigures | undefined, parameters: Parameters, params: PathParams): Chosen;
};

const ofPage = {
  names: ['label', 'style'],
  choose: (figures, parameters) =>
    figures === undefined
      ? { badge: missingBadge('status', parameters), missing: 'page' }
      : { badge: pageBadge(figures, parameters) },
} satisfies Partial<BadgeKind>;

const ofService = {
  names: ['metric', 'window', 'label', 'style'],
  choose(figures, parameters, { service: slug = '' }) {
    const service = figures?.services.get(slug);
    return service === undefined
      ? { badge: missingBadge(slug, parameters), missing: isName(slug) ? 'service' : 'name' }
      : { badge: serviceBadge(service, parameters) };
  },
} satisfies Partial<BadgeKind>;

const shieldsSummary = 'The same for shields.io';

const kinds: readonly BadgeKind[] = [
  {
    ...{ form: 'svg', path: '/badge.svg', operationId: 'getPageBadge' },
    ...{ summary: 'The state of a page as a badge', ...ofPage },
  },
  {
    ...{ form: 'json', path: '/badge.json', operationId: 'getPageBadgeData' },
    ...{ summary: shieldsSummary, ...ofPage },
  },
  {
    ...{ form: 'svg', path: '/badge/:service.svg', operationId: 'getBadge' },
    ...{ summary: 'A service as a badge', ...ofService },
  },
  {
    ...{ form: 'json', path: '/badge/:service.json', operationId: 'getBadgeData' },
    ...{ summary: shieldsSummary, ...ofService },
  },
];

const svg = { mediaTypes: ['image/svg+xml; charset=utf-8'] };
const notModified = { mediaTypes: [] };
const contentTypes = { svg: 'image/svg+xml; charset=utf-8', json: 'application/json; charset=utf-8' };

/** Names and values in turn. */
const headers = [
  ...['cache-control', 'public, max-age=60'],
  ...['x-content-type-options', 'nosniff'],
  // An SVG that is opened by itself is a document: it may run and load nothing.
  ...['content-security-policy', "default-src 'none'; sandbox"],
  // For sites that show only what says that they may.
  ...['cross-origin-resource-policy', 'cross-origin'],
];

/** Small pictures of the state of a page and of its services, and the same as JSON that shields.io draws. */
export function badgeRoutes(deps: Deps): OpenRoute[] {
  return kinds.map((kind) => {
    const { form, path, operationId, summary, names } = kind;
    const answer = form === 'svg' ? svg : ShieldsEndpoint;
    const [query, missing] =
      names === ofPage.names ? [PageBadgeParameters, {}] : [BadgeParameters, { 404: answer }];
    const read = serveReads(deps.reads, lookupBadge(deps, kind));
    return {
      ...{ method: 'GET', path, operationId, summary, query },
      answers: { 200: answer, 304: notModified, ...missing },
      errors: ['invalidParameter', 'storeUnavailable', 'overloaded'],
      ...read,
      async handle(ctx) {
        try {
          await read.handle(ctx);
        } catch (error) {
          if (!(error instanceof ServiceError && error.kind === 'notFound')) throw error;
          const parameters = parseBadgeParameters(parseParameters(parse(ctx.querystring), names));
          sendAnswer(ctx, drawAnswer(form, kind.choose(undefined, parameters, ctx['params']), ctx.headers));
        }
      },
    };
  });
}

/** Whether a service may have the name, or its writer took one in capitals for it. */
function isName(text: string): boolean {
  return isSlug(text.toLowerCase());
}

function lookupBadge(deps: Deps, { form, names, choose }: BadgeKind): Lookup {
  const variant = figuresVariant(deps);
  return ({ params, query }) =>
    () => {
      const parameters = parseBadgeParameters(parseParameters(parse(query), names));
      return {
        variant,
        answer: (figures, asked) => drawAnswer(form, choose(figuresOf(figures), parameters, params), asked),
      };
    };
}

/**
 * Draws a missing service or page as well, because a broken image tells nobody what is wrong. The status is 200: the
 * proxy of GitHub for images (camo) and shields.io show a body of no other.
 */
function drawAnswer(form: Form, { badge, missing }: Chosen, asked: IncomingHttpHeaders): ReadyAnswer {
  const body = Buffer.from(
    form === 'svg' ? renderBadge(badge) : JSON.stringify(shieldsEndpoint(badge, missing !== undefined)),
  );
  const etag = `"${hashOf(body)}"`;
  const ofBoth = [...headers, 'etag', etag];
  const status = missing === 'name' ? 404 : 200;
  if (status === 200 && hasCurrent(asked, etag)) return { status: 304, headers: ofBoth, body: undefined };
  const ofBody = ['content-type', contentTypes[form], 'content-length', String(body.length)];
  return { status, headers: [...ofBody, ...ofBoth], body };
}

/**
 * Reads the options of a badge, with the usual values for absent ones.
 *
 * @throws ServiceError `invalidParameter`, which names the parameter
 */
export function parseBadgeParameters(given: Partial<Record<ParameterName, string>>): Parameters {
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
  throw invalidValue(name, `one of ${known.join(', ')}`, given ?? '');
}
