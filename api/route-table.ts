import Router, { type Layer } from '@koa/router';
import type { Context } from 'koa';
import type { KeyCache, KeyGrant } from '../control/keys/index.js';
import type { KeyId } from '../lib/ids.js';
import { ServiceError } from '../lib/service-error.js';
import { createTimeouts } from '../lib/timeouts.js';
import { acceptBatch, type BatchDeps, type BatchOutcome } from './accept-batch.js';
import { anyOriginHeaders } from './any-origin.js';
import { authenticate } from './authenticate.js';
import { requestMsMax, withinDeadline } from './deadline.js';
import { earlyFailureOf } from './failed-early.js';
import type { AnswerCall } from './manage/answer-call.js';
import type { ManageBodyRoute, ManageRoute } from './manage/manage-route.js';
import { setHeaders } from './public/public-reads.js';
import { type BodyBudget, createBodyBudget, type Exchange, readBody } from './read-body.js';
import { readForm } from './read-form.js';
import {
  type BatchRoute,
  describePath,
  firstPart,
  type OpenRoute,
  type PathParams,
  type Route,
} from './route.js';
import { workOnBody } from './work-on-body.js';

type RouterMiddleware = ReturnType<Router['routes']>;

export type RouterDeps = {
  keys: Pick<KeyCache, 'find'>;
  routes: readonly Route[];
  bodyTimeoutMs: number;
  /** Shared with what else receives bodies in this process. */
  budget?: BodyBudget;
  /** Answers the routes of the management API; a service without them needs none. */
  answerCall?: AnswerCall;
};

/** The compiled routes, which the application and the fast path share. */
export type RouteTable = {
  /** Checks the key and receives the body of a request, then calls the handler of its route. */
  dispatch: RouterMiddleware;
  /**
   * The route that `dispatch` calls for a GET of a path. Returns `undefined` when there is none, or none that answers
   * from memory.
   */
  findPeekable(path: string): { route: PeekableRoute; params: PathParams } | undefined;
  /** The route that `dispatch` calls for a POST of exactly this path, when it accepts batches. */
  findBatchRoute(path: string): BatchRoute | undefined;
  /** Does the work of a request, whose answer is sent as JSON. The fault is for `createErrorAnswers`. */
  accept(route: BatchRoute, exchange: Exchange, outcome: BatchOutcome): void;
  /** Methods that the routes at the path of a request take; empty when nothing exists there. */
  allowedMethods(ctx: Context): Promise<string[]>;
  /** Whether scripts on any site may read what a GET at the path of a request answers. */
  takesAnyOrigin(ctx: Context): boolean;
  /** @throws ServiceError `notFound` when the path of a request differs from an address in case or slashes only */
  refuseNearMiss(ctx: Context): void;
};

export type PeekableRoute = OpenRoute & Required<Pick<OpenRoute, 'peek'>>;

export function createRouteTable(deps: RouterDeps): RouteTable {
  const router = new Router();
  const bodyDeps = {
    ...deps,
    budget: deps.budget ?? createBodyBudget(),
    bodyTimeouts: createTimeouts(deps.bodyTimeoutMs),
    deadlines: createTimeouts(requestMsMax),
  };
  for (const route of deps.routes) {
    const isLenient = route.redirectsOtherForms === true;
    const answer = (ctx: Context) => {
      if (isLenient) {
        refuseNearMiss(ctx);
        refuseOtherMethod(ctx);
      }
      return handle(bodyDeps, route, ctx);
    };
    router.register(route.path, [route.method], answer, { strict: !isLenient, sensitive: !isLenient });
  }
  // Each registration makes one layer.
  const entries = router.stack.map((layer, at) => ({ layer, route: deps.routes[at] }));
  const routeOf = new Map(entries.map(({ layer, route }) => [layer, route]));
  const batchRoutes = new Map<string, BatchRoute>(
    deps.routes.filter(isBatchRoute).map((route) => [route.path, route]),
  );
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

  /** The first part of a view's path may be anything, so that it also matches addresses of the service that only take a POST. */
  function refuseOtherMethod(ctx: Context): void {
    const methods = matchedBy(ctx)
      .filter((layer) => exact.includes(layer) && routeOf.get(layer)?.sameOnEveryHost === true)
      .flatMap((layer) => layer.methods);
    if (methods.length === 0 || methods.includes(ctx.method)) return;
    ctx.set('allow', methods.join(', '));
    throw new ServiceError('methodNotAllowed', { hint: `This address takes ${methods.join(' and ')}.` });
  }

  function takesAnyOrigin(ctx: Context): boolean {
    const read = matchedBy(ctx).find(({ methods }) => methods.includes('GET'));
    return read !== undefined && routeOf.get(read)?.anyOrigin === true;
  }

  return {
    dispatch: router.routes(),
    refuseNearMiss,
    findPeekable: createFinder(entries),
    findBatchRoute: (path) => batchRoutes.get(path),
    accept: (route, exchange, outcome) => acceptBatch(bodyDeps, route, exchange, outcome),
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

/** Layers that match the path of a request, whatever its method. */
function matchedBy(ctx: Context): readonly Layer[] {
  return ctx['matched'] ?? [];
}

type HandleDeps = BatchDeps & Pick<RouterDeps, 'answerCall'>;

async function handle(deps: HandleDeps, route: Route, ctx: Context): Promise<void> {
  const { keys, bodyTimeouts: timeouts, budget } = deps;
  if (route.anyOrigin) setHeaders(ctx, anyOriginHeaders);
  if (isBatchRoute(route)) return answerBatch(deps, route, ctx);
  if (isManageRoute(route)) {
    if (deps.answerCall === undefined) throw new ServiceError('notFound');
    return deps.answerCall(ctx, route, { keys, reading: { timeouts, budget } });
  }
  const inTime = (work: void | Promise<void>, spentMs = 0): void | Promise<void> =>
    work === undefined || route.boundsItself ? work : withinDeadline(work, requestMsMax - spentMs, ctx.res);
  if (route.access !== undefined) {
    const { rate } = route.access;
    const countUse = rate && ((keyId: KeyId) => rate(ctx, keyId));
    if ('body' in route) {
      const work = async (grant: KeyGrant, body: Buffer, answerBy: number) =>
        route.handle(ctx, grant, body, answerBy);
      return workOnBody(deps, route, ctx, work, countUse);
    }
    const startedAt = performance.now();
    const grant = await authenticate(ctx.req.headers, keys, route.access, countUse);
    return await inTime(route.handle(ctx, grant), performance.now() - startedAt);
  }
  if ('body' in route) {
    const body = await readBody(ctx, { bytesMax: route.body.bytesMax, timeouts, budget });
    return await inTime(route.handle(ctx, body));
  }
  if (!('form' in route)) return await inTime(route.handle(ctx));
  const form = await readForm(ctx, { bytesMax: route.form.bytesMax, timeouts, budget });
  await inTime(route.handle(ctx, form));
}

async function answerBatch(deps: BatchDeps, route: BatchRoute, ctx: Context): Promise<void> {
  const failure = earlyFailureOf(ctx.req);
  if (failure !== undefined) throw failure.error;
  // The parser has then read what came with the head: a client that sends its body at once is not asked for it.
  await Promise.resolve();
  const answer = await new Promise<object>((onAnswer, onFault) =>
    acceptBatch(deps, route, ctx, { onAnswer, onFault }),
  );
  ctx.status = 202;
  ctx.body = answer;
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

function isManageRoute(route: Route): route is ManageRoute | ManageBodyRoute {
  return 'permission' in route;
}

function isBatchRoute(route: Route): route is BatchRoute {
  return 'accept' in route;
}
