import { noteFailure } from '../adapters/failures.js';
import { type Layer, mountPattern, prefixOf, routePattern } from './express-patterns.js';

/** The part of a request of Express that is read. */
export type ExpressRequest = {
  app?: unknown;
  baseUrl?: string | undefined;
  url?: string | undefined;
  originalUrl?: string | undefined;
};

/** The part of a response of Express that is read. */
export type ExpressResponse = { headersSent?: boolean };

type Next = (this: unknown, ...args: unknown[]) => unknown;
type Handle = (this: Layer, req: ExpressRequest, res: ExpressResponse, next: Next) => unknown;

/** The path that a router was mounted at, and its pattern. */
type Mount = { baseUrl: string; pattern: string | undefined };

/** Where a request is among nested routers. */
type Progress = { mounts: Mount[]; template: string | undefined };

/** Kept on the request; a WeakMap would cost more than everything else here. */
const progressKey = Symbol('heartline.progress');
type Followed = ExpressRequest & { [progressKey]?: Progress };

const followed = new WeakSet<object>();

/**
 * Makes every router of the same copy of Express tell which route a request has come to. Express itself keeps only
 * `req.baseUrl`, in which the parameters of mounted routers have been replaced by their values.
 */
export function followRoutes(req: ExpressRequest, middleware: unknown): void {
  const router = routerOf(req.app);
  followStack(router);
  if ((req as Followed)[progressKey] !== undefined || !req.baseUrl) return;
  // The routers around this middleware were entered before the first request could be followed.
  const around = { baseUrl: '', pattern: '' };
  const found = findMounts(stackOf(router), pathOf(req.originalUrl ?? ''), around, req.baseUrl, middleware);
  progressOf(req).mounts.push(...(found ?? [{ baseUrl: req.baseUrl, pattern: undefined }]));
}

/** Looks for the mounted routers by which a request has come to a middleware. */
function findMounts(
  stack: readonly Layer[],
  path: string,
  around: Mount,
  baseUrl: string,
  middleware: unknown,
): Mount[] | undefined {
  if (around.baseUrl === baseUrl && stack.some(({ handle }) => handle === middleware)) return [];
  for (const layer of stack) {
    const prefix = layer.route ? undefined : prefixOf(layer, path)?.replace(/\/$/, '');
    if (prefix === undefined || !baseUrl.startsWith(around.baseUrl + prefix)) continue;
    const pattern = prefix === '' ? around.pattern : join(around.pattern, mountPattern(layer, prefix));
    const mount = { baseUrl: around.baseUrl + prefix, pattern };
    const inner = findMounts(stackOf(layer.handle), path.slice(prefix.length), mount, baseUrl, middleware);
    if (inner !== undefined) return [mount, ...inner];
  }
  return undefined;
}

/** Returns the template of the route that has the request, or had it when an error came; `undefined` without one. */
export function templateOf(req: ExpressRequest): string | undefined {
  return (req as Followed)[progressKey]?.template;
}

function routerOf(app: unknown): unknown {
  if (typeof app !== 'function') return undefined;
  // Express 4 has a getter `router` that throws, Express 5 has no `_router`.
  return Reflect.get(app, '_router') ?? Reflect.get(app, 'router');
}

function stackOf(router: unknown): readonly Layer[] {
  const stack: unknown = typeof router === 'function' ? Reflect.get(router, 'stack') : undefined;
  return Array.isArray(stack) ? stack : [];
}

function followStack(router: unknown): void {
  const [first] = stackOf(router);
  const prototype: object | null = first === undefined ? null : Object.getPrototypeOf(first);
  if (prototype === null || followed.has(prototype)) return;
  followed.add(prototype);
  for (const name of ['handle_request', 'handleRequest']) {
    const original: unknown = Reflect.get(prototype, name);
    if (typeof original === 'function') Reflect.set(prototype, name, following(original as Handle));
  }
}

function following(original: Handle): Handle {
  return function (req, res, next) {
    let leave = (_error: unknown): void => {};
    try {
      leave = enter(this, req, res);
    } catch {
      // The request has no template then.
    }
    return original.call(this, req, res, function (...args) {
      leave(args[0]);
      return next.apply(this, args);
    });
  };
}

/** Notes that a layer has the request. Returns what notes that it has passed the request on. */
function enter(layer: Layer, req: ExpressRequest, res: ExpressResponse): (error: unknown) => void {
  const progress = progressOf(req);
  const { baseUrl = '' } = req;
  const around = progress.mounts.at(-1);
  const depth = progress.mounts.length;
  if (layer.route) {
    const pattern = around?.baseUrl === baseUrl ? around.pattern : undefined;
    progress.template = join(pattern, routePattern(layer, pathOf(req.url ?? '')));
  } else {
    followStack(layer.handle);
    if (around?.baseUrl !== baseUrl)
      progress.mounts.push({ baseUrl, pattern: patternBelow(around, layer, baseUrl) });
  }
  return (error) => {
    progress.mounts.length = Math.min(progress.mounts.length, depth);
    if (error && error !== 'route' && error !== 'router') noteFailure(req, error);
    else if (layer.route && res.headersSent !== true) progress.template = undefined;
  };
}

function patternBelow(around: Mount | undefined, layer: Layer, baseUrl: string): string | undefined {
  if (around === undefined || !baseUrl.startsWith(around.baseUrl)) return undefined;
  return join(around.pattern, mountPattern(layer, baseUrl.slice(around.baseUrl.length)));
}

function progressOf(req: Followed): Progress {
  req[progressKey] ??= { mounts: [{ baseUrl: '', pattern: '' }], template: undefined };
  return req[progressKey];
}

function join(around: string | undefined, inner: string | undefined): string | undefined {
  if (around === undefined || inner === undefined) return undefined;
  return around !== '' && inner === '/' ? around : around + inner;
}

function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, '').replace(/[?#].*$/s, '');
}
