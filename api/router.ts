import Router, { type Layer } from '@koa/router';
import type { Context } from 'koa';
import type { KeyCache } from '../control/keys/index.js';
import { ServiceError, storeUnavailable } from '../lib/service-error.js';
import { requestLimits } from '../sql/open-postgres.js';
import { anyOriginHeaders } from './any-origin.js';
import { authenticate } from './authenticate.js';
import { requestMsMax, withinDeadline } from './deadline.js';
import { setHeaders } from './public/public-reads.js';
import { readBody } from './read-body.js';
import { readForm } from './read-form.js';
import { describePath, firstPart, type OpenRoute, type PathParams, type Route } from './route.js';

type RouterMiddleware = ReturnType<Router['routes']>;

export type RouterDeps = { keys: KeyCache; routes: readonly Route[]; bodyTimeoutMs: number };

/** The compiled routes, which the application and the fast path share. */
export type RouteTable = {
  /** Checks the key and receives the body of a request, then calls the handler of its route. */
  dispatch: RouterMiddleware;
  /**
   * The route that `dispatch` calls for a GET of a path. Returns `undefined` when there is none, or none that answers
   * from memory.
   */
  findPeekable(path: string): { route: PeekableRoute; params: PathParams } | undefined;
  /** Methods that the routes at the path of a request take; empty when nothing exists there. */
  allowedMethods(ctx: Context): Promise<string[]>;
  /** Whether scripts on any site may read what a GET at the path of a request answers. */
  takesAnyOrigin(ctx: Context): boolean;
  /** @throws ServiceError `notFound` when the path of a request differs from an address in case or slashes only */
  refuseNearMiss(ctx: Context): void;
};

export type PeekableRoute = OpenRoute & Required<Pick<OpenRoute, 'peek'>>;

/** Bound on all bodies that are being received, in bytes. */
const bodiesBytesMax = 256 * 1024 * 1024;
/** The longest that a transaction of a request may take. */
const writeMsMax = requestLimits.queryTimeoutMs;

export function createRouteTable(deps: RouterDeps): RouteTable {
  const router = new Router();
  const budget = { bytes: 0, bytesMax: bodiesBytesMax };
  for (const route of deps.routes) {
    const isLenient = route.redirectsOtherForms === true;
    const answer = (ctx: Context) => {
      if (isLenient) refuseNearMiss(ctx);
      return handle(deps, budget, route, ctx);
    };
    router.register(route.path, [route.method], answer, { strict: !isLenient, sensitive: !isLenient });
  }
  // Each registration makes one layer.
  const entries = router.stack.map((layer, at) => ({ layer, route: deps.routes[at] }));
  const routeOf = new Map(entries.map(({ layer, route }) => [layer, route]));
  const exact = entries.filter(({ route }) => route?.redirectsOtherForms !== true).map(({ layer }) => layer);

  function refuseNearMiss({ method, path }: Context): void {
    const meant = usualForms(path)
      .flatMap((form) => exact.find((layer) => layer.methods.includes(method) && layer.match(form)) ?? [])
      .at(0);
    if (meant === undefined) return;
    const address = describePath(String(meant.path));
    throw new ServiceError('notFound', {
      hint: `Addresses are exact, in lower case and without a slash at the end: ${address}`,
    });
  }

  function takesAnyOrigin(ctx: Context): boolean {
    const read = matchedBy(ctx).find(({ methods }) => methods.includes('GET'));
    return read !== undefined && routeOf.get(read)?.anyOrigin === true;
  }

  return {
    dispatch: router.routes(),
    refuseNearMiss,
    findPeekable: createFinder(entries),
    async allowedMethods(ctx) {
      const allowed = new Set<string>();
      for (const layer of matchedBy(ctx)) {
        const params = layer.params(ctx.path, layer.captures(ctx.path));
        const isThere = (await routeOf.get(layer)?.isThere?.(ctx, params)) ?? true;
        if (isThere) for (const method of layer.methods) allowed.add(method);
      }
      if (takesAnyOrigin(ctx)) allowed.add('OPTIONS');
      return [...allowed];
    },
    takesAnyOrigin,
  };
}

/** Layers whose path is that of a request, whatever its method. */
function matchedBy(ctx: Context): readonly Layer[] {
  return ctx['matched'] ?? [];
}

async function handle(
  { keys, bodyTimeoutMs: timeoutMs }: RouterDeps,
  budget: { bytes: number; readonly bytesMax: number },
  route: Route,
  ctx: Context,
): Promise<void> {
  if (route.anyOrigin) setHeaders(ctx, anyOriginHeaders);
  const receive = (bytesMax: number) => readBody(ctx, { bytesMax, timeoutMs, budget });
  let leftMs = route.boundsItself === true ? undefined : requestMsMax;
  const inTime = (work: void | Promise<void>): void | Promise<void> =>
    work === undefined || leftMs === undefined ? work : withinDeadline(work, leftMs, ctx.res);
  if (route.access !== undefined) {
    const startedAt = performance.now();
    const grant = await authenticate(ctx, keys, route.access);
    if (leftMs !== undefined) leftMs -= performance.now() - startedAt;
    if (!('body' in route)) return await inTime(route.handle(ctx, grant));
    const body = await receive(route.body.bytesMax);
    // A write that is answered with 503 and carried out all the same would be sent again.
    if (leftMs !== undefined && leftMs < writeMsMax) throw storeUnavailable();
    return await inTime(route.handle(ctx, grant, body, performance.now() + (leftMs ?? requestMsMax)));
  }
  if ('body' in route) {
    const body = await receive(route.body.bytesMax);
    return await inTime(route.handle(ctx, body));
  }
  if (!('form' in route)) return await inTime(route.handle(ctx));
  const form = await readForm(ctx, { bytesMax: route.form.bytesMax, timeoutMs, budget });
  await inTime(route.handle(ctx, form));
}

/** Forms that a path may be a slip of; none when it has the usual form. */
function usualForms(path: string): string[] {
  const plain = `/${path.split('/').filter(Boolean).join('/')}`;
  return [plain, plain.toLowerCase()].filter((form) => form !== path);
}

type Entry = { layer: Layer; route: Route | undefined };

/**
 * Finds the first layer that matches, as the router does, among those whose first part can match. Trying all of them
 * would take longer than the rest of an answer from memory.
 */
function createFinder(entries: readonly Entry[]): RouteTable['findPeekable'] {
  const reads = entries.filter(({ layer }) => layer.methods.includes('GET'));
  const firsts = new Set(reads.map(({ layer }) => firstPart(String(layer.path))));
  const startingWith = (first: string | undefined) =>
    reads.filter(({ layer }) => {
      const own = firstPart(String(layer.path));
      return own.includes(':') || own === first;
    });
  const byFirst = new Map([...firsts].map((first) => [first, startingWith(first)]));
  const others = startingWith(undefined);
  return (path) => {
    for (const { layer, route } of byFirst.get(firstPart(path)) ?? others) {
      if (!layer.match(path)) continue;
      return route !== undefined && isPeekable(route)
        ? { route, params: layer.params(path, layer.captures(path)) }
        : undefined;
    }
    return undefined;
  };
}

function isPeekable(route: Route): route is PeekableRoute {
  return 'peek' in route && route.peek !== undefined;
}
