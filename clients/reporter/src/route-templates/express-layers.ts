import { noteFailure } from '../adapters/failures.js';
import { type Layer, mountPattern, routePattern } from './express-patterns.js';

/** What is read of a request of Express. */
export type ExpressRequest = {
  app?: unknown;
  baseUrl?: string | undefined;
  url?: string | undefined;
  route?: unknown;
};

/** What is read of a response of Express. */
export type ExpressResponse = { headersSent?: boolean };

type Next = (this: unknown, ...args: unknown[]) => unknown;
type Handle = (this: Layer, req: ExpressRequest, res: ExpressResponse, next: Next) => unknown;

/** The path that a router was mounted at, and its pattern. */
type Mount = { baseUrl: string; pattern: string | undefined };

/** Where a request is among nested routers. */
type Progress = { mounts: Mount[]; template: string | undefined };

const progresses = new WeakMap<ExpressRequest, Progress>();
const followed = new WeakSet<object>();

/**
 * Makes every router of the same copy of Express tell which route a request has come to. Express itself keeps only
 * `req.baseUrl`, in which the parameters of mounted routers have been replaced by their values.
 */
export function followRoutes(req: ExpressRequest): void {
  followStack(routerOf(req.app));
  // The routers around this middleware were entered before the first request could be followed.
  if (!progresses.has(req) && req.baseUrl)
    progressOf(req).mounts.push({ baseUrl: req.baseUrl, pattern: undefined });
}

/** Returns the template of the route that has the request, or had it when an error came; `undefined` without one. */
export function templateOf(req: ExpressRequest): string | undefined {
  return progresses.get(req)?.template;
}

function routerOf(app: unknown): unknown {
  if (typeof app !== 'function') return undefined;
  // Express 4 has a getter `router` that throws, Express 5 has no `_router`.
  return Reflect.get(app, '_router') ?? Reflect.get(app, 'router');
}

function followStack(router: unknown): void {
  const stack: unknown = typeof router === 'function' ? Reflect.get(router, 'stack') : undefined;
  const first: unknown = Array.isArray(stack) ? stack[0] : undefined;
  const prototype: unknown =
    typeof first === 'object' && first !== null ? Object.getPrototypeOf(first) : null;
  if (typeof prototype !== 'object' || prototype === null || followed.has(prototype)) return;
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

function progressOf(req: ExpressRequest): Progress {
  const known = progresses.get(req);
  if (known !== undefined) return known;
  const progress: Progress = { mounts: [{ baseUrl: '', pattern: '' }], template: undefined };
  progresses.set(req, progress);
  return progress;
}

function join(around: string | undefined, inner: string | undefined): string | undefined {
  if (around === undefined || inner === undefined) return undefined;
  return around !== '' && inner === '/' ? around : around + inner;
}

function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, '').replace(/[?#].*$/s, '');
}
